#!/usr/bin/python3
"""Events that stay at 0 on every kernel that must make them tick: told once, with these kernels. By silicon's rules a virtual CPU is one on which some
events are dead, as its model has no cycles of a certain kind."""
from boottest import boot, done, equal, ok, tail, valid

MOVED = "pmu=virtual:intel-skylake suite=events n=20 reps=2 "


def summaries(r):
    return {c["name"]: (c["verdict"], c["text"]) for s in (r.report or {"suites": []})["suites"] if s["name"] == "events"
            for c in s["checks"] if c["name"].endswith("/all kernels")}


def verdicts(r):
    return {(c["name"].split("/")[2], c["verdict"]) for s in (r.report or {"suites": []})["suites"] if s["name"] == "events"
            for c in s["checks"] if c["name"].count("/") == 3}


EVENTS = "event=CYCLE_ACTIVITY.STALLS_L3_MISS,MEM_LOAD_RETIRED.L3_MISS,LONGEST_LAT_CACHE.MISS kernel=loads,chain_llc,clflush_reload "
r = boot(options=MOVED + EVENTS + "inject=silicon-rules")
valid(r.report, "the report is valid")
equal(summaries(r), {name + "/all kernels": ("dead", "0 everywhere; 2 kernels must move it: clflush_reload, chain_llc")
                     for name in ("CYCLE_ACTIVITY.STALLS_L3_MISS", "MEM_LOAD_RETIRED.L3_MISS")}, "dead events are told, with the kernels")
ok(("loads", "dead") not in verdicts(r) and ("chain_llc", "dead") in verdicts(r) and ("chain_llc", "within") in verdicts(r),
   "one that counts is not, and no kernel that forces nothing", [repr(verdicts(r))] + tail(r))
r = boot(options=MOVED + EVENTS)
equal((summaries(r), {v for _, v in verdicts(r)} - {"exact", "within"}), ({}, set()), "floors are of hardware alone: by a model's rules nothing is dead")
r = boot(options=MOVED + "inject=silicon-rules event=CYCLE_ACTIVITY.STALLS_L3_MISS kernel=loads,nop_loop")
equal(summaries(r), {}, "where no kernel must move it, 0 says nothing")

# What a virtual CPU works out only while something counts it, counted alone: on a kernel that has it, it ticks.
for profile, event, kernel in (("intel-goldmont", "MEM_UOPS_RETIRED.SPLIT_LOADS", "loads_split_line"),
                               ("intel-goldmont", "MEM_UOPS_RETIRED.SPLIT_STORES", "stores_split_line"),
                               ("intel-goldmont", "MISALIGN_MEM_REF.LOAD_PAGE_SPLIT", "loads_split_page"),
                               ("intel-goldmont", "MISALIGN_MEM_REF.STORE_PAGE_SPLIT", "stores_split_page"),
                               ("intel-nehalem", "SQ_MISC.SPLIT_LOCK", "locked_split"),
                               ("intel-sandybridge", "FP_ASSIST.ANY", "*denormal*"),
                               ("intel-sandybridge", "IDQ.DSB_UOPS", "decoded*"),
                               ("intel-sandybridge", "IDQ.MITE_UOPS", "decoded*")):
    r = boot(options="pmu=virtual:%s suite=events event=%s kernel=%s reps=2" % (profile, event, kernel))
    checks = [c for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if s["name"] == "events" and c.get("event") == event]
    most = max([int(o["max"]) for c in checks for o in c.get("observations", [])] or [0])
    ok(r.status == 0 and most > 4, "%s alone on %s, %s: %d at most" % (profile, kernel, event, most), tail(r))
done()
