#!/usr/bin/python3
"""The suites that are not run by default: sound on every profile, the same in QEMU and in Bochs, and able to fail."""
import re

from boottest import boot, done, equal, few, ok, same_table, sound, tail, verdict_table

SUITES = "pmu=virtual:%s suite=identities,sweep,overhead reps=" + few("5", "20") + " kernel=empty,nop_loop,branches_taken,calls,load_op_store"
# Bochs is slow.
BRIEF = "pmu=virtual:intel-core2 suite=identities,sweep,overhead reps=%d kernel=nop_loop,calls,movs_rep%s" % few((2, ""), (5, ",loads,x87_arithmetic"))


def values(result, suite):
    return {v["name"]: v["value"] for v in (result.report or {"values": []})["values"]
            if v["suite"] == suite and (suite != "noise" or v["unit"].startswith("overcount"))}


for profile in few(("intel-skylake",), ("intel-core2", "intel-nehalem", "intel-skylake")):
    sound(boot(options=SUITES % profile), profile)
r = boot(options=SUITES % "intel-yonah")
sound(r, "intel-yonah")
ok(any(name.startswith("identities/") and verdict == "skipped" for name, (verdict, _) in (verdict_table(r) or {}).items()),
   "without a global enable no equation is tried", tail(r))
sound(boot(options="suite=events,identities,overhead"), "what the README asks for in one run")
# Every kernel in every ring that it runs in; all equations of all virtual CPUs are in `make soak`.
for profile, equations in (*few((), [("intel-core2", "*rings?add?up,instructions:?fixed*"), ("amd-zen4", "*rings?add?up")]), ("netburst-prescott", "instructions:*")):
    r = boot(options="pmu=virtual:%s suite=identities kernel=all n=1 reps=1 check=%s" % (profile, equations), timeout=300)
    sound(r, profile + ": equations on every kernel")
    seen = {name.split("/")[2] for name, (verdict, _) in (verdict_table(r) or {}).items() if name.startswith("identities/") and verdict == "exact"}
    ok(len(seen) > 170, "%s: on %d kernels" % (profile, len(seen)), tail(r))
brief = boot(options=BRIEF)
sound(brief, "on a few kernels")
r = boot(options="pmu=virtual:intel-core2 suite=events,identities,sweep event=INST_RETIRED.ANY kernel=sha,nop_loop reps=1 n=1")
equal(sorted((s["name"], c["text"]) for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if c["name"] == "sha"),
      [(suite, "the CPU lacks SHA") for suite in ("events", "identities", "sweep")], "a kernel that needs a missing feature is skipped with the reason")
EMULATED = "pmu=virtual:%s suite=events event=%s kernel=%s reps=1 n=1"
emulated = {"sha", "avx512_ps", "avx512_gather_scatter", "rtm_commit", "nmi_x2apic", "int1_ring0", "fault_ss_ring3", "fault_xm_ring0", "fault_ac"}
for profile, event in (("intel-tigerlake", "INST_RETIRED.ANY"), ("amd-zen4", "RETIRED_INSTRUCTIONS")):
    r = boot(options=EMULATED % (profile, event, ",".join(sorted(emulated))))
    sound(r, "what %s has and QEMU's CPU lacks is emulated" % profile)
    judged = {c["kernel"]: c["verdict"] for s in (r.report or {"suites": []})["suites"] if s["name"] == "events" for c in s["checks"] if "kernel" in c}
    equal({kernel for kernel, verdict in judged.items() if verdict in ("exact", "within")}, emulated, "with it each of the kernels is judged")
r = boot(options=EMULATED % ("intel-tigerlake", "INST_RETIRED.ANY", "sha,avx512_ps,nmi_x2apic,nop_loop") + " inject=cpuid:7:0:ebx:0+cpuid:1:0:ecx:0")
equal(sorted((c["name"], c["text"]) for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if c["verdict"] == "skipped" and "/" not in c["name"]),
      [("avx512_ps", "the CPU lacks AVX512F"), ("nmi_x2apic", "the local APIC is in xAPIC mode"), ("sha", "the CPU lacks SHA")],
      "where the virtual CPU does not have it, it is not")
same_table(boot(emulator="bochs", options=BRIEF), brief, "Bochs gives the same counts")

r = boot(options="pmu=virtual:intel-core2 suite=noise" + few(" n=2", ""))  # measuring.t has a hundred interrupts
sound(r, "noise")
slopes = values(r, "noise")
equal(sorted(set(slopes.values())), ["+0"], "nothing is counted besides what happens, per interrupt")
r = boot(options="pmu=virtual suite=noise inject=srf7 event=INST_RETIRED.ANY_P")
slopes = values(r, "noise")
equal((slopes.get("INST_RETIRED.ANY_P per software interrupt, ring 0, OS+USR"),
       slopes.get("INST_RETIRED.ANY_P per invalid opcode, ring 0, OS+USR")), ("+2", "+0"),
      "an instruction more for INT and for IRET, both in one ring, is more than two ways can count; IRET alone is a fact")
equal([f["name"] for f in (r.report or {"facts": []})["facts"] if f["suite"] == "attribution"],
      ["INT n, SYSCALL from ring 3", "faults, interrupts from ring 3"], "of which there is one for calls and one for deliveries")
