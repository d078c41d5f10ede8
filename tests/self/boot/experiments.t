#!/usr/bin/python3
"""Experiments: every example of docs/examples, the same in Bochs, and what is refused or goes wrong."""
import glob
import os
import re
import subprocess
import tempfile

from boottest import TOP, boot, complains, done, equal, few, ok, same_table, sound, tail, valid

SAVE = "pmu=virtual\n"


def examples():
    """All of them that every PMU can do, as one configuration; records.t and netburst.t have the others."""
    text = SAVE
    for path in sorted(glob.glob(os.path.join(TOP, "docs", "examples", "*.cfg"))):
        if "netburst" not in path and "records" not in path:
            text += "[options]\n" + example(path)
    return text


def example(path):
    with open(os.path.join(TOP, "docs", "examples", path), encoding="ascii") as f:
        return f.read()


def experiments(r, name):
    return [x for x in (r.report or {"experiments": []})["experiments"] if x["name"] == name]


def checks(r):
    """Those of the suite, by name."""
    return {c["name"]: c for s in (r.report or {"suites": []})["suites"] if s["name"] == "experiments" for c in s["checks"]}


reference = boot(config=examples())
sound(reference, "all examples")
valid(reference.report, "their report is valid")
names = set(re.findall(r"^\[experiment (\S+)\]", examples(), re.M))
equal({x["name"] for x in reference.report["experiments"]} if reference.report else None, names, "it holds each of them")

for x in experiments(reference, "branches-and-the-rest"):
    one, two, delta = ([o["values"] for o in row["observations"]] for row in x["counts"] + x["deltas"])
    equal(delta, [[[a[0] - b[0], 5]] for (a,), (b,) in zip(one, two)], "the difference is that of the counts: " + x["kernel"])
    equal(x["passes"], 1, "in one pass: " + x["kernel"])
ok(any(x["passes"] > 1 for x in experiments(reference, "everything-architectural")), "more events than counters take several passes")
for x in experiments(reference, "instructions"):
    places = x["samples"][0]["places"]
    equal(sum(p["samples"] for p in places), 69, "7001 instructions and the way in: 69 samples, one each 101")
    ok(len(places) == 14, "which come by all 14 instructions of the loop", repr(places))
for x in experiments(reference, "branches"):
    if x["level"] == "ring 3" and "BR_" in x["samples"][0]["event"]:
        ok(all(p["at"].startswith("branches_taken+0x") for p in x["samples"][0]["places"]), "places are named by kernel and offset")
ok(any("branches_taken+0x" in line and "####" in line for line in reference.text), "samples are drawn as a histogram", tail(reference, 40))

for cpu in few((), ("corei7_haswell_4770",)):
    bochs = boot(emulator="bochs", cpu=cpu, config=examples(), timeout=240)
    sound(bochs, "all examples in Bochs")
    same_table(bochs, reference, "the same checks, count for count")
    equal(bochs.report and [[c["observations"] for c in x["counts"]] for x in bochs.report["experiments"]],
          reference.report and [[c["observations"] for c in x["counts"]] for x in reference.report["experiments"]],
          "the same counts, judged or not")

# A family whose counters share selectors, and start each other.
netburst = boot(config=example("netburst.cfg"))
sound(netburst, "the examples for the Pentium 4")
valid(netburst.report, "their report is valid")
names = set(re.findall(r"^\[experiment (\S+)\]", example("netburst.cfg"), re.M))
equal({x["name"] for x in netburst.report["experiments"]} if netburst.report else None, names, "it holds each of them")
passes = {x["name"]: x["passes"] for x in (netburst.report or {"experiments": []})["experiments"] if "tag" in x["name"]}
equal(passes, {"p4-execution-tag": 2, "p4-front-end-tag": 2, "p4-replay-tag": 2},
      "two ESCRs tag at execution, with a colour each; front end and replays have one setting at a time")
places = {x["name"]: {p["at"]: p["samples"] for p in x["samples"][0]["places"]}
          for x in (netburst.report or {"experiments": []})["experiments"] if "ebs" in x["name"]}
equal([set(places.get("p4-pebs-" + kind, {})) for kind in ("front-end", "execution", "replay")],
      [{"loads+0xa", "loads+0x12", "loads+0x1a", "loads+0x22"}, {"sse_arithmetic+0x2e"}, {"clflush_reload+0xd"}],
      "a record of the instruction behind the tagged one is placed at the tagged one")
