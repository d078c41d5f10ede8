#!/usr/bin/python3
"""Machines that lack something: said in one line, and judged all the same."""
from boottest import boot, complains, done, equal, ok, sound, tail
from monitor import Monitor

OPTIONS = "pmu=virtual suite=control"


def note(r, pattern, name):
    notes = [n for n in (r.report or {"notes": []})["notes"] if pattern.lower() in n.lower()]
    equal(len(notes), 1, name)


r = boot(options=OPTIONS, machine="q35,hpet=off")
sound(r, "no HPET")
note(r, "HPET", "one note says so")
ok(r.report and r.report["machine"]["time_reference"] != "HPET", "another clock served")

r = boot(options=OPTIONS + " hpet=0")
sound(r, "HPET not to be used")
ok(r.report and r.report["machine"]["time_reference"] != "HPET", "another clock served")

r = boot(options=OPTIONS + " x2apic=1")
sound(r, "x2APIC asked for, but the CPU has none")
note(r, "x2APIC", "one note says so")

r = boot(options=OPTIONS, serial=False)
equal(r.exit_status, 33, "no serial port: nothing wrong by the exit status")
note(r, "serial", "one note says so")

r = boot(options=OPTIONS, machine="pc")
sound(r, "the older chipset")

complains(boot(options=OPTIONS, memory=6, timeout=30), r"memory", "room for the image and for little else")
complains(boot(options=OPTIONS, cpu="qemu32", timeout=30), r"64-bit", "a CPU without 64-bit mode")
# Where no emulator is told to end, it halts, and a screen shows the line.
shown = []
with Monitor() as monitor:
    boot(options=OPTIONS, cpu="qemu32,-hypervisor", extra=("-global", "isa-debugcon.readback=255", "-vga", "std", *monitor.options), timeout=30,
         stop_when=lambda line: "64-bit" in line and not shown.extend(monitor.cells()[0]))
equal(shown[:1], ["assay: could not run: this CPU has no 64-bit mode; use an x86-64 CPU"], "which is on a BIOS's text screen, too")
complains(boot(emulator="bochs", cpu="p3_katmai", options=OPTIONS, timeout=60), r"64-bit", "such a CPU in Bochs")
done()
