#!/usr/bin/python3
"""What scripts/assay-report makes of a real run's report: one boot, with something that is off, skid and samples."""
import csv
import io
import json
import os
import re
import tempfile
import xml.etree.ElementTree

from boottest import TOP, boot, done, equal, ok, tail, valid
from reports import script

with open(os.path.join(TOP, "docs", "examples", "samples.cfg"), encoding="ascii") as f:
    EXAMPLE = f.read()

run = boot(
    "direct",
    config=EXAMPLE,
    options="pmu=virtual:intel-skylake suite=control,events,skid,experiments kernel=nop_loop,calls inject=ring-leak",
)
ok(run.report and run.status == 1, "a run finds something wrong", tail(run))
valid(run.report, "its report is valid")


def made(folder, command, *options):
    """What the command writes."""
    path = os.path.join(folder, "made")
    equal(script("assay-report", command, *options, "-o", path)[::2], (0, ""), f"{command} takes it")
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def embedded(page, name):
    return json.loads(re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.S)[1])


with tempfile.TemporaryDirectory() as folder:
    source = os.path.join(folder, "report.json")
    with open(source, "w", encoding="utf-8") as f:
        f.write(run.report_json)
    totals, suites = run.report["totals"], run.report["suites"]
    off = [v for v in ("wrong", "dead", "biased", "noisy", "error", "erratum") if totals[v]]
    page = made(folder, "html", source)
    equal(embedded(page, "report"), run.report, "the page holds it")
    rows = embedded(page, "rows")
    equal(
        sorted(tuple(place[:2]) for row in rows for place in row["checks"]),
        [(s, c) for s, suite in enumerate(suites) for c in range(len(suite["checks"]))],
        "each check is in one row",
    )
    words = ", ".join(f"{totals[v]} {v}" for v in off)
    ok(off and f"of {totals['checks']} checks are off: {words}." in page, "the headline has its totals", words)
    skids = embedded(page, "skids")
    instructions = [s for s in skids if s["value"].endswith("instructions")]
    ok(instructions and all(s["check"] for s in instructions), "skid comes with its distribution", skids)

    root = xml.etree.ElementTree.fromstring(made(folder, "junit", source))
    equal(
        (int(root.get("tests")), int(root.get("failures")) + int(root.get("errors")), len(list(root.iter("skipped")))),
        (totals["checks"], sum(totals[v] for v in off), totals["skipped"]),
        "JUnit XML has the same totals",
    )
    found = list(csv.DictReader(io.StringIO(made(folder, "csv", source))))
    equal(
        len(found), sum(max(1, len(c["observations"])) for s in suites for c in s["checks"]), "CSV has each observation"
    )
    equal(
        {(row["suite"], row["check"], row["verdict"]) for row in found},
        {(s["name"], c["name"], c["verdict"]) for s in suites for c in s["checks"]},
        "and each verdict",
    )
    ok("No check changed." in made(folder, "compare", source, source), "it equals itself")
done()