counter = {p["at"]: [int(p["registers"]["RDI"][end], 16) for end in ("low", "high")]
           for x in experiments(netburst, "p4-pebs-front-end") for p in x["samples"][0]["places"]}
equal(counter, {"loads+0x%x" % at: [100 - last, 100 - first] for at, first, last in
                ((0x0a, 6, 81), (0x12, 12, 87), (0x1a, 18, 93), (0x22, 24, 99))},
      "records have registers: the loop's counter at each 50th of its loads, eight to an iteration")
ok(all("registers" not in p for x in experiments(netburst, "p4-ebs") for p in x["samples"][0]["places"]), "an interrupt's samples have none")
equal([places.get(name) for name in ("p4-pebs-against-iebs", "p4-iebs-against-pebs")],
      [{"load_op_store+0x" + at: 8 for at in offsets} for offsets in (("7", "b", "f", "12"), ("b", "f", "12", "15"))],
      "without skid an interrupt finds the instruction behind the one that PEBS records")
equal([x["samples"][0]["named_next"] for x in experiments(netburst, "p4-pebs-front-end")], [0], "all of them are")
r = boot(config="pmu=virtual:intel-nehalem suite=experiments\n"
         "[experiment ends] kernel=sse_arithmetic ring=3 n=100 reps=1 events=BR_INST_RETIRED.CONDITIONAL record=pebs period=10\n"
         "[experiment goes-on] kernel=nop_loop ring=3 n=10 reps=4 events=BR_INST_RETIRED.CONDITIONAL record=pebs period=7\n")
equal([(o["low"], o["min"], o["max"], o["high"]) for n, c in checks(r).items() if n.startswith("goes-on") for o in c["observations"]], [(5, 5, 5, 5)],
      "a period that a run leaves unfinished goes on in the next: of four runs with ten branches each, five records, and not four")
equal([(x["samples"][0]["named_next"], [p["samples"] for p in x["samples"][0]["places"]]) for x in experiments(r, "ends")], [(9, [9, 1])],
      "a loop's beginning follows its end and what is before it: nine records of the end stay there, and say so; the tenth fell through")
ok(any("of these 9 are named by the instruction behind theirs" in line for line in r.text), "on the console, too", tail(r))
for x in experiments(netburst, "p4-simple"):
    equal(x["passes"], 1, "events with an ESCR and a counter each share a window: " + x["kernel"] + ", " + x["level"])
