#!/usr/bin/python3
"""Under a hypervisor: CPUID's leaves of it are reported, and what a virtual PMU lacks without having promised it is skipped."""
from boottest import boot, done, equal, few, ok, sound, tail, valid, verdict_table

TCG = ["TCGTCGTCGTCG, CPUID leaves 40000000H to 40000001H"]
# QEMU can be told to say nothing, and to say no name.
for options, guest, hypervisors in (
        ("", True, TCG), (",hypervisor=off", False, []), (",tcg-cpuid=off", True, [])):
    r = boot(cpu="qemu64" + options, options="suite=none")
    sound(r, "qemu64" + options)
    machine = r.report["machine"] if r.report else {}
    blocks = [pair["value"] for pair in machine.get("identity", []) if pair["name"].startswith("hypervisor")]
    equal([machine.get("guest"), machine.get("hypervisor"), blocks], [guest, "TCGTCGTCGTCG" if hypervisors else None, hypervisors],
          "qemu64" + options + ": the report")
    valid(r.report, "qemu64" + options + ": it keeps to the schema")
    equal([line for line in r.text if line.startswith("hypervisor: ")],
          ["hypervisor: " + TCG[0]] if hypervisors else
          ["hypervisor: there is one, and it gives no name"] if guest else [], "qemu64" + options + ": the text")

# A virtual machine that a model plays: the same deviation is excused there and wrong on bare metal.
RUN = "pmu=virtual:%s suite=control,events inject=no-pmi+event-filter kernel=calls" + few("", ",nop_loop")
r = boot(options=RUN % "amd-zen4-guest")
sound(r, "a guest without overflow interrupts and with an event filter")
table = [(name, c) for s in (r.report or {"suites": []})["suites"] for name, c in ((c["name"], c) for c in s["checks"])]
excused = [c for _, c in table if c["verdict"] == "skipped" and "the hypervisor KVMKVMKVM does not provide" in c.get("text", "")]
ok(any("overflow interrupts" in c["text"] for c in excused), "interrupts are skipped, with the reason", tail(r))
ok(any("this event" in c["text"] for c in excused), "so are events, with the reason", tail(r))
ok(not any(c.get("event") == "RETIRED_INSTRUCTIONS" and c["verdict"] == "skipped" and "this event" in c.get("text", "") for _, c in table),
   "but not what counts")
r = boot(options=RUN % "amd-zen4")
equal(r.status, 1, "the same on bare metal is something wrong")
ok(r.counts and r.counts["dead"] and r.counts["wrong"], "dead events, missing interrupts", tail(r))
# A register that came late to KVM's PerfMonV2.
RUN = "pmu=virtual:%s suite=control kernel=nop_loop check=status* inject=no-status-set"
r = boot(options=RUN % "amd-zen4-guest")
sound(r, "a guest whose overflow status cannot be set")
lacks = [c["name"] for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if "does not provide the register that sets the overflow status" in c.get("text", "")]
equal(len(lacks), 2, "what needs that is skipped, with the reason: %s" % ", ".join(lacks))
equal(boot(options=RUN % "amd-zen4").status, 1, "on bare metal it is wrong")
# The same of Intel's, where the hypervisor answers for registers that it does not have.
SUITES = "suite=control,trace,sampling,overhead kernel=nop_loop,calls"
RUN = "pmu=virtual:%s %s inject=%s"
for injected, least in (("absent-zero", 5), ("absent-zero+no-pmi+event-filter", 15)):
    r = boot(options=RUN % ("intel-icelake-guest", SUITES, injected))
    sound(r, "Intel's guest, " + injected)
    skipped = [c.get("text", "") for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if c["verdict"] == "skipped"]
    ok(len([t for t in skipped if "hypervisor" in t]) >= least, "what it lacks is skipped, with the hypervisor's part in it", skipped)
    ok(any("answers for what does not exist" in t for t in skipped), "so are registers that there are not", skipped)
    if "no-pmi" not in injected:
        ok(any("freezing on an interrupt" in t for t in skipped), "so is the freeze", skipped)
    ok(any("last-branch registers keep nothing" in t for t in skipped), "so is a stack that keeps nothing", skipped)
    ok(r.report and any("does not pass on MSR 1A6H" in note for note in r.report["notes"]), "offcore events are left out, and a note says so", tail(r))
