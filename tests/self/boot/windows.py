"""Windows that a witness saw (tests/self/boot/plugin), held against what single-stepping found out (suite truth)."""
import copy

QUANTITIES = ("instructions", "branches", "br.cond", "br.cond.taken", "br.cond.ntaken", "br.jmp.direct", "br.jmp.indirect",
              "br.call.direct", "br.call.indirect", "br.ret", "br.far", "loads", "stores", "loads.bytes", "stores.bytes")


def window(line):
    kernel, level, n, *amounts = line.split()
    return (kernel, int(level), int(n)), {name: int(amount) for name, amount in (a.split("=") for a in amounts)}


def read(path):
    """{(kernel, level, N): {quantity: amount}}"""
    with open(path, encoding="ascii") as f:
        return dict(window(line) for line in f)


def ground_truth(checks, number):
    """The same of the checks of suite truth. @param number  from a level's name to the number that marks have of it"""
    truth, stepped, sizes = {}, set(), {}
    for c in checks:
        where = c["kernel"], number(c["level"])
        if c["verdict"] == "exact" and c["name"].startswith("all quantities/"):
            stepped.add(where)
        for o in c["observations"]:
            sizes.setdefault(where, set()).add(o["n"])
            truth.setdefault(where + (o["n"],), {})[c["event"]] = int(o["values"][0][0])
    # A quantity that a kernel does not produce has no check of its own; some produce nothing at all.
    usual = sizes.get(("nop_loop", 0), ())
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
    """{kernel: lines}: what is wrong with each."""
    wrong = {}
    for where in sorted(truth):
        kernel, level, n = where
        lines = wrong.setdefault(kernel, [])
        if where not in seen:
            lines.append("level %d, N = %d: the plugin saw no such window" % (level, n))
            continue
        lines += ["level %d, N = %d: %s: single-stepping shows %d, the plugin saw %d" % (level, n, q, a, b)
                  for q, (a, b) in differences(truth[where], seen[where]).items()]
    return wrong


def alterations(truth, seen):
    """Add one to each number that the plugin saw, one at a time: the kernel must be found wrong. Returns (tried, missed)."""
    tried, missed = 0, []
    for where in sorted(truth):
        for q in QUANTITIES:
            if seen[where]["br.cond.either"] and q.startswith("br.cond."):
                continue
            altered = copy.copy(seen[where])
            altered[q] += 1
            tried += 1
            if not differences(truth[where], altered):
                missed.append("%s, level %d, N = %d: %s" % (where + (q,)))
    return tried, missed
