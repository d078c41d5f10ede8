#!/usr/bin/python3
"""The NetBurst PMU on the virtual CPU: every profile, every event of the tables, deviations that must show, and a Bochs Pentium 4."""
import json
import os
import re
import subprocess

from boottest import BUILD, boot, done, equal, few, ok, profiles, same_table, sound, tail, verdict_table

OPTIONS = "suite=control,events kernel=nop_loop"
# Few checks of each kind: Bochs is slow.
BRIEF = few("check=*BPU_COUNTER1,tagging/* event=instr_*:NBOGUS*", "check=*BPU_COUNTER1,*IQ_COUNTER1,tagging/*,access/* event=*:NBOGUS*,*clockticks*,*retired")


def events_of(r):
    """Every check of an event, by the event's name."""
    found = {}
    for suite in (r.report or {"suites": []})["suites"]:
        for check in suite["checks"] if suite["name"] == "events" else []:
            if check.get("event"):
                found.setdefault(check["event"], []).append(check)
    return found


def tables(profile):
    """The tables' events, by name."""
    out = subprocess.run([os.path.join(BUILD, "assay-encode"), "--json", "--list", profile], check=True, capture_output=True).stdout
    return {e["name"]: e for e in json.loads(out)["events"]}


WHOLE = few(["netburst-prescott"],
            ["netburst-willamette", "netburst-northwood", "netburst-northwood-ht", "netburst-prescott"])
for profile in sorted(set(profiles("netburst")) - set(WHOLE) - {"netburst-potomac"}):
    sound(boot(options="pmu=virtual:%s suite=control %s" % (profile, few("check=*BPU_COUNTER1,*IQ_COUNTER1,tagging/*,access/*,power-up/*", ""))), profile)
for profile in WHOLE:
    r = boot(options="pmu=virtual:%s registers=1 %s" % (profile, OPTIONS))
    sound(r, profile)
    found = {e["name"]: e for e in (r.report or {"snapshots": [{"registers": []}]})["snapshots"][-1]["registers"]}
    equal(len([n for n in found if "_ESCR" in n]), 43 if profile == "netburst-prescott" else 45, profile + ": registers=1 has every ESCR")
    ok("PERFMON" in found.get("MSR_MISC_ENABLE", {}).get("fields", "") and any(re.search(r"\bPERFMON\b", line) for line in r.text),
       profile + ": and names their fields", tail(r))
    judged, listed = events_of(r), tables(profile)
    equal(sorted(judged), sorted(listed), "%s: each of %d events of the tables has a verdict" % (profile, len(listed)))
    unprovoked = {name: e["rule"] for name, e in listed.items() if (e.get("rule") or "").startswith("control only")}
    ok(len(unprovoked) > 40 and all(c["verdict"] == "exact" and c.get("text") == rule and all([v for v, _ in o["values"]] == [0] for o in c["observations"])
                                    for name, rule in unprovoked.items() for c in judged[name]),
       "%s: %d that no program can provoke have the reason, and count nothing" % (profile, len(unprovoked)),
       [(n, c["verdict"], c.get("text")) for n in unprovoked for c in judged.get(n, [])][:5])

ok(not any("FSB_" in n and "ESCR" not in n for n in found), "netburst-prescott: registers=1 has no counters of a third-level cache", sorted(found))
r = boot(options="pmu=virtual:netburst-potomac registers=1 suite=control " +
         few("check=*BPU_COUNTER1,*IQ_COUNTER1,tagging/*,access/*,power-up/*", ""))
sound(r, "netburst-potomac")
equal(len([e for e in (r.report or {"snapshots": [{"registers": []}]})["snapshots"][-1]["registers"] if 0x107cc <= int(str(e["address"]), 0) <= 0x107d3]), 8,
      "netburst-potomac: registers=1 has the counters of its third-level cache")

options = "pmu=virtual:netburst-prescott %s %s" % (OPTIONS, BRIEF)
r = boot(options=options)
bochs = boot(emulator="bochs", cpu="p4_prescott_celeron_336", options=options)
sound(bochs, "the same on Bochs's Pentium 4")
same_table(bochs, r, "count for count")

r = boot(emulator="bochs", cpu="p4_prescott_celeron_336", options="pmu=auto suite=control check=*PMC0")
sound(r, "a Pentium 4 that says it has no performance monitoring: the virtual PMU is judged")
ok(any("MSR_MISC_ENABLE" in line for line in r.text), "and why is said", tail(r, 30))

for name, verdict in {"lost-status": "wrong", "cccr1": "dead", "n17": "erratum"}.items():
    r = boot(options="pmu=virtual:netburst-northwood suite=control check=wrap/*,overflow*,write* inject=" + name)
    ok(r.counts and r.counts[verdict] > 0 and r.status == 1, "inject=%s is reported %s" % (name, verdict), tail(r))
DECODED = "pmu=virtual:netburst-prescott suite=events reps=1 event=uop_queue_writes:FROM_TC_DELIVER,BPU_fetch_request:TCMISS kernel=decoded_* "
sound(boot(options=DECODED), "what the trace cache holds, and what it cannot")
for name, verdict in {"decoded-cache-never-hits": "dead", "decoded-cache-always-hits": "wrong"}.items():
    missed = boot(options=DECODED + "inject=" + name)
    ok(missed.counts and missed.counts[verdict] > 0, "inject=%s is reported %s" % (name, verdict), tail(missed))
BUS = "pmu=virtual:netburst-prescott suite=events,identities reps=1 event=FSB_data_activity:*OTHER,global_power_events:RUNNING kernel=nop_loop "
sound(boot(options=BUS), "other agents' data on the bus: none")
busy = boot(options=BUS + "inject=bus-agents")
told = {name for name, (verdict, _) in (verdict_table(busy) or {}).items() if verdict not in ("exact", "within", "skipped")}
ok(any("others" in name for name in told) and not any("FSB_data" in name for name in told),
   "inject=bus-agents: what others do is within its bound, but no more than once a clock", sorted(told))
bad = {check.split("/")[1] for check, (verdict, _) in (verdict_table(r) or {}).items() if verdict == "erratum"}
ok(bad and bad <= {"wrap", "overflow point"}, "the lost carry of n17 shows where a carry is", sorted(bad))
done()
