#!/usr/bin/python3
"""Witness: a QEMU plugin counts from outside what every kernel does at full speed; it must agree with the ground truth.

The image steps every kernel under its oracle and then runs it between marks (suite truth). The plugin knows nothing of signatures,
of the oracle or of the decoder. Every kernel, in each ring, at three values of N, is compared count for count.
"""
import fnmatch
import os
import shutil
import tempfile

import windows
from boottest import BUILD, boot, done, equal, ok, sound, witness_table
from windows import QUANTITIES, alterations, compare

# A CPU with SYSENTER, and memory beyond the first GiB, for pages of that size. (What QEMU has above 2 GiB is not read back at once.) The virtual
# CPU has three levels of cache.
MACHINE = dict(cpu="max,vendor=GenuineIntel", memory=1600)
# A kernel without emulation of the exceptions which the CPU lacks has this behind its name.
UNEMULATED = "-unemulated"
# Kernels that want another processor have a core of two; with several, QEMU does not tell the plugin of what a locked instruction loads.
COMPANIONS = ("rival_*", "sibling_*")


def run(kernels, cpus):
    """One boot with the plugin: the ground truth {(kernel, ring, N): {quantity: amount}}, {kernel: why there is none}, and the truth as the plugin
    saw it."""
    directory = tempfile.mkdtemp(prefix="assay-witness-")
    try:
        out = os.path.join(directory, "windows")
        # While it counts instructions QEMU starts those over that reach devices, and does not tell the plugin of the second time.
        r = boot(options="suite=truth kernel=%s pmu=virtual:intel-nehalem" % kernels, cpus=cpus, extra=["-plugin", "%s/plugin/quantities.so,out=%s" % (BUILD, out)],
                 timeout=300, **MACHINE, steady=False)
        sound(r, "single-stepping agrees with the signatures")
        seen = windows.read(out)
    finally:
        shutil.rmtree(directory)
    checks = [c for suite in r.report["suites"] if suite["name"] == "truth" for c in suite["checks"] if "kernel" in c] if r.report else []
    unseen = {c["kernel"]: c["text"] for c in checks if c["verdict"] == "skipped"}
    return windows.ground_truth([c for c in checks if c["kernel"] not in unseen], lambda ring: int(ring[-1])), unseen, seen


truth, skipped, seen = run("full", 1)
for known, more in zip((truth, skipped, seen), run(",".join(COMPANIONS), (1, 2))):
    known.update(more)
ok(len(truth) > 1000, "%d windows stepped" % len(truth))
unemulated = {where: seen.pop(where) for where in list(seen) if where[0].endswith(UNEMULATED)}
equal(sorted(set(seen) - set(truth)), [], "the plugin saw no other window")
alone = {kernel: amounts["others"] for (kernel, _, _), amounts in seen.items() if not any(fnmatch.fnmatch(kernel, c) for c in COMPANIONS)}
equal([kernel for kernel in sorted(alone) if alone[kernel]], [], "no other processor works but beside kernels that ask for it")
wrong = compare(truth, seen)
for kernel in sorted(wrong):
    ok(not wrong[kernel], kernel, wrong[kernel][:20])
skipped = {kernel: why for kernel, why in skipped.items() if kernel not in wrong}
equal(sorted(skipped.items()), [], "no kernel is skipped")
ok(len(unemulated) == 3, "%d kernels run without exceptions that the CPU lacks, too" % len(unemulated), sorted(unemulated))
for where in sorted(unemulated):
    kernel = where[0][:-len(UNEMULATED)]
    found = compare({(kernel, *where[1:]): truth.get((kernel, *where[1:]), {q: 0 for q in QUANTITIES})}, {(kernel, *where[1:]): unemulated[where]})[kernel]
    ok(any(": instructions: single-stepping shows" in line for line in found), "%s is wrong then, which is noticed: %s" % (kernel, "".join(found[:1])), found)
if all(where in seen for where in truth):
    tried, missed = alterations(truth, seen)
    ok(tried and not missed, "%d of %d numbers altered by one are noticed" % (tried - len(missed), tried), missed[:20])
witness_table("a plugin in QEMU", [kernel for kernel in wrong if not wrong[kernel]], skipped, [kernel for kernel in wrong if wrong[kernel]])
done()
