#!/usr/bin/python3
"""The image on Bochs's CPU models, with unknown MSRs faulting and not, in x2APIC mode, against QEMU. (uefi.t has every kernel in
Bochs, and so has witness_bochs.t.)"""
from boottest import boot, done, few, ok, same_table, sound

RUNS = few([
    ("core2_penryn_t9600", 0, ""),
    ("corei7_haswell_4770", 1, "x2apic=1"),
    ("ryzen", 0, ""),
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

qemu = boot(options=OPTIONS)
sound(qemu, "QEMU, for comparison")
for model, ignore, options in RUNS:
    name = "%s, unknown MSRs %s%s" % (model, "read 0" if ignore else "fault", ", x2APIC" if options else "")
    r = boot(emulator="bochs", cpu=model, ignore_bad_msrs=ignore, options=OPTIONS + " " + options)
    sound(r, name)
    same_table(r, qemu, name + ": verdict table as in QEMU, count for count")
    if options:
        ok(any("x2APIC" in line for line in r.text), name + ": runs in x2APIC mode", r.text[:15])
done()
