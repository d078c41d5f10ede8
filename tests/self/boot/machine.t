#!/usr/bin/python3
"""The machine under Assay's own tables: every promise of the architecture layer holds in every emulator, CPU and APIC mode, and what
cannot be checked is skipped with a reason."""
import os
import re

from boottest import BUILD, boot, done, emulators, equal, few, ok, sound, tail, unsound

OPTIONS = "pmu=virtual suite=machine"


def with_test_image(image):
    """The test image has checks that are not for every machine: tests/suites/x86/machine.h."""
    emulators.mtools("mcopy", image, "-o", os.path.join(BUILD, "mutants-efi.efi"), "::/EFI/BOOT/BOOTX64.EFI")


# Bochs alone has shadow stacks, and no emulator has the register of AMD's C1E (tests/self/host/test_held_registers.c).
# Name, what to boot, at most how many of the checks may be skipped.
RUNS = [
    ("QEMU, all features, above 4 GiB too", dict(memory=5120), 5),
    ("QEMU, HPET that sends messages", dict(extra=("-global", "hpet.msi=on"), cpus=(1, 2)), 6),
    ("QEMU, HPET not to be used", dict(options="hpet=0"), 6),
    ("QEMU, neither XSAVE nor NX", dict(cpu="qemu64,-xsave,-nx"), 12),
    ("QEMU, no local APIC", dict(cpu="max,-apic"), 29),
    ("QEMU, 2 CPUs, 5 GiB", dict(cpu="Nehalem", cpus=2, memory=5120, options="cpus=0,1"), 21),
    ("QEMU, UEFI", dict(how="disk", disk="virtio", extra=emulators.STEADY), 6),
    ("Bochs, unknown MSRs fault, shadow stacks", dict(emulator="bochs", ignore_bad_msrs=0, cpu="tigerlake"), 3),
    ("Bochs, x2APIC", dict(emulator="bochs", ignore_bad_msrs=0, options="x2apic=1", cpus=(1, 2)), 4),
    ("Bochs, Pentium 4", dict(emulator="bochs", ignore_bad_msrs=1, cpu="p4_prescott_celeron_336"), 9),
    # uefi.t has the shipped image there.
    *few((), (("Bochs, UEFI without ACPI tables, x2APIC", dict(how="disk", emulator="bochs", options="x2apic=1"), 6),)),
]

# Where time is counted in instructions, QEMU's TSC counts nanoseconds and Bochs's the instructions of `ips`: scripts/emulators.py.
TSC_HZ = {"qemu": 1000000000, "bochs": 20000000}
# A round of the calibration takes 3 ms, and one look at a clock less than 1 us: arch/x86/time/time.c.
TSC_WITHIN = 0.0003


def clock(r, hz, name, reference=None):
    """The TSC's frequency is the emulator's, whichever clock it was measured against."""
    machine = (r.report or {"machine": {"clock_hz": 0, "time_reference": None}})["machine"]
    ok(abs(machine["clock_hz"] - hz) <= hz * TSC_WITHIN, "%s: the TSC runs at %d MHz, by the %s" % (name, hz / 1000000, machine["time_reference"]),
       ["%d Hz" % machine["clock_hz"]])
    if reference:
        equal(machine["time_reference"], reference, name + ": the clock is this")


for name, what, skips in RUNS:
    what = dict(what, options=(OPTIONS + " " + what.get("options", "")).strip(), direct="mutants.bin", prepare=with_test_image)
    r = boot(**what)
    sound(r, name)
    if what.get("emulator", "qemu") == "qemu" or what.get("how", "direct") == "direct":
        clock(r, TSC_HZ[what.get("emulator", "qemu")], name)
    if what.get("cpu") == "tigerlake":
        ok(any(re.match(r"ok \d+ - machine: hand-over/from firmware with shadow stacks$", line) for line in r.lines), name + ": the machine is taken with them on", tail(r))
    counts = r.counts or {}
    ok(counts.get("exact", 0) > 85 and counts.get("skipped", 99) <= skips, name + ": at most %d checks are skipped" % skips,
       ["%r" % counts] + [line for line in r.text if "skipped" in line])

for source, what in (("NMI from HPET", {}), ("NMI message from HPET", dict(extra=("-global", "hpet.msi=on"))),
                     ("NMI from PIT", dict(machine="q35,hpet=off")), ("none", dict(cpu="max,-apic"))):
    r = boot(options=few("pmu=virtual suite=none", OPTIONS), **what)
    equal(r.report and r.report["machine"]["watchdog"], source, "the watchdog is: " + source)

# No timer of this machine interrupts but the APIC's own, which needs IF = 1: another processor stands guard. (It looks at the time in a loop, which
# QEMU carries out only in real time here.)
TIMELESS = dict(machine="microvm,pit=off,pic=off,rtc=off,acpi=on", cpus=2, steady=False)
r = boot(options=OPTIONS + ",control check=wrap* inject=hang:control/wrap/PMC1", **TIMELESS)
ok(r.text[:10].count("watchdog: NMI from another processor") == 1, "another processor is the watchdog, which the first lines say", r.lines[:5])
# There are no clocks; and in real time this computer may hold the other processor up, so that it is late (1100 thousandths are the most), never early.
LATE = r"machine/watchdog/(at the deadline|by each source).* observed 4?0?(1[1-9]\d\d|[2-9]\d\d\d)\b"
# What is stepped has deadlines of 10 and 20 ms there, which pass by themselves if it is held up.
bad = [line for line in unsound(r) if not line.startswith(("machine/clocks/", "machine/stepped/")) and not re.match(LATE, line)]
ok(len(bad) == 1 and bad[0].startswith("control/wrap/PMC1: error: watchdog in ring 0 at breadcrumbs_fail+"),
   "it does what is asked of a watchdog, and ends a check that hangs with interrupts masked", bad + tail(r))
equal(len([line for line in r.lines if re.match(r"(not )?ok .*machine: watchdog/", line)]), 9, "which nine checks ask")
r = boot(options="pmu=virtual suite=none", **dict(TIMELESS, cpus=1))
equal(r.report and r.report["machine"]["watchdog"], "APIC timer", "a single processor has none")

for reference, what in (("HPET", {}), ("ACPI PM timer", dict(machine="q35,hpet=off")), ("PIT", dict(machine="pc,hpet=off,acpi=off"))):
    clock(boot(options="pmu=virtual suite=none", **what), TSC_HZ["qemu"], "QEMU with no better clock", reference)
done()
