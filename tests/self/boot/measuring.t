#!/usr/bin/python3
"""The rules of measurement: SMIs, sweeps, noise, skid and costs, sound without a fault and telling with one, in QEMU and in Bochs."""
import re

from boottest import boot, done, equal, few, ok, same_table, sound, tail, verdict_table

NEHALEM = "pmu=virtual:intel-nehalem "
SWEPT = "kernel=empty,nop_loop,branches_taken,calls,load_op_store "  # those that go along all axes if none are named


def values(result, suite):
    return {v["name"]: (v["value"], v["unit"]) for v in (result.report or {"values": []})["values"] if v["suite"] == suite}


def verdicts(result, prefix):
    return {name: verdict for name, (verdict, _) in (verdict_table(result) or {}).items() if name.startswith(prefix)}


def texts(result, verdict, suite=None):
    """Why checks have that verdict; of one suite those that are not about the bracket's share."""
    return [c.get("text", "") for s in (result.report or {"suites": []})["suites"] for c in s["checks"] if c["verdict"] == verdict
            and (not suite or s["name"] == suite and not c["name"].startswith("share/"))]


# SMIs.
BOTH = "suite=control,events" + few(" kernel=empty,nop_loop,calls event=INST_RETIRED*,BR_INST_RETIRED.ALL* "
                                    "check=enable*,wrap*,ring?filter*,over?an*,counters*,INST_*,BR_INST_*", "")
smi = r = boot(options=NEHALEM + BOTH + " inject=smi")
sound(r, "control and events with SMIs now and then")
value, unit = values(r, "events").get("taken again after an SMI", ("none", ""))
ok(value.isdigit() and int(value) > 0 and "MSR_SMI_COUNT" in unit, "samples were taken again: %s %s" % (value, unit), tail(r))
# Negative controls: a kernel that causes nothing of it, and nothing is counted. (tests/self/host/test_controls.c: every event has one.)
zero = {c.get("event") for suite in (r.report or {"suites": []})["suites"] for c in suite["checks"]
        if suite["name"] == "events" and c["verdict"] == "exact" and c.get("observations")
        and all(o["low"] == o["high"] == o["max"] == 0 for o in c["observations"])}
ok(zero >= {"INST_RETIRED.ANY", "INST_RETIRED.ANY_P", "BR_INST_RETIRED.ALL_BRANCHES"}, "on some kernels events are exactly 0", sorted(zero - {None}))
r = boot(options=NEHALEM + "suite=events kernel=nop_loop n=2000 event=INST_RETIRED.ANY_P inject=smi")
ok(r.status == 1 and any("an SMI came during each of" in t for t in texts(r, "error")), "windows that no SMI spares are errors", tail(r))
ok(not [v for v in verdicts(r, "events/INST").values() if v not in ("exact", "error")], "and not the counters' fault", tail(r))

for inject, moves in (("smi", False), ("smm-counted", True)):
    r = boot(options=NEHALEM + BOTH + " inject=" + inject) if moves else smi
    bad = {name: verdict for name, verdict in verdicts(r, "").items() if verdict not in ("exact", "within", "skipped")}
    equal((bad, verdicts(r, "events/counters held").get("events/counters held in system-management mode")),
          ({"events/counters held in system-management mode": "wrong", "control/over an SMI/a sample": "wrong"}, "wrong") if moves else ({}, "exact"),
          "control and events, inject=" + inject)
    value, unit = values(r, "events").get("counted on in spite of FREEZE_WHILE_SMM", ("none", ""))
    ok(value.isdigit() and moves == (int(value) > 0) and "SMI broke into" in unit,
       "%s: FREEZE_WHILE_SMM holds counters, or not: %s %s" % (inject, value, unit))
    ok(int(values(r, "control").get("taken again after an SMI", ("0", ""))[0]) > 0, "checks of the control suite were taken again")
    # What belongs to a suite is told with it, and not with the next one again.
    told = {suite: values(r, suite).get("taken again after an SMI", ("none", "of 0 samples")) for suite in ("control", "events")}
    ok(all(value.isdigit() and int(value) <= int(unit.split()[1]) for value, unit in told.values()), "of each suite's samples at most all: %r" % told)
    equal(told["events"][0], unit.split()[1], "and as many of the events' as an SMI broke into")

