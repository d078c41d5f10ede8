#!/usr/bin/python3
"""The whole image on QEMU's CPU models, started directly: every check sound, the same checks everywhere."""
from collections import Counter

from boottest import boot, comparable, done, equal, few, ok, sound

MODELS = few(["qemu64", "core2duo", "Skylake-Server", "EPYC"],
             ["qemu64", "core2duo", "Nehalem", "Haswell", "Skylake-Server", "Opteron_G3", "EPYC", "max"])

# What every kernel counts has no part in the model: uefi.t runs all of them.
OPTIONS = few("kernel=empty,calls,loads", "")
reference = None
for cpus in (1, 2):
    for model in MODELS if cpus == 1 else few(MODELS[2:3], MODELS[2:4]):
        name = "%s, %d CPU%s" % (model, cpus, "s" if cpus > 1 else "")
        r = boot(cpu=model, cpus=cpus, options=OPTIONS)
        sound(r, name)
        ok(r.report and r.report["complete"], name + ": the report is complete")
        if r.report:
            equal(r.report["machine"]["processor_count"], cpus, name + ": CPUs are counted from the firmware's tables")
        verdicts = Counter(verdict for verdict, _ in (comparable(r) or {}).values())
        reference = reference or verdicts
        equal(verdicts, reference, name + ": the same verdicts as the first model")
done()