r = boot(options="pmu=virtual suite=sweep kernel=nop_loop,calls inject=rdpmc-wrong-index")
table = verdict_table(r) or {}
ok(table and all((verdict in ("wrong", "noisy")) == (name.startswith("sweep/bracket/") or "/share/difference of two readings/" in name)
             for name, (verdict, _) in table.items()),
   "a wrong RDPMC makes the brackets differ, and only them, and their shares", tail(r))

STRINGS = "suite=strings event=INST_RETIRED.ANY_P,BR_INST_RETIRED.ALL_BRANCHES "
for options in (*few((), ("pmu=virtual:amd-zen2 suite=strings event=*INSTR* kernel=rep_lods*",)),
                "pmu=virtual:netburst-northwood suite=strings kernel=rep_stos* event=" + few("instr_retired:NBOGUSNTAG,memory_complete*", "instr_retired*,memory*"),
                "pmu=virtual:intel-skylake verbose=1 kernel=repe_cmpsw* " + STRINGS):
    r = boot(options=options)
    sound(r, "string instructions, step by step: " + options.split()[0])
equal({v for n, v in values(r, "strings").items() if " of rep" in n}, {"0-256: 6", "0-256: 1"}, "six instructions a turn, and one branch, whatever the count, direction and alignment")
r = boot(options="pmu=virtual:intel-skylake inject=skl91 " + STRINGS)
table = {name: verdict for name, (verdict, _) in (verdict_table(r) or {}).items() if re.match(r"strings/.*/(INST|BR)_", name)}
FAST = re.compile(r"rep_(movs|stos)|rep (movs|stos)")
equal({verdict for name, verdict in table.items() if FAST.search(name)}, {"wrong"}, "REP MOVS and REP STOS counted twice are told for every size")
equal({verdict for name, verdict in table.items() if not FAST.search(name)}, {"exact"}, "and no others")
equal({v for n, v in values(r, "strings").items() if FAST.search(n)}, {"0: 6; 1-33: 7", "0: 1; 1-33: 2"},
      "its rule is found: an instruction and a branch more unless there are no elements")
r = boot(options="pmu=virtual:intel-skylake suite=strings inject=noisy-branches event=BR_INST_RETIRED.ALL_BRANCHES kernel=rep_movsb* reps=3")
equal([v for n, v in values(r, "strings").items() if n.startswith("BR")], ["no rule"], "where counts are not steady, it says so")


def deviations(result, event):
    """Forms of instructions that an event counts wrongly, and by how much."""
    return {n[len(event) + 2:]: v for n, v in values(result, "opcodes").items() if n.startswith(event + ": ")}


for options in (few("intel-skylake event=INST_RETIRED.ANY_P,BR_INST_RETIRED.ALL_BRANCHES", "intel-skylake"), "amd-zen3 event=RETIRED_INSTRUCTIONS,*CONDITIONAL*", "netburst-prescott event=" + few("instr_retired:NBOGUSNTAG", "instr_retired*,instr_completed*"),
                "intel-goldmontplus n=2 reps=2 inject=silicon-rules event=INST_RETIRED.ANY"):
    r = boot(options="suite=opcodes pmu=virtual:" + options)
    sound(r, "every class of instructions, one by one: " + options)
    forms = {name: o[0][0] for name, (verdict, o) in (verdict_table(r) or {}).items() if name.startswith("opcodes/") and verdict == "exact" and o}
    ok(forms and min(forms.values()) > 180, "each of the events is judged by most of them: %r" % forms, tail(r))
    ok(int(values(r, "opcodes").get("refused by #UD", 0)) > 100, "those that the CPU lacks are left out, and counted", values(r, "opcodes"))
TWICE = {"d9 /5 mem": "+1", "d9 /4 mem": "+1", "66 d9 /4 mem": "+1", "dd /4 mem": "+1", "66 dd /4 mem": "+1"}
for emulator in few(("qemu",), ("qemu", "bochs")):
    r = boot(emulator=emulator, options="pmu=virtual:intel-skylake suite=opcodes inject=x87-control-twice event=INST_RETIRED.ANY,BR_INST_RETIRED.ALL_BRANCHES")
    equal(deviations(r, "INST_RETIRED.ANY"), TWICE, emulator + ": FLDCW, FLDENV and FRSTOR counted twice are found, and nothing else")
    equal({name: verdict for name, (verdict, _) in (verdict_table(r) or {}).items() if name.startswith("opcodes/")},
          {"opcodes/INST_RETIRED.ANY": "wrong", "opcodes/BR_INST_RETIRED.ALL_BRANCHES": "exact"}, "as instructions, and not as branches")
if few(False, True):
    r = boot(options="pmu=virtual:intel-skylake suite=opcodes inject=ring-leak event=INST_RETIRED.ANY_P")
    equal(sorted(deviations(r, "INST_RETIRED.ANY_P")), [], "what is wrong without an instruction is no instruction's fault")
    ok(any("/share/around ring 3/" in name and verdict == "biased" for name, (verdict, _) in (verdict_table(r) or {}).items()), "it is the window's", tail(r))
    r = boot(options="pmu=virtual:intel-skylake suite=opcodes inject=noisy-branches event=BR_INST_RETIRED.ALL_BRANCHES reps=3")
    equal((verdict_table(r) or {}).get("opcodes/BR_INST_RETIRED.ALL_BRANCHES", ("",))[0], "noisy", "counts that differ from run to run are told for that")
    ok("unsteady" in deviations(r, "BR_INST_RETIRED.ALL_BRANCHES").values(), "and so are the forms", tail(r))
done()