EVENTS = "suite=events kernel=calls event=BR_* n=1 reps=1"
r = boot(options=RUN % ("intel-icelake-guest", EVENTS, "event-filter"))
sound(r, "Intel's guest with an event filter")
ok(any("does not provide this event" in c.get("text", "") for s in (r.report or {"suites": []})["suites"] for c in s["checks"]), "filtered events are skipped", tail(r))
ok((boot(options=RUN % ("intel-icelake", EVENTS, "event-filter")).counts or {}).get("dead"), "on bare metal they are dead")
r = boot(options=RUN % ("intel-icelake", "suite=control check=access/*", "absent-zero"))
equal(sorted(c["name"] for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if c["verdict"] == "wrong"),
      ["access/RDPMC of index 10000000H", "access/RDPMC of the fixed counter after the last", "access/read IA32_PMC_GP0_CTR before version 6",
       "access/read the reload mask of a counter that has none"], "on bare metal each register that there is not and that answers is wrong")
# What hypervisors are known to do otherwise than silicon: reserved bits of a fixed counter are dropped, the LVT entry's mask bit stays, and the
# write that starts counting is counted by what it starts.
KNOWN = "inject=start-emulated+lvt-stays suite=control kernel=nop_loop check="
r = boot(options="pmu=virtual:intel-icelake-guest " + KNOWN + "access/write?the?first*,LVT*,start*,enable*,overflow*")
sound(r, "a guest whose hypervisor does what KVM has done")
checks = [c for s in (r.report or {"suites": []})["suites"] for c in s["checks"]]
for name, reason in (("access/write the first IA32_FIXED_CTRx, above its width", "takes it, where silicon raises #GP"),
                     ("LVT mask on delivery/PMC0", "does not provide what the interrupt controller makes of the mask bit")):
    ok(any(c["name"] == name and c["verdict"] == "skipped" and reason in c["text"] for c in checks), name + ": skipped, with the reason", tail(r))
ok(any(c["name"] == "enable gating/PMC0" and c["verdict"] == "exact" for c in checks), "counting is exact, with the start known", tail(r))
RUN = "pmu=virtual:%s suite=control,identities,skid kernel=nop_loop check=filter*,threshold*,instr* inject=start-emulated"
g = boot(options=RUN % "intel-icelake-guest")
sound(g, "and so it is with filters, and in equations")
equal(boot(options=RUN.replace(",skid", few("", ",skid")) % "intel-icelake").status, 1, "which are wrong on bare metal")
ok(any("counts the write that starts it" in f["text"] and "the hypervisor may carry out" in f["text"] for f in (g.report or {}).get("facts", [])), "which is said", tail(g))
r = boot(options="pmu=virtual:intel-icelake inject=lvt-stays+reserved-accepted suite=control kernel=nop_loop check=access/write?the?first*,LVT?mask?on*")
equal(sorted({c["name"] for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if c["verdict"] == "wrong"}),
      ["LVT mask on delivery/%s" % c for c in ["FIXED_CTR%d" % i for i in range(4)] + ["PMC%d" % i for i in range(8)]] +
      ["access/write the first IA32_FIXED_CTRx, above its width"], "on bare metal the first two are wrong")
r = boot(options="pmu=virtual:intel-icelake inject=start-emulated suite=control kernel=nop_loop check=enable*")
ok(r.status == 0 and any("counts the write that starts it" in f["text"] for f in r.report["facts"]), "and the third is a fact, as on any CPU", tail(r))
# Instructions that a hypervisor carries out and does not count, of which each kind is tried by itself; on bare metal nothing is excused.
def all_checks(result):
    return [dict(c, suite=s["name"]) for s in (result.report or {"suites": []})["suites"] for c in s["checks"]]


