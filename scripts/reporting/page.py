"""One report as an HTML page that needs nothing but itself.

The summary, and what lies still, is written here. The tables that are sorted, filtered and opened are drawn in the
browser from the report itself, which is embedded: nothing is there twice.
"""
import json
import pathlib

import jinja2

from .reading import BY_SEVERITY, FINE, GOOD, SEVERITY, brief_level, join_levels, join_names, judged, level_word
from .reading import machine_key, processor_label, some_names, subject, suite_title, telling_place, why, worst

WEB = pathlib.Path(__file__).resolve().parent / "web"
JAVASCRIPT = pathlib.Path("/usr/share/javascript")
LIBRARIES = ["jquery/jquery.min.js", "jquery-datatables/jquery.dataTables.min.js", "chart.js/chart.min.js"]
TOP = 25  # groups of checks that the summary names
OFF = [v for v in BY_SEVERITY if v not in FINE]


def embedded(value):
    """JSON that no HTML parser takes for the end of a script; < occurs in strings alone."""
    text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def library(name):
    """A script of Debian's; its map stays behind."""
    text = (JAVASCRIPT / name).read_text(encoding="utf-8")
    return "\n".join(line for line in text.splitlines() if not line.startswith("//# sourceMappingURL")).replace(
        "</script", "<\\/script"
    )


def render(template, **context):
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(WEB),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    safe = jinja2.utils.markupsafe.Markup
    return environment.get_template(template).render(
        css=safe((WEB / "page.css").read_text(encoding="utf-8")),
        libraries=[safe(library(name)) for name in LIBRARIES],
        tables=safe((WEB / "tables.js").read_text(encoding="utf-8")),
        script=lambda name: safe((WEB / name).read_text(encoding="utf-8")),
        json=lambda value: safe(embedded(value)),
        severity=BY_SEVERITY,
        **context,
    )


def tally(verdicts):
    """Pairs (verdict, how often), the worst first."""
    return [[v, verdicts.count(v)] for v in BY_SEVERITY if v in verdicts]


def groups(report):
    """A row for each event, and for each stem of other checks; checks are given as [suite, check, observation that decides] by
    position."""
    rows = {}
    for s, suite in enumerate(report["suites"]):
        for c, check in enumerate(suite["checks"]):
            rows.setdefault((suite_title(report, suite), subject(check)), []).append((s, c, check))
    for (suite, name), members in rows.items():
        found = [check for _, _, check in members]
        verdicts = [check["verdict"] for check in found]
        bad = worst(verdicts)
        first = next(check for check in found if check["verdict"] == bad)
        yield {
            "suite": suite,
            "subject": name,
            "verdict": bad,
            "tally": tally(verdicts),
            "counters": join_names(c.get("counter") for c in found) or "-",
            "kernels": some_names((c.get("kernel") for c in found), "kernels"),
            "levels": join_levels(report, found),
            "all_kernels": " ".join(dict.fromkeys(c["kernel"] for c in found if c.get("kernel"))),
            "why": "" if bad in GOOD else why(first),
            "such_as": first["name"] if len(found) > 1 and bad not in GOOD else "",
            "checks": [[s, c, telling_place(check)] for s, c, check in members],
        }


def headline(report):
    """How the run ended, in a word for the colour and in a line."""
    totals = report["totals"]
    off = sum(totals[v] for v in OFF)
    trouble = "" if report["complete"] else "The run was cut short: what came later is missing. "
    if report["lost"]:
        trouble += f"Memory ran out: {report['lost']} records are missing. "
    ran = totals["checks"] - totals["skipped"]
    if off:
        text = ", ".join(f"{totals[v]} {v}" for v in OFF if totals[v])
        return "off", f"{trouble}{off} of {totals['checks']} checks {'is' if off == 1 else 'are'} off: {text}."
    if not ran:
        return "nothing", f"{trouble}Nothing was judged: " + (
            f"all {totals['checks']} checks were skipped." if totals["checks"] else "there are no checks."
        )
    return (
        "cut" if trouble else "fine",
        f"{trouble}No check is off: {totals['exact']} exact, {totals['within']} within, {totals['skipped']} skipped.",
    )


