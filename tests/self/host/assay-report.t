#!/usr/bin/python3
"""TAP test of scripts/assay-report: what its documents hold, and what it refuses."""
import contextlib
import copy
import csv
import html.parser
import io
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
from reports import VERDICTS, cell, check, identify, report, script  # noqa: E402
from tap import done, equal, ok  # noqa: E402

sys.path.insert(0, str(ROOT / "scripts"))
from reporting.reading import SEVERITY  # noqa: E402

HOSTILE = '<script>alert(1)</script> </script> & "quoted" <!-- \u2028'


class Page(html.parser.HTMLParser):
    """What a page holds: text by the id of the innermost element that has one, scripts, addresses."""

    def __init__(self, text):
        super().__init__()
        self.open, self.text, self.ids, self.addresses, self.scripts = [], {}, set(), [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.addresses += [attributes[key] for key in ("src", "href") if key in attributes]
        self.ids.add(attributes.get("id"))
        self.scripts += tag == "script"
        if tag not in ("meta", "link", "input", "br"):
            self.open.append((tag, attributes.get("id")))

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        found = next((i for _, i in reversed(self.open) if i), "")
        self.text[found] = self.text.get(found, "") + data


def events(*checks):
    return report([{"name": "events", "title": "all events", "complete": True, "checks": list(checks)}])


def main(folder):
    def write(name, content):
        path = folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def run(*args):
        return script("assay-report", *args)

    def page(content, *more):
        status, out, err = run("html", write("in.json", content), "-o", folder / "out.html", *more)
        if status or out or err:
            raise AssertionError(f"status {status}: {out}{err}")
        return Page((folder / "out.html").read_text())

    # --- html ---
    fine = events(
        cell("INST", "PMC0", "nops"), cell("INST", "PMC1", "nops"), check("other", "skipped", [], text="no such")
    )
    bad = events(
        cell("INST", "PMC0", "nops"),
        cell("LLC", "PMC0", "nops", "biased", 241, text="off by 1", bias=1),
        cell("BR", "PMC0", "calls", "wrong", 0),
        cell("BR", "PMC1", "calls"),
        check("late/PMC0", "erratum", [[3, 1]], text="as W1 says"),
    )
    first, second = page(fine), page(bad)
    equal(
        first.text["headline"],
        "No check is off: 2 exact, 0 within, 1 skipped.",
        "html: the headline of a run in which all is well",
    )
    equal(
        second.text["headline"], "3 of 5 checks are off: 1 wrong, 1 biased, 1 erratum.", "and of one in which it is not"
    )
    ok(
        "off" not in first.ids
        and second.text["off"].index("wrong")
        < second.text["off"].index("biased")
        < second.text["off"].index("erratum"),
        "html: what is off is told, the worst first",
    )
    ok(
        "as W1 says" in second.text.get("errata", "") and "errata" not in first.ids,
        "html: errata have a part of their own, if there are any",
    )
    equal(
        [(row["subject"], row["verdict"], row["tally"], row["counters"]) for row in json.loads(second.text["rows"])],
        [
            ("INST", "exact", [["exact", 1]], "PMC0"),
            ("LLC", "biased", [["biased", 1]], "PMC0"),
            ("BR", "wrong", [["wrong", 1], ["exact", 1]], "PMC0-1"),
            ("late", "erratum", [["erratum", 1]], "-"),
        ],
        "html: a row for each event",
    )
    equal([json.loads(p.text["report"]) for p in (first, second)], [fine, bad], "html: the whole report is in it")
    ok(
        all(re.match(r"#|data:", a) for a in first.addresses + second.addresses),
        "html: no address leads outside",
        first.addresses,
    )
    for name, content, text in (
        ("without checks", events(), "Nothing was judged: there are no checks."),
        (
            "that skipped all",
            events(check("a", "skipped", [], text="b")),
            "Nothing was judged: all 1 checks were skipped.",
        ),
    ):
        equal(page(content).text["headline"], text, f"html: the headline of a run {name}")
    for verdict in VERDICTS:
        ids = page(events(check("c", verdict, [[240, 1]], text="because"))).ids
        ok(("off" in ids) == (verdict not in ("exact", "within", "skipped")), f"html: whether {verdict} is off")

    partly = events(
        cell("INST", "PMC0", "nops", "within"), check("INST/PMC0/calls", "skipped", [], event="INST", kernel="calls")
    )
    rows = json.loads(page(partly).text["rows"])
    equal(
        [(row["verdict"], row["tally"]) for row in rows],
        [("within", [["skipped", 1], ["within", 1]])],
        "html: the worst verdict is of what was judged, if anything was",
    )

    hostile = events(
        cell(HOSTILE, HOSTILE, HOSTILE, "wrong", 1, text=HOSTILE, manual=HOSTILE),
        check(HOSTILE, "erratum", [[1, 1]], text=HOSTILE),
    )
    hostile.update(
        notes=[HOSTILE], build=HOSTILE, options=HOSTILE, facts=[{"suite": HOSTILE, "name": HOSTILE, "text": HOSTILE}]
    )
    hostile["machine"]["cpu"] = hostile["machine"]["identity"][1]["value"] = hostile["pmus"][0]["model"] = HOSTILE
    told = page(hostile)
    ok(
        told.scripts == first.scripts and json.loads(told.text["report"]) == hostile and HOSTILE in told.text["off"],
        "html: markup in a report is text on the page",
        told.text["off"],
    )

    skids = events(cell("INST", "PMC0", "nops"))
    skids["suites"].append(
        {"name": "skid", "title": "skid", "complete": True, "checks": [check("PMC0", "within", [[2, 9], [3, 1]])]}
    )
    skids["totals"].update(checks=2, within=1)
    skids["values"] += [
        {"suite": "skid", "name": "PMC0", "value": "2 (2 to 3)", "unit": "instructions"},
        {
            "suite": "skid",
            "name": "PMC0, cycles",
            "value": "400 (390 to 420)",
            "unit": "cycles to the handler's reading",
        },
        {"suite": "skid", "name": "taken again after an SMI", "value": "0", "unit": "of 178 samples"},
        {"suite": "events", "name": "INST/PMC0/nops", "value": "4", "unit": "instructions"},
    ]
    equal(
        [(s["value"], s["check"]) for s in json.loads(page(skids).text["skids"])],
        [("2 (2 to 3) instructions", [1, 0]), ("400 (390 to 420) cycles to the handler's reading", None)],
        "html: skid has its check's histogram",
    )
    ok("distributions" in page(skids).ids and "distributions" not in first.ids, "and without skid there is none")

    levels = {
        "class": "branches",
        "trip": "INT n",
        "kernel": "int_ring0",
        "virtual": True,
        "state": "counted",
        "manual": {"OS": 2, "USR": 0},
        "counted": {"OS": 1, "USR": 1},
        "events": [],
    }
    measured = dict(fine, attributions=[levels], facts=[{"suite": "shares", "name": "writes", "text": "a fact"}])
    told = page(measured)
    ok(
        "OS 2, USR 0" in told.text["attributions"]
        and "OS 1, USR 1" in told.text["attributions"]
        and "a fact" in told.text["facts"]
        and not {"attributions", "facts"} & first.ids,
        "html: attributions and facts, if there are any",
        told.text,
    )
    found = []
    for counted in ({"OS": 1, "USR": 1}, {"OS": 2, "USR": 0}, None):
        one = {key: value for key, value in dict(levels, counted=counted).items() if value is not None}
        page(dict(fine, attributions=[one]))
        found.append('class="differs"' in (folder / "out.html").read_text())
    equal(found, [True, False, False], "html: an attribution that is not the manual's is marked")
    ok(
        "stepping 6, microcode unknown" in first.text["machine"] and "20" in first.text["options"],
        "html: the machine and the options",
    )

    # --- bad input ---
    cut = dict(copy.deepcopy(fine), complete=False)
    lossy = dict(copy.deepcopy(cut), lost=2)
    no_verdict, no_values, odd = copy.deepcopy(fine), copy.deepcopy(fine), copy.deepcopy(fine)
    del no_verdict["suites"][0]["checks"][0]["verdict"]
    del no_values["suites"][0]["checks"][0]["observations"][0]["values"]
    odd["suites"][0]["checks"][0]["observations"][0]["values"] = [["many", 3]]
    refused = (
        ("text", "hello", "no JSON"),
        ("a document that ends early", json.dumps(fine)[:900], "no JSON"),
        ("nothing", "", "no JSON"),
        ("a deep document", "[" * 100000, "no JSON"),
        ("a list", "[]", "schema is None"),
        ("another schema", '{"schema": "assay-report/6"}', "'assay-report/6'"),
        ("a hollow report", '{"schema": "assay-report/5"}', "not as docs/report.schema.json says"),
        ("a check without a verdict", no_verdict, "not as docs/report.schema.json says"),
        ("counts without values", no_values, "not as"),
        ("a number that JSON does not know", json.dumps(dict(fine, lost=float("nan"))), "no JSON: NaN is none"),
        (
            "half a character",
            dict(fine, notes=["\ud800"]),
            "bad.json: not as docs/report.schema.json says: UnicodeEncodeError",
        ),
        ("a count that is no number", odd, "not as"),
        ("a run that was cut short", cut, "the run was cut short; --partial takes what there is"),
    )
    for name, content, message in refused:
        (folder / "kept.html").write_text("kept")
        status, out, err = run("html", write("bad.json", content), "-o", folder / "kept.html")
        ok(
            status == 2
            and "bad.json: " in err
            and message in err
            and err.count("\n") == 1
            and not out
            and (folder / "kept.html").read_text() == "kept",
            f"html: refuses {name} with one line, and leaves what was there",
            err,
        )
    status, _, err = run("html", folder / "absent.json", "-o", folder / "kept.html")
    ok(status == 2 and "No such file" in err, "html: refuses an absent file", err)
    status, _, err = run("html", write("in.json", fine), "-o", folder / "absent" / "out.html")
    ok(status == 2 and "No such file" in err and err.count("\n") == 1, "html: says that a file cannot be written", err)
    (folder / "taken").mkdir()
    status, _, err = run("html", folder / "in.json", "-o", folder / "taken")
    ok(status == 2 and "directory" in err and err.count("\n") == 1, "html: nor a directory", err)
    status, _, err = run("html", folder / "in.json", "-o", "/dev/full")
    ok(status == 2 and err == "assay-report: /dev/full: No space left on device\n", "html: a full disk is told", err)
    with open("/dev/full", "w", encoding="ascii") as full:
        ended = subprocess.run(
            [ROOT / "scripts/assay-report", "csv", folder / "in.json"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    ok(
        ended.returncode == 2 and ended.stderr == b"assay-report: standard output: No space left on device\n",
        "csv: and so is one under standard output",
        ended.stderr,
    )
    (folder / "link.csv").symlink_to("target.csv")
    (folder / "target.csv").write_text("old")
    os.mkfifo(folder / "pipe")
    with subprocess.Popen(["cat", folder / "pipe"], stdout=subprocess.PIPE) as reader:
        found = [run("csv", folder / "in.json", "-o", folder / name)[0] for name in ("link.csv", "pipe")]
        read = reader.stdout.read().decode()
    ok(
        found == [0, 0]
        and (folder / "link.csv").is_symlink()
        and (folder / "pipe").is_fifo()
        and (folder / "target.csv").read_text() == read == run("csv", folder / "in.json")[1] != "old",
        "csv: what a link leads to is replaced, and a pipe is written to",
    )
    equal([p.name for p in folder.iterdir() if p.name.startswith(".")], [], "nothing half written is left")
    ok(
        page(cut, "--partial")
        .text["headline"]
        .startswith("The run was cut short: what came later is missing. No check is off"),
        "html: --partial takes a cut run and says so",
    )
    ok(
        "Memory ran out: 2 records are missing" in page(lossy, "--partial").text["headline"],
        "and one that lost records",
    )
    status, _, err = run("pdf")
    ok(status == 2 and err.count("\n") == 1, "an unknown command is refused with one line", err)

    share = {
        "event": "INST",
        "encoding": "0xc0",
        "counter": "PMC0",
        "mechanism": "around ring 3",
        "implied": 3,
        "share": 4,
        "state": "steady",
        "windows": [],
    }

    # --- compare ---
    def compare(*reports, options=(), out=False):
        paths = [write(f"{i}.json", one) for i, one in enumerate(reports)]
        return run("compare", *paths, *options, *(["-o", folder / "compare.html"] if out else []))

    status, out, _ = compare(bad, bad)
    ok(
        status == 0
        and out.startswith("The same CPU, the same microcode, the same options.\n")
        and "5 checks in common, 0 changed: none" in out,
        "compare: a report equals itself",
        out,
    )
    steps = (
        ("newly off", "exact", "wrong", 1),
        ("newly off", "skipped", "dead", 1),
        ("off in another way", "wrong", "noisy", 1),
        ("no longer judged", "wrong", "skipped", 1),
        ("no longer judged", "exact", None, 1),
        ("no longer off", "biased", "exact", 1),
        ("another verdict", "exact", "within", 1),
        ("another verdict", None, "exact", 1),
        ("newly off", None, "error", 1),
        ("", "wrong", "wrong", 0),
    )

    def single(verdict):
        return events(*([check("one", verdict, [[240, 1]], text="t")] if verdict else []))

    for kind, before, after, expected in steps:
        status, out, _ = compare(single(before), single(after))
        ok(
            status == expected
            and (f"  {kind}: events: one: {before or 'absent'}, then {after or 'absent'}" in out) == bool(expected),
            f"compare: {before} and then {after} is {kind or 'no change'}",
            out,
        )
    everything = [pair for pair in steps if pair[3]]
    both = [
        events(*[check(f"c{i}", pair[which], [[240, 1]], text="t") for i, pair in enumerate(everything) if pair[which]])
        for which in (1, 2)
    ]
    kinds = [line.split(":")[0].strip() for line in compare(*both)[1].splitlines() if line.startswith("  ")]
    order = ["newly off", "off in another way", "no longer judged", "no longer off", "another verdict"]
    ok(
        kinds == sorted(kinds, key=order.index) and set(kinds) == set(order),
        "compare: the worst changes come first",
        kinds,
    )
    off = sorted((v for v in VERDICTS if v in ("biased", "noisy", "dead", "wrong", "error")), key=SEVERITY.get)
    both = [
        events(*[check(f"c{i}", now or v, [[240, 1]], text="t") for i, v in enumerate(reversed(off))])
        for now in ("exact", None)
    ]
    listed = [re.search(r"then (\w+)", line)[1] for line in compare(*both)[1].splitlines() if line.startswith("  newly off")]
    equal(listed, off, "compare: of one kind the worst verdicts come first, wherever they stand")
    changed = events(cell("INST", "PMC0", "nops", value=241))
    status, out, _ = compare(events(cell("INST", "PMC0", "nops")), changed)
    ok(
        status == 1
        and "other counts: events: INST/PMC0/nops: exact: N=20: expected 240, observed 240 x3; "
        "then N=20: expected 240, observed 241 x3" in out,
        "compare: other counts with the same verdict are told",
        out,
    )
    for part, said in (
        ("stepping", "Different CPUs, the same microcode, the same options."),
        ("microcode", "The same CPU, different microcode, the same options."),
    ):
        other = copy.deepcopy(bad)
        identify(other, **{part: "0x7" if part == "microcode" else "7"})
        status, out, _ = compare(bad, other)
        ok(
            status == 0 and out.startswith(said + "\n"),
            f"compare: another {part} is said first, and is no difference in itself",
            out,
        )
    other = dict(copy.deepcopy(bad), options="n=21 new=1", build="b2")
    out = compare(bad, other)[1]
    ok(
        out.startswith("The same CPU, the same microcode, different options (n, new), and another: build.\n")
        and "  option n: 20; then 21\n" in out
        and "  option new: -; then 1\n" in out,
        "compare: so are options and build",
        out,
    )
    for what, one, two, said in (
        (
            "attributions",
            measured,
            dict(measured, attributions=[dict(levels, counted={"OS": 2, "USR": 0})]),
            "  attribution of branches by INT n, int_ring0: OS 1, USR 1 (counted); then OS 2, USR 0 (counted)\n",
        ),
        ("facts", measured, dict(measured, facts=[]), "  fact of shares: writes: a fact; then absent\n"),
        (
            "shares",
            dict(fine, shares=[share]),
            dict(fine, shares=[dict(share, share=5)]),
            "  share of INST on PMC0, around ring 3: 4 (steady); then 5 (steady)\n",
        ),
    ):
        status, out, _ = compare(one, two)
        ok(
            status == 1 and said in out and compare(one, one)[0] == 0,
            f"compare: {what} that were measured otherwise are told",
            out,
        )
        without = dict(one, **{what: []})
        found = [compare(without, one), compare(one, without)]
        ok(
            [status for status, _, _ in found] == [1, 1]
            and ": absent; then " in found[0][1]
            and "; then absent\n" in found[1][1],
            f"compare: {what} that only one of two reports has are told",
            found,
        )
    status, out, _ = compare(bad, bad, changed)
    ok(
        status == 1
        and out.index("1.json: 5 checks in common, 0 changed") < out.index("2.json: 1 checks in common, 5 changed"),
        "compare: several reports with the first",
        out,
    )
    status, out, err = compare(fine, bad, out=True)
    text = Page((folder / "compare.html").read_text()).text
    ok(
        status == 1 and not out + err and "3 checks are off that were not before." in text["headline"],
        "compare: as a page",
        out + err,
    )
    compare(bad, fine, out=True)
    ok(
        "none for the worse" in Page((folder / "compare.html").read_text()).text["headline"],
        "compare: for the better, as a page",
    )
    compare(fine, fine, out=True)
    ok(
        "No check changed." in Page((folder / "compare.html").read_text()).text["headline"],
        "compare: without a change, as a page",
    )
    ok(
        compare(fine, cut)[0] == 2
        and compare(fine, cut, options=["--partial"])[0] == 1
        and compare(cut, cut, options=["--partial"])[0] == 0,
        "compare: a cut run is refused, or differs from a whole one",
    )
    ok(run("compare", write("0.json", fine))[0] == 2, "compare: one report is not enough")

    # --- junit ---
    def junit(content, *options):
        status, out, err = run("junit", write("in.json", content), "-o", folder / "out.xml", *options)
        equal((status, out, err), (0, "", ""), "junit: is written")
        return xml.etree.ElementTree.parse(folder / "out.xml").getroot()

    for verdict in VERDICTS:
        suite = junit(single(verdict)).find("testsuite")
        kind = {"exact": None, "within": None, "skipped": "skipped", "error": "error"}.get(verdict, "failure")
        cases = suite.findall("testcase")
        equal(
            [[e.tag for e in c] for c in cases], [[kind] if kind else []], f"junit: {verdict} is {kind or 'a success'}"
        )
        equal(
            [suite.get(key) for key in ("tests", "failures", "errors", "skipped")],
            ["1", *(str(int(kind == word)) for word in ("failure", "error", "skipped"))],
            f"junit: and {verdict} is counted so",
        )
    root = junit(bad)
    equal(root.tag, "testsuites", "junit: the document is of suites")
    equal(
        [c.get("name") for c in root.iter("testcase")],
        [c["name"] for c in bad["suites"][0]["checks"]],
        "junit: each check is a case",
    )
    ok(all(c.get("classname") == "assay.events" for c in root.iter("testcase")), "junit: of its suite")
    wrong = root.find(".//testcase[@name='BR/PMC0/calls']/failure")
    ok(
        wrong.get("type") == "wrong" and "expected 240, observed 0 x3" in wrong.get("message") and "N=20" in wrong.text,
        "junit: it says why",
    )
    # What servers read, and no more than that: the schema that is common to them.
    known = {
        "testsuites": {"tests", "failures", "errors", "disabled", "time"},
        "properties": set(),
        "property": {"name", "value"},
        "testsuite": {"name", "tests", "failures", "errors", "disabled", "skipped", "time"},
        "testcase": {"name", "classname"},
        "failure": {"message", "type"},
        "error": {"message", "type"},
        "skipped": {"message", "type"},
    }
    inside = {
        "testsuites": {"testsuite"},
        "testsuite": {"properties", "testcase"},
        "properties": {"property"},
        "testcase": {"failure", "error", "skipped"},
    }
    odd_marks = events(cell("A\x00\x1b", "PMC0", "\ufffe", "wrong", 1, text=HOSTILE))
    for name, document in (("bad", root), ("fine", junit(fine)), ("odd", junit(odd_marks))):
        ok(
            all(
                set(e.attrib) <= known[e.tag] and {c.tag for c in e} <= inside.get(e.tag, set())
                for e in document.iter()
            ),
            f"junit: nothing but what servers know is in the document of {name}",
        )
    for name, content, options, expected in (
        ("a whole run", fine, (), []),
        ("a cut run", cut, ("--partial",), ["the run came to its end"]),
        ("lost records", lossy, ("--partial",), ["the run came to its end", "there was memory for every record"]),
        ("nothing judged", events(), (), ["something was judged"]),
        ("all skipped", single("skipped"), (), ["something was judged"]),
    ):
        equal(
            [c.get("name") for c in junit(content, *options).iter("testcase") if c.find("error") is not None],
            expected,
            f"junit: errors of {name}",
        )
    ok(run("junit", write("in.json", cut))[0] == 2, "junit: a cut run is refused")

    # --- csv ---
    status, out, _ = run("csv", write("in.json", hostile))
    found = list(csv.DictReader(io.StringIO(out)))
    ok(
        status == 0
        and len(found) == 2
        and found[0]["event"] == found[0]["text"] == HOSTILE
        and found[0]["values"] == "1x3",
        "csv: odd texts are kept",
        out,
    )
    found = list(csv.DictReader(io.StringIO(run("csv", write("in.json", fine))[1])))
    equal(
        [(row["check"], row["verdict"], row["n"], row["low"], row["max"]) for row in found],
        [
            ("INST/PMC0/nops", "exact", "20", "240", "240"),
            ("INST/PMC1/nops", "exact", "20", "240", "240"),
            ("other", "skipped", "", "", ""),
        ],
        "csv: rows",
    )
    reasons = report(
        [
            {
                "name": "s",
                "title": "t",
                "complete": True,
                "checks": [check(f"c{n}", "skipped" if not n else "noisy", [[240, 1]] * n, text="why") for n in (0, 1)],
            }
        ]
    )
    found = list(csv.reader(io.StringIO(run("csv", write("in.json", reasons))[1])))
    ok(
        len({len(row) for row in found}) == 1 and [row[found[0].index("text")] for row in found[1:]] == ["why", "why"],
        "csv: a reason stands in its column, with observations or without",
        found,
    )

    mixed = copy.deepcopy(fine)
    for c, virtual in zip(mixed["suites"][-1]["checks"], (True, False, True)):
        c["virtual"] = virtual
    found = list(csv.DictReader(io.StringIO(run("csv", write("in.json", mixed))[1])))
    equal([row["virtual"] for row in found], ["1", "0", "1"], "csv: what a virtual PMU counted is marked, check by check")

    # --- fleet ---
    def fleet(name, contents, *options):
        place = folder / name
        for path, content in contents.items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(content if isinstance(content, str) else json.dumps(content))
        status, out, err = run("fleet", place, "-o", folder / "fleet.html", "--db", folder / "fleet.sqlite", *options)
        return status, out + err

    elsewhere = copy.deepcopy(bad)
    identify(elsewhere, stepping="7")
    status, said = fleet(
        "many", {"a.json": fine, "run/b.json": bad, "c/d/e.json": elsewhere, "notes.txt": "hello", "same.json": fine}
    )
    equal((status, said), (0, ""), "fleet: is written")
    told = Page((folder / "fleet.html").read_text())
    equal(
        [[r["path"] for r in m["reports"]] for m in json.loads(told.text["columns"])],
        [["a.json", "run/b.json"], ["c/d/e.json"]],
        "fleet: a column for each machine",
    )
    rows = json.loads(told.text["rows"])
    equal(
        [(row["subject"], row["worst"], [cell and cell["verdict"] for cell in row["cells"]]) for row in rows],
        [
            ("BR", "wrong", ["wrong", "wrong"]),
            ("LLC", "biased", ["biased", "biased"]),
            ("late", "erratum", ["erratum", "erratum"]),
            ("other", "skipped", ["skipped", None]),
            ("INST", "exact", ["exact", "exact"]),
        ],
        "fleet: the worst verdict of each machine, the worst rows first",
    )
    tallies = Counter()
    for row in rows:
        tallies.update({(row["subject"], verdict): n for verdict, n in row["cells"][0]["tally"]})
    equal(
        tallies,
        Counter((c.get("event", c["name"].split("/")[0]), c["verdict"]) for r in (fine, bad) for s in r["suites"] for c in s["checks"]),
        "fleet: a machine's tally is that of all its reports",
    )
    ok(
        "same.json: the same as one that is there already" in told.text["left-out"] + told.text.get("", ""),
        "fleet: copies are left out",
        told.text,
    )
    ok(
        "On 2 of 2 machines something is off: 3 of 5 events and checks." in told.text["headline"],
        "fleet: the headline",
        told.text["headline"],
    )
    with contextlib.closing(sqlite3.connect(folder / "fleet.sqlite")) as db:
        equal(
            db.execute("SELECT count(*), count(DISTINCT machine) FROM reports").fetchall(),
            [(3, 2)],
            "fleet: the database has the reports",
        )
        equal(
            db.execute(
                "SELECT r.path, c.name FROM checks c JOIN reports r ON r.id = c.report "
                "WHERE verdict = 'wrong' ORDER BY 1"
            ).fetchall(),
            [("c/d/e.json", "BR/PMC0/calls"), ("run/b.json", "BR/PMC0/calls")],
            "fleet: and the checks",
        )
        equal(
            db.execute(
                "SELECT o.low, o.max FROM observations o JOIN checks c ON c.id = o.check_id "
                "WHERE c.verdict = 'biased' LIMIT 1"
            ).fetchall(),
            [("240", "241")],
            "fleet: and the counts",
        )
    # What was judged tells columns apart as well: the CPU's own PMU, one virtual one or another, on the same machine.
    kinds = {}
    for path, pmu in (
        ("own", {"virtual": False, "name": "Intel"}),
        ("one", {"virtual": True, "model": "intel-skylake"}),
        ("two", {"virtual": True, "model": "amd-zen4"}),
        ("two-again", {"virtual": True, "model": "amd-zen4"}),
    ):
        kinds[path + ".json"] = copy.deepcopy(bad if path == "one" else fine)
        kinds[path + ".json"]["pmus"][0].update(pmu)
        kinds[path + ".json"]["options"] += " seed=%d" % len(kinds)
    fleet("judged", kinds)
    told = Page((folder / "fleet.html").read_text())
    equal(
        sorted([r["path"] for r in m["reports"]] for m in json.loads(told.text["columns"])),
        [["one.json"], ["own.json"], ["two-again.json", "two.json"]],
        "fleet: a column for each PMU that was judged on a machine",
    )
    worst = [row for row in json.loads(told.text["rows"]) if row["worst"] == "wrong"]
    ok(
        worst and all(sum(cell is not None and cell["verdict"] == "wrong" for cell in row["cells"]) == 1 for row in worst),
        "fleet: in which verdicts of one PMU are not another's",
        worst,
    )
    loaded = copy.deepcopy(fine)
    loaded["machine"]["identity"] = [
        {"name": "family", "value": "6"},
        {"name": "microcode", "value": "0x12", "loaded": True},
        {"name": "stepping", "value": "3", "loaded": False},
    ]
    fleet("identity", {"a.json": loaded})
    with contextlib.closing(sqlite3.connect(folder / "fleet.sqlite")) as db:
        equal(
            db.execute("SELECT name, value, loaded FROM identity ORDER BY rowid").fetchall(),
            [("family", "6", 0), ("microcode", "0x12", 1), ("stepping", "3", 0)],
            "fleet: and what the processor is, with what was loaded into it",
        )
    # A cell lists the worst twelve of its checks, the worst first, wherever they stand.
    ladder = ["skipped", "erratum", "within", "biased", "noisy", "dead", "wrong", "error", "exact"]
    many = events(
        *(
            cell("INST", f"PMC{c}", f"k{i}", verdict, 240)
            for c in range(3)
            for i, verdict in enumerate(ladder if c < 2 else reversed(ladder))
        )
    )
    fleet("ladder", {"a.json": many})
    told = json.loads(Page((folder / "fleet.html").read_text()).text["rows"])[0]["cells"][0]["shown"]
    off = [v for c in range(3) for v in ladder if v not in ("exact", "within")]
    equal(
        [verdict for _, _, verdict, _ in told],
        sorted(off, key=lambda v: SEVERITY[v])[:12],
        "fleet: a cell lists its worst checks, the worst first",
    )
    equal(len({name for _, name, _, _ in told}), 12, "fleet: each of them once")
    fleet("good", {"a.json": fine})
    ok(
        "Nothing is off in 2 events and checks." in Page((folder / "fleet.html").read_text()).text["headline"],
        "fleet: in which nothing is off",
    )
    fleet("idle", {"a.json": events(check("a", "skipped", [], text="b"))})
    ok(
        "Nothing was judged." in Page((folder / "fleet.html").read_text()).text["headline"],
        "fleet: in which nothing was judged",
    )
    for path in ("fleet.html", "fleet.sqlite"):
        (folder / path).write_text("kept")
    for name, contents, message in (
        ("empty", {"x.txt": ""}, "no report (*.json) there"),
        ("mixed", {"a.json": fine, "b.json": "hello"}, "b.json: no JSON"),
        ("cut", {"a.json": fine, "b.json": cut}, "b.json: the run was cut short"),
        ("sole", {"b.json": "[]"}, "schema is None"),
    ):
        status, said = fleet(name, contents)
        ok(
            status == 2
            and message in said
            and said.count("\n") == 1
            and (folder / "fleet.html").read_text() == (folder / "fleet.sqlite").read_text() == "kept",
            f"fleet: a directory that is {name} is refused with one line, and nothing is written",
            said,
        )
    status, _, err = run("fleet", folder / "in.json", "-o", folder / "fleet.html")
    ok(status == 2 and "not a directory" in err, "fleet: so is a file", err)
    ok(fleet("sole", {}, "--partial")[0] == 2, "fleet: nothing readable is refused even so")
    status, said = fleet("mixed", {"c.json": cut}, "--partial")
    told = Page((folder / "fleet.html").read_text())
    ok(
        status == 0
        and not said
        and any("b.json: no JSON" in text for text in told.text.values())
        and any("c.json is of a run that was cut short" in text for text in told.text.values()),
        "fleet: --partial takes what there is, and says what is not",
        told.text,
    )
    equal([p.name for p in folder.iterdir() if p.name.startswith(".")], [], "nothing half written is left in the end")


with tempfile.TemporaryDirectory() as name:
    main(pathlib.Path(name))
done()
