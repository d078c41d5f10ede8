#!/usr/bin/python3
"""Virtual CPUs on which deliveries and returns count otherwise than the manual has it: as much is judged as on others, right rows are exact, the
deviation is a fact and told once, and a real fault beside it is still told."""
import re

from boottest import boot, done, equal, few, ok, tail

RETURN, CALL, INSTRUCTION, FAR = "return-in-new-level", "call-in-new-level", "delivery-instruction", "delivery-far-branch"
ALL = "+".join((RETURN, CALL, INSTRUCTION, FAR))
KERNELS = "kernel=nop_loop,int_ring3,syscall,fault_gp_ring3,nmi_xapic" + few("", ",fault_de_ring0,ipi_xapic")
# On each CPU: the options, and a fault that an equation or a row must tell there.
CPUS = {
    "intel-skylake": ("suite=events,identities event=INST_RETIRED*,BR_INST_RETIRED.ALL*,BR_INST_RETIRED.FAR*", "ring-leak"),
    "intel-core2": ("suite=events,identities event=INST_RETIRED*,BR_INST_RETIRED.ALL*", "dropped-carry"),
    "amd-zen3": ("suite=events event=RETIRED_INSTRUCTIONS,RETIRED_BRANCH_INSTRUCTIONS,RETIRED_TAKEN*,RETIRED_FAR*", "overcount-x16"),
    "netburst-prescott": ("suite=events event=instr_retired:NBOGUSNTAG,instr_completed:NBOGUS,branch_retired:MMTP", "ring-leak"),
}
FOUR = r"(instructions|instructions on the fixed counter|branches|far branches|instructions that load)"
LIST = FOUR + "(, " + FOUR + ")*"
FACTS = {
    RETURN: ("INT n, SYSCALL.*, faults, interrupts from ring 3", LIST + r": \+1 in ring 3, -1 in ring 0(; branches: \+1 in ring 3)?"),
    CALL: ("INT n, SYSCALL.* from ring 3", LIST + r": -1 in ring 3, \+1 in ring 0(; branches: -1 in ring 3)?"),
    INSTRUCTION: ("faults, interrupts from ring 3", r"instructions(, instructions on the fixed counter)?: \+1 in ring 3, \+0 in ring 0"),
    FAR: ("faults, interrupts from ring 3", r"branches(, far branches)?: \+1 in ring 3(, \+0 in ring 0)?"),
}


def judged(result):
    """{check: verdict} but for what was not judged, and the facts."""
    report = result.report or {"suites": [], "facts": []}
    return ({s["name"] + "/" + c["name"]: c["verdict"] for s in report["suites"] for c in s["checks"] if c["verdict"] != "skipped"},
            [(f["suite"] + "/" + f["name"], f["text"].split(": ", 1)[-1]) for f in report["facts"]])


def run(cpu, inject=""):
    return boot(options="pmu=virtual:%s %s %s n=2 reps=1%s" % (cpu, CPUS[cpu][0], KERNELS, inject and " inject=" + inject), timeout=300)


# Samples lie on a path whose steps count by the same rule, and an interrupt counts in the period behind it.
SAMPLED = {"intel-skylake": ("INST_RETIRED.ANY_P,BR_INST_RETIRED.ALL_BRANCHES_PEBS kernel=" + few("mix", "loads,mix"), "pebs-late"),
           "amd-zen3": ("RETIRED_INSTRUCTIONS" + few(" kernel=mix", ""), "late-pmi")}
# Which premises go alone: what a family measures and tells is its own, how that is taken into account is not.
ALONE = {"intel-skylake": set(FACTS), "intel-core2": few((), set(FACTS)), "amd-zen3": few((FAR,), set(FACTS)),
         "netburst-prescott": few((CALL,), set(FACTS))}
for cpu, (events, fault) in SAMPLED.items():
    usual, contrary, faulty = (judged(boot(options="pmu=virtual:%s suite=sampling event=%s%s" % (cpu, events, inject), timeout=300))[0]
                               for inject in ("", " inject=" + ALL, " inject=" + RETURN + "+" + fault))
    ok(len(usual) >= 5 and set(usual.values()) <= {"exact", "within"}, "%s: %d samplings" % (cpu, len(usual)), ["%s: %s" % item for item in sorted(usual.items())[:5]])
    equal(contrary, usual, "%s, all together: samples are judged as on a plain one" % cpu)
    ok({"wrong"} <= set(faulty.values()), "%s, %s beside %s: the fault is told by samples" % (cpu, fault, RETURN), ["%s: %s" % item for item in sorted(faulty.items())[:5]])
# SYSRET otherwise than IRET: kernels of one of them are judged, those that meet both are skipped and say why.
both = boot(options="pmu=virtual:intel-skylake suite=sampling kernel=loads,syscall event=INST_RETIRED.ANY_P,INST_RETIRED.PREC_DIST inject=fast-return-in-new-level")
checks = [c for s in (both.report or {"suites": []})["suites"] for c in s["checks"] if c.get("level") == "ring 3" and "no threshold" not in c["name"]]
found = {(c["kernel"], c["verdict"], c.get("text")) for c in checks if c.get("kernel")}
ok(both.status == 0 and found == {("loads", "exact", None), ("mix", "exact", None), ("syscall", "skipped", "what round trips count on this CPU follows no rule")},
   "a path that follows no rule is skipped and says so, others are judged", [str(found)] + tail(both))
for cpu, (options, fault) in CPUS.items():
    if cpu == few("intel-core2", None):  # of the family and the rules of Skylake
        continue
    plain = run(cpu)
    usual, facts = judged(plain)
    equal((plain.status, facts), (0, []), "%s: a plain one has no such fact" % cpu)
    trips = [name for name in usual if re.search("int_ring3|syscall|fault|ipi|nmi", name)]
    ok(len(trips) >= few(12, 20), "%s: %d rows of %d rest on it" % (cpu, len(trips), len(usual)), tail(plain))
    for premise, (kinds, numbers) in FACTS.items():
        if premise not in ALONE[cpu]:
            continue
        r = run(cpu, premise)
        seen, facts = judged(r)
        equal(seen, usual, "%s, %s: each row has the verdict that it has on a plain one" % (cpu, premise))
        ok(len(facts) == 1 and re.fullmatch("attribution/" + kinds, facts[0][0]) and re.fullmatch(numbers, facts[0][1]),
           "%s, %s: it is one fact: %s" % (cpu, premise, facts), tail(r))
    r = run(cpu, ALL)
    seen, facts = judged(r)
    equal(seen, usual, "%s, all together: each row has the verdict that it has on a plain one" % cpu)
    ok(facts and len(facts) == len(set(facts)) and all(name.startswith("attribution/") for name, _ in facts), "%s, all together: facts, each once: %s" % (cpu, facts))
    r = run(cpu, RETURN + "+" + fault)
    seen, facts = judged(r)
    ok(r.status == 1 and any(v in ("wrong", "biased") for v in seen.values()), "%s, %s beside %s: the fault is told" % (cpu, fault, RETURN), tail(r))
done()