METRICS = {"uops-per-instruction": (0, 1, 1), "per-thousand": (2, 1, 1000), "ticks-per-instruction": (3, 1, 1)}
for x in experiments(netburst, "p4-metrics"):
    seen = [[o["values"][0][0] for o in c["observations"]] for c in x["counts"]]
    for m in x["metrics"][:2]:
        above, below, factor = METRICS[m["name"]]
        equal([(o["values"], "low" in o) for o in m["observations"]],
              [([[factor * 10**6 * a // b, 3]], True) for a, b in zip(seen[above], seen[below])],
              "a metric is the ratio of its counts, and judged: %s, %s, %s" % (m["name"], x["kernel"], x["level"]))
    ticks = [(o["distinct"] > 0 and o["min"] > 0, "low" in o) for m in (x["counts"][3], x["metrics"][2]) for o in m["observations"]]
    equal((x["counts"][3]["event"], set(ticks)), ("tsc", {(True, False)}), "the clock ticks, and is not judged: %s, %s" % (x["kernel"], x["level"]))
cascade = [c["observations"][0]["values"][0][0] for x in experiments(netburst, "p4-cascade") for c in x["counts"]]
equal(cascade, [1401, 901], "a cascade counts what follows the kernel's 500th instruction, and nothing of the window's own")

equal([(x["level"], [(p["at"], p["samples"]) for p in x["samples"][0]["places"]]) for x in experiments(netburst, "p4-cascade-interrupt")],
      [(level, [("mix+0x14", 3)]) for level in ("ring 0", "ring 3")], "a cascade interrupts behind its 537th instruction, in each run once")
for x in experiments(netburst, "p4-slices"):
    rows = x["samples"][0]["list"]
    equal([c["observations"][0]["values"] for c in x["counts"]], [[[1401, 1]], [[100, 1]]], "what is counted while cycles are sampled is all of the run")
    ok(len(rows) >= 5 and all(a["clock"] < b["clock"] and a["counts"][0] + 190 <= b["counts"][0] <= a["counts"][0] + 210 and a["counts"][1] < b["counts"][1]
                              for a, b in zip(rows, rows[1:])), "slices of 200 cycles have some 200 instructions each, in the order of time", repr(rows))
    ok(all(1 <= int(r["registers"]["RDI"], 16) <= 100 and r["at"].startswith("mix+0x") for r in rows), "each with registers and place", repr(rows[:2]))
for x in experiments(netburst, "p4-pebs-and-counts"):
    rows = x["samples"][0]["list"]
    equal([c["observations"][0]["values"] for c in x["counts"]], [[[800, 1]], [[1001, 1]]], "tags are counted beside records of them, in one run")
    equal((len(rows), {r["at"] for r in rows}), (16, {p["at"] for p in x["samples"][0]["places"]}), "each record is listed")
    ok(all(len(r["registers"]) >= 8 for r in rows), "with its registers", repr(rows[:2]))

# What is judged of samples, where it is wrong. A counter for ring 3 that counts ring 0 too has its overflow elsewhere.
SAMPLES = """pmu=virtual:netburst-prescott suite=experiments inject=%s
[experiment cascade] kernel=mix ring=3 n=100 events=instr_retired:NBOGUSNTAG,instr_completed:NBOGUS cascade=1>2 period=500 then=37 record=pmi
"""
r = boot(config=SAMPLES % "ring-leak")
equal([(c["verdict"], c["text"]) for c in checks(r).values()], [("wrong", "0 of 3 samples lie at +0x14, where the cascade ends")],
      "a cascade that ends too early")
r = boot(config=SAMPLES % "ring-leak+no-pmi" + """
[experiment beside] kernel=mix ring=3 n=20 reps=1 events=retired_branch_type:CONDITIONAL record=pmi period=7 beside=instr_retired:NBOGUSNTAG
[experiment buffer] kernel=loads ring=3 n=100 reps=1 events=memory_loads record=pebs period=50 buffer=4
""")
equal(sorted((n.split("/")[0], c["verdict"]) for n, c in checks(r).items()),
      [("beside", "dead"), ("beside", "wrong"), ("buffer", "wrong"), ("cascade", "dead")],
      "interrupts that do not come, and what is counted besides while sampling")

# Users' own code: the counts are those of single-stepping, and what is wrong with it ends its own check.
OWN = r"""
unsigned long table[64] = {3}, calls, none[2000];
unsigned long *const where[2] = {table, table + 1};
__attribute__((noinline)) static unsigned long fac(unsigned long n) { return n < 2 ? 1 : n * fac(n - 1); }
unsigned long work(unsigned long n, unsigned char *data)
{
	calls++;
	for (unsigned long i = 0; i < n; i++)
		data[i] += fac(i) + *where[i & 1] + (where[1][0] += calls) + none[1999]++;
	while (data[calls])
		data[calls]--;
	return table[0];
}
"""
SAME = ("[experiment same] kernel=branches_taken ring=0 events=instr_retired:NBOGUSNTAG,0x00038000/0x0400020C@0x8000000E,"
        "branch_retired:MMTP:MMTM,0x0003A000/0x0C00180C@0x8000000F\n")
OWN_CFG = """[experiment own-elf] code=own.elf ring=both events=instr_retired:NBOGUSNTAG,retired_branch_type:CALL
[experiment own-records] code=own.elf ring=3 n=20 reps=1 events=memory_loads record=pebs period=5
[experiment own-branches] code=own.elf ring=3 n=5 record=bts
[experiment own-flat] code=own.bin ring=both events=instr_retired:NBOGUSNTAG
"""
OWN_BAD = """[experiment bad-write] bytes=c605f9ffffff90c3 ring=both events=instr_retired:NBOGUSNTAG
[experiment bad-jump] bytes=31c0ffe0 ring=both events=instr_retired:NBOGUSNTAG
[experiment bad-stack] bytes=50ebfd ring=both events=instr_retired:NBOGUSNTAG
[experiment bad-halt] bytes=f4c3 ring=3 events=instr_retired:NBOGUSNTAG
[experiment bad-file] code=cut.elf ring=3 events=instr_retired:NBOGUSNTAG
[experiment bad-empty] code=empty ring=3 events=instr_retired:NBOGUSNTAG
[experiment bad-name] code=missing.elf ring=3 events=instr_retired:NBOGUSNTAG
"""
MIX = "4889f9488d04404803064889460848ffc975f0c3"
with tempfile.TemporaryDirectory() as tmp:
    made = os.path.join(tmp, "own.elf")
    subprocess.run(["gcc", "-O1", "-nostdlib", "-fPIE", "-static-pie", "-fcf-protection=none", "-fno-stack-protector", "-Wl,-e,work",
                    "-o", made, "-x", "c", "-"], input=OWN.encode(), check=True)
    with open(made, "rb") as f:
        elf = f.read()
FILES = {"/assay/code/own.elf": elf, "/assay/code/own.bin": bytes.fromhex(MIX), "/assay/code/cut.elf": elf[:len(elf) // 2], "/assay/code/empty": b""}

# Registers worked out by hand: what tags and what counts the tags act together, and are judged as the metric that they make.
LBR = "[experiment branches] kernel=branches_taken ring=0 record=lbr n=10 reps=1\n"
THESIS = "\n[options]\n" + example("netburst-thesis.cfg")
byhand = boot(config=example("netburst-perfex.cfg") + THESIS + LBR + SAME + OWN_CFG, files=FILES)
sound(byhand, "the worked examples of the thesis on the Pentium 4, as registers and by name")
several = {"p4-branch-kinds": 3, "p4-deliver-modes": 2, "p4-system": 2, "p4-user": 2, "p4-bus": 4}
names = re.findall(r"^\[experiment (\S+)\]", example("netburst-perfex.cfg") + THESIS, re.M)
equal({(x["name"], x["passes"]) for x in (byhand.report or {"experiments": []})["experiments"] if x["name"] in names},
      {(name, several.get(name, 1)) for name in names},
      "registers that act together are one pass, in each ring; settings of one ESCR that differ are as many as they need")

found = checks(byhand)
own = {n: c["verdict"] for n, c in found.items() if n.startswith("own-")}
equal({n: v for n, v in own.items() if "ground truth" not in n and v != "exact"},
      {"own-records/netburst::memory_loads:u/own.elf/ring 3": "within"}, "counts of users' own code are what single-stepping shows")
equal(len(own), 14, "each of them is judged")
for kernel, name in (("own.bin", "own-flat"), ("own.elf", "own-elf")):
    truth = [[o["values"][0][0] for o in found["%s/ground truth/%s/%s" % (name, kernel, level)]["observations"]]
             for level in ("ring 0", "ring 3")] if "%s/ground truth/%s/ring 3" % (name, kernel) in found else None
    equal([[o["values"][0][0] for o in x["counts"][0]["observations"]] for x in experiments(byhand, name)], truth, "instruction for instruction: " + name)
    equal(truth and truth[0], truth and truth[1], "in both rings alike, as each run begins with what the file has: " + name)
for x in experiments(byhand, "own-flat"):
    equal([o["values"] for o in x["counts"][0]["observations"]], [[[5 * n + 4, 3]] for n in (5, 10, 15)], "five instructions a turn, and four: " + x["level"])
for x in experiments(byhand, "own-records"):
    ok(all(p["at"].startswith("own.elf+0x") for p in x["samples"][0]["places"]) and not x["samples"][0]["elsewhere"],
       "records lie in the user's file", repr(x["samples"]))

for x in experiments(byhand, "branches"):
    equal(x["samples"][0].get("elsewhere", 0), 0, "a stack of 32 address bits places its branches in the kernel")


def last(name, kernel, level):
    """The counts at the largest N, and whether they are judged, of each event."""
    for x in experiments(byhand, name):
        if (x["kernel"], x["level"]) == (kernel, level):
            return [("low" in c["observations"][-1], c["observations"][-1]["values"]) for c in x["counts"]]


# Whether a branch is mispredicted hangs on what was executed before it and on where code lies, since the machine model's predictor goes by address and
# history (pmu/virtual/uarch.h): each setting is counted in a pass of its own, in which one of the branches may be. That one falls out of the loop.
PREDICTED = {"p4-branch-kinds": [{0, 1}, {73, 74}, {0, 1}, {0, 1}, {75}], "p4-taken-branches": [{0, 1}, {73, 74}]}
for name, counts in PREDICTED.items():
    seen = last(name, "branches_taken", "ring 3")
    ok(seen and len(seen) == len(counts) and all(judged and len(values) == 1 and values[0][0] in some and values[0][1] == 3 for (judged, values), some in zip(seen, counts)),
       "%s, branches_taken, ring 3" % name, [repr(seen)])
seen = [values[0][0] for _, values in last("p4-taken-branches", "branches_taken", "ring 3") or []]
equal(sum(seen), 74, "where both are counted in one pass, those that are mispredicted and those that are not are all that are taken")
for name, kernel, level, counts in (
        ("p4-tagged-loads", "loads", "ring 0", [(True, 0), (True, 120)]),
        ("p4-tagged-loads", "load_op_store", "ring 0", [(True, 0), (True, 60)]),
        ("p4-tagged-loads-ring3", "loads", "ring 3", [(True, 0), (True, 120)]),
        ("p4-tagged-x87", "x87_arithmetic", "ring 3", [(True, 75), (True, 75)]),
        ("p4-tagged-misses", "clflush_reload", "ring 0", [(True, 15)]),
        ("p4-other-processor", "x87_arithmetic", "ring 3", [(True, 75), (True, 75), (True, 0), (True, 0)]),
        ("p4-system", "nop_loop", "ring 0", [(True, 180), (True, 180), (True, 180), (True, 0)]),
        ("p4-user", "nop_loop", "ring 3", [(True, 180), (True, 180), (True, 180), (True, 0)]),
        ("p4-colour-1", "x87_arithmetic", "ring 3", [(True, 75), (True, 75)]),
        ("p4-colour-2", "x87_arithmetic", "ring 3", [(True, 75), (True, 75)]),
        ("p4-colour-4", "x87_arithmetic", "ring 3", [(True, 75), (True, 75)]),
        ("p4-colour-8", "x87_arithmetic", "ring 3", [(True, 75), (True, 75)]),
        ("p4-two-colours", "x87_arithmetic", "ring 3", [(True, 75), (True, 0), (True, 75), (True, 0)]),
        ("p4-bus", "clflush_reload", "ring 0", [(True, 15), (True, 0), (True, 15), (True, 15), (True, 0), (True, 15), (True, 0)]),
        ("p4-exp1", "x87_arithmetic", "ring 3", [(True, 139), (True, 75)]),
        ("p4-tags-by-name", "loads", "ring 0", [(True, 0), (True, 120)]),
        ("p4-tags-by-name", "loads", "ring 3", [(True, 0), (True, 120)])):
    equal(last(name, kernel, level), [(judged, [[n, 3]]) for judged, n in counts], "%s, %s, %s" % (name, kernel, level))
samples = {x["name"]: x["samples"][0] for x in (byhand.report or {"experiments": []})["experiments"] if x["samples"]}
equal({name: sum(p["samples"] for p in samples[name]["places"]) + samples[name]["elsewhere"] for name in ("p4-time-profile", "p4-force-ovf")
       if name in samples}, {"p4-time-profile": 14, "p4-force-ovf": 25}, "a profile by time; and FORCE_OVF at each taken branch")
active = [c["observations"][-1]["values"][0][0] for x in experiments(byhand, "p4-active-threads") for c in x["counts"]]
equal(active, [0, 180, 0, 180], "one logical processor is active, neither none nor both; and what the window itself counts is off each")
same = [(c["observations"][-1]["values"], "low" in c["observations"][-1]) for x in experiments(byhand, "same") for c in x["counts"]]
equal(same, [([[106, 3]], True)] * 2 + [([[74, 3]], True)] * 2, "words and names of the same registers count the same, and are judged alike")
ratio = [o for x in experiments(byhand, "p4-ratio") for m in x["metrics"] for o in m["observations"]]
ok(ratio and all(0 < value < 1000000 for o in ratio for value, _ in o["values"]), "a ratio of two metrics", repr(ratio))
def converted():
    """Files in the form of Brink's, each section with the file's name in front, and N so large that events occur often enough."""
    text = "pmu=virtual:netburst-prescott suite=experiments\n"
    for path in sorted(glob.glob(os.path.join(TOP, "tests/self/host/data/p4/*_exp.txt"))):
        name = os.path.basename(path)[:-len("_exp.txt")].replace("_", "-")
        r = subprocess.run([os.path.join(TOP, "scripts/p4-experiments"), path], capture_output=True, text=True, check=False)
        text += re.sub(r"^\[experiment (.*)\]", r"[experiment %s.\1] n=100 reps=1" % name, r.stdout.split("\n", 1)[1], flags=re.M)
    return text


r = boot(config=converted())
sound(r, "experiments in the form of Brink & Abyss's twelve files, converted")
equal({x["name"] for x in (r.report or {"experiments": []})["experiments"]}, set(re.findall(r"^\[experiment (\S+)\]", converted(), re.M)),
      "each of them is carried out")
r = boot(config="""pmu=virtual:netburst-prescott suite=experiments
[experiment escr] kernel=mix ring=3 passes=one events=branch_retired:MMTP,branch_retired:MMNP,branch_retired:MMTM
[experiment tags] kernel=loads ring=3 passes=one events=memory_loads,memory_stores
[experiment colours] kernel=loads ring=3 passes=one events=packed_SP_retired,scalar_SP_retired,X87_FP_retired
[experiment replays] kernel=loads ring=3 passes=one events=DTLB_load_miss_retired,DTLB_store_miss_retired
[experiment pebs] kernel=loads ring=3 events=branch_retired:MMTP record=pebs period=100
[experiment wire] kernel=loads ring=3 events=branch_retired:MMTP@BPU_COUNTER0
[experiment unrelated] kernel=loads ring=3 events=instr_retired:NBOGUSNTAG@IQ_COUNTER0,instr_completed:NBOGUS@IQ_COUNTER1 cascade=1>2 period=500
[experiment at-most-five] kernel=mix ring=3 n=100 events=instr_retired:NBOGUSNTAG record=pmi period=101 max=5
[experiment at-most-thirteen] kernel=mix ring=3 n=100 reps=1 events=instr_retired:NBOGUSNTAG record=pmi period=101 max=13
[experiment at-most-five-records] kernel=loads ring=3 n=100 reps=1 events=memory_loads record=pebs period=50 max=5
[experiment counted] kernel=loads ring=3 events=memory_loads record=pebs period=50 beside=memory_stores
[experiment none] kernel=loads ring=3 events=0x0003B000/0x18000200
[experiment pebs-bit] kernel=loads ring=3 events=replay_event:NBOGUS:p4pe=0x03000001:p4pmv=1
[experiment partner] kernel=loads ring=3 events=instr_retired:NBOGUSNTAG:cascade
[experiment waits] kernel=loads ring=3 events=branch_retired:MMTP:cascade@BPU_COUNTER0
[experiment force] kernel=loads ring=3 events=branch_retired:MMTP:force record=pmi period=100
""" + OWN_BAD + """[experiment joined] kernel=nop_loop,branches_taken,branches_random events=branch_retired:MMTP:MMNP,branch_retired:MMTM:MMNM
""", files=FILES)
found = checks(r)
for name, pattern in {
        "write/ground truth/bytes/ring 0": r"^the oracle was ended by #PF\(0x3\) on 0x\w+ in ring 0 at",
        "write/ground truth/bytes/ring 3": r"#PF\(0x7\) on 0x\w+ in ring 3 at",
        "jump/ground truth/bytes/ring 0": r"#PF\(0x10\) on 0x0 in ring 0 at 0x0$",
        "jump/ground truth/bytes/ring 3": r"#PF\(0x14\) on 0x0 in ring 3 at 0x0$",
        "stack/ground truth/bytes/ring 0": r"#DF in ring 0 at",
        "stack/ground truth/bytes/ring 3": r"#PF\(0x6\) on 0x\w+ in ring 3 at",
        "halt/ground truth/bytes/ring 3": r"#GP in ring 3 at",
        "file/ring 3": r"cut.elf: it is no whole ELF file: it was cut off$",
        "empty/ring 3": r"empty: it is empty$",
        "name/ring 3": r"^assay.cfg:\d+:\d+: missing.elf: there is no such file in .assay.code$"}.items():
    c = found.get("bad-" + name, {"verdict": None, "text": ""})
    ok(c["verdict"] == "error" and re.search(pattern, c["text"]), "users' own code, and what is wrong with it: " + name, repr(c))
for name, pattern in {
        "escr": r"^assay.cfg:2:44: netburst::branch_retired:MMTP:u, .*:MMNP:u and .*:MMTM:u .*: take passes=split, or leave some out$",
        "tags": r"memory_loads:u and .*memory_stores:u need the same colour of front-end tags .there is one.: take passes=split",
        "colours": r"need the same pair of ESCRs for execution tags .*: take passes=split",
        "replays": r"need the same MSR_PEBS_ENABLE and MSR_PEBS_MATRIX_VERT: take passes=split",
        "pebs": r"PEBS takes front_end_event, execution_event and replay_event alone: memory_loads, .* and the like, not branch_retired$",
        "wire": r"BPU_COUNTER0 cannot count netburst::branch_retired:MMTP:u: take IQ_COUNTER0, .* or IQ_COUNTER5$",
        "none": r"raw ESCR 18000200 counts in no ring: set some of bits 3 to 0, or add :u or :k$",
        "pebs-bit": r"bits 25 and 26 of MSR_PEBS_ENABLE are PEBS itself: clear them; record=pebs samples$",
        "partner": r"NBOGUSNTAG:cascade waits for another counter's overflow: name both in cascade=A>B, or take the cascade out$",
        "force": r":force overflows with each increment: record= takes it with ring=3 and period=1$",
        "counted": r"need the same colour of front-end tags .there is one.: leave some out$|takes more than one pass: leave some out$",
        "unrelated": r"1>2: no counter of the second event can be started by one of the first: take IQ_COUNTER3$"}.items():
    c = found.get(name + "/ring 3", {"verdict": None, "text": ""})
    ok(c["verdict"] == "error" and re.search(pattern, c["text"]), "refused on the Pentium 4, with what would do: " + name, repr(c))

limited = {n.split("/")[0]: (c["verdict"], c.get("text", "")) for n, c in found.items() if n.startswith("at-most-")}
many = ("error", "there are more than max=5 samples: take a longer period")
equal([limited.get("at-most-" + name) for name in ("five", "five-records")], [many] * 2, "no more samples are taken than max= says")
equal(limited.get("at-most-thirteen", ("",))[0], "exact", "and as many are")
joined = {n: c["verdict"] for n, c in checks(r).items() if n.startswith("joined/")}
ok(len(joined) == 6 and set(joined.values()) <= {"exact", "within"}, "joined masks are judged", repr(joined))

REFUSED = SAVE + """suite=experiments
[experiment fixed] kernel=nop_loop passes=one
events=INST_RETIRED.ANY:u,INST_RETIRED.ANY:k
[experiment counter] kernel=nop_loop events=INST_RETIRED.ANY@PMC1
[experiment kernel] kernel=nop_lop events=INST_RETIRED.ANY
[experiment event] kernel=nop_loop events=INST_RETIRED.ANI
[experiment record] kernel=nop_loop record=ibs-op period=160
[experiment cascade] kernel=nop_loop events=INST_RETIRED.ANY,BR_INST_RETIRED.ALL_BRANCHES cascade=1>2 period=100
[experiment large] kernel=nop_loop events=INST_RETIRED.ANY n=1000000000000
[experiment elsewhere] kernel=nop_loop events=INST_RETIRED.ANY pmu=netburst*
[experiment good] kernel=nop_loop events=INST_RETIRED.ANY:u,INST_RETIRED.ANY:k
"""
WHY = {
    "fixed/ring 0": r"^assay.cfg:3:43: .*ANY:u and .*ANY:k can be counted by FIXED_CTR0 only: take passes=split, or leave some out$",
    "counter/ring 0": r"^assay.cfg:5:45: PMC1 cannot count intel::INST_RETIRED.ANY: take FIXED_CTR0$",
    "kernel/ring 0": r"^assay.cfg:6:28: no kernel nop_lop: did you mean nop_loop\?$",
    "event/ring 0": r"^assay.cfg:7:56: no unit mask ANI of INST_RETIRED: did you mean ANY\?$",
    "record/ring 0": r"^assay.cfg:8:44: record=ibs-op: .* makes no such records; take record=pmi$",
    "cascade/ring 0": r"^assay.cfg:9:99: the counters of .* do not start each other: leave cascade= out$",
    "large/ring 0": r"^assay.cfg:10:62: N = 3000000000000 is too large: instructions of kernel nop_loop overflows the counter",
}
r = boot(config=REFUSED)
found = checks(r)
for name, pattern in WHY.items():
    c = found.get(name, {"verdict": None, "text": ""})
    ok(c["verdict"] == "error" and re.search(pattern, c["text"]), "refused: " + name.split("/")[0], repr(c))
equal(found.get("elsewhere", {}).get("verdict"), "skipped", "one that is meant for another PMU is skipped")
equal([c["verdict"] for n, c in found.items() if n.startswith("good/")], ["exact", "exact"], "the others are carried out")
equal(r.status, 1, "and the run says that something was wrong")
valid(r.report, "its report is valid")

r = boot(config=SAVE + "suite=experiments inject=srf7\n[experiment far] kernel=iret_self,nop_loop events=INST_RETIRED.ANY_P "
         "metric=\"half = INST_RETIRED.ANY_P / 2\"\n"
         "[experiment own] events=INST_RETIRED.ANY_P bytes=4889e08cd151509c8cc951488d0d030000005148cfc3\n")
own = {n.split("/")[1]: c["verdict"] for n, c in checks(r).items() if n.startswith("own")}
found = {tuple(n.split("/")[1:3]): c["verdict"] for n, c in checks(r).items() if not n.startswith("own")}
equal(found, {(what, kernel): verdict for kernel, verdict in (("iret_self", "wrong"), ("nop_loop", "exact"))
              for what in ("intel::INST_RETIRED.ANY_P", "half in millionths")},
      "a PMU that counts IRET twice is found out, and only there; and a metric of that count")
equal(own, {"ground truth": "within", "intel::INST_RETIRED.ANY_P": "biased"}, "in users' own code, which has one, too")

r = boot(config=SAVE.replace("virtual", "virtual:intel-nehalem") + "suite=experiments inject=hsd143\n"
         "[experiment all] kernel=nop_loop events=INST_RETIRED.ANY,INST_RETIRED.ANY_P,BR_INST_RETIRED.ALL_BRANCHES\n")
equal([c["verdict"] for c in checks(r).values()], ["exact"] * 3, "what an empty window counts is not the experiment's")
r = boot(config=SAVE.replace("virtual", "virtual:intel-nehalem") + "suite=experiments inject=dead-counter\n"
         "[experiment some] kernel=nop_loop events=INST_RETIRED.ANY_P@PMC3,INST_RETIRED.ANY,BR_INST_RETIRED.ALL_BRANCHES\n"
         "[experiment none] kernel=nop_loop events=INST_RETIRED.ANY_P@PMC3\n"
         "[experiment delta] kernel=nop_loop events=INST_RETIRED.ANY_P@PMC3,INST_RETIRED.ANY delta=1-2\n")
found = checks(r)
equal(sorted((n.split("/")[0], c["verdict"]) for n, c in found.items()),
      [("delta", "error"), ("none", "skipped"), ("some", "exact"), ("some", "exact"), ("some", "skipped")],
      "a counter that fell short of the ladder is left out, and what it alone could count")
ok(any("not to be believed" in c["text"] for c in found.values()), "with the reason", repr(found))

complains(boot(config=SAVE + "[experiment x]\nkernel=nop_loop\n", timeout=60), r"assay\.cfg:2:1: \[experiment x\] has no events=",
          "a section without events")
r = boot(config=SAVE + "suite=control\n[experiment x] kernel=nop_loop events=INST_RETIRED.ANY\n")
sound(r, "a suite= that leaves the experiments out")
ok(any("leaves the suite experiments out" in n for n in r.report["notes"]) if r.report else False, "is told in a note")

# What the window itself counts is in a filtered count, and in its bound; whichever of its writes count themselves.
FILTERED = "pmu=virtual:intel-skylake suite=experiments %s\n[experiment x]\nkernel=mix,nop_loop,calls\n" + \
    "events=INST_RETIRED.ANY_P:c=1,INST_RETIRED.ANY_P:c=4,BR_INST_RETIRED.ALL_BRANCHES:c=1,BR_INST_RETIRED.ALL_BRANCHES:c=1:e\n"
for inject in ("", "inject=start-counted"):
    r = boot(config=FILTERED % inject)
    sound(r, "thresholds and edges %s" % inject)
    ok(len(checks(r)) >= 12 and {c["verdict"] for c in checks(r).values()} == {"within"}, "all are judged", repr(checks(r)))
PASSES = "pmu=virtual:netburst-prescott suite=experiments %s\n[experiment x]\nkernel=nop_loop\nevents=instr_retired:NBOGUSNTAG:thr=1\n"
equal([{c["verdict"] for c in checks(boot(config=PASSES % inject)).values()} for inject in ("", "inject=threshold-reached")], [{"within"}, {"wrong"}],
      "a threshold that is passed when it is reached is told")
done()
