#!/usr/bin/python3
"""Witness: a QEMU plugin counts from outside what every kernel does at full speed; it must agree with the ground truth.

The image steps every kernel under its oracle and then runs it between marks (suite truth). The plugin knows nothing of signatures,
of the oracle or of the decoder. Every kernel, in each ring, at three values of N, is compared count for count.
"""
import copy
import os
import shutil
import tempfile

from boottest import BUILD, boot, done, equal, ok, sound

QUANTITIES = ("instructions", "branches", "br.cond", "br.cond.taken", "br.cond.ntaken", "br.jmp.direct", "br.jmp.indirect",
              "br.call.direct", "br.call.indirect", "br.ret", "br.far", "loads", "stores", "loads.bytes", "stores.bytes")
MEMORY = ("loads", "stores", "loads.bytes", "stores.bytes")

# Where QEMU's own way to carry an instruction out differs from the definition of an access (pmu/quantity.def). Nothing else of
# these kernels is left out, and an entry that is not needed is a failure.
FIELDS = "QEMU moves the fields of a state image one by one, and not its reserved parts"
EXCEPTIONS = {
    "fxsave": (MEMORY, FIELDS),
    "x87_environment": (("loads", "loads.bytes"), FIELDS),
    "x87_state": (("loads", "loads.bytes"), FIELDS),
    "avx_masked": (("stores", "stores.bytes"), "QEMU makes no access for a masked-out element"),
    "fma_memory": (("loads.bytes",), "QEMU 7.2 reads more than the operand of a scalar FMA"),
}


def run():
    """One boot with the plugin: the ground truth {(kernel, ring, N): {quantity: amount}}, and the same as the plugin saw it."""
    directory = tempfile.mkdtemp(prefix="assay-witness-")
    try:
        out = os.path.join(directory, "windows")
        r = boot(options="suite=truth kernel=all pmu=virtual", extra=["-plugin", "%s/plugin/quantities.so,out=%s" % (BUILD, out)],
                 timeout=300)
        sound(r, "single-stepping agrees with the signatures")
        with open(out, encoding="ascii") as f:
            seen = dict(window(line) for line in f)
    finally:
        shutil.rmtree(directory)
    checks = [c for suite in r.report["suites"] if suite["name"] == "truth" for c in suite["checks"] if "kernel" in c] if r.report else []
    return ground_truth(checks), seen


def window(line):
    kernel, ring, n, *amounts = line.split()
    return (kernel, int(ring), int(n)), {name: int(amount) for name, amount in (a.split("=") for a in amounts)}


def ground_truth(checks):
    truth, stepped, sizes = {}, set(), {}
    for c in checks:
        where = c["kernel"], int(c["ring"][-1])
        if c["verdict"] == "exact" and c["name"].startswith("all quantities/"):
            stepped.add(where)
        for o in c["observations"]:
            sizes.setdefault(where, set()).add(o["n"])
            truth.setdefault(where + (o["n"],), {})[c["event"]] = int(o["values"][0][0])
    # A quantity that a kernel does not produce has no check of its own; some produce nothing at all.
    usual = sizes[("nop_loop", 0)]
    return {where + (n,): {q: truth.get(where + (n,), {}).get(q, 0) for q in QUANTITIES}
            for where in stepped for n in sizes.get(where, usual)}


def differences(truth, seen):
    """Quantities of one window that do not agree, as {quantity: (truth, seen)}."""
    found = {q: (truth[q], seen[q]) for q in QUANTITIES if truth[q] != seen[q]}
    # Branches to the next instruction look the same from outside, taken or not.
    either = seen["br.cond.either"]
    if all(seen[q] <= truth[q] <= seen[q] + either for q in ("br.cond.taken", "br.cond.ntaken")):
        found.pop("br.cond.taken", None)
        found.pop("br.cond.ntaken", None)
    return found


def compare(truth, seen):
    """{kernel: lines}: what is wrong with each, exceptions left out; and the exceptions that were met."""
    wrong, met = {}, set()
    for where in sorted(truth):
        kernel, ring, n = where
        lines = wrong.setdefault(kernel, [])
        if where not in seen:
            lines.append("ring %d, N = %d: the plugin saw no such window" % (ring, n))
            continue
        for q, (a, b) in differences(truth[where], seen[where]).items():
            if q in EXCEPTIONS.get(kernel, ((),))[0]:
                met.add((kernel, q))
            else:
                lines.append("ring %d, N = %d: %s: single-stepping shows %d, the plugin saw %d" % (ring, n, q, a, b))
    return wrong, met


def alterations(truth, seen):
    """Add one to each number that the plugin saw, one at a time: the kernel must be found wrong. Returns (tried, missed)."""
    tried, missed = 0, []
    for where in sorted(truth):
        for q in QUANTITIES:
            if q in EXCEPTIONS.get(where[0], ((),))[0] or seen[where]["br.cond.either"] and q.startswith("br.cond."):
                continue
            altered = copy.copy(seen[where])
            altered[q] += 1
            tried += 1
            if not differences(truth[where], altered):
                missed.append("%s, ring %d, N = %d: %s" % (where + (q,)))
    return tried, missed


truth, seen = run()
ok(len(truth) > 1000, "%d windows stepped" % len(truth))
equal(sorted(set(seen) - set(truth)), [], "the plugin saw no other window")
wrong, met = compare(truth, seen)
for kernel in sorted(wrong):
    exception = EXCEPTIONS.get(kernel)
    ok(not wrong[kernel], kernel + (" but %s (%s)" % (", ".join(exception[0]), exception[1]) if exception else ""), wrong[kernel][:20])
for kernel, (quantities, _) in sorted(EXCEPTIONS.items()):
    equal(sorted(q for k, q in met if k == kernel), sorted(quantities), kernel + ": its exceptions are needed")
if all(where in seen for where in truth):
    tried, missed = alterations(truth, seen)
    ok(tried and not missed, "%d of %d numbers altered by one are noticed" % (tried - len(missed), tried), missed[:20])
done()
