#!/usr/bin/env python3
"""TAP test of build/assay-encode: registers, schedules, lists and refusals, as a user sees them."""
import csv
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
TOOL = ROOT / "build" / "assay-encode"
sys.path.insert(0, str(ROOT / "tests/self"))
from tap import done, ok  # noqa: E402


def test(name, good, detail=""):
    ok(good, "assay-encode: " + name, detail)


def run(*args):
    done = subprocess.run([str(TOOL), *args], capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


def writes(pmu, *events):
    status, out, err = run("--json", pmu, *events)
    return [(w["register"], int(w["value"], 16)) for w in json.loads(out)["writes"]] if status == 0 else err


EN = 1 << 22
for event, value in (("INST_RETIRED.ANY_P", 0x300c0), ("ix86arch::BRANCH_INSTRUCTIONS_RETIRED:u", 0x100c4), ("LLC_MISSES:k:c=2:i", 0x282412e),
                     ("branch-misses:e:c=1", 0x10700c5), ("r01c0", 0x301c0), ("cpu/event=0x2e,umask=0x4f,inv,cmask=3/u", 0x3814f2e)):
    found = writes("intel-core2", event)
    test(f"{event} takes its selector, the counter at 0 and the global enable",
         [w for w in found if "OVF" not in w[0]] == [("IA32_PMC0", 0), ("IA32_PERFEVTSEL0", value | EN), ("IA32_PERF_GLOBAL_CTRL", 1)], found)
found = writes("intel-yonah", "instructions")
test("version 1 has no global control", found == [("IA32_PMC0", 0), ("IA32_PERFEVTSEL0", 0x300c0 | EN)], found)
found = writes("intel-core2", "INST_RETIRED.ANY:k", "CPU_CLK_UNHALTED.REF:u")
test("fixed counters share their control", ("IA32_FIXED_CTR_CTRL", 0x201) in found and found[-1] == ("IA32_PERF_GLOBAL_CTRL", 5 << 32), found)


# What perf makes of a string, with the fields of its format directory for these PMUs.
FIELDS = {"event": (0, 8), "umask": (8, 8), "edge": (18, 1), "any": (21, 1), "inv": (23, 1), "cmask": (24, 8)}


def perf_selector(text, event_bits=8):
    pmu, terms, modifiers = text.split("/")
    value, extra = 0, {}
    for term in terms.split(","):
        name, _, number = term.partition("=")
        number = int(number or "1", 0)
        if name in FIELDS:
            shift, width = FIELDS[name]
            assert number < 1 << (event_bits if name == "event" else width), text
            value |= (number & (1 << width) - 1) << shift | (number >> width) << 32
        else:
            extra[name] = number
    return pmu, value | (0x10000 if modifiers != "k" else 0) | (0x20000 if modifiers != "u" else 0), extra


for pmu, name, string in (
        ("intel-skylake", "UOPS_ISSUED.STALL_CYCLES:u", "cpu/event=0xe,umask=0x1,inv,cmask=0x1/u"),
        ("intel-skylake", "BR_INST_RETIRED.CONDITIONAL", "cpu/event=0xc4,umask=0x1/"),
        ("intel-skylake", "FRONTEND_RETIRED.DSB_MISS:k", "cpu/event=0xc6,umask=0x1,frontend=0x11/k"),
        ("intel-haswell", "CPL_CYCLES.RING0_TRANS", "cpu/event=0x5c,umask=0x1,edge,cmask=0x1/"),
        ("intel-skylake", "UOPS_ISSUED.STALL_CYCLES:c=3", "cpu/event=0xe,umask=0x1,inv,cmask=0x3/"),
        ("intel-alderlake-e", "BR_INST_RETIRED.COND", "cpu_atom/event=0xc4,umask=0x7e/"),
        ("intel-alderlake-p", "BR_INST_RETIRED.COND", "cpu_core/event=0xc4,umask=0x11/"),
        ("amd-zen4", "RETIRED_UNCONDITIONAL_BRANCH_INSTRUCTIONS", "cpu/event=0x1c9/"),
        ("amd-zen2", "RETIRED_SSE_AVX_FLOPS.ANY:u", "cpu/event=0x3,umask=0xf/u"),
        ("amd-k8", "RETIRED_INSTRUCTIONS:k:c=2", "cpu/event=0xc0,cmask=0x2/k")):
    status, out, err = run("--perf", pmu, name)
    test(f"--perf writes {name} as perf has it", (status, out.strip()) == (0, string), out + err)
for pmu in ("intel-core2", "intel-skylake", "intel-alderlake-p", "intel-goldmont"):
    status, out, err = run("--json", "--list", pmu)
    events = [e for e in json.loads(out)["events"] if e["perf"]]
    wrong = [e["name"] for e in events if perf_selector(e["perf"])[1] != int(e["code"], 16) | 0x30000]
    test(f"perf's fields give the codes of all {len(events)} events of {pmu}", len(events) > 70 and not wrong, wrong)
for pmu in ("amd-k8", "amd-fam15h", "amd-zen2", "amd-zen5"):
    status, out, err = run("--json", "--list", pmu)
    events = json.loads(out)["events"]
    wrong = [e["name"] for e in events if perf_selector(e["perf"], 12)[1] != int(e["code"], 16) | 0x30000]
    test(f"perf's fields give the codes of all {len(events)} events of {pmu}", len(events) > 120 and not wrong, wrong)

# Merged counters of AMD's.
found = writes("amd-zen2", "RETIRED_SSE_AVX_FLOPS.ANY")
test("an event of large increments takes a pair of counters",
     ("PERF_CTL1", 0xf004000ff) in found and ("PERF_CTR1", 0xffff) in found and ("PERF_CTL0", 0x430f03) in found, found)
for event, why in (("rf000000ff", "it merges two counters, and is programmed together with the event that needs it"),
                   ("RETIRED_SSE_AVX_FLOPS.ANY@PERF_CTR3", "take PERF_CTR0, PERF_CTR2 or PERF_CTR4"),
                   ("r0f03@PERF_CTR1", "take PERF_CTR0, PERF_CTR2 or PERF_CTR4")):
    status, out, err = run("amd-zen2", event)
    test(f"{event} is refused in one line", status and err.count("\n") == 1 and why in err, out + err)
status, out, err = run("--perf", "intel-core2", "INST_RETIRED.ANY", "branches")
test("a fixed counter's event has no perf string", (status, out.count("\n")) == (1, 1) and "INST_RETIRED.ANY" in err, out + err)
script = [str(TOOL.parent.parent / "scripts" / "perf-events")]
named = subprocess.run(script + ["intel-skylake", "BR_INST_RETIRED.*", "r01c0"], capture_output=True, text=True, check=False)
beside = [line.split(None, 1) for line in named.stdout.splitlines()]
test("scripts/perf-events prints names beside strings", ["cpu/event=0xc4,umask=0x4/", "BR_INST_RETIRED.ALL_BRANCHES"] in
     [[s, n] for s, n in beside] or ["cpu/event=0xc4/", "BR_INST_RETIRED.ALL_BRANCHES"] in beside, named.stdout + named.stderr)
test("and says so of a raw selector", beside[-1][1:] == ["(a raw selector)"] and len(beside) > 4, named.stdout)
one = subprocess.run(script + ["-s", "intel-skylake", "BR_INST_RETIRED.*"], capture_output=True, text=True, check=False)
test("with -s it prints strings alone", (one.returncode, one.stdout) == run("--perf", "intel-skylake", "BR_INST_RETIRED.*")[:2] and one.stdout.count("\n") > 3,
     one.stdout + one.stderr)
none = subprocess.run(script + ["intel-skylake"], capture_output=True, text=True, check=False)
test("scripts/perf-events without an event says how it is used", none.returncode == 2 and "usage: scripts/perf-events [-s] PMU EVENT" in none.stderr, none.stderr)
test("--perf goes with no other form", run("--perf", "--list", "intel-core2")[0] == 2)

status, out, _ = run("-v", "intel-nehalem", "branches:u:c=1:t")
test("-v names the fields", status == 0 and "IA32_PERFEVTSEL0           0x186 = 0x16100c4\n        EN USR ANY CMASK=0x1 EVENT=0xc4\n" in out, out)
status, out, _ = run("intel-core2", "branches", "instructions", "cycles:u")
test("three events on two counters take two passes", status == 0 and out.startswith(
    "intel-core2: 3 events in 2 passes; fewer are impossible (counters)\npass 1\n") and out.count("\npass ") == 2, out)
test("where they can go, and how perf writes them", "intel::CPU_CLK_UNHALTED.THREAD_P:u on PMC" in out
     and "(can use PMC0 PMC1)  perf: cpu/event=0x3c/u\n" in out, out)

# The worked examples of the thesis on monitoring the Pentium 4, chapters 9 and 11; docs/netburst-examples.md says where its readings differ.
EXAMPLES = (
    ("taken branches, in cycles with more than two, ring 3 of processor 0", "netburst-northwood-ht", ["branch_retired:MMTP:MMTM:u:thr=2"],
     {"CRU_ESCR2": 0x0c001804, "IQ_CCCR0": 0x0027b000}),
    ("loads by front-end tags, ring 3 of both processors", "netburst-northwood-ht", ["memory_loads:u:t"],
     {"RAT_ESCR0": 0x04000405, "CRU_ESCR2": 0x10000205, "IQ_CCCR0": 0x0003b000}),
    ("the same in perfex's words", "netburst-northwood-ht", ["0x00035000/0x04000405@0x8000000E", "0x0003B000/0x10000205@0x8000000F"],
     {"RAT_ESCR1": 0x04000405, "IQ_CCCR2": 0x00035000, "CRU_ESCR3": 0x10000205, "IQ_CCCR3": 0x0003b000}),
    ("x87 operations by execution tags, ring 3, one processor", "netburst-northwood", ["X87_FP_retired:u"],
     {"FIRM_ESCR0": 0x09000034, "FLAME_CCCR0": 0x00033000, "CRU_ESCR2": 0x18000204, "IQ_CCCR0": 0x0003b000}),
    ("the same in perfex's words", "netburst-northwood", ["0x00033000/0x09000034@0x80000008", "0x0003B000/0x18000204@0x8000000C"],
     {"FIRM_ESCR0": 0x09000034, "FLAME_CCCR0": 0x00033000, "CRU_ESCR2": 0x18000204, "IQ_CCCR0": 0x0003b000}),
    ("first-level load misses by replay tags, both rings of processor 0", "netburst-northwood-ht", ["1stL_cache_load_miss_retired"],
     {"CRU_ESCR2": 0x1200020c, "IQ_CCCR0": 0x0003b000, "MSR_PEBS_ENABLE": 0x01000001, "MSR_PEBS_MATRIX_VERT": 1}),
    ("its half that perfex's words have", "netburst-northwood-ht", ["0x0003B000/0x1200020C@0x8000000C"],
     {"CRU_ESCR2": 0x1200020c, "IQ_CCCR0": 0x0003b000}),
)
for name, pmu, events, registers in EXAMPLES:
    found = writes(pmu, *events)
    test("worked example: " + name, [w for w in found if "COUNTER" not in w[0]] == sorted(registers.items(), key=lambda r: [w[0] for w in found].index(r[0]))
         if isinstance(found, list) and {w[0] for w in found} >= set(registers) else False, found)
status, out, err = run("netburst-northwood", "memory_loads:u:t")
test("without Hyper-Threading there is no other processor to count", status == 1 and "this CPU has one: leave it out" in err, err)

status, out, err = run("netburst-northwood", "0x00033000/0x09000034@0x80000008", "0x00033000/0x0A000034@0x80000009")
test("two in perfex's words that need one ESCR with other values take two passes", status == 0 and out.startswith("netburst-northwood: 2 events in 2 passes;")
     and out.count("FIRM_ESCR0 ") == 2, out + err)
status, out, err = run("netburst-northwood", "0x00039000/0x09000034@0x80000008")
test("an ESCR that is not wired to the counter of perfex's words is refused with those that are", status == 1 and "FLAME_COUNTER0 cannot count" in err
     and "take BPU_COUNTER0," in err and "IQ_COUNTER5" in err, out + err)

status, out, err = run("netburst-northwood-ht", "0x00035000/0x04000405@0x8000000E", "0x0003B000/0x10000205@0x8000000F")
test("what tags by hand and what counts the tags share a pass", status == 0 and out.startswith("netburst-northwood-ht: 2 events in 1 pass"), out + err)
test("no string is given that Linux would take for another event", "perf:" not in out, out)
status, out, err = run("--perf", "netburst-northwood-ht", "branch_retired:MMTP:u:thr=2")
test("and the reason is told", status == 1 and not out and "Linux numbers NetBurst's events by a list of its own" in err, out + err)

listed = run("?", "x")[2].splitlines()[1:]
profiles = [line.split()[0] for line in listed if line.startswith("  ")]
test("machines of two kinds of cores are listed too",
     "and in the image intel-alderlake: intel-alderlake-p beside intel-alderlake-e" in listed, "\n".join(listed))
test("every profile is listed", "intel-core2" in profiles and len(profiles) >= 3, profiles)
for profile in profiles:
    status, out, _ = run("--json", profile, "*")
    found = json.loads(out) if status == 0 else {}
    at = [(e["pass"], e["counter"]) for e in found.get("events", [])]
    test(f"{profile}: all {len(at)} events in {found.get('passes')} passes, the fewest possible",
         at and found["passes"] == found["bound"] and len(set(at)) == len(at) and all(e["counter"] in e["counters"] for e in found["events"]), out)
    listed = json.loads(run("--json", "--list", profile)[1])["events"]
    test(f"{profile}: the list has them all", len(listed) == len(at) and all(e["quantities"] != "-" and e["source"] for e in listed), listed)

status, out, _ = run("--list", "intel-core2", "BR_*RETIRED.A*", "INST_RETIRED.ANY")
test("--list takes globs", [line.split()[0] for line in out.splitlines()] == [
    "BR_INST_RETIRED.ALL_BRANCHES", "BR_MISP_RETIRED.ALL_BRANCHES", "BR_INST_RETIRED.ANY", "INST_RETIRED.ANY"], out)
test("options may stand behind the PMU", run("intel-core2", "--list", "BR_*RETIRED.A*", "INST_RETIRED.ANY")[:2] == (status, out))
status, out, err = run("--list", "RETIRED_INSTR*")
test("--list without a PMU is of all that have such events", status == 0 and "\namd-zen4:\nRETIRED_INSTRUCTIONS  " in out
     and {line[:-1] for line in out.splitlines() if line.endswith(":")} == {p for p in profiles if p.startswith("amd-")}, out + err)
status, out, err = run("--json", "--list", "skl::INST_RETIRED.ANY_P", "amd64_fam19h_zen4::RETIRED_INSTRUCTIONS")
found = [(p["pmu"], [e["name"] for e in p["events"]]) for p in json.loads(out)] if status == 0 else []
test("and of those that libpfm4 calls so", ("intel-skylake", ["INST_RETIRED.ANY_P"]) in found and ("amd-zen4", ["RETIRED_INSTRUCTIONS"]) in found
     and not any(p.startswith(("intel-core2", "netburst", "amd-k8")) for p, _ in found), out + err)
status, out, _ = run("-v", "--list", "intel-skylake", "FRONTEND_RETIRED.DSB_MISS", "BR_INST_RETIRED.COND")
test("-v --list tells of registers besides, of precise sampling and of errata",
     all(words in out for words in ("0x3f7 = 0x11", "can be sampled precisely", "errata: SKL091", "bounds")), out)
status, out, _ = run("--list", "intel-core2", "instructions")
test("--list shows code, judgement, quantities and counters", out.split() == ["INST_RETIRED.ANY_P", "0xc0", "exact", "instructions", "PMC0", "PMC1"], out)

# libpfm4's names of PMUs: those that a CPU has, and no other's.
for pmu, name, others in (("intel-skylake", "skl", "hsw"), ("intel-core2", "core", "mrm"), ("intel-alderlake-e", "adl_grt", "adl_glc"), ("intel-tremont", "tmt", "tnt"),
                          ("intel-nehalem", "NHM", "nhm_ex"), ("amd-zen4", "amd64_fam19h_zen4", "amd64_fam19h_zen3"), ("amd-zen4", "amd64_fam19h_zen4", "amd64_fam19h_zen4_l3"),
                          ("amd-fam10h", "amd64_fam10h_shanghai", "amd64_fam11h_turion"), ("amd-k8", "amd64_k8_revc", "amd64_k7")):
    event = "RETIRED_INSTRUCTIONS" if pmu.startswith("amd") else "INST_RETIRED:ANY_P"
    good, bad = run(pmu, "%s::%s:u" % (name, event)), run(pmu, "%s::%s:u" % (others, event))
    test(f"{name}:: is {pmu}, {others}:: is not", good[0] == 0 and bad[0] == 1 and f"no PMU {others} here" in bad[2], good[2] + bad[2])

# The same of the other families.
status, out, _ = run("-v", "amd-zen4", "RETIRED_INSTRUCTIONS:u:c=2:i")
test("-v names AMD's fields", status == 0 and "\n        EN USR INV CMASK=0x2 EVENT=0xc0\n" in out, out)
status, out, _ = run("-v", "netburst-prescott", "branch_retired:MMTP:MMTM:u:thr=2")
test("-v names NetBurst's fields", status == 0 and "EVENT=0x6 MASK=0xc T0_USR\n" in out and "THRESHOLD=0x2" in out, out)
status, out, _ = run("--list", "amd-zen4", "RETIRED_*RETURNS*")
test("--list takes globs of AMD's", [line.split()[0] for line in out.splitlines()] == ["RETIRED_NEAR_RETURNS", "RETIRED_NEAR_RETURNS_MISPREDICTED"], out)
status, out, _ = run("--list", "netburst-prescott", "branch_retired:*")
test("--list shows NetBurst's unit masks", {"branch_retired:MMNP", ":MMNM", ":MMTP", ":MMTM"} <= set(out.split()), out)
status, out, err = run("netburst-prescott", "branch_retired:MMTP:MMTX")
test("an unknown unit mask is refused with those that there are", status == 1 and err.endswith("    branch_retired:MMTP:MMTX\n                        ^\n")
     and "and MMNP MMNM MMTP MMTM\n" in err, err)
status, out, err = run("intel-skylake", "L2_RQSTS:RFO_HIT:RFO_MISS:u", "BR_INST_RETIRED:CONDITIONAL:NEAR_CALL")
test("unit masks that are rows of one event are joined", status == 0 and "RFO_HIT:RFO_MISS:u on" in out and "umask=0xe2/u" in out
     and "umask=0x3/" in out, out + err)
status, out, err = run("amd-zen4", "RETIRED_SSE_AVX_FLOPS:ADD_SUB_FLOPS:MULT_FLOPS")
test("AMD's too", status == 0 and "event=0x3,umask=0x3/" in out, out + err)
status, out, err = run("intel-skylake", "BR_INST_RETIRED:COND:NEAR_CAL")
test("one that there is not is pointed at", status == 1 and "no modifier or unit mask NEAR_CAL: there are u k e t i c= and ALL_BRANCHES_PEBS, COND_NTAKEN, " in err
     and err.endswith("    BR_INST_RETIRED:COND:NEAR_CAL\n                         ^\n"), err)
status, out, err = run("intel-skylake", "BR_INST_RETIRED.ALL_BRANCHES:COND")
test("a mask of no bits is not joined", status == 1 and "no modifier COND: " in err, err)

FILE = "tests/self/host/data/events-intel.json"
status, out, err = run("--json", "--events", FILE, "intel-haswell", "SOMETHING_NEW.TAKEN_UP:u", "CPU_CLK_UNHALTED.REF_TSC")
found = json.loads(out)["events"] if status == 0 else []
test("--events brings a vendor's events", [e["event"] for e in found] == [
    "intel::SOMETHING_NEW.TAKEN_UP:u", "intel::CPU_CLK_UNHALTED.REF_TSC"] and found[0]["perf"] == "cpu/event=0xc4/u" and "7 events" in err, out + err)

for args, code, message in (
        (["--events", "no-such-file", "intel-core2", "x"], 2, "no-such-file: No such file"),
        (["--events", "Makefile", "intel-core2", "x"], 2, "no JSON"),
        (["intel-core2", "INST_RETIRD:u"], 1,
         "assay-encode: intel-core2: no event INST_RETIRD: did you mean INST_RETIRED.ANY_P?\n    INST_RETIRD:u\n    ^\n"),
        (["intel-core2", "branches:u:c=999"], 1, "    branches:u:c=999\n                 ^\n"),
        (["intel-core2", "branches", "nope"], 1, "no event nope in Intel"),
        (["intel-core2", "branches:t"], 1, "writing intel::BR_INST_RETIRED.ALL_BRANCHES:t to PMC0 raises #GP"),
        (["intel-core2", "INST_RETIRED.ANY:c=1"], 1, "no counter of this PMU can count intel::INST_RETIRED.ANY:c=1"),
        (["intel-core3", "x"], 2, "no PMU intel-core3: did you mean intel-core2?"),
        (["--frob", "x"], 2, "no option --frob"),
        (["intel-core2"], 2, "usage:"),
        ([], 2, "usage:"),
        (["--list", "amd-zen4", "RETIRED_*", "ls_*nothing*"], 1, "no event of AMD Zen 4 PMU, PerfMonV2 matches ls_*nothing*"),
        (["--list", "no_such_event*"], 1, "no PMU has events that match no_such_event*"),
        (["--list", "intel-core3"], 2, "no PMU intel-core3: did you mean intel-core2?"),
        (["intel-core2", "--frob", "x"], 2, "no option --frob"),
        (["--injections", "intel-core3"], 2, "no PMU intel-core3: did you mean intel-core2?"),
        (["--injections"], 2, "usage:"),
        (["--list", "intel-core2", "r01c0"], 2, "--list takes names and globs")):
    status, out, err = run(*args)
    test(f"refuses {' '.join(args) or 'nothing'}", status == code and message in err and not out, f"{status}\n{out}{err}")

status, out, err = run("--injections", "amd-zen4")
rows = [line.split(None, 2) for line in out.splitlines()]
test("lists what inject= takes, with its owner and what it does",
     status == 0 and all(len(r) == 3 for r in rows) and {r[0] for r in rows} == {"machine", "records", "premises", "hypervisor", "PMU"} and
     ["records", "records-late"] in [r[:2] for r in rows] and ["PMU", "merge-ignored"] in [r[:2] for r in rows], out)
test("of each PMU its own", "n15" not in [r[1] for r in rows] and " n15 " in run("--injections", "netburst")[1])

# What restricts events besides their counters: ESCRs, and which logical processor.
def facts(name, key):
    with open(ROOT / "tests/self/host/data" / name, encoding="utf-8", newline="") as f:
        return {row[key]: row for row in csv.DictReader(f)}


ROWS, ESCRS = facts("netburst-events.csv", "event"), facts("netburst-escr.csv", "escr")
COUNTERS = [g + "_COUNTER%d" % i for g, n in (("BPU", 4), ("MS", 4), ("FLAME", 4), ("IQ", 6)) for i in range(n)]
status, out, err = run("--json", "--list", "netburst-prescott")
listed = {e["name"]: e["restrictions"].split("\n")[:-1] for e in json.loads(out)["events"]}
wrong = []
for name, lines in listed.items():
    row = ROWS.get(name.split(":")[0])
    if not row:
        continue
    expected = ["%s: %s" % (e, " ".join(COUNTERS[int(c)] for c in ESCRS[e]["counters"].split())) for e in row["escrs"].split()]
    if lines[:-1] != expected or ("not said" if row["ti"] == "?" else "(%s)" % row["ti"]) not in lines[-1]:
        wrong.append((name, lines, expected, row["ti"]))
test("--list has the ESCRs of each of NetBurst's %d rows, and whether it is TS or TI" % len(listed), len(listed) > 180 and not wrong, repr(wrong[:3]))
test("and what a metric needs besides", "with load_port_replay on SAAT_ESCR1" in listed["split_load_retired"], listed["split_load_retired"])
status, out, err = run("--list", "-v", "netburst-northwood-ht", "page_walk_type:DTMISS")
test("--list -v says it in lines", "    PMH_ESCR1: BPU_COUNTER2 BPU_COUNTER3\n    thread-independent (TI)" in out, out)
status, out, err = run("--json", "--list", "intel-core2", "INST_RETIRED.ANY_P")
test("a family that says none has none", json.loads(out)["events"][0]["restrictions"] is None, out)
done()
