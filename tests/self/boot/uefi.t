#!/usr/bin/python3
"""The image under real firmware, in QEMU and in Bochs, against the direct start."""
import tempfile

from boottest import boot, done, emulators, equal, few, ok, same_table, sound, tail, valid

REPS = few(" reps=2", "")
direct = boot(options="pmu=virtual" + REPS)
sound(direct, "direct start")
valid(direct.report, "its report is valid")

r = boot("disk", config="exit=shutdown pmu=virtual%s\n" % REPS, disk="virtio")
sound(r, "UEFI in QEMU, from disk")
equal(r.exit_status, 0, "it switches the machine off")
same_table(r, direct, "the same table as the direct start")
equal(r.report and r.report["machine"]["processor_count"], 1, "one CPU is counted")
ok(r.report and "EDK II" in r.report["machine"]["firmware"], "the firmware is named")

FEW = "pmu=virtual suite=control,events reps=2 kernel=nop_loop,calls" + few(" check=*PMC0*,access/*,power-up/*", ",loads,cpuid")
r = boot("disk", emulator="bochs", config="exit=shutdown %s\n" % FEW.replace("=control", "=machine,control"), cpu="p4_prescott_celeron_336", timeout=180)
sound(r, "UEFI in Bochs, without ACPI tables, from disk")
same_table(r, boot(options=FEW), "the same table as a direct start in QEMU")
machine = {c["name"]: c["verdict"] for s in (r.report or {"suites": []})["suites"] if s["name"] == "machine" for c in s["checks"]}
LACKS = {"msr/reads of MSRs that do not exist are refused", "pages/one of 1 GiB is split", "apic/an error interrupt is reported",
         "vector registers/all of XCR0 survive a handler that prints", "vector registers/the pattern was in them", "vector registers/AVX is enabled",
         "others/all work at once, each by itself"}
ok(list(machine.values()).count("exact") > 80, "the machine under our own tables", machine)
equal({name for name, verdict in machine.items() if verdict == "skipped"}, LACKS, "what is skipped of it is what Bochs's Pentium 4 has not")
valid(r.report, "the report on its disk is valid")

# No UEFI comes up on the Willamette: this one switches to long mode before anything else, and that of 32 bits is larger than Bochs's ROM.
r = boot("disk", emulator="bochs", config="", cpu="p4_willamette", timeout=60)
ok("exception(): 3rd (13) exception with no resolution" in r.console and ": wrmsr " in r.console, "64-bit UEFI ends with its write of EFER on a CPU without long mode",
   r.console.splitlines()[-6:] + tail(r))
with tempfile.NamedTemporaryFile() as rom:
    for path in reversed(emulators.OVMF32):
        with open(path, "rb") as f:
            rom.write(f.read())
    rom.flush()
    emulators.BOCHS_OVMF = rom.name
    r = boot("disk", emulator="bochs", config="", cpu="p4_willamette", timeout=60)
ok("ROM: ROM image too large" in r.console, "32-bit UEFI is no ROM of Bochs's", r.console.splitlines()[-6:] + tail(r))
done()
