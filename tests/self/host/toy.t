#!/usr/bin/python3
"""TAP test: Assay on the toy machine (docs/toy.md) finds nothing wrong with it, and each of its PMU's injections by the suite that should."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests/self")]
from reporting.validity import breaches  # noqa: E402
from tap import done, equal, ok  # noqa: E402

TOOL = ROOT / "build/host/assay-toy"
VERDICTS = r"(\d+) checks: (\d+) exact, (\d+) within, (\d+) biased, (\d+) noisy, (\d+) dead, (\d+) wrong, (\d+) erratum, (\d+) error, (\d+) skipped"
BAD = range(3, 9)  # of the numbers, from biased to error
SUITES = {"control", "events", "identities", "sweep", "trace", "sampling", "experiments", "noise", "truth"}
HIGHEST = ("wrap/COUNTER3", "write rules/COUNTER3", "overflow status/COUNTER3", "overflow point/COUNTER3", "access/write COUNTER3, its highest value",
           "access/write COUNTER3, above it")
# Injection: suite that tells it first, what that says of, and how.
TOLD = {
    "dropped-carry": ("ladder", "COUNTER1", "wrong"),
    "counts-twice": ("ladder", "COUNTER0", "wrong"),
    "dead-counter": ("ladder", "COUNTER2", "dead"),
    "stop-ignored": ("ladder", "COUNTER0", "biased"),
    "no-interrupt": ("ladder", "COUNTER0", "wrong"),
    "highest-ignored": ("ladder", "COUNTER3", "wrong"),
    "levels-ignored": ("control", "level filter", "wrong"),
    "wrong-event": ("events", "LOADS/", "wrong"),
    "dead-event": ("events", "STORES/", "dead"),
    "lost-message": ("trace", "LBR", "wrong"),
    "wrong-target": ("trace", "LBR", "wrong"),
    "memory-gap": ("trace", "BTS whole", "wrong"),
    "interrupt-twice": ("events", "INTERRUPTS/", "wrong"),
}


ALL = ("suite=all", "kernel=all", "event=*")


def run(*options, config=None):
    """(exit status, numbers of the last line, document, all that was printed)"""
    with tempfile.TemporaryDirectory() as d:
        if config:
            (pathlib.Path(d) / "assay").mkdir()
            (pathlib.Path(d) / "assay/assay.cfg").write_text(config, encoding="ascii")
        r = subprocess.run([TOOL, "-d", d, *options], capture_output=True, text=True, check=False)
        paths = list(pathlib.Path(d).glob("assay/runs/*/report.json"))
        document = json.loads(paths[0].read_text(encoding="utf-8")) if paths else None
    found = re.search(VERDICTS, r.stdout[r.stdout.rfind("assay: "):])
    return r.returncode, [int(n) for n in found.groups()] if found else None, document, r.stdout + r.stderr


def bad(document):
    """suite -> {(check, verdict)} of what is wrong"""
    out = {}
    for suite in document["suites"]:
        for check in suite["checks"]:
            if check["verdict"] in ("biased", "noisy", "dead", "wrong", "erratum", "error"):
                out.setdefault(suite["name"], set()).add((check["name"], check["verdict"]))
    return out


def suites(document, name):
    """The checks of a suite."""
    return [c for suite in document["suites"] if suite["name"] == name for c in suite["checks"]]


EXPERIMENTS = """
[experiment loop]
kernel=nop_loop
events=INSTRUCTIONS,BRANCHES
delta=INSTRUCTIONS-BRANCHES
n=10
[experiment interrupts]
kernel=timer
events=INTERRUPTS
n=10
[experiment samples]
kernel=nop_loop
events=INSTRUCTIONS
record=pmi
period=7
level=1
n=10
[experiment branches]
kernel=calls
record=bts
n=10
[experiment twice]
kernel=nop_loop
events=INSTRUCTIONS,BRANCHES,INSTRUCTIONS,INSTRUCTIONS,BRANCHES
n=10
"""

began = os.times()
status, numbers, document, text = run(*ALL, config=EXPERIMENTS)
ended = os.times()
took = ended.children_user + ended.children_system - began.children_user - began.children_system
ok(status == 0 and numbers and not any(numbers[i] for i in BAD), "a sound toy gives nothing wrong", text[-2000:])
ok(numbers and numbers[1] > 1500, "and more than 1500 checks are exact", text[-200:])
equal({s["name"] for s in document["suites"] if any(c["verdict"] in ("exact", "within") for c in s["checks"])} & SUITES, SUITES,
      "every suite judges something")
sound = document
names = [c["name"] for c in suites(document, "experiments") if c["name"].startswith("twice/")]
equal([n.split("/")[1].split("::")[1] for n in names], ["INSTRUCTIONS", "BRANCHES", "INSTRUCTIONS#2", "INSTRUCTIONS#3", "BRANCHES#2"],
      "an event that is counted more than once is numbered from the second on")
for suite in document["suites"]:
    names = [c["name"] for c in suite["checks"]]
    equal([n for n in names if names.count(n) > 1], [], "no two checks of the suite %s have one name" % suite["name"])
status, numbers, first, text = run("suite=first", "courage=3")
ok(status == 0 and numbers and not any(numbers[i] for i in BAD), "nor do the first steps on an unknown machine", text[-2000:])
STEPS = {"witnesses", "ladder", "events", "sampling", "trace", "control"}
equal({s["name"] for s in first["suites"] if s["checks"]} & STEPS, STEPS, "which judge something each")
ok(took < 20, "it takes %.1f s of a processor" % took)
# COUNTER3's highest value is not all ones of its width: a check that takes it to be finds a sound counter wrong.
control = {c["name"]: c["verdict"] for suite in document["suites"] if suite["name"] == "control" for c in suite["checks"]}
equal({name: control.get(name) for name in HIGHEST}, dict.fromkeys(HIGHEST, "exact"), "checks that reach a counter's highest value judge one whose is another")
ok(document["isa"] == "toy" and document["complete"], "the report says what it is of")
equal(list(breaches(document)), [], "it keeps to the schemas of reports")
twice = dict(document["suites"][0], checks=document["suites"][0]["checks"][:1] * 2)
ok(list(breaches(dict(document, suites=[twice]))), "one with two checks of one name does not")
ok(list(breaches(dict(document, levels=document["levels"][:1]))), "one without the user's level does not")

listed = re.findall(r'^TOY_INJECTION\(\w+, "([^"]+)"', (ROOT / "pmu/toy/errata/injections.def").read_text(encoding="utf-8"), flags=re.M)
equal(set(listed), set(TOLD), "each injection has its place here")
for name, (suite, check, verdict) in TOLD.items():
    status, numbers, document, text = run(*ALL, "inject=" + name)
    wrong = bad(document) if document else {}
    ok(status == 1 and any(c.startswith(check) and v == verdict for c, v in wrong.get(suite, ())), "%s: the %s tells it: %s, %s" % (name, suite, check, verdict),
       [wrong, text[-400:]])
    if suite != "ladder":
        ok("ladder" not in wrong and "truth" not in wrong, "%s: neither the ladder nor the ground truth is wrong" % name, wrong)

# What breaks the virtual PMU, and not the model, breaks this one as well.
status, _, document, text = run(*ALL, "inject=branch-target-off")
ok(status == 1 and any(c.startswith("BTS whole") for c, _ in bad(document).get("trace", ())), "branch-target-off, of records on every virtual CPU, is told by the trace", text[-400:])
status, _, document, text = run(*ALL, "inject=not-masked")
equal(bad(document).get("noise"), {("interrupt line masked around windows", "error")}, "a timer that stays as it is around windows is told by the noise")
trips = {(a["trip"], a["kernel"], a["state"]) for a in sound["attributions"]}
equal(trips, {("interrupts", "timer", "counted")}, "round trips into the timer's handler were measured")
# The timer's handler stores nothing: 0 is right, and says nothing if the event never ticks.
_, _, dead, _ = run(*ALL, "inject=dead-event")


def of_stores(document):
    """Whether stores of round trips were taken; the facts that tell why not."""
    return any(a["class"] == "stores" for a in document["attributions"]), [f["text"] for f in document["facts"] if (f["suite"], f["name"]) == ("attribution", "stores")]


equal([of_stores(sound), of_stores(dead)], [(True, []), (False, ["not measured: no kernel showed STORES to count"])],
      "where deliveries count is taken from an event that ticks, and not from a dead one")
equal([a for a in sound["attributions"] if a["class"] != "stores"], dead["attributions"], "all else of it stays")
# A signature that is wrong is the kernel's fault: an error of the harness, and nothing is judged by it.
for delta in ("1", "-1N", "3N"):
    status, _, document, text = run("suite=truth,events", "kernel=nop_loop,calls", "event=*", "inject=wrong-signature:nop_loop:instructions:" + delta)
    wrong = bad(document)
    equal((status, {v for found in wrong.values() for _, v in found}), (1, {"error"}), "a wrong signature (%s) is an error, and no hardware's" % delta)
    equal(sorted(c for c, _ in wrong.get("truth", ()) if "instructions" in c), ["instructions/nop_loop/supervisor", "instructions/nop_loop/user"],
          "of this quantity, in each level")
    ok(wrong["truth"] and all("/nop_loop" in c or c == "known paths" for found in wrong.values() for c, _ in found), "and of this kernel alone", wrong)
    ok(not [c for c in suites(document, "events") if "/nop_loop/" in c["name"] and not c["name"].startswith("ground truth/")] and
       len(suites(document, "events")) > 100, "by which no event is judged", wrong)

status, _, _, text = run("inject=no-such")
ok(status == 2 and "there is no injection 'no-such'" in text, "an injection that there is not is refused")

# Level 3 is x86's: asked of the user's level by another number, no kernel of that level alone would be sampled.
status, _, document, text = run("suite=sampling", "kernel=program", "event=INSTRUCTIONS,NOPS")
found = {c["name"]: c["verdict"] for c in suites(document, "sampling") if c["verdict"] != "skipped"} if document else None
equal((status, found), (0, {"%s/PMI skid/program/user" % e: "exact" for e in ("INSTRUCTIONS", "NOPS")}), "what runs at the user's level alone is sampled there")

rows = {x["name"]: x for x in sound["experiments"]}
values = {name: [o["values"] for o in rows[name]["counts"][0]["observations"]] for name in ("loop", "interrupts") if name in rows}
equal(values.get("interrupts"), [[[10, 3]], [[20, 3]], [[30, 3]]], "an experiment counts ten interrupts of the timer, twenty and thirty, each time")
equal(values.get("loop"), [[[120, 3]], [[240, 3]], [[360, 3]]], "and another the twelve instructions of a loop's turn")
delta = [o["values"] for o in rows["loop"]["deltas"][0]["observations"]] if "loop" in rows else None
equal(delta, [[[110, 3]], [[220, 3]], [[330, 3]]], "of which all but the branches are the difference")
ok("samples" in rows and rows["samples"]["samples"][0]["places"], "and a third samples", rows.get("samples"))
ok("branches" in rows and rows["branches"]["samples"], "and a fourth records branches in memory", rows.get("branches"))
status, _, _, text = run("suite=experiments", config="[experiment x]\nkernel=loop\nevents=NONSENSE\n")
ok(status == 1 and "NONSENSE" in text, "an experiment with an event that there is not is told", [status, text[-400:]])
status, _, _, text = run("nonsense")
ok(status == 2, "and so is an option")
for option in ("suite=nonsense", "suite=events,nonsense", "kernel=nonsense", "event=nonsense*", "check=nonsense"):
    status, _, _, text = run(option)
    ok(status == 2 and "matches none" in text, option + ", which matches nothing, is refused", text[-200:])
done()