r = boot(options=NEHALEM + "suite=events kernel=nop_loop,calls inject=smi-gap")
sound(r, "events, where only time tells of SMIs")
gaps = {name: value for name, (value, unit) in values(r, "events").items() if name == "SMIs imitated" or "gaps in time" in unit}
ok(len(gaps) == 2 and len(set(gaps.values())) == 1 and int(gaps["SMIs imitated"]) > 10, "windows that last too long are taken again, and no others: %r" % gaps, tail(r))

# Without a fault: the same in both emulators.
OPTIONS = NEHALEM + SWEPT + "suite=sweep,noise,skid"
clean = boot(cpu="Nehalem", options=OPTIONS)  # SYSENTER is Intel's
sound(clean, "sweep, noise and skid")
equal(sorted(set(verdicts(clean, "skid/").values())), ["exact"], "the virtual PMU has no skid")
LADDERS = {"nop", "add", "imul", "mulss", "load", "store", "lock add", "jmp", "pause", "lfence"}


def cycles(result):
    """{(way, class of instruction): cycles from a clock's overflow to the handler's reading}, each the same every time."""
    found = {name.split(" ladder/")[0]: re.fullmatch(r"(\d+) \(\1 to \1\)", value) for name, (value, unit) in values(result, "skid").items() if "cycles" in unit}
    return {tuple(name.split("/")): int(match.group(1)) if match else None for name, match in found.items()}


took = cycles(clean)
equal(set(took), {(way, ladder) for way in ("NMI", "fixed") for ladder in LADDERS}, "each class of instruction is interrupted in both ways, and the cycles it takes are shown")
ONE = few(" event=INST_RETIRED.ANY_P reps=1 n=2", "")  # Bochs takes its time: two interrupts in a window, not a hundred
SLOW = OPTIONS.replace("sweep,noise,skid", few("noise", "sweep,noise,skid")) + ONE  # suites.t sweeps there
bochs = boot(emulator="bochs", options=SLOW, timeout=300)
same_table(bochs, boot(cpu="Nehalem", options=SLOW) if ONE else clean, "Bochs gives the same counts", but="SSE exception")  # which TCG does not raise
equal({verdict for name, verdict in verdicts(bochs, "noise/").items() if "/SSE exception, ring 3, " in name}, {"exact"},
      "Bochs raises SSE exceptions, and they are counted")
r = boot(options=NEHALEM + "suite=sweep kernel=calls n=3 reps=3")
frequency = sum(f for _, f in (verdict_table(r) or {}).get("sweep/alignment/calls/INST_RETIRED.ANY_P", (0, [(0, 0, 0, [])]))[1][0][3])
ok(frequency == 3 * 64, "asked for an N, the sweep takes all 64 alignments, each three times", [frequency] + tail(r))
# A kernel that is named, or is not core, is swept at five places, others at all 64 of a line.
r = boot(options=NEHALEM + "suite=sweep reps=1" + few(" kernel=empty,nop_loop,syscall,fault_*_ring3", ""))
sound(r, "the alignment of kernels")
places = {name.split("/")[2]: sum(f for _, f in seen[0][3]) for name, (_, seen) in (verdict_table(r) or {}).items()
          if name.startswith("sweep/alignment/") and name.endswith("/INST_RETIRED.ANY_P") and seen}
ok(len(places) > few(10, 170) and set(places.values()) == few({5}, {5, 64}) and places.get("nop_loop") == places.get("empty") == few(5, 64)
   and "syscall" in places, "%d kernels, %d of them at all 64 places" % (len(places), list(places.values()).count(64)), [places] + tail(r))

# With one.
r = boot(options=NEHALEM + "suite=skid inject=late-pmi")
seen = [o for name, (verdict, o) in (verdict_table(r) or {}).items() if name.startswith("skid/") and verdict == "wrong"]
ok(len(seen) >= 2 * len(LADDERS) and len(seen) % (2 * len(LADDERS)) == 0 and all([value for value, _ in o[0][3]] == [3] for o in seen),
   "an interrupt that comes 3 instructions late shows a skid of exactly 3, on every ladder", seen[:3] + tail(r))
