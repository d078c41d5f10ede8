#!/usr/bin/python3
"""Records on Intel's and AMD's virtual CPUs: the suites, the same in Bochs, and the experiments of docs/examples/records.cfg."""
import os

from boottest import TOP, boot, done, equal, few, ok, same_table, sound, tail, valid, verdict_table

with open(os.path.join(TOP, "docs", "examples", "records.cfg"), encoding="ascii") as f:
    EXAMPLE = f.read()


def samples(r, name):
    """Those of an experiment, each with the experiment's ring."""
    return [(x["level"], s) for x in (r.report or {"experiments": []})["experiments"] if x["name"] == name for s in x["samples"]]


def best(r, kind):
    """The most records that one check of a kind found right."""
    return max([value for name, (_, observations) in (verdict_table(r) or {}).items() if kind in name
                for *_, values in observations for value, _ in values] + [0])


options = "pmu=virtual:intel-nehalem suite=trace,sampling kernel=calls"
r = boot(options=options)
sound(r, "traces and samples on a Nehalem")
ok(best(r, "/PEBS period/") >= 1000, "a thousand samples are those that the period says", tail(r))
ok(best(r, "BTS whole/") and best(r, "LBR/"), "branches were traced both ways", tail(r))
sound(boot(options="pmu=virtual:intel-yonah suite=sampling kernel=branches_random"), "a kernel that goes another way each time it runs, unless its memory is put back")
# By the rules for silicon: longer runs, more records in each window, a path of their own for interrupts, intervals.
sound(boot(options="pmu=virtual:intel-skylake suite=sampling n=100 inject=silicon-rules kernel=nop_loop,loads_split_line,branches_random "
           "event=INST_RETIRED.ANY_P,INST_RETIRED.NOP,MEM_INST_RETIRED.ALL_LOADS"), "as many turns and samples as silicon gets")
SILICON = "suite=events,trace,sampling event=%s kernel=calls,loads n=20 reps=3 inject=silicon-rules"
for profile, event in few((("amd-zen4", "RETIRED_INSTRUCTIONS"),), (("intel-nehalem", "arch"), ("amd-zen4", "*INSTR*"), ("netburst-prescott", "instr*,memory*"))):
    sound(boot(options="pmu=virtual:%s " % profile + SILICON % event), profile + " by the rules for silicon")
r = boot(options="pmu=virtual:intel-nehalem " + (SILICON % "arch").replace(",sampling", "") + "+bts-lost+odd-counter")
bad = {name.split("/")[0] for name, (verdict, _) in (verdict_table(r) or {}).items() if verdict in ("wrong", "biased")}
ok({"events", "trace"} <= bad, "which tell faults all the same", tail(r))
sound(boot(options="pmu=virtual:intel-skylake suite=trace,sampling kernel=empty,nmi_xapic,ipi_xapic,pages_4k "
           "event=INST_RETIRED.ANY_P,BR_INST_RETIRED.COND,MEM_INST_RETIRED.STLB_MISS_LOADS"),
      "kernels without branches, with NMIs of their own, with code of other rings, that carry on where they were")
r = boot(options="pmu=virtual:amd-zen2 suite=sampling kernel=jumps_indirect event=RETIRED_INSTRUCTIONS n=1")
sound(r, "a period that ends with the system call out of ring 3")
table = verdict_table(r) or {}
IBS = ["sampling/IBS op by %s " % unit for unit in ("cycles", "operations")]
ok(all(table.get(by + "data source", ("",))[0] == "skipped" and by + "address" not in table
       and any(name.startswith(by + "address/") and verdict == "exact" for name, (verdict, _) in table.items()) for by in IBS),
   "what no sample tells is skipped by name, and what some tell is judged", tail(r))
options = "pmu=virtual:intel-nehalem suite=trace kernel=calls"
bochs = boot(emulator="bochs", cpu="corei7_haswell_4770", options=options, timeout=300)
sound(bochs, "traces in Bochs")
same_table(bochs, boot(options=options), "branch for branch")

