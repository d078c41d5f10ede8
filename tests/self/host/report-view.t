#!/usr/bin/python3
"""TAP test of scripts/report-view: what it shows of a known report, what it finds in two that differ, what it refuses."""
import copy
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
from reports import VERDICTS, cell, check, identify, report, script  # noqa: E402
from tap import done, ok  # noqa: E402

sys.path.insert(0, str(ROOT / "scripts"))
from reporting.reading import telling  # noqa: E402

SAMPLE = report([
    {"name": "control", "title": "controls", "complete": True, "checks": [
        check("gating", "exact", [[240, 3]]),
        check("status", "wrong", [[241, 2], [240, 1]], text="bit 3 # stays set"),
        check("freeze", "skipped", [], text="version 2"),
        check("wrap/PMC1", "exact", [[240, 3]], counter="PMC1", level="ring 3"),
        check("wrap/PMC0", "exact", [[7, 1]], counter="PMC0", level="ring 0", low=7, high=7)]},
    {"name": "events", "title": "all events", "complete": True, "checks":
        [cell("INST", f"PMC{c}", k) for c in (0, 1, 3) for k in ("nops", "calls")]
        + [cell("LLC", "PMC0", "nops", "biased", 241, text="off by 1", bias=1)]
        + [cell("BIG", "PMC0", "nops", value="9223372036854775807")]},
])
SAMPLE["suites"][1]["checks"][-1]["observations"][0].update(low="9223372036854775807", high="9223372036854775807",
                                                            min="9223372036854775807", max="9223372036854775807")


def test(name, good, detail=""):
    ok(good, "report-view: " + name, detail)


def run(*args):
    return script("report-view", *args)


def is_valid(path):
    return script("validate-report", path)[0]


def holds(name, text, *parts):
    missing = [p for p in parts if p not in text]
    test(name, not missing, f"missing: {missing}\nin:\n{text}")


