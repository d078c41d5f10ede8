#!/usr/bin/python3
"""The image on Bochs's CPU models, with unknown MSRs faulting and not, in x2APIC mode, against QEMU. (uefi.t has every kernel in
Bochs, and so has witness_bochs.t.)"""
from boottest import boot, done, few, ok, same_table, sound

# One model has all checks; on the others, those of one counter, and of each register.
FEWER = " check=*PMC0*,access/*,power-up/*"
RUNS = few([
    ("core2_penryn_t9600", 0, ""),
    ("corei7_haswell_4770", 1, "x2apic=1" + FEWER),
    ("ryzen", 0, FEWER),
], [
    ("core2_penryn_t9600", 0, ""),
    ("core2_penryn_t9600", 1, ""),
    ("corei7_haswell_4770", 0, "x2apic=1"),
    ("corei7_haswell_4770", 1, "x2apic=1"),
    ("ryzen", 0, ""),
    ("corei7_sandy_bridge_2600k", 1, "x2apic=1"),
    ("p4_prescott_celeron_336", 1, ""),
])

# Kernels of every kind of code: branches, memory, strings, x87, SSE, services.
OPTIONS = "pmu=virtual kernel=" + few("calls,movs_rep reps=2",
                                      "empty,calls,stores,movs_rep,x87_arithmetic,sse_arithmetic,cpuid,locked")

qemu = {}
for model, ignore, options in RUNS:
    x2apic, fewer = "x2apic=1" in options, FEWER if FEWER in options else ""
    if fewer not in qemu:
        qemu[fewer] = boot(options=OPTIONS + fewer)
        sound(qemu[fewer], "QEMU, for comparison" + fewer)
    name = "%s, unknown MSRs %s%s" % (model, "read 0" if ignore else "fault", ", x2APIC" if x2apic else "")
    r = boot(emulator="bochs", cpu=model, ignore_bad_msrs=ignore, options=OPTIONS + " " + options)
    sound(r, name)
    same_table(r, qemu[fewer], name + ": verdict table as in QEMU, count for count")
    if x2apic:
        ok(any("x2APIC" in line for line in r.text), name + ": runs in x2APIC mode", r.text[:15])
done()