r = boot(config="pmu=virtual:intel-skylake\n[options]\n" + EXAMPLE)
sound(r, "the examples on a Skylake")
valid(r.report, "their report is valid")
for ring, s in samples(r, "precise-instructions"):
    equal(sum(p["samples"] for p in s["places"]) + s["elsewhere"], 13, "1401 instructions and the way in: 13 records, one each 101")
for ring, s in samples(r, "load-addresses"):
    equal(sorted({p["addresses"]["low"] for p in s["places"]} ^ {p["addresses"]["high"] for p in s["places"]}), [],
          "each load reads one address, in " + ring)
    first = int(s["places"][0]["addresses"]["low"], 16)
    equal([int(p["addresses"]["low"], 16) - first for p in s["places"]], list(range(0, 64, 8)), "the next one eight bytes further")
traces = samples(r, "where-branches-go")
equal(len(traces), 2, "traces in both rings")
for ring, s in traces:
    equal(sorted(b["taken"] for b in s["branches"] if "elsewhere" not in (b["from"], b["to"])), [1, 4, 5, 5, 5, 5],
          "two calls, two returns, the loop and its end, in " + ring)
ok(samples(r, "last-branches"), "a stack of branches", tail(r))
ok(not samples(r, "operations"), "what another PMU is meant for is left alone")
ok(any("data at 0x" in line for line in r.text) and any("calls+0x" in line and " -> " in line for line in r.text),
   "addresses and branches are drawn", tail(r, 60))

r = boot(config="pmu=virtual:amd-zen4\n[options]\n" + EXAMPLE)
sound(r, "the examples on a Zen 4")
valid(r.report, "their report is valid")
places = [p for _, s in samples(r, "operations") for p in s["places"]]
ok(places and any("addresses" in p for p in places), "operations with their addresses", tail(r))
ok(samples(r, "last-branches") and not samples(r, "where-branches-go"), "a stack of branches, and no trace", tail(r))

# Branches in bursts: the example, all that goes wrong, and one of them missing.
BURSTS = "\n".join("[experiment %s] kernel=%s ring=%s n=20 record=brs %s" % row for row in (
    ("far", "calls", 0, "period=100 events=RETIRED_TAKEN_BRANCH_INSTRUCTIONS"),
    ("end", "calls", "both", "period=93 events=RETIRED_TAKEN_BRANCH_INSTRUCTIONS"),
    ("away", "syscall", 3, "period=5 events=RETIRED_TAKEN_BRANCH_INSTRUCTIONS"),
    ("other", "calls", 3, "period=5 events=RETIRED_INSTRUCTIONS"),
    ("whole", "calls", 3, "period=5"))) + "\n"
r = boot(config="pmu=virtual:amd-zen3-epyc\n[options]\n" + EXAMPLE + BURSTS)
valid(r.report, "the report of a Zen 3's branches is valid")
bursts = samples(r, "branches-in-between")
equal([(ring, s["period"], sum(b["taken"] for b in s["branches"])) for ring, s in bursts], [("ring 0", 40, 16), ("ring 3", 40, 16)],
      "sixteen branches behind the fortieth, in both rings")
found = {name.split("/")[1]: verdict for name, (verdict, _) in (verdict_table(r) or {}).items() if name.startswith("experiments/")}
equal({k: found.get(k) for k in ("branches-in-between", "far", "end", "away", "other", "whole")},
      {"branches-in-between": "exact", "far": "error", "end": "exact", "away": "skipped", "other": "error", "whole": "error"},
      "what is sampled is the known path, and what cannot be is refused")
equal([sum(b["taken"] for b in s["branches"] if "elsewhere" not in (b["from"], b["to"])) for _, s in samples(r, "end")], [7, 7],
      "at a kernel's end there are fewer")
r = boot(config="pmu=virtual:amd-zen3-epyc inject=brs-lost\n[options]\n" + EXAMPLE)
equal({v for name, (v, _) in (verdict_table(r) or {}).items() if "/branches-in-between/" in name}, {"wrong"},
      "a branch that is missing is found out")
done()
