#!/usr/bin/python3
"""The image for CPUs without 64-bit mode, without firmware in QEMU and in Bochs, beside the image of 64 bits, and from the stick."""
from boottest import boot, done, equal, few, ok, sound, tail, valid, verdict_table

OPTIONS = ("pmu=virtual:netburst-willamette suite=control,events kernel=nop_loop,calls,branches_taken,forward_blocked event=instr_retired:*,branch_retired:* "
           "check=wrap*,PEBS*,branch?trace*,ground*,RDPMC*,replay*,instr*,branch_r* reps=1")
# Bochs is slow: few counters, and one kernel. The step engine as a whole.
FEW = "pmu=virtual:intel-core2 suite=step,events kernel=nop_loop event=INST_RETIRED.*,BR_INST_RETIRED.* reps=1"
NO_SSE2 = "this CPU has no SSE2; use a Pentium 4, a Core or later"


def verdicts(report):
    """{suite/check: verdict} of what is judged."""
    return {(suite["name"], check["name"]): check["verdict"] for suite in (report or {"suites": []})["suites"] for check in suite["checks"]}


r, wide = boot(options=OPTIONS, cpu="coreduo", direct="direct32.bin"), boot(options=OPTIONS)
sound(r, "QEMU's Core Duo")
valid(r.report, "its report keeps to the schema of IA-32")
equal(r.report and r.report["isa"], "ia32", "it says for which instruction set it was made")
here, there = verdicts(r.report), verdicts(wide.report)
both = [name for name in there if name in here]
ok(len(both) > 60 and len(both) * 10 >= len(there) * 9, "it judges nearly all that the image of 64 bits does",
   ["%d of %d" % (len(both), len(there)), *map(str, sorted(set(there) - set(here))[:10])])
equal({name: here[name] for name in both if here[name] != there[name]}, {}, "with the same verdicts")
equal([line for line in r.lines if line.startswith("unexpected ")], [], "no window's start or end faults")

# Under its own tables, on two processors: faults that find no stack come by a task, NMIs on a stack of their own.
r = boot(options="pmu=virtual suite=machine cpus=0,2", cpu="coreduo", cpus=(2, 2), direct="direct32.bin", timeout=240)
sound(r, "the machine under our own tables, on each of two processors")
valid(r.report, "the report keeps to the schema")
NAMES = ("pages/stack overflow ends as #DF on its own stack", "vectors/NMI, #MC, #DB and #DF have stacks of their own", "dump/says what a reader needs",
         "others/all work at once, each by itself", "second/a write that is refused")
for number in (0, 2):
    table = verdict_table(r, number) or {}
    equal([table.get("machine/" + name, ["not there"])[0] for name in NAMES], ["exact"] * 5,
          "stacks of its own, a dump, and other processors that tell what they refuse, on processor %d" % number)
alike = {name: seen[0] for name, seen in (verdict_table(r, 2) or {}).items() if name.startswith("machine/alike/")}
ok(len(alike) == 4 and set(alike.values()) == {"exact"}, "the second one's registers are those of the first", repr(alike))

# Kernels that the other witnesses cannot run: each by single steps against its signature.
r = boot(options="pmu=virtual suite=truth kernel=int_*,int3_*,int1_*,fault_*,sysenter,hlt_*,mwait_*,nmi_* n=2", cpu="coreduo", direct="direct32.bin")
sound(r, "kernels of faults and interrupts are what they declare")
ok(r.counts and r.counts["exact"] > 300 and not r.counts["skipped"], "each of them", tail(r))

# Every instruction of ring 3, of which five are counted twice.
OPCODES = "pmu=virtual:intel-core2 suite=step,opcodes inject=x87-control-twice event=INST_RETIRED.ANY,BR_INST_RETIRED.ALL_BRANCHES"
TWICE = ["66 d9 /4 mem", "66 dd /4 mem", "d9 /4 mem", "d9 /5 mem", "dd /4 mem"]
for name, where in (("QEMU", dict(cpu="coreduo")), *few((), (("Bochs", dict(emulator="bochs", cpu="p4_willamette", timeout=240)),))):
    r = boot(options=OPCODES, direct="direct32.bin", **where)
    told = verdicts(r.report)
    equal((len([check for suite, check in told if suite == "step"]), {pair: verdict for pair, verdict in told.items() if verdict != "exact"}),
          (121, {("opcodes", "INST_RETIRED.ANY"): "wrong"}), name + ": the step engine, and opcodes with a counter that errs")
    values = {v["name"]: v["value"] for v in (r.report or {"values": []})["values"] if v["suite"] == "opcodes"}
    equal(sorted(n.partition(": ")[2] for n in values if n.startswith("INST_RETIRED.ANY: ")), TWICE, name + ": which instructions it counts twice")
    ok(int(values.get("judged", 0)) > 170, name + ": most of the forms run", repr(values))

EACH = "pmu=virtual suite=control check=*gating* cpus=all"
alone = boot(options=EACH, cpu="coreduo", direct="direct32.bin")
r = boot(options=EACH, cpu="coreduo", cpus=8, direct="direct32.bin")
sound(r, "each of eight processors")
equal([n for n in range(8) if not verdict_table(r, n) or {name: seen[0] for name, seen in verdict_table(r, n).items()} !=
       {name: seen[0] for name, seen in (verdict_table(alone) or {}).items()}], [], "has the verdicts of one alone")

for options in few((), ("pmu=virtual:netburst-willamette", "pmu=virtual")):
    sound(boot(options=options, cpu="coreduo", direct="direct32.bin", timeout=3600), "all that a run has by default, " + options)
for options in few((), ("pmu=virtual suite=machine",)):
    sound(boot(options=options, emulator="bochs", cpu="p4_willamette", direct="direct32.bin", timeout=600), "Bochs's Willamette under our own tables")
sticks = []
for name, where in (("Core Duo in QEMU", dict(cpu="coreduo")), ("Willamette in Bochs", dict(emulator="bochs", cpu="p4_willamette", timeout=240))):
    r = boot("bios", options=FEW, **where)
    sound(r, "the stick under a BIOS, with " + name)
    equal((r.report and r.report["isa"], r.text[-1:]), ("ia32", ["report: in \\assay\\bios.txt; scripts/serial-report takes it from there"]),
          "which writes the report to the stick")
    sticks.append(verdicts(r.report))
equal(sticks[0], sticks[1], "and gives the same verdicts")

r = boot(options=OPTIONS, cpu="pentium3", direct="direct32.bin", timeout=30)
equal((r.verdict, r.status), ("could not run: " + NO_SSE2, 2), "a CPU without SSE2 is refused in one line")
ok(len([line for line in r.lines if "could not run" in line]) == 1, "which is the only one", tail(r))
done()
