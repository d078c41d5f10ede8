#!/usr/bin/python3
"""The step engine: counts that the assembler knows come out the same in both emulators, on CPUs of both vendors, in both APIC modes,
under firmware, and with the engine's own faults shown to be caught (docs/virtual-pmu.md)."""
from boottest import boot, done, ok, same_table, sound

OPTIONS = "pmu=virtual suite=step"
# Name, what to boot, at most how many of the checks may be skipped.
RUNS = [
    ("QEMU, AMD's CPU", dict(), 2),
    ("QEMU, PIT as watchdog", dict(machine="q35,hpet=off", cpu="Nehalem"), 0),
    ("QEMU, i440FX, 2 CPUs", dict(machine="pc", cpu="core2duo", cpus=2), 0),
    ("QEMU, UEFI", dict(how="disk"), 2),
    ("Bochs, Intel's CPU, unknown MSRs fault", dict(emulator="bochs", cpu="core2_penryn_t9600", ignore_bad_msrs=0), 0),
    ("Bochs, Intel's CPU, x2APIC", dict(emulator="bochs", cpu="corei7_haswell_4770", options="x2apic=1"), 0),
    ("Bochs, AMD's CPU", dict(emulator="bochs", cpu="ryzen"), 2),
]

reference = {}
for name, what, skips in RUNS:
    what = dict(what, options=(OPTIONS + " " + what.get("options", "")).strip())
    r = boot(**what)
    sound(r, name)
    counts = r.counts or {}
    ok(counts.get("exact", 0) > 120 and counts.get("skipped", 99) <= skips, name + ": at most %d checks are skipped" % skips,
       ["%r" % counts] + [line for line in r.text if "skipped" in line])
    if skips in reference:
        same_table(r, reference[skips], name + ": count for count as in the first run on such a CPU")
    reference.setdefault(skips, r)

r = boot(options=OPTIONS, cpu="max,-apic")
sound(r, "QEMU, no local APIC")
ok(r.counts and r.counts["exact"] > 95, "most of it needs no local APIC", ["%r" % r.counts])
done()