late = cycles(r)
equal({where: late.get(where, 0) - (took[where] or 0) for where in took}, dict.fromkeys(took, 3), "and of the cycles that they take, one each on the virtual PMU")
for inject, axes, pattern in (("line-end", {"alignment"}, "bytes behind a line: "),
                              ("rdpmc-wrong-index", {"bracket"}, "difference of readings: "),
                              ("neighbour-coupling", {"order"}, "PMC0, order "),
                              ("odd-counter", {"counter", "order", "bracket"}, "PMC3")):
    r = boot(options=NEHALEM + SWEPT + "suite=sweep inject=" + inject)
    bad = {name.split("/")[1] for name, verdict in verdicts(r, "sweep/").items() if verdict == "wrong"} - {"share"}
    equal(bad, axes, "%s: wrong along %s alone" % (inject, ", ".join(sorted(axes))))
    ok(all(pattern in t for t in texts(r, "wrong", "sweep")), "%s: the place is named" % inject, texts(r, "wrong", "sweep")[:5])
# What leaks into ring 3 from around it is the same in each window.
r = boot(options=NEHALEM + SWEPT + "suite=sweep inject=ring-leak")
bad = {name.split("/", 2)[2].rsplit("/", 1)[0] for name, verdict in verdicts(r, "").items() if verdict == "biased" and "/share/" in name}
equal(bad, {"around ring 3"}, "ring-leak: what an empty window in ring 3 counts is more than its own instructions")

ks = {tuple(n for n, *_ in seen) for name, (_, seen) in (verdict_table(clean) or {}).items() if name.startswith("noise/") and seen}
equal(ks, {(0, 1, 2, 100)}, "from no interrupt to a hundred")
ok(not [line for line in clean.text if re.search(r"noise: .* per ", line)], "no slope is printed that is 0")
equal({name: verdict for name, verdict in verdicts(clean, "noise/local APIC").items()},
      {"noise/local APIC masked around windows": "exact", "noise/local APIC masked while a pass runs": "exact"}, "interrupts are masked at their source")
r = boot(options=NEHALEM + "suite=noise event=INST_RETIRED.ANY_P inject=not-masked")
equal(set(texts(r, "error")), {"an interrupt that came due during a window was requested",
                               "timer: 1 interrupts, 1 while masked; performance entry: masked 0, kept 1, restored 1"}, "where they are not, both checks tell")
MOST = few(10, 100)
r = boot(options=NEHALEM + "suite=noise inject=bv52 event=INST_RETIRED.ANY_P n=%d reps=1" % MOST)
ks = {tuple(n for n, *_ in seen) for name, (_, seen) in (verdict_table(r) or {}).items() if name.startswith("noise/INST") and seen}
equal(ks, {tuple(range(MOST + 1))}, "asked for an n, noise takes each k up to it, and all of them are in the report")
ok([line for line in r.text if "noise: INST_RETIRED.ANY_P per software interrupt, ring 0, OS+USR: +1 overcount per interrupt" in line],
   "a slope that is not 0 is printed", r.text[-40:])
slopes = {name: value for name, (value, unit) in values(r, "noise").items() if unit.startswith("overcount")}
# Where the return counts as two there is one more than two ways can count, from ring 0; else it is a fact, and expected.
for kind, where, slope in (("NMI", "ring 0, OS+USR", "+0"), ("timer interrupt", "ring 0, OS+USR", "+0"), ("page fault", "ring 3, USR", "+0"),
                           ("page fault", "ring 3, OS+USR", "+0"), ("breakpoint", "ring 0, OS+USR", "+1"), ("software interrupt", "ring 3, USR", "+0")):
    equal(slopes.get("INST_RETIRED.ANY_P per %s, %s" % (kind, where)), slope, "returns that count twice: %s per %s, %s" % (slope, kind, where))
