#!/usr/bin/python3
"""Intel's virtual CPUs: control logic and architectural events sound on each; events of single cores on those of every generation,
judged only if asked for, and caught when they count wrong. (tests/self/soak/intel_events.t takes every kernel.)"""
from boottest import boot, done, equal, few, ok, profiles, sound, tail, verdict_table

# Least number of events that are judged, and one that only this core has.
PROFILES = {"yonah": (50, "BR_INSTR_RET"), "core2": (240, "BR_IND_CALL_EXEC"), "nehalem": (260, "MEM_INST_RETIRED.LOADS"),
            "haswell": (290, "MEM_UOPS_RETIRED.ALL_LOADS"),
            "skylake": (270, "MEM_INST_RETIRED.ALL_LOADS"), "icelake": (240, "BR_INST_RETIRED.COND_TAKEN"),
            "alderlake-p": (260, "BR_INST_RETIRED.COND_NTAKEN"),
            "silvermont": (65, "BR_INST_RETIRED.TAKEN_JCC"), "goldmont": (75, "BR_INST_RETIRED.REL_CALL"),
            "alderlake-e": (130, "BR_INST_RETIRED.NEAR_TAKEN")}
CONTROL = "pmu=virtual:%s suite=%s kernel=calls reps=2"
# Their control logic is that of a CPU before them: make soak has all of it.
ALIKE = few(["intel-" + core for core in ("sandybridge", "haswell", "sapphirerapids", "alderlake-p", "alderlake-e", "icelake-guest", "broadwell-8")], [])
# So alike that their tables are all that differs, which test_virtual_cpuid and test_bounds have on this computer: make soak boots them.
TWINS = few(["intel-" + core for core in ("westmere", "ivybridge", "broadwell", "tigerlake", "graniterapids", "meteorlake-p", "meteorlake-e", "goldmontplus",
                                      "pantherlake-e", "pantherlake-p", "ivybridge-8")], [])
OPTIONS = "pmu=virtual:intel-%s suite=events kernel=calls,multiply n=1 reps=1 "


def events(result):
    return {name.split("/")[1] for name in verdict_table(result) or {} if name.count("/") > 2} - {"ground truth"}


def checks(result):
    return [c for s in (result.report or {"suites": []})["suites"] for c in s["checks"] if c.get("event") and c.get("counter")]


for profile, (least, own) in PROFILES.items():
    if profile in few(("yonah", "nehalem", "haswell", "icelake", "silvermont", "goldmont", "alderlake-p"), ()):
        continue
    r = boot(options=OPTIONS % profile + "event=*")
    sound(r, profile)
    ok(len(events(r)) >= least and own in events(r), "%s: %d events, %s among them" % (profile, len(events(r)), own), tail(r))

every = profiles("intel")
ok(len(every) > 20, "%d virtual CPUs: %s" % (len(every), " ".join(every)))
for profile in [p for p in every if p not in TWINS]:
    suites = ["control"] if profile in ALIKE else ["control", "events"]
    r = boot(options=CONTROL % (profile, ",".join(suites)) + (" check=access/*,power-up/*,wrap/*" if profile in ALIKE else ""))
    sound(r, profile + ", control logic")
    ok(set(suites) <= {name.split("/")[0] for name in verdict_table(r) or {}}, "%s: %s judged it" % (profile, " and ".join(suites)), tail(r))

r = boot(options=OPTIONS % "skylake")
ok(r.status == 0 and len(events(r)) == 10, "without being asked for, none but the architectural ones", tail(r))
r = boot(options=OPTIONS % "skylake" + "event=BR_INST_RETIRED.NEAR_TAKEN,BR_INST_RETIRED.COND kernel=cpuid n=5 inject=w146")
wrong = {name.split("/")[1] for name, (verdict, _) in (verdict_table(r) or {}).items() if verdict == "wrong"}
ok(r.status == 1 and wrong == {"BR_INST_RETIRED.NEAR_TAKEN"}, "a wrong count of one of them is caught", tail(r))
ok(any("errata: SKL091" in line for line in r.text), "and the errata that Intel's list has of it are told", tail(r))
RULE = "by rule: CPUID counts as a branch (erratum W146"
CPUID = "suite=events kernel=cpuid,nop_loop reps=1 event=BR_INST_RETIRED.A* pmu=virtual:"
ruled = {p: checks(boot(options=CPUID + p)) for p in ("intel-core2", "intel-nehalem", "intel-core2 inject=w146", "intel-nehalem inject=w146")}
told = {p: {(c["kernel"], c["verdict"], c.get("text", "").startswith(RULE)) for c in found} for p, found in ruled.items()}
ok(told["intel-core2"] == {("cpuid", "exact", True), ("nop_loop", "exact", False)}, "an exception that is published of a core is exact, and named", told)
ok(told["intel-nehalem"] == {("cpuid", "exact", False), ("nop_loop", "exact", False)}, "another core has no such exception", told)
ok(all((("cpuid", verdict, False) in told[p + " inject=w146"] and ("nop_loop", "exact", False) in told[p + " inject=w146"])
       for p, verdict in (("intel-core2", "wrong"), ("intel-nehalem", "erratum"))),
   "counted twice where it is published is wrong; counted where it is not is as the erratum says", told)
STORES = boot(options="suite=events kernel=fences,cpuid,clflush_reload,movs_rep,push_pop reps=1 event=MEM_INST_RETIRED.STORES pmu=virtual:intel-nehalem")
told = {(c["kernel"], c["verdict"], c.get("text", "").split(" (")[0]) for c in checks(STORES) if c["event"] == "MEM_INST_RETIRED.STORES"}
rule = "by rule: CPUID, SFENCE, MFENCE, CLFLUSH and WRMSR count as stores"
ok(told == {(k, "exact", rule if k in ("fences", "cpuid", "clflush_reload") else "") for k in ("fences", "cpuid", "clflush_reload", "movs_rep", "push_pop")},
   "so is one of several quantities, some taken away", told)
