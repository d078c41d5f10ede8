#!/usr/bin/env python3
"""A report judged again by build/assay-judge and scripts/report-view --judge: the same if nothing was changed, and each change is told."""
import copy
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from boottest import BUILD, TOP, boot, done, equal, few, ok, sound  # noqa: E402

# One family each: exact rows and intervals, both rings, kernels with handlers.
KERNELS = " suite=events n=2 reps=2 kernel=nop_loop,calls,loads,syscall,fault_nm"
RUNS = (("intel-skylake", "event=INST_RETIRED.*,BR_*,MEM_INST*,DTLB_LOAD_MISSES*"), ("amd-zen3", few("event=RETIRED_*,*_CYCLES*,L2_*", "event=*")),
        ("netburst-prescott", "event=instr_*,branch_*,front_end_event*,global_power*"))


def judged(report, *tool):
    """Exit status, lines and complaint of judging it again."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        file.write(report if isinstance(report, str) else json.dumps(report))
        file.flush()
        r = subprocess.run([*(tool or [os.path.join(BUILD, "assay-judge")]), file.name], capture_output=True, text=True, check=False)
    return r.returncode, r.stdout.split("\n")[:-1], r.stderr.replace(file.name, "REPORT")


def cells(report):
    return [c for s in report["suites"] if s["name"] == "events" for c in s["checks"] if "event" in c and c["observations"]]


def first(report, **wanted):
    """The first check of the suite events that has these members, and two N at least."""
    return next(c for c in cells(report) if all(c.get(k) == v for k, v in wanted.items()))


def told(name, report, change, pattern, **wanted):
    """After the change to one check a line of that check, and of no other, says so."""
    changed = copy.deepcopy(report)
    check = first(changed, **wanted)
    change(check)
    label = "events: %s: " % check["name"]
    status, lines, complaint = judged(changed)
    ok(status == 1 and lines[:-1] and all(line.startswith(label) for line in lines[:-1]) and any(pattern in line for line in lines),
       "told: " + name, ["wanted %r of %s" % (pattern, label), "status %d %s" % (status, complaint)] + lines[:5])


def refused(name, report, pattern):
    status, lines, complaint = judged(report)
    ok(status == 2 and not lines and pattern in complaint and complaint.count("\n") == 1, "refused: " + name,
       ["status %d, wanted %r" % (status, pattern), complaint] + lines[:3])


def observed(check, i, values):
    """As if these values had been observed, with all that follows from them."""
    o = check["observations"][i]
    o.update(values=values, min=min(v for v, _ in values), max=max(v for v, _ in values), distinct=len(values), total=sum(t for _, t in values))


def all_observed(check, more):
    for i, o in enumerate(check["observations"]):
        observed(check, i, [[v + more, t] for v, t in o["values"]])


def expect(check, low, high):
    for o in check["observations"]:
        o.update(low=o["low"] + low, high=o["high"] + high)


reports = {}
for profile, options in RUNS:
    r = boot(options="pmu=virtual:" + profile + KERNELS + " " + options)
    sound(r, profile)
    reports[profile] = r.report
    status, lines, complaint = judged(r.report_json or "")
    n = len(cells(r.report)) if r.report else 0
    ok(status == 0 and n > 50 and lines == lines[-1:] and lines[-1].startswith("%d checks judged again: %d the same, 0 different" % (n, n)),
       "%s: all checks are judged as they were" % profile, ["status %d, %d checks" % (status, n), complaint] + lines[:5])

for profile, report in reports.items():
    exact, within = ({"verdict": v} for v in ("exact", "within"))
    told(profile + ": a count", report, lambda c: observed(c, 1, [[c["observations"][1]["low"] + 1, 2]]), "exact then, wrong today", **exact)
    told(profile + ": every count", report, lambda c: all_observed(c, 1), "exact then, biased today", **exact)
    told(profile + ": an expectation", report, lambda c: expect(c, 1, 1), "then, ", **exact)
    told(profile + ": one end of an interval", report, lambda c: expect(c, 0, -1) if c["observations"][0]["high"] else expect(c, 0, 1), "today", **within)
    told(profile + ": a verdict", report, lambda c: c.update(verdict="within"), "within then, exact today", **exact)

REPORT = reports["intel-skylake"]
for verdict in ("biased", "noisy", "dead", "wrong", "erratum", "error", "skipped"):
    told("the verdict " + verdict, REPORT, lambda c: c.update(verdict=verdict), verdict + " then, exact today", verdict="exact")
told("a value within its interval", REPORT, lambda c: c["observations"][0]["values"][0].__setitem__(0, c["observations"][0]["max"] + 1), "the values are",
     verdict="within")
told("a frequency", REPORT, lambda c: c["observations"][2]["values"][0].__setitem__(1, 1), "do not add up", verdict="exact")
told("the number of distinct values", REPORT, lambda c: c["observations"][0].update(distinct=2), "the values are 1 distinct", verdict="exact")
told("a value that is not steady", REPORT, lambda c: observed(c, 0, [[c["observations"][0]["low"], 1], [c["observations"][0]["low"] + 1, 1]]),
     "exact then, noisy today", verdict="exact")
told("an N", REPORT, lambda c: c["observations"][2].update(n=7), "N=7: expected", verdict="exact", event="INST_RETIRED.ANY_P")
told("the encoding", REPORT, lambda c: c.update(encoding="0x1c4"), "of encoding 0x1c4; today's is 0x", verdict="exact", event="INST_RETIRED.ANY_P")
told("the slope", REPORT, lambda c: c.update(slope=[13, 1]), "slope 13/1 then", verdict="exact", kernel="nop_loop", event="INST_RETIRED.ANY_P")
told("a bias", REPORT, lambda c: (all_observed(c, -1), c.update(verdict="biased", bias=1)), "biased by 1 then, by -1 today", verdict="exact")
told("a share that was not measured", REPORT, lambda c: c.update(share=c["share"] + 1), "and was measured as", verdict="exact", event="INST_RETIRED.ANY_P",
     level="ring 0")
# The share of another encoding of the same name, on the same counter, is no share of this one.
check = first(REPORT, verdict="exact", event="INST_RETIRED.ANY_P", level="ring 0")
entry = next(s for s in REPORT["shares"] if s["event"] == check["event"] and s["counter"] == check["counter"]
             and s["mechanism"] == "enabling and disabling writes" and s["encoding"] == check["encoding"])
two = dict(REPORT, shares=REPORT["shares"] + [dict(entry, encoding="0x1c4", share=check["share"] + 1)])
told("a share that was measured of another encoding alone", two, lambda c: c.update(share=c["share"] + 1), "and was measured as", verdict="exact",
     event="INST_RETIRED.ANY_P", level="ring 0")
for key, value in (("event", "BR_INST_RETIRED.ALL_BRANCHES"), ("counter", "PMC7"), ("mechanism", "around ring 3")):
    two = dict(REPORT, shares=REPORT["shares"] + [dict(entry, **{key: value}, share=check["share"] + 1)])
    told("a share that was measured of another %s alone" % key, two, lambda c: c.update(share=c["share"] + 1), "and was measured as", verdict="exact",
         event="INST_RETIRED.ANY_P", level="ring 0")
told("a count below 0", REPORT, lambda c: c.update(share=-1000000), "none of a counter of", verdict="exact")
told("a share that no counter holds", REPORT, lambda c: c.update(share=1 << 48), "none of a counter of 48 bits", verdict="exact")
told("a counter that reads 0", REPORT, lambda c: [observed(c, i, [[-c["share"], 2]]) for i in range(3)], "exact then, wrong today", verdict="exact",
     event="INST_RETIRED.ANY_P")
told("a counter that never counts more than the bracket", REPORT, lambda c: [observed(c, i, [[0, 2]]) for i in range(3)], "exact then, dead today",
     verdict="exact", event="INST_RETIRED.ANY_P")
for key, value, pattern in (("event", "NO_SUCH.EVENT", "is no event of this CPU"), ("kernel", "no_such_kernel", "there is no kernel")):
    told("an unknown " + key, REPORT, lambda c: c.update({key: value, "name": value + "/renamed" if key == "event" else c["name"]}), pattern,
         verdict="exact", event="INST_RETIRED.ANY_P")
told("a ring in which handlers count", REPORT, lambda c: c.update(level="ring 0"), "expected", kernel="syscall", level="ring 3", event="INST_RETIRED.ANY_P")


def without(*path):
    """The report with one member left out."""
    changed = copy.deepcopy(REPORT)
    at = changed
    for key in path[:-1]:
        at = at[key]
    del at[path[-1]]
    return changed


def with_check(**members):
    changed = copy.deepcopy(REPORT)
    first(changed).update(members)
    return changed


place = next((s, c) for s, suite in enumerate(REPORT["suites"]) if suite["name"] == "events" for c, check in enumerate(suite["checks"]) if "event" in check and check["observations"])
CHECK = ("suites", place[0], "checks", place[1])
refused("no JSON", "{", "REPORT:")
refused("another schema", dict(REPORT, schema="assay-report/4"), "not of schema assay-report/5; scripts/report-view --judge converts older ones")
refused("no shares", without(*CHECK, "share"), "shares")
refused("no level", without(*CHECK, "level"), "neither of the first level")
refused("a level that is not judged", with_check(level="ring 1"), "neither of the first level")
refused("another instruction set", dict(REPORT, isa="alpha"), 'of instruction set "alpha"; this program judges x86-64')
refused("no CPUID", without("pmus", 0, "identity"), "what CPUID told")
for name, value in (("name", "CPUID.7H"), ("name", "CPUID.7H.0x"), ("value", "0x0 0x0 0x0"), ("value", "0x0 0x0 0x0 0x0 0x0"), ("value", "1 2 3 4")):
    broken = copy.deepcopy(REPORT)
    broken["pmus"][0]["identity"][1][name] = value
    refused("a leaf whose %s is %s" % (name, value), broken, "what CPUID told")
refused("a CPU that no driver knows", dict(REPORT, pmus=[dict(REPORT["pmus"][0], driver="amd")]), "no driver of today fits")
refused("no PMU", dict(REPORT, pmus=[]), "which PMU was judged")
refused("a counter that is not there", with_check(counter="PMC99"), "a counter that its PMU does not have")
refused("an observation without N", without(*CHECK, "observations", 0, "n"), "not as the schema says")
refused("a frequency that is none", with_check(observations=[dict(o, values=[[1, -1]]) for o in cells(REPORT)[0]["observations"]]), "an observation is not")
refused("no suite events", dict(REPORT, suites=[]), "no counts of the suite events")



def same(name, options, pattern=None, **more):
    """A run that is no plain one is judged as it was. In the pattern are verdicts that it must have, "a|b" one of two."""
    r = boot(options=options, timeout=300, **more)
    status, lines, complaint = judged(r.report_json or "")
    verdicts = {c["verdict"] for c in cells(r.report)} if r.report else set()
    return ok(status == 0 and len(lines) == 1 and all(verdicts & {*one.split("|")} for one in pattern or ()), name, ["%s, verdicts %s" % (r.verdict, verdicts), complaint] + lines[:6])


# Chance decides whether the fault is in all repetitions.
same("a faulty counter is judged as it was", "pmu=virtual:amd-zen1 inject=990" + KERNELS.replace("loads", "loads,mmx_moves") +
     few(" event=RETIRED_MMX*,RETIRED_I*", " event=RETIRED*"),
     {"exact", "wrong|noisy"})
same("what silicon may count besides is allowed as it was", "pmu=virtual:intel-skylake inject=silicon-rules" + KERNELS + " " +
     few("event=INST_RETIRED.*,BR_*", RUNS[0][1]), {"exact", "within"})
same("each processor's PMU is its own", "pmu=virtual:intel-alderlake cpus=0,1 reps=1 n=2 suite=events kernel=calls event=BR_INST_RETIRED*,MEM_INST*", {"exact"}, cpus=2)
same("a hypervisor's excuses are left as they were", "pmu=virtual:amd-zen4-guest suite=events kernel=cpuid,calls n=2 reps=2 inject=exits-emulated",
     {"exact", "skipped"})

# What round trips count is worked out again from its raw counts.
CONTRARY = boot(options="pmu=virtual:intel-skylake suite=events n=2 reps=1 kernel=int_ring3,fault_gp_ring3 event=INST_RETIRED.ANY_P inject=return-in-new-level").report
status, lines, complaint = judged(CONTRARY or "")
ok(status == 0 and len(lines) == 1 and CONTRARY["attributions"], "levels are judged as they were", [complaint] + lines[:5])


def otherwise(change, **wanted):
    changed = copy.deepcopy(CONTRARY)
    change(changed, next(a for a in changed["attributions"] if all(a.get(k) == v for k, v in wanted.items())))
    return judged(changed)


FAULTS = {"class": "instructions", "kernel": "fault_gp_ring3"}
status, lines, _ = otherwise(lambda report, a: a.update(counted=a["manual"]), **FAULTS)
equal((status, lines[0]), (1, "attribution: instructions/fault_gp_ring3: counted then; today: counted, OS 0, USR 1"), "told: another count of a round trip")
status, lines, _ = otherwise(lambda report, a: observed({"observations": a["events"][0]["apart"]["USR"]}, 1, [[99, 3]]), **FAULTS)
ok(status == 1 and lines[0].endswith("counted then; today: no line"), "told: raw counts of no line", lines[:3])
status, lines, _ = otherwise(lambda report, a: a["events"][0].update(event="NO_SUCH"), **FAULTS)
ok(status == 1 and lines[0].endswith("counted then; today: unknown"), "told: an event of round trips that is none today", lines[:3])
status, lines, _ = otherwise(lambda report, a: report.update(attributions=[]), **FAULTS)
ok(status == 1 and any("int_ring3" in line and "today" in line for line in lines), "told: without the round trips' counts rows come out otherwise", lines[:3])
status, lines, complaint = otherwise(lambda report, a: a["events"][0]["apart"].update(OS=[]), **FAULTS)
ok(status == 2 and "an attribution is not as the schema says" in complaint, "refused: round trips without windows", [complaint] + lines[:2])

view = (os.path.join(TOP, "scripts", "report-view"), "--judge")
changed = copy.deepcopy(REPORT)
first(changed, verdict="exact").update(verdict="wrong")
equal([judged(report, *view)[0] for report in (REPORT, changed, dict(REPORT, suites=[]))], [0, 1, 2], "report-view --judge ends with the judge's status")
equal(judged(changed, *view)[1:], judged(changed)[1:], "report-view --judge prints what the judge prints")
done()
