#!/usr/bin/python3
"""Faults put in on purpose are told for what they are, and by the checks that are about them."""
import re

from boottest import boot, done, equal, few, ok, tail, verdict_table

# Faults of records have boots of their own in intel_records.t, netburst_records.t, amd.t and records.t, errata in errata.t, leaks between rings in
# measuring.t, counts off by one in amd.t, reserved bits in hypervisor.t, lost carries below, noise in amd.t and hypervisor.t, and all
# families' rules are broken one by one in mutants.t: of each kind a few are enough here.
SOME = ("no?fault?on?intel-n*,global-i*,interrupt-e*",
        "miswired*,threads-alike*,torn-read*,replay-always*,wrong*,dead*,machine:?no*2,machine:*skylake,machine:?l1*,machine:*right*",
        "records:?no?fault?on?netburst*,records:?records-late*")
table, said = {}, {}
for check in few(SOME, ("",)):
    r = boot(options="pmu=virtual suite=selftest" + (" check=" + check if check else " kernel=full"), timeout=600)
    table.update(verdict_table(r) or {})
    said.update({"selftest/" + c["name"]: c.get("text", "") for s in (r.report or {"suites": []})["suites"] for c in s["checks"]})
    ok(r.status == 0, "the self-test ran: " + (r.verdict or "no verdict"), tail(r))
checks = {name: verdict for name, (verdict, _) in table.items() if name.startswith("selftest/")}
ok(len(checks) > few(20, 100), "%d faults were put in" % len(checks))
for name, verdict in sorted(checks.items()):
    ok(verdict == "exact", "%s%s" % (name, "" if verdict == "exact" else ": " + said.get(name, "")))

r = boot(options="pmu=virtual suite=events kernel=nop_loop,calls n=4 inject=wrong-signature:nop_loop:instructions:1")
equal(r.status, 1, "a kernel with a wrong signature: something is wrong")
reasons = [c.get("text", "") for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if c["verdict"] == "error"]
ok(reasons and all(re.search("nop_loop declares (49|121) instructions at N = (4|10), single-stepping shows (48|120)$", t) for t in reasons),
   "it is an error that names kernel, quantity and both numbers", reasons + tail(r))
judged = [name for name, (verdict, _) in (verdict_table(r) or {}).items() if name.startswith("events/") and "/PMC" in name]
ok(judged and not any("/nop_loop/" in name for name in judged), "that kernel judges nothing, others do", judged)

r = boot(options="pmu=virtual suite=control inject=dropped-carry")
equal(r.status, 1, "a model that drops a carry: something is wrong")
table = verdict_table(r) or {}
ok(table and all(verdict == "wrong" for name, (verdict, _) in table.items() if name.startswith("control/wrap/")),
   "every counter's wrap is wrong", tail(r))
ok(table and all(verdict in ("exact", "skipped") for name, (verdict, _) in table.items() if name.startswith("control/enable gating/")),
   "enable gating is not", tail(r))

r = boot(options="pmu=virtual suite=events kernel=calls,branches_random,clflush_reload inject=no-return-stack")
equal(r.status, 1, "a machine model without a return stack: something is wrong")
bad = {name for name, (verdict, _) in (verdict_table(r) or {}).items() if verdict not in ("exact", "within", "skipped")}
ok(bad and all(name.startswith("events/BR_MISP_RETIRED.ALL_BRANCHES/") and "/calls/" in name for name in bad),
   "mispredictions on calls are, and nothing else", sorted(bad) + tail(r))
ok(any("those of a machine model" in line for line in r.text), "the table says whose counts these are", tail(r))

# The machine's time runs sixteen times as fast as in other boots, so that the watchdog comes soon.
r = boot(options="pmu=virtual suite=events kernel=nop_loop n=4000000000 event=INST_RETIRED.ANY_P", timeout=200, steady=False,
         extra=("-icount", "shift=8,sleep=off"))
reasons = [c.get("text", "") for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if c["verdict"] == "error"]
ok(r.status == 1 and reasons, "an N too large to finish is an error, and the run goes on", reasons + tail(r))
done()
