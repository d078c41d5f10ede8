#!/usr/bin/python3
"""The machine under Assay's own tables: every promise of the architecture layer holds in every emulator, CPU and APIC mode, and what
cannot be checked is skipped with a reason."""
from boottest import boot, done, equal, ok, sound

OPTIONS = "pmu=virtual suite=machine"
# Name, what to boot, at most how many of the checks may be skipped.
RUNS = [
    ("QEMU, all features, above 4 GiB too", dict(memory=5120), 2),
    ("QEMU, HPET that sends messages", dict(extra=("-global", "hpet.msi=on")), 2),
    ("QEMU, HPET not to be used", dict(options="hpet=0"), 2),
    ("QEMU, neither XSAVE nor NX", dict(cpu="qemu64,-xsave,-nx"), 8),
    ("QEMU, no local APIC", dict(cpu="max,-apic"), 19),
    ("QEMU, 2 CPUs, 5 GiB", dict(cpu="Nehalem", cpus=2, memory=5120), 5),
    ("QEMU, UEFI", dict(how="efi"), 2),
    ("Bochs, unknown MSRs fault", dict(emulator="bochs", ignore_bad_msrs=0), 1),
    ("Bochs, x2APIC", dict(emulator="bochs", ignore_bad_msrs=0, options="x2apic=1"), 1),
    ("Bochs, Pentium 4", dict(emulator="bochs", ignore_bad_msrs=1, cpu="p4_prescott_celeron_336"), 5),
    ("Bochs, UEFI without ACPI tables, x2APIC", dict(how="disk", emulator="bochs", options="x2apic=1"), 2),
]

for name, what, skips in RUNS:
    what = dict(what, options=(OPTIONS + " " + what.get("options", "")).strip())
    r = boot(**what)
    sound(r, name)
    counts = r.counts or {}
    ok(counts.get("exact", 0) > 50 and counts.get("skipped", 99) <= skips, name + ": at most %d checks are skipped" % skips,
       ["%r" % counts] + [line for line in r.text if "skipped" in line])

for source, what in (("NMI from HPET", {}), ("NMI message from HPET", dict(extra=("-global", "hpet.msi=on"))),
                     ("NMI from PIT", dict(machine="q35,hpet=off")), ("none", dict(cpu="max,-apic"))):
    r = boot(options=OPTIONS, **what)
    equal(r.report and r.report["machine"]["watchdog"], source, "the watchdog is: " + source)
done()
