#!/usr/bin/python3
"""AMD's counters: every virtual CPU is judged sound in QEMU, two of them alike in Bochs, injected deviations are caught, and an AMD
CPU without counters is no PMU."""
from boottest import boot, done, equal, ok, same_table, sound, tail, verdict_table

PROFILES = {**dict.fromkeys(["amd-k7", "amd-k8", "amd-fam10h", "amd-fam11h", "amd-fam12h", "amd-fam14h", "amd-fam16h"], "legacy counters"),
            **dict.fromkeys(["amd-fam15h", "amd-zen1", "amd-zen2", "amd-zen3", "amd-zen3-epyc"], "core extension"),
            **dict.fromkeys(["amd-zen4", "amd-zen5"], "PerfMonV2")}
# Kernels that cause what the events are told apart by.
OPTIONS = "pmu=virtual:%s suite=control,events,trace kernel=calls,branches_not_taken,x87_arithmetic,locked,cpuid"

for profile, layout in PROFILES.items():
    r = boot(options=OPTIONS % profile)
    sound(r, profile)
    ok(any("virtual PMU (model %s), not silicon" % profile in line for line in r.text), profile + " is named", tail(r, 30))
    equal([layout in p["name"] for p in r.report["pmus"]] if r.report else None, [True], profile + ": " + layout)
    if profile in ("amd-fam15h", "amd-zen4"):
        same_table(boot(emulator="bochs", options=OPTIONS % profile, timeout=300), r, profile + ": Bochs gives the same counts")

for profile, injection, suite, verdicts in (
        ("amd-zen2", "1291", "events", ("noisy", "wrong")), ("amd-zen3", "1292", "events", ("noisy", "wrong")),
        ("amd-zen1", "990", "events", ("noisy", "wrong")), ("amd-zen3", "1266", "events", ("wrong",)),
        ("amd-zen4", "lbr-lost", "trace", ("wrong",)),
        ("amd-zen4", "no-pmi", "control", ("wrong",)), ("amd-zen4", "dropped-carry", "control", ("wrong",)),
        ("amd-zen4", "reserved-fault", "control", ("wrong",)), ("amd-fam10h", "off-by-one", "control", ("biased",))):
    r = boot(options="pmu=virtual:%s suite=%s inject=%s kernel=nop_loop,x87_arith*,mmx*,calls" % (profile, suite, injection))
    table = verdict_table(r) or {}
    ok(r.status == 1 and any(verdict in verdicts for verdict, _ in table.values()), "%s on %s is caught" % (injection, profile), tail(r))

for emulator, cpu in (("qemu", "EPYC"), ("qemu", "Opteron_G3"), ("bochs", "ryzen")):
    r = boot(emulator=emulator, cpu=cpu, ignore_bad_msrs=0, options="pmu=auto suite=control")
    sound(r, "%s's %s has no counters" % (emulator, cpu))
    equal([p["virtual"] for p in r.report["pmus"]] if r.report else None, [True], "the virtual PMU is judged in their place")
r = boot(emulator="bochs", cpu="ryzen", ignore_bad_msrs=1, options="pmu=auto suite=control")
equal(r.status, 1, "where unknown registers swallow what is written, and nothing says hypervisor")
equal(r.counts and r.counts["dead"], 1, "the counters are dead, once")
done()