def main(folder):
    def write(name, content):
        path = folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    sample = write("sample.json", SAMPLE)
    valid = is_valid(sample)
    test("the sample itself is valid", valid == 0)

    status, out, _ = run(sample)
    test("status 0", status == 0)
    alone = subprocess.run([str(ROOT / "scripts" / "report-view"), str(sample)], capture_output=True, text=True, check=False)
    test("as a program of its own likewise", (alone.returncode, alone.stdout, alone.stderr) == (0, out, ""), alone.stderr)
    test("the machine is named with stepping and microcode", out.startswith("Assay b1 on B, family 6 model 15 stepping 6, microcode unknown, UEFI\n"), out[:200])
    holds("tables", out, "note: no HPET", "virtual PMU (model intel-core2), not silicon", "PMC0-1,PMC3  2 kernels  -     exact (6)",
          "    PMC0/nops N=20: expected 240, observed 241 x3; off by 1", "status  -         -     240       241 x2, 240 x1  wrong\n    bit 3 # stays set",
          "events: bracket: 4 instructions",
          "wrap    PMC0-1    0,3   ...       ...             exact (2)\n", "assay: 13 checks: 10 exact, 0 within, 1 biased, 0 noisy, 0 dead, 1 wrong, 0 erratum, 0 error, 1 skipped")
    runs = folder / "stick/assay/runs"
    for name, file in (("9-old", "report.json"), ("0010-AuthenticAMD-25-1-1", "report.json.new"), ("0011-cut-short", "journal.txt"), ("notes", "report.json")):
        (runs / name).mkdir(parents=True)
        (runs / name / file).write_text(json.dumps(SAMPLE if name.startswith("0010") else {}))
    for given in (folder / "stick", runs, runs / "0010-AuthenticAMD-25-1-1"):
        test(f"{given.name}: the newest run that has a report is meant, by its number", run(given)[:2] == (0, out), run(given))
    test("a folder without a run is none", run(runs / "0011-cut-short")[0] == 2 and run(folder / "stick/assay/runs/9-old")[0] == 2)
    test("amounts of kernels that were stepped are not for the reader", "nops/ring 0/N" not in out, out)
    for option, value, only in (("suite", "cont*", 5), ("event", "inst", 6), ("kernel", "nops", 5), ("counter", "PMC[01]", 8),
                                ("verdict", "bad", 2), ("verdict", "exact,skipped", 11), ("kernel", "c*,n*", 8)):
        _, out, _ = run("--all", f"--{option}", value, sample)
        lines = [line for line in out.splitlines() if not line.startswith(" ")]
        test(f"--{option} {value} leaves {only}", len(lines) == only, out)

    status, out, _ = run("--tap", sample)
    tap = write("sample.tap", out)
    failed = subprocess.run(["prove", "--exec", "cat", str(tap)], capture_output=True, text=True, check=False)
    holds("--tap as prove reads it", failed.stdout, "Failed 2/13 subtests", "Failed tests:  2, 12", "less 1 skipped subtest")

    # Whatever a text holds: what an established parser reads is what the report says.
    for said in ("a # SKIP b\\c\"", "# TODO", "\\# SKIP", "\\\\# TODO really", "ends in \\", '"quoted"', '\\"', "'it''s'", "- a list", "key: value", "...", "---",
                 "1..7", "caf\u00e9", "\\x41\\n\\t", "one\nnot ok 7 - two\tthree", "".join(map(chr, range(33, 127)))):
        out = run("--tap", write("said.json", report([{"name": "s", "title": "t", "complete": True, "checks": [
            check(said, "exact", [[240, 3]]), check(said, "wrong", [[241, 3]], text=said), check(said, "skipped", [], text=said)]}])))[1]
        tap.write_text(out)
        read = subprocess.run(["perl", str(ROOT / "tests/self/host/tap-points.pl"), str(tap)], capture_output=True, text=True, check=False)
        line = "".join(" " if c < " " else c for c in said)
        test(f"--tap says {said!r} as it is", read.stdout == f"ok 1 - s: {line}\nnot ok 2 - s: {line}\n  at_20=expected 240, observed 241 x3\n  verdict=wrong\n"
             f"  why={line}\nok 3 - s: {line}\n  SKIP={line}\n" and not read.stderr, out + read.stdout + read.stderr)

    # What decides is the first observation that is off, on either side or because nothing was seen, else the last.
    kinds = {"good": [[0, 3]], "low": [[-1, 3], [0, 1]], "high": [[1, 3], [0, 1]], "none": []}
    for names in itertools.product(kinds, repeat=3):
        told = check("three", "wrong", [[0, 3]])
        told["observations"] = [dict(check("", "", kinds[name] or [[0, 0]], low=0, high=0)["observations"][0], n=n, values=kinds[name],
                                     distinct=len(kinds[name])) for n, name in enumerate(names, 1)]
        off = next((n for n, name in enumerate(names, 1) if name != "good"), 3)
        test(f"of {', '.join(names)} observation {off} tells", telling(told)["n"] == off)

    status, out, _ = run(sample, sample)
    test("a report equals itself", status == 0 and out.startswith("of the same machine: B, family 6 model 15 stepping 6, ") and out.endswith("\n13 checks in common, 0 differences\n") and out.count("\n") == 2, out)
    other = copy.deepcopy(SAMPLE)
    other["suites"][1]["checks"][0]["observations"][0].update(values=[[241, 3]], min=241, max=241)
    other["suites"][1]["checks"][1]["verdict"] = "within"
    del other["suites"][0]["checks"][2]
    other["suites"][1]["checks"][-1]["name"] = "BIG/PMC0/other"
    status, out, _ = run(sample, write("other.json", other))
    test("differences give status 1", status == 1)
    test("whose they are is said first", out.startswith("of the same machine: "), out)
    holds("differences are named", out, "events: INST/PMC0/nops: N=20: expected 240, observed 240 x3; then N=20: expected 240, observed 241 x3\n",
          "events: INST/PMC0/calls: verdict exact, then within\n", "control: freeze: only in the first report\n",
          "events: BIG/PMC0/other: only in the second report\n", "11 checks in common, 5 differences")
    status, out, _ = run("--suite", "control", "--verdict", "exact", sample, folder / "other.json")
    test("filters apply to comparison", status == 0 and "\n3 checks in common, 0 diff" in out, out)
    for key, value, said in (("stepping", 11, "B, family 6 model 15 stepping 6, microcode unknown; then B, family 6 model 15 stepping 11, microcode unknown"),
                             ("microcode", "0xd6", "stepping 6, microcode unknown; then B, family 6 model 15 stepping 6, microcode 0xd6")):
        elsewhere = copy.deepcopy(SAMPLE)
        identify(elsewhere, **{key: str(value)})
        status, out, _ = run(sample, write("elsewhere.json", elsewhere))
        test(f"reports of another {key} are told apart, and equal in their checks", status == 0 and f"{said}\n13 checks in common, 0 differences\n" in out, out)
    silicon = copy.deepcopy(SAMPLE)
    silicon["pmus"][0].update(virtual=False, model=None)
    out = run(sample, write("silicon.json", silicon))[1]
    test("and so are a virtual PMU and silicon", out.startswith("of two machines: virtual PMU intel-core2; then P in silicon\n") and "same machine" not in out, out)
    # One thing at a time: each is told.
    def first_values(o, **new):
        o["suites"][0]["checks"][1]["observations"][0].update(**new)
    for what, spoil, said in (
            ("frequencies that moved", lambda r: first_values(r, values=[[240, 2], [241, 1]]), "observed 241 x2, 240 x1; then N=20: expected 240, observed 240 x2, 241 x1"),
            ("a value that moved", lambda r: first_values(r, values=[[242, 2], [240, 1]], max=242), "then N=20: expected 240, observed 242 x2, 240 x1"),
            ("more repetitions", lambda r: first_values(r, values=[[241, 4], [240, 2]], total=6), "then N=20: expected 240, observed 241 x4, 240 x2"),
            ("the lowest expected", lambda r: first_values(r, low=239), "then N=20: expected 239..240"),
            ("the highest expected", lambda r: first_values(r, high=241), "then N=20: expected 240..241"),
            ("an N", lambda r: first_values(r, n=21), "then N=21: expected 240"),
            ("values that are not listed", lambda r: first_values(r, unlisted=1, total=4), ""),
            ("a lowest value that is not listed", lambda r: first_values(r, min=200), "2 values of 3, 240..241; then 2 values of 3, 200..241"),
            ("a highest value that is not listed", lambda r: first_values(r, max=300), "2 values of 3, 240..241; then 2 values of 3, 240..300"),
            ("how many values there are", lambda r: first_values(r, distinct=3), "then N=20: expected 240, observed 241 x2, 240 x1, ... (240..241)"),
            ("an observation", lambda r: r["suites"][0]["checks"][1].update(observations=[]), "1 observations, then 0"),
            ("a verdict", lambda r: r["suites"][0]["checks"][1].update(verdict="noisy"), "verdict wrong, then noisy"),
            ("a suite's name", lambda r: r["suites"][0].update(name="controls"), "only in the first report")):
        spoilt = copy.deepcopy(SAMPLE)
        spoil(spoilt)
        for pair in ((sample, write("spoilt.json", spoilt)), (folder / "spoilt.json", sample)):
            status, out, _ = run(*pair)
            test(f"a comparison tells {what}", status == 1 and (pair[0] != sample or said in out) and ", 0 differences" not in out, out)
    cut = copy.deepcopy(SAMPLE)
    cut["complete"] = False
    status, out, _ = run(sample, write("cut.json", cut))
    test("an incomplete report differs from a complete one", status == 1 and "the second report is incomplete" in out, out)
    holds("an incomplete report says so", run(folder / "cut.json")[1], "incomplete: the run was cut short")
    status, out, _ = run(folder / "cut.json", sample)
    test("and so does the first of two", status == 1 and "the first report is incomplete" in out, out)
    status, out, _ = run(folder / "cut.json", folder / "cut.json")
    test("two incomplete ones are equal", status == 0 and "the first report is incomplete\nthe second report is incomplete\n" in out, out)
    lossy = copy.deepcopy(SAMPLE)
    lossy["lost"] = 2
    write("lossy.json", lossy)
    for pair, which, told in (((sample, folder / "lossy.json"), "second", 1), ((folder / "lossy.json", sample), "first", 1),
                              ((folder / "lossy.json", folder / "lossy.json"), "first", 0)):
        status, out, _ = run(*pair)
        test(f"records that the {which} of two has lost are told, and status {told}", status == told and f"the {which} report has lost 2 records\n" in out, out)
    good = report([{"name": "control", "title": "controls", "complete": False, "checks": [check("gating", "exact", [[240, 3]])]}])
    for lost in (0, 2):
        for complete in (True, False):
            good.update(complete=complete, lost=lost)
            good["suites"][0]["complete"] = complete
            tap = write("good.tap", run("--tap", write("good.json", good))[1])
            ended = subprocess.run(["prove", "--exec", "cat", str(tap)], capture_output=True, text=True, check=False)
            bad = (not complete) + (lost > 0)
            test(f"--tap of a {'complete' if complete else 'cut'} report with {lost} records lost", (ended.returncode == 0) == (not bad)
                 and tap.read_text().count("not ok ") == bad and tap.read_text().endswith(f"1..{1 + bad}\n"), tap.read_text())
            out = run(folder / "good.json")[1]
            test("its table says the same", [complete, not lost] == ["incomplete: the run was cut short" not in out, "2 records are missing" not in out], out)
            valid = is_valid(folder / "good.json")
            test("it is valid unless it contradicts itself", valid == (1 if complete and lost else 0))

    several = copy.deepcopy(SAMPLE)
    several["processors"] = [{"number": 0, "id": "0x0", "kind": "P-core", "judged": True},
                             {"number": 1, "id": "0x8", "kind": "E-core", "judged": True}]
    for kind in ("pmus", "snapshots", "values", "suites"):
        for item in several[kind]:
            item["processor"] = 0
        several[kind] += [dict(copy.deepcopy(item), processor=1) for item in several[kind]]
    several["pmus"][1]["model"] = "intel-core3"
    several["suites"][3]["checks"][0]["verdict"] = "wrong"
    several["totals"] = report(several["suites"])["totals"]
    two = write("several.json", several)
    valid = is_valid(two)
    test("a report on two processors is valid", valid == 0)
    out = run(two)[1]
    first, second = out.split("control on processor 1 (E-core)", 1)
    holds("tables of the first processor", first, "control on processor 0 (P-core): controls", "intel-core2", "exact (6)")
    holds("tables of the second one", second, "events on processor 1 (E-core): all events\nvirtual PMU (model intel-core3)", "exact (5)")
    test("processors of different kinds are not compared", "the same verdict on each" not in out, out)
    kind = copy.deepcopy(several)
    for p in kind["processors"]:
        p["kind"] = "E-core"
    out = run(write("kind.json", kind))[1]
    holds("verdicts on processors of one kind are merged, and the one that differs is named", out,
          "\nE-core, numbers 0, 1: 12 of 13 checks have the same verdict on each\n  events: INST/PMC0/nops: exact on 0; wrong on 1\n")
    kind["suites"][3]["checks"][0]["verdict"] = "exact"
    kind["totals"] = report(kind["suites"])["totals"]
    out = run(write("kind.json", kind))[1]
    holds("where none differs none is named", out, "\nE-core, numbers 0, 1: 13 of 13 checks have the same verdict on each\n\nassay: ")
    test("--processor leaves nothing to merge", "on each" not in run("--processor", "1", write("kind.json", kind))[1])
    test("--processor leaves its checks", len([line for line in run("--all", "--processor", "1", two)[1].splitlines() if line[0] != " "]) == 13)
    alike = json.loads(json.dumps(several).replace('"processor": 0', '"processor": 11').replace('"number": 0', '"number": 11'))
    listed = {n: [line for line in run("--all", "--processor", n, write("alike.json", alike))[1].splitlines() if " on processor " in line] for n in ("1", "11", "1,11")}
    test("--processor 11 is not 1 as well", all("processor 1 " in line for line in listed["1"]) and all("processor 11 " in line for line in listed["11"]) and
         listed["1"] and listed["11"] and len(listed["1,11"]) == len(listed["1"]) + len(listed["11"]), listed)
    status, out, _ = run("--processor", "0", two, sample)
    test("a processor's checks are compared with those of another report", status == 0 and out.endswith("\n13 checks in common, 0 differences\n"), out)
    for chosen, judged in (("0", "intel-core2"), ("1", "intel-core3")):
        status, out, _ = run("--processor", chosen, two, two)
        test(f"processor {chosen} was judged by its own PMU", judged in out and "no PMU" not in out, out)
    status, out, _ = run("--processor", "0", sample, sample)
    test("a report of one processor is of processor 0", status == 0 and "intel-core2" in out and "no PMU" not in out, out)
    status, out, _ = run(two, two)
    test("checks of several processors are kept apart", status == 0 and out.endswith("\n26 checks in common, 0 differences\n"), out)
    out = run("--registers", two)[1]
    holds("registers of both processors", out, "snapshot 1 on processor 0 (P-core):\n  CTRL                     0x38f = 0x7  running  PMC0 PMC1 PMC2\n",
          "  GONE                     0x38d cannot be read\nsnapshot 2 on processor 1 (E-core):\n")
    test("--processor is a whole number, or several", len([line for line in run("--all", "--processor", "11", two)[1].splitlines() if line and line[0] != " "]) == 0 and
         run("--all", "--processor", "0,1", two)[1] == run("--all", two)[1])
    test("--processor leaves its registers", run("--registers", "--processor", "1", two)[1] == out[out.index("snapshot 2"):])
    holds("registers of the only processor", run("--registers", sample)[1], "snapshot 1:\n  CTRL")
    for name, spoil in (("of a processor that is not listed", lambda r: r["suites"][0].update(processor=2)),
                        ("of no processor", lambda r: r["suites"][0].pop("processor")),
                        ("with registers of no processor", lambda r: r["snapshots"][1].pop("processor")),
                        ("with registers of a processor that is not listed", lambda r: r["snapshots"][1].update(processor=2)),
                        ("that was not judged", lambda r: r["processors"][1].update(judged=False)),
                        ("listed twice", lambda r: r["processors"][1].update(number=0))):
        bad = copy.deepcopy(several)
        spoil(bad)
        valid = is_valid(write("bad.json", bad))
        test(f"validate-report refuses results {name}", valid == 1)

    for times in (1, 2, 3):
        same = report([{"name": s, "title": "t", "complete": True, "checks": [check("c", "exact", [[240, 1]])] * n} for s, n in (("a", 1), ("b", times))])
        status, out, err = script("validate-report", write("same.json", same))
        test(f"validate-report: {times} checks of one name in a suite", (status == 0) == (times == 1) and (f"b/c: {times} checks have this name" in out + err) == (times > 1)
             and "a/c" not in out + err, out + err)

    # Each verdict, in every view.
    for verdict in VERDICTS:
        bad = verdict not in ("exact", "within", "skipped")
        one = write("one.json", report([{"name": "s", "title": "t", "complete": True, "checks": [check("c", verdict, [[240, 1]], text="because")]}]))
        out = run("--tap", one)[1]
        test(f"--tap of {verdict}", out.split("\n")[1].startswith("not ok 1 - s: c" if bad else "ok 1 - s: c") and ("# SKIP because" in out) == (verdict == "skipped")
             and ("verdict: " + verdict in out) == bad, out)
        test(f"--verdict bad and {verdict}", run("--all", "--verdict", "bad", one)[1].count("s: c") == bad)
        test(f"the last line tells {verdict}", f" 1 {verdict}" in run(one)[1].split("\n")[-2])

    # Which of several N is shown, and what of many values.
    low = check("low", "wrong", [[239, 3]])
    low["observations"].append(dict(low["observations"][0], n=40, low=480, high=480, min=480, max=480, values=[[480, 3]]))
    many = check("many", "noisy", [[i, 1] for i in range(240, 260)])
    out = run(write("telling.json", report([{"name": "s", "title": "t", "complete": True, "checks": [low, many]}])))[1]
    holds("the first N that is off is shown, and extremes of what is not listed", out, "240       239 x3", "255 x1, ... (240..259)")

    holds("--all shows each N", run("--all", folder / "telling.json")[1], "        N=20: expected 240, observed 239 x3\n        N=40: expected 480, observed 480 x3\n")
    modelled = write("modelled.json", report([{"name": "s", "title": "t", "complete": True, "checks": [check("c", "exact", [[240, 1]], machine_model=True)]}]))
    label = "cycles, misses and mispredictions are those of a machine model"
    test("a machine model is named, and only where there is one", label in run(modelled)[1] and label not in run(sample)[1])
    test("--suite leaves other suites' values out", "bracket: 4" in run("--suite", "ev*", sample)[1] and "bracket: 4" not in run("--suite", "control", sample)[1])

    # What validate-report alone looks after.
    def observation(r, **new):
        r["suites"][0]["checks"][1]["observations"][0].update(**new)

    def counted(r, kind, **new):
        seen = dict(n=5, total=2, distinct=2, min=3, max=4, values=[[3, 1], [4, 1]])
        row = {"observations": [seen]}
        r["experiments"].append({"name": "x", "kernel": "k", "level": "ring 0", "n": 5, "reps": 2, "passes": 1, "bound": 1, "proof": "p", "samples": [],
                                 "counts": [dict(row, event="E", counter="C", **{"pass": 1}, encoding="0x1")] if kind == "counts" else [],
                                 "deltas": [dict(row, name="1-2", across_passes=False)] if kind == "deltas" else []})
        seen.update(new)

    for name, spoil, status in (
            ("nothing", lambda r: None, 0), ("an experiment", lambda r: (counted(r, "counts"), counted(r, "deltas")), 0),
            ("values without room", lambda r: observation(r, total=9, distinct=8, unlisted=6, max=300), 0),
            ("a frequency", lambda r: observation(r, values=[[241, 2], [240, 2]]), 1),
            ("a number of values", lambda r: observation(r, distinct=3), 1), ("a rare value first", lambda r: observation(r, values=[[240, 1], [241, 2]]), 1),
            ("a lowest value", lambda r: observation(r, min=239), 1), ("a highest value", lambda r: observation(r, max=242), 1),
            ("a value beyond the highest", lambda r: observation(r, values=[[242, 2], [240, 1]], total=9, distinct=8, unlisted=6), 1),
            ("a value listed twice", lambda r: observation(r, values=[[241, 2], [241, 1]], min=241), 1),
            ("a check twice", lambda r: r["suites"][0]["checks"][0].update(name="status"), 1),
            ("a skip without a reason", lambda r: r["suites"][0]["checks"][2].pop("text"), 1),
            ("an error without a reason", lambda r: (r["suites"][0]["checks"][0].update(verdict="error"), r["totals"].update(exact=9, error=1)), 1),
            ("two totals", lambda r: r["totals"].update(exact=9, within=1), 1), ("the number of checks", lambda r: r["totals"].update(checks=12), 1),
            ("totals of a report that lost some", lambda r: (r.update(complete=False, lost=1), r["totals"].update(exact=11, checks=14)), 0),
            ("a suite that is not complete", lambda r: r["suites"][1].update(complete=False), 1),
            ("an experiment's count", lambda r: counted(r, "counts", total=3), 1), ("an experiment's delta", lambda r: counted(r, "deltas", total=3), 1),
            ("a part of the whole", lambda r: r["values"].append(dict(suite="events", name="taken again", value="7", unit="of 7 samples (and why)")), 0),
            ("a part that is more than the whole",
             lambda r: r["values"].append(dict(suite="events", name="taken again", value="8", unit="of 7 samples (and why)")), 1),
            ("a number that is none", lambda r: r["machine"].update(clock_hz=float("nan")), 2),
            ("a member that nobody knows", lambda r: r.update(more=1), 1), ("a member that is missing", lambda r: r.pop("lost"), 1)):
        spoilt = copy.deepcopy(SAMPLE)
        spoil(spoilt)
        found = is_valid(write("spoilt.json", spoilt))
        test(f"validate-report and {name}: {status}", found == status, found)

    # Of several files the worst decides, wherever it stands, and each that is not good is named.
    spoilt = copy.deepcopy(SAMPLE)
    spoilt["totals"].update(checks=12)
    files = {sample: 0, write("faulty.json", spoilt): 1, write("cut.json", json.dumps(SAMPLE)[:500]): 2, folder / "absent.json": 2}
    wrong = []
    for n in (1, 2, 3):
        for some in itertools.product(files, repeat=n):
            status, out, err = script("validate-report", *some)
            named = [line.split(": ")[0] for line in err.splitlines()]
            if status != max(files[f] for f in some) or named != [str(f) for f in some if files[f]] or out:
                wrong.append(f"{' '.join(f.name for f in some)}: {status}, {named}")
    test("validate-report and several files, in every order", not wrong, wrong)
    for some in itertools.product(files, repeat=2):
        if not all(files[f] < 2 for f in some):
            status, out, err = run(*some)
            test(f"refuses {some[0].name} beside {some[1].name}", status == 2 and any(files[f] == 2 and str(f) in err for f in some) and not out, out + err)

    for name, content, message in (("text", "hello", "no JSON"), ("cut", json.dumps(SAMPLE)[:500], "no JSON"),
                                   ("list", "[]", "schema is None"), ("future", '{"schema": "assay-report/6"}', "schema is 'assay-report/6'"),
                                   ("a schema that is no text", '{"schema": {}}', "schema is {}"),
                                   ("holes", '{"schema": "assay-report/5"}', "not as docs/report.schema.json says"),
                                   ("old holes", '{"schema": "assay-report/4"}', "not as docs/report-4.schema.json says: the document: ")):
        status, out, err = run(write(f"{name}.json", content))
        test(f"refuses {name}", status == 2 and message in err and err.count("\n") == 1 and not out, out + err)
    status, _, err = run(folder / "absent.json")
    test("refuses an absent file", status == 2 and "No such file" in err and err.count("\n") == 1, err)
    status, _, err = run("--verdict", "fine", sample)
    test("refuses an unknown verdict", status == 2 and "no verdict fine" in err, err)


with tempfile.TemporaryDirectory() as name:
    main(pathlib.Path(name))
done()