DECODED = "pmu=virtual:intel-sandybridge suite=events reps=1 event=IDQ.MITE_UOPS,IDQ.DSB_UOPS kernel=decoded_* "
told = {name: {(c["event"], c["kernel"], c["verdict"]) for c in checks(boot(options=DECODED + name)) if c["verdict"] not in ("exact", "within")}
        for name in ("", "inject=decoded-cache-never-hits", "inject=decoded-cache-always-hits")}
equal(list(told.values()), [set(), {("IDQ.MITE_UOPS", "decoded_lines", "wrong"), ("IDQ.DSB_UOPS", "decoded_lines", "dead")},
                            {("IDQ.MITE_UOPS", "decoded_ring", "dead"), ("IDQ.DSB_UOPS", "decoded_ring", "wrong")}],
      "where micro-operations come from is judged from both sides")
MIXED = "pmu=virtual:intel-haswell suite=events reps=1 event=OTHER_ASSISTS.*_TO_* kernel=avx_sse_* "
told = {name: {(c["event"], c["kernel"]): c["verdict"] for c in checks(boot(cpu="max", options=MIXED + name)) if "_TO_" in c.get("event", "")}
        for name in ("", "inject=every-vector-transition")}
equal([set(t.values()) for t in told.values()], [{"exact"}, {"wrong"}], "transitions between AVX and SSE are exact, each way")
ok(len(told[""]) == 4, "both events on both kernels", sorted(told[""]))
# What has no cause in a kernel is 0 there (that a count of it is told shows tests/self/host/test_controls.c); what has is counted.
CAUSED = "pmu=virtual:intel-skylake suite=events reps=1 n=1 event=EPT.*,HLE_RETIRED.START,RTM_RETIRED.START,SQ_MISC.*,INST_RETIRED.NOP kernel="
told = {name: {(c["event"], c["verdict"]) for c in checks(boot(options=CAUSED + name))}
        for name in ("nop_loop,rtm_commit,locked_split", "nop_loop,rtm_commit,locked_split inject=event-filter")}
first, second = told.values()
equal({verdict for _, verdict in first}, {"exact"}, "guests' page walks, transactions and split locks are exact")
equal({(e, v) for e, v in second if v != "exact"}, {(e, "dead") for e in ("RTM_RETIRED.START", "SQ_MISC.SPLIT_LOCK", "INST_RETIRED.NOP")},
      "transactions and split locks that are not counted are told")
MICROCODED = "pmu=virtual:intel-lunarlake-e suite=events reps=1 n=1 event=MISC_RETIRED1.*E,MISC_RETIRED1.CL_INST kernel=fences,clflush_reload"
first, second = ({(c["event"], c["kernel"], c["verdict"]) for c in checks(boot(options=MICROCODED + more)) if c["event"].startswith("MISC")}
                 for more in ("", " inject=event-filter"))
MISC = {("MISC_RETIRED1." + e, k) for e in ("LFENCE", "CL_INST") for k in ("fences", "clflush_reload")}
equal(first, {(e, k, "exact") for e, k in MISC}, "fences and flushes are exact")
equal({(e, k) for e, k, v in second if v == "dead"}, {("MISC_RETIRED1.LFENCE", "fences"), ("MISC_RETIRED1.CL_INST", "clflush_reload")}, "and told where they are not counted")
r = boot(options="pmu=virtual:intel-icelake suite=identities kernel=calls,branches_not_taken,locked n=5 reps=2")
names = {name.split("/")[1] for name in verdict_table(r) or {}}
ok(r.status == 0 and {"conditional branches are taken or not", "locked loads are loads"} <= names,
   "equations between the core's own events hold", tail(r))
ok(not any("load operations" in name for name in names), "those of other cores' events are left out", sorted(names))
r = boot(options="pmu=virtual:intel-icelake suite=identities kernel=calls inject=neighbour-coupling")
ok(r.status == 1, "an equation that does not hold is told", tail(r))
UNION = "requests for data hit the second level or miss it"
tables = {p: verdict_table(boot(options="pmu=virtual:intel-%s suite=identities kernel=calls,branches_random n=3 reps=1 " % p + more)) or {}
          for p, more in (("haswell", ""), ("lunarlake-p", ""), ("skylake", "inject=neighbour-coupling"), ("broadwell", "inject=ring-leak"))}
verdicts = {p: {name.split("/")[1]: verdict for name, (verdict, _) in sorted(t.items())} for p, t in tables.items()}
ok(verdicts["haswell"].get(UNION) in ("exact", "within") and "executed conditional branches are taken or not" in verdicts["haswell"],
   "unit masks whose union is another's add up", sorted(verdicts["haswell"].items()))
RINGS = "core cycles: those of ring 0 and of rings 1 to 3 make all"
equal([verdicts[p].get(RINGS) for p in ("haswell", "broadwell")], ["exact", "wrong"], "cycles by ring add up, and where a counter sees both rings that is told")
ok(verdicts["lunarlake-p"] and UNION not in verdicts["lunarlake-p"], "those of another core whose union is not are left out", sorted(verdicts["lunarlake-p"]))
ok("wrong" in [v for name, (v, _) in tables["skylake"].items() if UNION in name or "demand on the second level" in name or "near calls" in name],
   "a sum that does not hold is told", sorted(verdicts["skylake"].items()))
r = boot(options=OPTIONS % "haswell" + "event=BR_INST_RETIRED.COND_TAKEN")
ok(r.status not in (0, 1) and any("COND_TAKEN matches none of" in line for line in r.text), "another core's event is not known", tail(r))
done()