facts = [(f["name"], f["text"].split(": ", 1)[1]) for f in (r.report or {"facts": []})["facts"] if f["suite"] == "attribution"]
equal(facts, [("INT n, faults, interrupts from ring 3", "instructions, instructions on the fixed counter: +0 in ring 3, +1 in ring 0")],
      "what deliveries and returns count beyond the manual is one fact")
ok(all(re.match(r"\+1 per ", t) for t in texts(r, "biased")) and texts(r, "biased"), "an overcount is a bias of that size", texts(r, "biased")[:3])

# Kernels that enter ring 0: in ring 3 without what their handlers execute there, in both rings with it.
LEAVING = {"sysenter", "syscall", "ipi_xapic", "int_ring3", "int1_ring3", "int3_ring3", "fault_gp_privileged"} | {
    "fault_%s_ring3" % fault for fault in ("ud", "de", "np", "ss", "gp", "pf", "pf_rep", "mf", "xm")}
NOT_NOISE = {"int1_ring3", "fault_ss_ring3"}
OPTIONS = "event=INST_RETIRED.ANY_P,BR_INST_RETIRED.ALL_BRANCHES kernel=syscall,sysenter,ipi_*,int*_ring3,fault_*_ring3,fault_gp_privileged"
r = boot(cpu="Skylake-Client", options=NEHALEM + "suite=events,noise,identities " + OPTIONS)  # SYSENTER is Intel's
sound(r, "kernels that enter ring 0 from ring 3")
checks = [(s["name"], c) for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if c.get("level") == "ring 3"]
for suite, prefix in (("events", "INST_RETIRED.ANY_P/"), ("events", "BR_INST_RETIRED.ALL_BRANCHES/"),
                      ("identities", "instructions: rings add up/"), ("identities", "branches: rings add up/")):
    equal({c["kernel"] for name, c in checks if name == suite and c["name"].startswith(prefix) and c["verdict"] == "exact"}, LEAVING,
          "%s, %s: all of them are judged in ring 3" % (suite, prefix[:-1]))
for where in ("USR", "OS+USR"):
    equal({c["kernel"] for name, c in checks if name == "noise" and c["name"].endswith(", ring 3, " + where) and c["verdict"] == "exact"}, LEAVING - NOT_NOISE,
          "noise: all of them are judged, " + where)
r = boot(cpu="Skylake-Client", options=NEHALEM + "suite=events inject=ring-leak " + OPTIONS)
bad = {c["kernel"] for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if c["verdict"] in ("wrong", "biased") and "/share/" not in "/" + c["name"]}
equal(bad, LEAVING, "where rings are not told apart, each of them shows it")

r = boot(options=NEHALEM + "suite=events kernel=nop_loop inject=firmware-arms")
armed = [n for n in (r.report or {"notes": []})["notes"] if "firmware armed a counter again" in n]
equal(armed, ["firmware armed a counter again: IA32_PERFEVTSEL3"], "a counter that firmware arms again is told")
ok(clean.report and not [n for n in clean.report["notes"] if "firmware" in n], "and none without")

r = boot(options=NEHALEM + "suite=overhead reps=100")
sound(r, "overhead")
costs = values(r, "overhead")
equal([costs.get(name) for name in ("RDPMC", "LFENCE")], [("1.00", "instructions")] * 2, "each is one instruction")
# An interrupt that is due: the virtual PMU's machine model retires one instruction a cycle, whatever is requested.
rates = {name: value for name, (value, unit) in costs.items() if unit == "instructions per cycle"}
equal(rates, dict.fromkeys(("rate/interrupt masked in the APIC", "rate/interrupt held off by CLI"), "1.00"), "the rate of retirement while an interrupt is due")
r = boot(options=NEHALEM + "suite=overhead reps=2 inject=wrong-signature:nop_sled:instructions:1N")
equal(verdicts(r, "overhead/rate/"), dict.fromkeys(["overhead/" + name for name in rates], "wrong"), "what is counted meanwhile is judged")
sound(boot(options="pmu=virtual:intel-skylake suite=events kernel=chain_* event=DTLB*,MEM_LOAD* n=1 reps=1"), "a chain is gone round once before anything is counted, however small N is")
done()
