#!/usr/bin/python3
"""Witnesses for AArch64: a QEMU plugin counts from outside what every kernel does at full speed, at both levels in the emulated machine, and at
EL0 in qemu-aarch64, which runs the kernels as a program for Linux. Both must agree with single-stepping, count for count."""
import json
import os
import subprocess
import tempfile

import windows
from aarch64_boot import ROOT, checks, run
from boottest import witness_table
from tap import done, equal, ok

PLUGIN = str(ROOT / "build/plugin/aarch64.so")
PROGRAM = str(ROOT / "build/aarch64/user_kernels")
LEVELS = {"EL1": 0, "EL0": 1}
# A program has no handlers of the harness's, and Linux lets it have no PMU.
NEED_SERVICES = {"system_calls": "it needs a handler of the harness's", "undefined": "it needs a handler of the harness's",
                 "data_abort": "it needs a handler of the harness's", "software_increments": "Linux lets no program have the PMU"}

with tempfile.TemporaryDirectory() as tmp:
    lines, text, status = run.boot("suite=truth kernel=*", "max", timeout=300, extra=["-plugin", "%s,out=%s/machine" % (PLUGIN, tmp)])
    equal(status, 0, "single-stepping agrees with the signatures")
    report = json.loads(text)
    truth = windows.ground_truth([c for c in checks(report, "truth") if "kernel" in c], LEVELS.get)
    machine = windows.read(tmp + "/machine")
    # The other interrupt controller has a kernel of its own.
    lines, text, status = run.boot("suite=truth kernel=irq_gicv3", "max", timeout=300, machine="gic-version=3",
                                   extra=["-plugin", "%s,out=%s/other" % (PLUGIN, tmp)])
    equal(status, 0, "and so it does with a GICv3")
    other = windows.ground_truth([c for c in checks(json.loads(text), "truth") if c.get("kernel") == "irq_gicv3"], LEVELS.get)
    ok(other and not set(other) & set(truth), "whose kernel is one of its own")
    truth.update(other)
    machine.update(windows.read(tmp + "/other"))
    sizes = sorted({n for _, _, n in truth if n})
    subprocess.run(["qemu-aarch64", "-cpu", "max", "-plugin", "%s,out=%s/user" % (PLUGIN, tmp), PROGRAM, *map(str, sizes)], check=True, timeout=120)
    user = windows.read(tmp + "/user")

ok(len(truth) > 400, "%d windows stepped" % len(truth))
equal(sorted(set(machine) - set(truth)), [], "the plugin saw no other window")
for who, seen, known in (("a plugin in QEMU", machine, truth),
                         ("user-mode QEMU", user, {where: t for where, t in truth.items() if where[1] and where[0] not in NEED_SERVICES})):
    wrong = windows.compare(known, seen)
    for kernel in sorted(wrong):
        ok(not wrong[kernel], "%s: %s" % (who, kernel), wrong[kernel][:20])
    if all(where in seen for where in known):
        tried, missed = windows.alterations(known, seen)
        ok(tried and not missed, "%s: %d of %d numbers altered by one are noticed" % (who, tried - len(missed), tried), missed[:20])
    absent = {kernel: NEED_SERVICES.get(kernel, "it is for EL1 only") for kernel in {where[0] for where in truth} - set(wrong)}
    witness_table(who + ", AArch64", [kernel for kernel in wrong if not wrong[kernel]], absent, [kernel for kernel in wrong if wrong[kernel]])
done()
