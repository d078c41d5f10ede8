#!/usr/bin/python3
"""AMD's counters: every virtual CPU is judged sound in QEMU, some of them alike in Bochs, injected deviations are caught, and an AMD
CPU without counters is no PMU."""
from boottest import boot, done, equal, few, ok, profiles, same_table, sound, tail, verdict_table

PROFILES = {**dict.fromkeys(["amd-k7", "amd-k8", "amd-fam10h", "amd-fam11h", "amd-fam12h", "amd-fam14h", "amd-fam16h"], "legacy counters"),
            **dict.fromkeys(["amd-fam15h", "amd-zen1", "amd-zen2", "amd-zen3", "amd-zen3-epyc"], "core extension"),
            **dict.fromkeys(["amd-zen4", "amd-zen4-guest", "amd-zen5"], "PerfMonV2")}
# Kernels that cause what the events are told apart by; fewer where a profile has the events and counters of another.
KERNELS = "calls,branches_not_taken,x87_arithmetic,locked,cpuid"
FULL = few((), ("amd-k8", "amd-fam15h", "amd-zen2", "amd-zen4", "amd-zen5"))
OPTIONS = "pmu=virtual:%s suite=control,events,trace kernel=%s"
# Their control logic is that of a CPU before them, and so are their kinds of events: make soak has all of it.
ALIKE = few(("amd-fam16h", "amd-zen1", "amd-zen3", "amd-zen3-epyc", "amd-zen4-guest", "amd-zen5"), ())
# So alike that their tables are all that differs, which test_virtual_cpuid and test_bounds have on this computer: make soak boots them.
TWINS = few(("amd-fam11h", "amd-fam12h", "amd-fam14h"), ())

equal(sorted(PROFILES), sorted(profiles("amd")), "every virtual CPU is here")
for profile, layout in PROFILES.items():
    if profile in TWINS:
        continue
    r = boot(options="pmu=virtual:%s suite=control check=access/*,wrap/*,overflow*" % profile if profile in ALIKE else
             OPTIONS % (profile, KERNELS if profile in FULL else "calls,x87_arithmetic"))
    sound(r, profile)
    ok(any("virtual PMU (model %s), not silicon" % profile in line for line in r.text), profile + " is named", tail(r, 30))
    equal([layout in p["name"] for p in r.report["pmus"]] if r.report else None, [True], profile + ": " + layout)
sound(boot(options="pmu=virtual:amd-zen4 suite=noise" + few(" n=2", "")), "interrupts that are counted")

# A kernel that reads a counter by RDPMC runs where the PMU in use has one to be read, whatever CPUID leaf 0AH of the real CPU says.
RDPMC = "pmu=virtual:%s suite=events kernel=rdpmc event=RETIRED_INSTRUCTIONS inject=%s"
for profile in ("amd-k8", "amd-zen4"):
    for injection, verdicts in (("", {"exact"}), ("rdpmc-refused", {"skipped"})):
        r = boot(options=RDPMC % (profile, injection))
        equal({v for name, (v, _) in (verdict_table(r) or {}).items() if name.startswith("events/") and "rdpmc" in name}, verdicts,
              "%s: the kernel rdpmc%s" % (profile, " with " + injection if injection else ""))
for profile in few(("amd-zen4",), ("amd-fam15h", "amd-zen4")):
    options = OPTIONS % (profile, "x87_arithmetic") + few(" check=*CTR0 event=*INSTR*", "")
    options = options.replace(",trace", few("", ",trace"))  # branches in Bochs: records.t
    same_table(boot(emulator="bochs", options=options), boot(options=options), profile + ": Bochs gives the same counts",
               but="control/guests/")  # its CPU has no SVM

for profile, injection, suite, verdicts in (
        ("amd-zen2", "1291", "events", ("noisy", "wrong")), ("amd-zen3", "1292", "events", ("noisy", "wrong")),
        ("amd-zen1", "990", "events event=RETIRED_MMX*", ("noisy", "wrong")), ("amd-zen3", "1266", "events event=RETIRED_MMX*", ("erratum",)),
        ("amd-zen3", "l1-never-hits", "events n=300 event=DEMAND_DATA*.LCL_L2 kernel=nop_loop,calls", ("wrong",)),
        ("amd-zen2", "decoded-cache-never-hits", "events event=UOPS_DISPATCHED*.DECODER* kernel=decoded_*", ("wrong",)),
        ("amd-zen5", "decoded-cache-always-hits", "events event=OP_CACHE*MISS kernel=decoded_*", ("dead",)),
        ("amd-zen4", "lbr-lost", "trace", ("wrong",)),
        ("amd-zen3-epyc", "brs-lost", "trace", ("wrong",)), ("amd-zen3-epyc", "brs-early", "trace", ("wrong",)),
        ("amd-zen2", "merge-ignored", "control check=merged*", ("wrong",)),
        ("amd-zen2", "guest-leak", "control check=*guest*", ("wrong",)), ("amd-zen2", "guest-lost", "control check=*guest*", ("wrong",)),
        ("amd-zen3", "ibs-far", "sampling", ("wrong",)), ("amd-fam10h", "worlds-alike", "control check=*guest*", ("wrong",)),
        ("amd-zen4", "no-pmi", "control check=wrap*", ("wrong",)), ("amd-zen4", "dropped-carry", "control check=wrap*", ("wrong",)),
        ("amd-zen4", "reserved-fault", "control check=access*", ("wrong",)), ("amd-fam10h", "off-by-one", "control", ("biased",))):
    kernels = "" if "kernel=" in suite else " kernel=calls" if suite == "trace" else " kernel=nop_loop,x87_arith*,mmx*,calls,clflush_reload"
    r = boot(options="pmu=virtual:%s suite=%s inject=%s%s" % (profile, suite, injection, kernels))
    table = verdict_table(r) or {}
    ok(r.status == 1 and any(verdict in verdicts for verdict, _ in table.values()), "%s on %s is caught" % (injection, profile), tail(r))

for emulator, cpu in (("qemu", "EPYC"), ("qemu", "Opteron_G3"), ("bochs", "ryzen")):
    r = boot(emulator=emulator, cpu=cpu, ignore_bad_msrs=0, options="pmu=auto suite=control check=wrap/*,access/*")
    sound(r, "%s's %s has no counters" % (emulator, cpu))
    equal([p["virtual"] for p in r.report["pmus"]] if r.report else None, [True], "the virtual PMU is judged in their place")
r = boot(emulator="bochs", cpu="ryzen", ignore_bad_msrs=1, options="pmu=auto suite=control check=wrap/*")
equal(r.status, 1, "where unknown registers swallow what is written, and nothing says hypervisor")
equal(r.counts and r.counts["dead"], 1, "the counters are dead, once")
done()
