#!/usr/bin/python3
"""TAP test of scripts/assay-report: what its documents hold, and what it refuses."""
import copy
import html.parser
import json
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
from reports import VERDICTS, cell, check, report, script  # noqa: E402
from tap import done, equal, ok  # noqa: E402

HOSTILE = "<script>alert(1)</script> </script> & \"quoted\" <!-- \u2028"


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
    fine = events(cell("INST", "PMC0", "nops"), cell("INST", "PMC1", "nops"), check("other", "skipped", [], text="no such"))
    bad = events(cell("INST", "PMC0", "nops"), cell("LLC", "PMC0", "nops", "biased", 241, text="off by 1", bias=1),
                 cell("BR", "PMC0", "calls", "wrong", 0), cell("BR", "PMC1", "calls"), check("late/PMC0", "erratum", [[3, 1]], text="as W1 says"))
    first, second = page(fine), page(bad)
    equal(first.text["headline"], "No check is off: 2 exact, 0 within, 1 skipped.", "html: the headline of a run in which all is well")
    equal(second.text["headline"], "3 of 5 checks are off: 1 wrong, 1 biased, 1 erratum.", "and of one in which it is not")
    ok("off" not in first.ids and second.text["off"].index("wrong") < second.text["off"].index("biased") < second.text["off"].index("erratum"),
       "html: what is off is told, the worst first")
    ok("as W1 says" in second.text.get("errata", "") and "errata" not in first.ids, "html: errata have a part of their own, if there are any")
    equal([(row["subject"], row["verdict"], row["tally"], row["counters"]) for row in json.loads(second.text["rows"])],
          [("INST", "exact", [["exact", 1]], "PMC0"), ("LLC", "biased", [["biased", 1]], "PMC0"),
           ("BR", "wrong", [["wrong", 1], ["exact", 1]], "PMC0-1"), ("late", "erratum", [["erratum", 1]], "-")], "html: a row for each event")
    equal([json.loads(p.text["report"]) for p in (first, second)], [fine, bad], "html: the whole report is in it")
    ok(all(re.match(r"#|data:", a) for a in first.addresses + second.addresses), "html: no address leads outside", first.addresses)
    for name, content, text in (("without checks", events(), "Nothing was judged: there are no checks."),
                                ("that skipped all", events(check("a", "skipped", [], text="b")), "Nothing was judged: all 1 checks were skipped.")):
        equal(page(content).text["headline"], text, f"html: the headline of a run {name}")
    for verdict in VERDICTS:
        ids = page(events(check("c", verdict, [[240, 1]], text="because"))).ids
        ok(("off" in ids) == (verdict not in ("exact", "within", "skipped")), f"html: whether {verdict} is off")

    hostile = events(cell(HOSTILE, HOSTILE, HOSTILE, "wrong", 1, text=HOSTILE, manual=HOSTILE), check(HOSTILE, "erratum", [[1, 1]], text=HOSTILE))
    hostile.update(notes=[HOSTILE], build=HOSTILE, options=HOSTILE, facts=[{"suite": HOSTILE, "name": HOSTILE, "text": HOSTILE}])
    hostile["machine"]["cpu"]["brand"] = hostile["pmus"][0]["model"] = HOSTILE
    told = page(hostile)
    ok(told.scripts == first.scripts and json.loads(told.text["report"]) == hostile and HOSTILE in told.text["off"],
       "html: markup in a report is text on the page", told.text["off"])

    skids = events(cell("INST", "PMC0", "nops"))
    skids["suites"].append({"name": "skid", "title": "skid", "complete": True, "checks": [check("PMC0", "within", [[2, 9], [3, 1]])]})
    skids["totals"].update(checks=2, within=1)
    skids["values"] += [{"suite": "skid", "name": "PMC0", "value": "2 (2 to 3)", "unit": "instructions"},
                        {"suite": "skid", "name": "PMC0", "value": "400 (390 to 420)", "unit": "cycles to the handler's reading"}]
    equal([(s["value"], s["check"]) for s in json.loads(page(skids).text["skids"])],
          [("2 (2 to 3) instructions", [1, 0]), ("400 (390 to 420) cycles to the handler's reading", None)], "html: skid has its check's histogram")
    ok("distributions" in page(skids).ids and "distributions" not in first.ids, "and without skid there is none")

    levels = {"class": "branches", "trip": "INT n", "kernel": "int_ring0", "virtual": True, "state": "counted", "manual": {"os": 2, "usr": 0},
              "counted": {"os": 1, "usr": 1}, "events": []}
    measured = dict(fine, attributions=[levels], facts=[{"suite": "shares", "name": "writes", "text": "a fact"}])
    told = page(measured)
    ok("OS 2, USR 0" in told.text["attributions"] and "OS 1, USR 1" in told.text["attributions"] and "a fact" in told.text["facts"]
       and not {"attributions", "facts"} & first.ids, "html: attributions and facts, if there are any", told.text)
    ok("stepping 6, microcode unknown" in first.text["machine"] and "20" in first.text["options"], "html: the machine and the options")

    # --- bad input ---
    cut = dict(copy.deepcopy(fine), complete=False)
    lossy = dict(copy.deepcopy(cut), lost=2)
    no_verdict, no_values, odd = copy.deepcopy(fine), copy.deepcopy(fine), copy.deepcopy(fine)
    del no_verdict["suites"][0]["checks"][0]["verdict"]
    del no_values["suites"][0]["checks"][0]["observations"][0]["values"]
    odd["suites"][0]["checks"][0]["observations"][0]["values"] = [["many", 3]]
    refused = (("text", "hello", "no JSON"), ("a document that ends early", json.dumps(fine)[:900], "no JSON"), ("nothing", "", "no JSON"),
               ("a deep document", "[" * 100000, "no JSON"), ("a list", "[]", "schema is None"), ("another schema", '{"schema": "assay-report/5"}', "'assay-report/5'"),
               ("a hollow report", '{"schema": "assay-report/4"}', "not as docs/report.schema.json says"),
               ("a check without a verdict", no_verdict, "not as docs/report.schema.json says"), ("counts without values", no_values, "not as"),
               ("a count that is no number", odd, "not as"), ("a run that was cut short", cut, "the run was cut short; --partial takes what there is"))
    for name, content, message in refused:
        (folder / "kept.html").write_text("kept")
        status, out, err = run("html", write("bad.json", content), "-o", folder / "kept.html")
        ok(status == 2 and "bad.json: " in err and message in err and err.count("\n") == 1 and not out and (folder / "kept.html").read_text() == "kept",
           f"html: refuses {name} with one line, and leaves what was there", err)
    status, _, err = run("html", folder / "absent.json", "-o", folder / "kept.html")
    ok(status == 2 and "No such file" in err, "html: refuses an absent file", err)
    status, _, err = run("html", write("in.json", fine), "-o", folder / "absent" / "out.html")
    ok(status == 2 and "No such file" in err and err.count("\n") == 1, "html: says that a file cannot be written", err)
    (folder / "taken").mkdir()
    status, _, err = run("html", folder / "in.json", "-o", folder / "taken")
    ok(status == 2 and "directory" in err and err.count("\n") == 1, "html: nor a directory", err)
    equal([p.name for p in folder.iterdir() if p.name.startswith(".")], [], "nothing half written is left")
    ok(page(cut, "--partial").text["headline"].startswith("The run was cut short: what came later is missing. No check is off"), "html: --partial takes a cut run and says so")
    ok("Memory ran out: 2 records are missing" in page(lossy, "--partial").text["headline"], "and one that lost records")
    status, _, err = run("pdf")
    ok(status == 2 and err.count("\n") == 1, "an unknown command is refused with one line", err)


with tempfile.TemporaryDirectory() as name:
    main(pathlib.Path(name))
done()
