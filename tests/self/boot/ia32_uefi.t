#!/usr/bin/python3
"""The stick under 32-bit UEFI: GRUB starts the 64-bit image where the CPU has a 64-bit mode, and the image for CPUs without where it has none."""
import os
import time

from boottest import TOP, boot, done, emulators, equal, ok, same_table, skip, sound, tail, valid
from camera import Camera
from monitor import Monitor

OPTIONS = "pmu=virtual suite=control,events reps=2 kernel=nop_loop,calls event=ASSAY_*,INST_RETIRED.ANY_P check=wrap*,access/*,LVT*"
FILES = {"/assay/events/our own.json": b'[{"EventName":"ASSAY_OWN","EventCode":"0xc0","SampleAfterValue":"1"}]'}
WHY = "assay: could not run: this CPU has no SSE2; use a Pentium 4, a Core or later"
direct = boot(options=OPTIONS, files=FILES)
shown = []

with Monitor() as monitor:

    def look(line):
        if line.startswith("# report: "):
            # The screen is drawn behind the serial line.
            until = time.monotonic() + 10
            while not any(row.startswith("assay: ") and " checks: " in row for row in shown) and time.monotonic() < until:
                shown[:] = monitor.screen()
        return bool(shown)

    r = boot("disk", config="exit=halt\n%s\n" % OPTIONS, files=FILES, cpus=2, firmware=emulators.OVMF32, in_turns=True, extra=("-vga", "std", *monitor.options), stop_when=look)
sound(r, "a 64-bit CPU")
same_table(r, direct, "the same table as a direct start")
valid(r.report, "its report has come over the serial line")
equal(r.report and r.report["isa"], "x86-64", "by the image of 64 bits, in long mode")
ok(r.report and "GRUB" in r.report["machine"]["firmware"], "the loader is named", [str(r.report and r.report["machine"])])
equal(r.report and r.report["machine"]["processor_count"], 2, "ACPI's tables are found")
ok(any("the report is not on the stick: 32-bit UEFI" in line for line in r.lines), "why it is not on the stick", tail(r))
ok(r.verdict and any(row.startswith(("assay: " + r.verdict)[:60]) for row in shown), "the verdict is on the screen that firmware has set up", shown)

# Nobody reads a serial line: the screen that firmware has set up keeps the report.
if os.path.exists(TOP + "/build/qrcodegen/c/qrcodegen.c"):
    with Camera(switch_off=True) as camera:
        r = boot("disk", config="exit=shutdown\n%s\n" % OPTIONS, files=FILES, firmware=emulators.OVMF32, serial=False, extra=camera.options, until_exit=True, timeout=300)
        r.report_json, said = camera.report()
    ok(r.report, "no serial port: codes on the screen: " + said, ["%d pictures" % len(camera.pictures)])
    same_table(r, direct, "with the same table")
    valid(r.report, "which keep to the schema")
else:
    skip("the image is built without QR codes")

r = boot("disk", config="exit=shutdown\n%s\n" % OPTIONS, files=FILES, cpu="coreduo", firmware=emulators.OVMF32)
sound(r, "a CPU without 64-bit mode")
same_table(r, direct, "the same table as that of a CPU with it")
equal(r.report and r.report["isa"], "ia32", "by the image of 32 bits")

r = boot("disk", options="", cpu="pentium3", firmware=emulators.OVMF32, stop_when=lambda line: "could not run" in line)
equal([line for line in r.lines if "could not run" in line], ["# " + WHY], "a CPU without SSE2: one line on the serial port")
equal(r.status, 2, "nothing is run")
done()
