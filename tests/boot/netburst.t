#!/usr/bin/python3
"""The NetBurst PMU on the virtual CPU: every profile, every event of the tables, deviations that must show, and a Bochs Pentium 4."""
from boottest import boot, done, equal, ok, same_table, sound, tail, verdict_table

PROFILES = ["netburst-willamette", "netburst-northwood", "netburst-northwood-ht"]
EVENTS = 204

for profile in PROFILES:
    sound(boot(options="pmu=virtual:%s suite=control" % profile), profile)

options = "pmu=virtual:netburst-prescott suite=control,events kernel=nop_loop"
r = boot(options=options)
sound(r, "netburst-prescott")
names = {check.get("event") for suite in (r.report or {"suites": []})["suites"] if suite["name"] == "events"
         for check in suite["checks"]} - {None}
equal(len(names), EVENTS, "every event of the tables is judged")
bochs = boot(emulator="bochs", cpu="p4_prescott_celeron_336", options=options)
sound(bochs, "the same on Bochs's Pentium 4")
same_table(bochs, r, "count for count")

r = boot(emulator="bochs", cpu="p4_prescott_celeron_336", options="pmu=auto suite=control")
sound(r, "a Pentium 4 that says it has no performance monitoring: the virtual PMU is judged")
ok(any("MSR_MISC_ENABLE" in line for line in r.text), "and why is said", tail(r, 30))

for name, verdict in {"lost-status": "wrong", "cccr1": "dead", "n17": "wrong"}.items():
    r = boot(options="pmu=virtual:netburst-northwood suite=control inject=" + name)
    ok(r.counts and r.counts[verdict] > 0 and r.status == 1, "inject=%s is reported %s" % (name, verdict), tail(r))
bad = {check.split("/")[1] for check, (verdict, _) in (verdict_table(r) or {}).items() if verdict == "wrong"}
ok(bad and bad <= {"wrap", "overflow point"}, "the lost carry of n17 shows where a carry is", sorted(bad))
done()
