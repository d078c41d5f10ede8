"""Several reports side by side: what changed from the first to each of the others, the worst first."""
from .comparing import by_name, difference_of_counts
from .page import per_trip, render
from .reading import BY_SEVERITY, FINE, SEVERITY, judged, loaded, machine_key, why

ABSENT = "absent"
# Kinds of change, the worst first.
WORSE, STILL, LOST, BETTER, OTHER, COUNTS = KINDS = [
    "newly off",
    "off in another way",
    "no longer judged",
    "no longer off",
    "another verdict",
    "other counts",
]
SHOWN = 200  # changes in the text


def is_off(verdict):
    return verdict not in FINE and verdict != ABSENT


def is_judged(verdict):
    return verdict not in ("skipped", ABSENT)


def kind(before, after):
    """Of a check whose verdict was the first and is the second; None if it is the same."""
    if before == after:
        return None
    if is_off(after):
        return STILL if is_off(before) else WORSE
    if is_judged(before) and not is_judged(after):
        return LOST
    return BETTER if is_off(before) else OTHER


def severity(change):
    """Sorts changes: by kind, then by the worse of the verdicts."""
    words = [change["before"], change["after"]]
    return KINDS.index(change["kind"]), min(SEVERITY.get(word, len(SEVERITY)) for word in words)


def checks(report):
    return by_name(report, ((suite, check) for suite in report["suites"] for check in suite["checks"]))


def changed_checks(first, other):
    """The worst first; otherwise in the order of the reports."""
    a, b = checks(first), checks(other)
    found = []
    for key in [*a, *(key for key in b if key not in a)]:
        one, then = a.get(key), b.get(key)
        before, after = (check["verdict"] if check else ABSENT for check in (one, then))
        counts = difference_of_counts(one, then) if one and then else None
        what = kind(before, after) or (counts and COUNTS)
        if what:
            texts = counts or "; then ".join(why(check) for check in (one, then) if check and why(check))
            row = {"suite": key[0], "name": key[1], "before": before, "after": after, "kind": what, "text": texts}
            found.append(row)
    return sorted(found, key=severity)


def measured(report):
    """What was measured and is no verdict, by a name: shares, attributions, facts."""
    for s in report.get("shares", []):
        where = f" on processor {s['processor']}" if "processor" in s else ""
        name = f"share of {s['event']} on {s['counter']}, {s['mechanism']}{where}"
        yield name, f"{s.get('share', 'not one value')} ({s['state']})"
    for a in report.get("attributions", []):
        where = f" on processor {a['processor']}" if "processor" in a else ""
        name = f"attribution of {a['class']} by {a['trip']}, {a.get('kernel', 'all kernels')}{where}"
        yield name, f"{per_trip(a.get('counted'))} ({a['state']})"
    for f in report.get("facts", []):
        where = f" on processor {f['processor']}" if "processor" in f else ""
        yield f"fact of {f['suite']}: {f['name']}{where}", f["text"]


def changed_measures(first, other):
    a, b = dict(measured(first)), dict(measured(other))
    for name in [*a, *(name for name in b if name not in a)]:
        if a.get(name) != b.get(name):
            yield {"name": name, "before": a.get(name, ABSENT), "after": b.get(name, ABSENT)}


def option_set(report):
    return dict(token.partition("=")[::2] for token in report["options"].split())


def circumstances(report):
    """What two runs must have in common to be compared without a thought, by a name."""
    machine = report["machine"]
    yield "CPU", machine["cpu"]
    yield "instruction set", report["isa"]
    yield from loaded(report)
    yield "judged", judged(report)
    yield "started by", machine["platform"] or "unknown"
    yield "firmware", machine["firmware"] or "unknown"
    yield "hypervisor", machine["hypervisor"] or ("one without a name" if machine["guest"] else "none")
    yield "build", report["build"]
    yield "run", ("complete" if report["complete"] else "cut short") + (
        f", {report['lost']} lost" if report["lost"] else ""
    )
    for name, value in option_set(report).items():
        yield f"option {name}", value or "(empty)"


def table_of_circumstances(reports):
    """Rows (name, values, whether they differ)."""
    found = [dict(circumstances(report)) for report in reports]
    for name in dict.fromkeys(name for one in found for name in one):
        values = [one.get(name, "-") for one in found]
        yield name, values, len(set(values)) > 1


def sameness(reports):
    """The line that comes first."""
    differ = {name for name, _, other in table_of_circumstances(reports) if other}
    software = dict.fromkeys(name for report in reports for name, _ in loaded(report))
    options = sorted(name.removeprefix("option ") for name in differ if name.startswith("option "))
    parts = [
        "different CPUs" if "CPU" in differ else "the same CPU",
        *(f"different {name}" if name in differ else f"the same {name}" for name in software),
        f"different options ({', '.join(options)})" if options else "the same options",
    ]
    rest = [name for name in ("instruction set", "judged", "started by", "firmware", "hypervisor", "build", "run") if name in differ]
    if rest:
        parts.append("and another: " + ", ".join(rest).replace("judged", "PMU").replace("started by", "start"))
    text = ", ".join(parts)
    return text[0].upper() + text[1:] + "."


def short(changes):
    """How many of each kind."""
    counts = [(what, sum(change["kind"] == what for change in changes)) for what in KINDS]
    return ", ".join(f"{n} {what}" for what, n in counts if n) or "none"


def sides(names, reports):
    """For each report but the first: its name, what changed in checks, what changed in measures, checks in common."""
    for name, report in zip(names[1:], reports[1:]):
        common = len(checks(reports[0]).keys() & checks(report).keys())
        yield name, changed_checks(reports[0], report), list(changed_measures(reports[0], report)), common


def text(names, reports):
    """Lines for a terminal."""
    yield sameness(reports)
    for name, values, differ in table_of_circumstances(reports):
        if differ:
            yield f"  {name}: " + "; then ".join(values)
    for name, changes, measures, common in sides(names, reports):
        yield ""
        yield f"{names[0]}, then {name}: {common} checks in common, {len(changes)} changed: {short(changes)}"
        for c in changes[:SHOWN]:
            verdicts = c["before"] if c["before"] == c["after"] else f"{c['before']}, then {c['after']}"
            yield f"  {c['kind']}: {c['suite']}: {c['name']}: {verdicts}" + (f": {c['text']}" if c["text"] else "")
        if len(changes) > SHOWN:
            yield f"  ... and {len(changes) - SHOWN} more, none worse than these; a page (-o) has all"
        for m in measures[:SHOWN]:
            yield f"  {m['name']}: {m['before']}; then {m['after']}"
        if len(measures) > SHOWN:
            yield f"  ... and {len(measures) - SHOWN} more measures"


def differ(reports):
    """Whether anything that was counted, judged or measured does."""
    first = reports[0]
    ends = any((r["complete"], r["lost"]) != (first["complete"], first["lost"]) for r in reports)
    return ends or any(changed_checks(first, r) or list(changed_measures(first, r)) for r in reports[1:])


def html(names, reports):
    parts = [
        {"name": name, "changes": changes, "measures": measures, "common": common, "short": short(changes)}
        for name, changes, measures, common in sides(names, reports)
    ]
    return render(
        "compare.html.j2",
        names=names,
        keys=[machine_key(report) for report in reports],
        totals=[{v: report["totals"][v] for v in BY_SEVERITY} for report in reports],
        same=sameness(reports),
        circumstances=list(table_of_circumstances(reports)),
        parts=parts,
        kinds=KINDS,
        worse=sum(change["kind"] == WORSE for part in parts for change in part["changes"]),
        total=sum(len(part["changes"]) for part in parts),
    )