EXITS = "check=RDPMC*,*instr* n=3 reps=2 kernel=cpuid,ports"
for machine, more, faults in (
        ("intel-icelake", "suite=control,events," + few("overhead", "sweep,noise,overhead") + " event=INST*,BR*", ("exits-uncounted",)),
        ("intel-icelake", "suite=identities", ("exits-emulated",)),
        ("amd-zen4", "suite=events,overhead event=RETIRED_I*,RETIRED_CPUID*,LS_DISPATCH.LD*", ("exits-emulated",)),
        ("netburst-prescott", "suite=identities,overhead", ("exits-vary",))):
    for fault in faults:
        run = "pmu=virtual:%s inject=%s " + EXITS + " " + more
        lost = fault != "exits-emulated"
        r = boot(options=run % (machine + "-guest", fault))
        sound(r, "%s in a guest of %s" % (fault, machine))
        texts = [c.get("text", "") for c in all_checks(r) if c["verdict"] == "skipped" and not c["name"].startswith("exits/")]
        tried = {c["name"]: (c["verdict"], c.get("text", "")) for c in all_checks(r) if c["name"].startswith("exits/")}
        ok(tried.get("exits/CPUID/cpuid", ("",))[0] == ("skipped" if lost else "exact"), "the ladder tells whether CPUID is counted", tried)
        equal(len([t for v, t in tried.values() if v == "skipped" and "carries out, and does not count, " in t]), len(tried) if lost else 0, "and so of each kind")
        if lost:
            ok(any("carries out, and does not count, " in t for t in texts), "what contains one is skipped, with the reason", texts[:9])
        else:
            ok(any("may carry out, and this event not count, CPUID" in t for t in texts), "so are events that count something else of it, or by a filter", texts[:9])
        r = boot(options=run % (machine, fault))
        ok(not any(c["name"].startswith("exits/") for c in all_checks(r)), "on bare metal nothing is tried", tail(r))
        found = {c["suite"] + ": " + c["name"] for c in all_checks(r) if c["verdict"] in ("wrong", "biased", "noisy", "dead")}
        ok(found, "and what is missing, or too much, is wrong", tail(r))
# VMware's counts what it executes itself, of all but instructions and branches or of all; another one's name excuses nothing.
VMWARE = "cpuid:40000000:0:ebx:61774d56+cpuid:40000000:0:ecx:4d566572+cpuid:40000000:0:edx:65726177"
ADDED = "the hypervisor VMwareVMware counts what it executes itself, too"
for run in ("pmu=virtual:amd-zen4-guest suite=events,identities kernel=cpuid,nop_loop n=3 reps=2 " + few("event=RETIRED_I*,RETIRED_*OPS*,LS_DISPATCH* ", "") + "inject=exits-hosted",
            "pmu=virtual:intel-icelake-guest suite=control check=RDPMC* inject=noisy"):
    r = boot(options=run + "+" + VMWARE)
    sound(r, "VMware's, " + run[run.index("inject=") + 7:])
    ok(any(c.get("text", "").endswith(ADDED) and c["verdict"] == "skipped" for c in all_checks(r)), "what is too large is skipped, with the reason", tail(r))
    ok(all(c["verdict"] == "exact" for c in all_checks(r) if c["name"].startswith("RETIRED_INSTRUCTIONS/")), "but not instructions")
    equal(boot(options=run).status, 1, "it is wrong under another hypervisor")
# Missing is all that it may be, and no more than those instructions make: what is beyond it is wrong in a guest too.
RUN = "pmu=virtual:intel-icelake-guest suite=sweep event=INST_RETIRED.ANY_P kernel=%s n=3 inject=exits-uncounted+line-end"
ok((boot(options=RUN % "nop_loop").counts or {}).get("wrong"), "a guest's count that is too large is wrong", RUN)

# PEBS, which a hypervisor may have off for a while: the same virtual CPU in a guest, and on bare metal.
RUN = "pmu=virtual:intel-skylake suite=sampling kernel=loads event=MEM_INST_RETIRED.ALL_LOADS inject=pebs-off"
for more, reason in (("+cpuid:1:0:ecx:fffafbff", "gave no PEBS records, and may take them away"), ("", "there is no record")):
    r = boot(options=RUN + more)
    said = {c["name"]: (c["verdict"], c.get("text", "")) for s in (r.report or {"suites": []})["suites"] for c in s["checks"]}
    for ring in (0, 3):
        verdict, text = said.get("MEM_INST_RETIRED.ALL_LOADS/PEBS/loads/ring %d" % ring, ("", ""))
        ok(verdict == ("skipped" if more else "wrong") and reason in text, "PEBS without a record%s is %s: %s" % (" in a guest" if more else "", verdict, text), tail(r))
    equal(r.status, 0 if more else 1, "the run")
# What CPUID does promise is judged in a guest too.
r = boot(options="pmu=virtual:amd-zen4-guest suite=control inject=dropped-carry kernel=nop_loop")
ok(r.counts and r.counts["wrong"], "a guest's counter that loses a carry is wrong", tail(r))
ok(verdict_table(r), "there is a report")
done()