def distributions(report):
    """Values that tell of skid and of sampling, each with its check's histogram if a check of that name has one."""
    by_name = {
        (suite.get("processor"), suite["name"], check["name"]): [s, c]
        for s, suite in enumerate(report["suites"])
        for c, check in enumerate(suite["checks"])
        if check["observations"]
    }
    for value in report["values"]:
        check = by_name.get((value.get("processor"), value["suite"], value["name"]))
        # Samples that were taken again are told there, too.
        if value["suite"] in ("skid", "sampling") and (check or not value["unit"].startswith("of ")):
            yield {
                "suite": suite_title(report, dict(value, name=value["suite"])),
                "name": value["name"],
                "value": f"{value['value']} {value['unit']}".strip(),
                "check": check,
            }


def per_trip(levels):
    return ", ".join(f"{name} {n}" for name, n in levels.items()) if levels else "-"


def attribution_rows(report):
    for a in report.get("attributions", []):
        label = processor_label(report, a.get("processor"))
        yield {
            "class": a["class"],
            "trip": a["trip"] + (f" on {label}" if label else ""),
            "kernel": a.get("kernel", "-"),
            "state": a["state"],
            "manual": per_trip(a["manual"]),
            "counted": per_trip(a.get("counted")),
            "differs": a["manual"] != a.get("counted", a["manual"]),
            "events": ", ".join(e["event"] for e in a["events"]),
        }


def machine_rows(report):
    machine = report["machine"]
    yield "CPU", machine_key(report)
    yield "instruction set", report["isa"]
    yield from ((pair["name"], pair["value"]) for pair in machine["identity"])
    yield "logical CPUs", str(machine["processor_count"])
    yield "started by", machine["platform"]
    yield "firmware", machine["firmware"]
    if not machine["hypervisor"]:
        yield "hypervisor", "one that gives no name" if machine["guest"] else "none"
    yield "clock", f"{int(machine['clock_hz']) / 1e6:,.3f} MHz, against {machine['time_reference']}"
    yield "watchdog", machine["watchdog"]
    yield "build", report["build"]
    if "date" in report:
        yield "date", report["date"]
    for p in report.get("processors", []):
        yield f"processor {p['number']}", f"ID {p['id']}" + (f", {p['kind']}" if "kind" in p else "") + (
            "" if p["judged"] else ", not judged"
        )


def option_rows(report):
    return [token.partition("=")[::2] for token in report["options"].split()]


def html(report, text):
    """The page for a report, whose own text is given, too."""
    rows = list(groups(report))
    off = sorted(
        (i for i, row in enumerate(rows) if row["verdict"] not in FINE), key=lambda i: SEVERITY[rows[i]["verdict"]]
    )
    state, line = headline(report)
    errata = [
        (suite_title(report, suite), check)
        for suite in report["suites"]
        for check in suite["checks"]
        if check["verdict"] == "erratum"
    ]
    return render(
        "page.html.j2",
        report=report,
        text=text,
        rows=rows,
        off=[(i, rows[i]) for i in off[:TOP]],
        more=max(0, len(off) - TOP),
        state=state,
        headline=line,
        key=machine_key(report),
        judged=judged(report),
        virtual=any(p["virtual"] for p in report["pmus"]),
        verdicts=[v for v in BY_SEVERITY if report["totals"][v]],
        machine=list(machine_rows(report)),
        options=option_rows(report),
        distributions=list(distributions(report)),
        attributions=list(attribution_rows(report)),
        errata=[(s, c, why(c)) for s, c in errata],
        labels={str(p["number"]): processor_label(report, p["number"]) for p in report.get("processors", [])},
        levels={
            "heading": level_word(report) or "level",
            "brief": {level["name"]: brief_level(report, level["name"]) for level in report["levels"]},
        },
        facts=[(suite_title(report, dict(f, name=f["suite"])), f) for f in report.get("facts", [])],
    )
