#!/usr/bin/python3
"""The suite `scan`: encodings that no row has are found and recognised, those that have one are held against it; and events with two encodings."""
import re

from boottest import boot, complains, done, equal, ok, same_table, sound, tail, valid

FEW = "kernel=nop_loop,branches_not_taken,jumps_indirect,calls,loads,stores,mix "
TALLY = re.compile(r"(\d+) on (\d+) kernels: (\d+) count nothing; documented: (\d+) as documented, (\d+) otherwise, (\d+) not compared; "
                   r"undocumented: (\d+); not counted: (\d+)(.*)")


def values(r, suite):
    return {v["name"]: v["value"] for v in (r.report or {"values": []})["values"] if v["suite"] == suite}


def tally(r):
    match = TALLY.fullmatch(values(r, "scan").get("encodings", ""))
    return tuple(int(n) for n in match.groups()[:8]) + (match.group(9),) if match else None


def told(r):
    return {c["name"]: (c.get("counter"), c["verdict"], c["text"]) for s in (r.report or {"suites": []})["suites"] if s["name"] == "scan"
            for c in s["checks"] if not c["name"].startswith("ground truth/")}


def suites(r):
    return [s["name"] for s in (r.report or {"suites": []})["suites"]]


BOTH = "pmu=virtual:intel-haswell suite=scan scan=c4:00-2f,ff inject=undocumented reps=1 " + FEW
r = boot(options=BOTH)
sound(r, "a range, and an event that no list has")
valid(r.report, "the report is valid")
equal(told(r), {"r1ff": ("PMC3", "skipped", "undocumented; counts like br.cond (all 7 kernels, 7 answer); as is documented of BR_INST_RETIRED.CONDITIONAL")},
      "it is found, though one counter alone has it, and recognised")
equal(tally(r), (57, 7, 49, 7, 0, 0, 1, 0, ""), "every encoding has its place")
equal(values(r, "scan").get("r1ff"), "nop_loop N, mix N, branches_not_taken 5N, jumps_indirect N, calls N, loads N, stores N", "its signature is told")
equal(values(r, "scan").get("r10c4"), "BR_INST_RETIRED.NOT_TAKEN", "what answers as documented is named")
b = boot(emulator="bochs", options=BOTH)
same_table(b, r, "Bochs finds the same")
equal(values(b, "scan").get("r1ff"), values(r, "scan").get("r1ff", "-"), "with the same signature")

r = boot(options="pmu=virtual:intel-haswell suite=scan kernel=mix,calls")
sound(r, "without a range: every event select, unit masks of one bit")
equal((told(r), [(tally(r) or (0,) * 9)[i] for i in (0, 4, 6, 7)]), ({}, [2304, 0, 0, 0]), "there is nothing that no row has, nor anything other than documented")
start = boot(options="suite=none").seconds
ok(r.seconds < 50 * start, "in less than 50 starts", "%.1f s, a start takes %.1f s" % (r.seconds, start))
r = boot(options="pmu=virtual:intel-nehalem suite=???? reps=1 n=1 kernel=nop_loop")
equal(sorted(suites(r) or ()), ["ladder", "step"], "wildcards alone ask for no suite of research")

r = boot(options="pmu=virtual:intel-haswell suite=skid scan=c4 inject=event-filter kernel=branches_not_taken,calls")
equal(sorted(suites(r)), ["ladder", "scan", "skid"], "a range does")
equal((told(r).get("r2c4", ("", "", ""))[2], (tally(r) or (0,) * 9)[3:7]),
      ("not as documented of BR_INST_RETIRED.NEAR_CALL; counts nothing on any of 2 kernels", (1, 6, 0, 0)),
      "what does not answer as documented is told")
r = boot(options="pmu=virtual:intel-haswell suite=scan scan=c0-c5,ff inject=noisy-branches+undocumented+silicon-rules n=20 reps=5 kernel=branches_not_taken,calls,loads")
sound(r, "by silicon's rules, with counts that vary")
ok("its counts differ from run to run, on kernel" in told(r).get("rc4", ("", "", ""))[2], "what varies is told", repr(told(r)))

r = boot(options="pmu=virtual:amd-zen4 suite=scan scan=c2-c3,ff,ffe-fff:0-1,c2:0 inject=undocumented reps=1 " + FEW)
sound(r, "twelve bits of event select")
equal(told(r), {"r1ff": ("PERF_CTR5", "skipped", "undocumented; counts like br.cond (all 7 kernels, 7 answer); as is documented of "
                         "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS")}, "the same on AMD's")
ok((tally(r) or ())[6:8] == (1, 2) and "it merges two counters" in tally(r)[8], "what would disturb another counter is not counted, with the reason", repr(tally(r)))
r = boot(options="pmu=virtual:netburst-prescott suite=scan")
equal([text for _, _, text in told(r).values()], ["this family's selectors are no event select and unit mask"], "NetBurst's have another form")
for options, pattern, what in (("pmu=virtual scan=c4-c0", r"token 2: scan=c4-c0 is malformed: it wants SELECT\[-SELECT\]\[:MASK\[-MASK\]\]", "a range that ends before it begins"),
                               ("pmu=virtual:intel-haswell scan=1c0", "scan=1c0: event selects of this PMU end with ff, unit masks with ffff", "one of another family"),
                               ("pmu=virtual:amd-k7 scan=140:0", "scan=140:0: event selects of this PMU end with ff, unit masks with ff$", "one of a later CPU")):
    complains(boot(options=options), pattern, what)

# Two encodings of one event.
EVENTS = " suite=events event=INST_RETIRED.ANY_P,BR_INST_RETIRED.ALL_BRANCHES reps=3 n=1 kernel="


def encodings(options):
    r = boot(options=options)
    return {name[13:]: value for name, value in values(r, "events").items() if name.startswith("encodings of ")} or tail(r)


INSTRUCTIONS, BRANCHES = "INST_RETIRED.ANY_P", "BR_INST_RETIRED.ALL_BRANCHES"
R4C4 = ": r4c4 (the vendor's) and rc4 (libpfm4's), "
equal(encodings("pmu=virtual:intel-nehalem" + EVENTS + "mix,calls"),
      {INSTRUCTIONS: "both fit: r1c0 (the vendor's) and rc0 (libpfm4's), the same counts", BRANCHES: "both fit" + R4C4 + "the same counts"},
      "both encodings of an event fit its meaning")
equal(encodings("pmu=virtual:intel-nehalem inject=event-filter" + EVENTS + "mix,calls")[BRANCHES], "LIBPFM4'S ALONE FITS" + R4C4 + "different counts", "one does, not the vendor's")
equal(encodings("pmu=virtual:intel-sandybridge inject=event-filter" + EVENTS + "mix,calls")[BRANCHES],
      "the vendor's alone fits: rc4 (the vendor's) and r4c4 (libpfm4's), different counts", "or the vendor's")
equal(encodings("pmu=virtual:intel-nehalem inject=w146" + EVENTS + "cpuid")[BRANCHES], "neither fits" + R4C4 + "the same counts", "or none")
equal(encodings("pmu=virtual:intel-nehalem inject=noisy-branches n=50 kernel=branches_not_taken" + EVENTS.replace("n=1 kernel=", ""))[BRANCHES],
      "counts differ from run to run" + R4C4 + "different counts", "or nobody can say")
done()
