#!/usr/bin/python3
"""Which PMU is judged: none at all, a dead one, one that is asked for by name, a virtual one with a chosen profile."""
from boottest import boot, complains, done, equal, few, ok, sound, tail

LABEL = "virtual PMU (model %s), not silicon"
# Which PMU it is shows each check; all of them have boots of their own in other tests.
SOME = few(" check=wrap/*,access/*", "")

r = boot(options="pmu=auto suite=control")
sound(r, "QEMU has no PMU: the virtual one is judged")
ok(any(LABEL % "intel-core2" in line for line in r.text), "and named as what it is", tail(r, 30))
equal([p["virtual"] for p in r.report["pmus"]] if r.report else None, [True], "in the report too")
ok(r.debugged > 0, "which comes through the emulator's port E9H")

r = boot(emulator="bochs", cpu="corei7_skylake_x", options="pmu=auto suite=control" + SOME)
equal(r.status, 1, "Bochs's corei7_skylake_x advertises a PMU that never ticks: something is wrong")
equal(r.counts and r.counts["dead"], 1, "it is reported dead, once")
equal([p["virtual"] for p in r.report["pmus"]] if r.report else None, [False, True], "then the virtual one is judged")
ok(r.counts and all(r.counts[v] == 0 for v in ("biased", "noisy", "wrong", "error")) and r.counts["exact"] > 10, "which is sound", tail(r))
ok(r.report and r.report["snapshots"], "its registers were read before anything was touched")

# Without a hypervisor's CPUID leaves and a debug port that answers it is taken for hardware: no virtual PMU passes for its own, and no emulator's
# port is written, so that it does not end by itself.
r = boot(cpu="qemu64,-hypervisor", extra=["-global", "isa-debugcon.readback=255"], options="pmu=auto suite=control kernel=empty report=e9",
         timeout=4, until_exit=True, steady=False)  # halted, it takes no time
why = [line for line in r.lines if "could not run" in line]
ok(why and "this CPU has no PMU that a driver knows (intel: " in why[0] and "pmu=virtual judges a virtual one" in why[0],
   "hardware without a PMU that is known: nothing is judged", tail(r))
equal((r.exit_status, r.debugged), (None, 0), "and the emulator's ports are left alone: it halts, and no byte of a report goes to port E9H")
for cpu in ("max", "EPYC", "Opteron_G3", "core2duo"):
    r = boot(cpu=cpu, options="suite=control kernel=empty" + SOME)
    sound(r, cpu + " has none either, whatever its vendor's CPUs have")
    equal([p["virtual"] for p in r.report["pmus"]] if r.report else None, [True], "only the virtual one is in the report")
r = boot(emulator="bochs", cpu="bx_generic", options="suite=control kernel=empty" + SOME)
sound(r, "Bochs's bx_generic has none: no CPUID bit promises AMD's legacy counters, and their selectors keep nothing")
equal([p["virtual"] for p in r.report["pmus"]] if r.report else None, [True], "only the virtual one is in the report")
complains(boot(options="pmu=intel suite=control"), "intel", "pmu=intel where there is none")
complains(boot(options="pmu=virtual:none"), "no such profile; there are intel-yonah, .*amd-zen5[^.]*$", "an unknown profile: all are named, in one line")
complains(boot(emulator="bochs", cpu="corei7_skylake_x", options="pmu=intel suite=control inject=dropped-carry"), "pmu=virtual",
          "an injection into a PMU that is no model")
complains(boot(options="pmu=netburst suite=control"), "not of Intel's family 0FH", "pmu=netburst on another CPU")
complains(boot(options="pmu=force:intel suite=control"), "cannot be forced", "pmu=force:intel")
r = boot(emulator="bochs", cpu="corei7_haswell_4770", ignore_bad_msrs=0, options="pmu=force:netburst suite=control check=access/*")
equal(r.status, 1, "pmu=force:netburst on another CPU, whose registers fault")
found = {c["name"]: (c["verdict"], c.get("text", "")) for s in (r.report or {"suites": []})["suites"] for c in s["checks"]}
ok("BPU_CCCR0 raised #GP" in found.get("all counters", ("", ""))[1], "the register that faults first is named", repr(found.get("all counters")))
ok(len([n for n, c in found.items() if c == ("wrong", "raises #GP and must not")]) >= 15, "so are others that fault", repr(found))
ok(r.report and not any(e.get("value") for e in r.report["snapshots"][0]["registers"] if "_ESCR" in e["name"]), "at hand-over none of its selectors could be read",
   tail(r))
# CPUID that makes no sense: the counters that it is about are left out, in one line, and the run goes on with the others.
for profile, lie, said, first in (("intel-icelake", "0a:0:eax:07ff0805", "general counters of 255 bits", "FIXED_CTR0"),
                                  ("intel-icelake", "0a:0:eax:0830ff05", "255 general counters", "FIXED_CTR0"),
                                  ("intel-icelake", "0a:0:edx:00009fe4", "fixed counters of 255 bits", "PMC0"),
                                  ("intel-haswell", "0a:0:eax:07300803", "registers of PMC4 raise #GP", "PMC0"),
                                  ("amd-zen4", "80000022:0:ebx:8410f", "registers of PERF_CTR6 raise #GP", "PERF_CTR0"),
                                  ("amd-zen4", "80000022:0:ebx:0", "PerfMonV2 with no core counter", "PERF_CTR0")):
    r = boot(options="pmu=virtual:%s suite=control kernel=nop_loop inject=cpuid:%s" % (profile, lie))
    sound(r, "%s, %s" % (profile, said))
    equal([said in note for note in (r.report or {"notes": []})["notes"] if "CPUID" in note], [True], "it is said in one line")
    equal([c["name"] for p in (r.report or {"pmus": []})["pmus"] for c in p["counters"]][:1], [first], "the other counters are judged")
complains(boot(options="pmu=virtual:intel-core2 suite=control inject=cpuid:0a:0:eax:0"), "version 0", "CPUID that tells of no PMU")
complains(boot(options="pmu=virtual:intel-core2 inject=cpuid:0a:eax:0"), "cpuid:LEAF:SUBLEAF:REGISTER:VALUE", "an answer of CPUID that is none")
for profile in ("intel-core2", "intel-yonah", "intel-nehalem"):
    r = boot(options="pmu=virtual:%s suite=control" % profile + SOME)
    sound(r, profile)
    ok(any(LABEL % profile in line for line in r.text), profile + " is named", tail(r, 30))
# A PMU that has no counters is judged by what it records.
OPTIONS = "pmu=virtual:intel-skylake suite=control,events,sampling,trace kernel=calls inject=no-counters"
r = boot(options=OPTIONS)
sound(r, "a PMU that only records")
verdicts = [c["verdict"] for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if s["name"] == "trace"]
ok(verdicts.count("exact") > 20, "its branches are judged (%d checks)" % verdicts.count("exact"), tail(r))
equal([p["counters"] for p in r.report["pmus"]] if r.report else None, [[]], "the report has it, without counters")
ok(any("no counters: what it records is judged: " in note and "LBR" in note.upper() for note in (r.report or {"notes": []})["notes"]), "a note says so", tail(r))
r = boot(options=OPTIONS + "+lbr-lost")
ok(r.counts and r.counts["wrong"] > 0, "a branch that it does not record is told", tail(r))
done()
