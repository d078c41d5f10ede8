"""Two reports check by check: what agrees, and in which words they differ."""
from .reading import evidence, number, suite_title


def counts(check):
    """What must agree between two runs of deterministic code."""
    return [
        [
            number(o["n"]),
            number(o["low"]),
            number(o["high"]),
            sorted([number(v), number(t)] for v, t in o["values"]),
            number(o["total"]),
            number(o["distinct"]),
            number(o["min"]),
            number(o["max"]),
        ]
        for o in check["observations"]
    ]


def by_name(report, pairs):
    """Of pairs (suite, check), the checks by suite and name; the suite has its processor if there are several."""
    pairs = list(pairs)
    several = len({s.get("processor") for s, c in pairs}) > 1
    return {(suite_title(report, s) if several else s["name"], c["name"]): c for s, c in pairs}


def unlisted(one, other):
    """What differs where the values that are shown do not."""
    ends = [
        " and ".join(f"{o['distinct']} values of {o['total']}, {o['min']}..{o['max']}" for o in check["observations"])
        for check in (one, other)
    ]
    return f"{ends[0]}; then {ends[1]}"


def difference_of_counts(one, other):
    """In words; None if there is none."""
    if counts(one) == counts(other):
        return None
    left, right = list(evidence(one)), list(evidence(other))
    pairs = [f"{x}; then {y}" for x, y in zip(left, right) if x != y]
    if pairs:
        return pairs[0]
    return f"{len(left)} observations, then {len(right)}" if len(left) != len(right) else unlisted(one, other)


def differences(a, b):
    """Of two dictionaries by_name: (key, what), those that only one has first."""
    for key in [k for k in a if k not in b]:
        yield key, "only in the first report"
    for key in [k for k in b if k not in a]:
        yield key, "only in the second report"
    for key in [k for k in a if k in b]:
        if a[key]["verdict"] != b[key]["verdict"]:
            yield key, f"verdict {a[key]['verdict']}, then {b[key]['verdict']}"
        what = difference_of_counts(a[key], b[key])
        if what:
            yield key, what
