#!/usr/bin/python3
"""Errata are told where a virtual CPU has one, by their number and by nothing else; not where it has none; and what is nearly one is wrong."""
import os
import random

from boottest import boot, done, equal, few, ok, table, tail

SEED = int(os.environ.get("ERRATA_SEED", "16"))


def found(options):
    """{number: state} of what is not unremarkable, and the run."""
    r = boot(options="suite=errata " + options, timeout=300)
    rows = {e["number"]: e for e in (r.report or {}).get("errata", [])}
    return {n: e["state"] for n, e in rows.items() if e["state"] in ("present", "wrong otherwise")}, rows, r


state, rows, r = found("pmu=virtual:intel-haswell")
equal(state, {}, "a sound Haswell shows none")
ok(r.status == 0 and len(rows) == 189, "each erratum of the family has its state", tail(r))
equal((rows["HSD73"]["state"], rows["HSD73"]["documented"], rows["HSD73"]["trials"] > 0), ("not observed", True, True), "one that is documented and does not show")
equal((rows["SKL91"]["state"], rows["SKL91"]["documented"]), ("not observed", False), "one that is not documented is looked for all the same")
equal((rows["SKL57"]["state"], rows["SKL57"]["why"]), ("cannot be provoked here", "what the count should be is not known to a program"), "one that cannot be provoked says why")
state, rows, r = found("pmu=virtual:intel-haswell inject=HSM074 check=hsd073")
equal(state, {"HSD73": "present"}, "asked for by any number, it is found by its name")
equal(({s["name"]: [(c["name"], c["verdict"]) for c in s["checks"]] for s in r.report["suites"] if s["name"] == "errata"}, r.status),
      ({"errata": [("HSD73", "erratum")]}, 1), "nothing else is looked for, and the verdict is erratum")
state, rows, r = found("pmu=virtual:intel-haswell inject=stuck-status check=BJ58,HSD91")
ok("present" not in state.values(), "status that no write clears is not one that a stop at an overflow leaves", repr(state) + "\n" + "\n".join(tail(r)))
state, rows, r = found("pmu=virtual:intel-haswell inject=overcount-x16 check=SKL91,SRF7,BV52,W146")
ok("present" not in state.values(), "nor is any other wrong count an erratum's", repr(state))
state, rows, r = found("pmu=virtual:intel-haswell inject=odd-counter check=SKL91,W146")
ok("present" not in state.values(), "nor is a count that is wrong on some counters alone", repr(state))
state, rows, r = found("pmu=virtual:netburst-prescott inject=n15 check=n15,P4-FLDCW")
equal(state, {"N15": "present", "P4-FLDCW": "present"}, "one of NetBurst's writes, and what an event means by its rule")

# A workaround of NetBurst's driver hides what the driver's own writes would show; what is written behind its back shows it all the same.
for more in (" workaround=off", ""):
    r = boot(options="pmu=virtual:netburst-prescott inject=n15 suite=control check=*write?while?running/*COUNTER1" + more)
    told = {c["name"].split("/")[0]: c["verdict"] for s in (r.report or {"suites": []})["suites"] if s["name"] == "control" for c in s["checks"]}
    equal(told, {"write while running": "erratum", "the driver's write while running": "erratum" if more else "exact"}, "N15%s" % more)

# The other emulator, whose interrupts and exceptions are its own.
r = boot(emulator="bochs", options="pmu=virtual:intel-haswell inject=HSD73 check=HSD73 suite=errata")
equal({e["number"]: e["state"] for e in (r.report or {}).get("errata", [])}, {"HSD73": "present"}, "in Bochs, too")

# What may hang the machine is left out for the reasons that leave other checks of a family out: tests/self/boot/journal.t has it hang.
for more, told in (("courage=2", "what only this family has is for courage=3"), ("inject=off-by-one+dead", "ladder")):
    r = boot(options="pmu=virtual:intel-sandybridge suite=control check=PEBS* dangerous=yes " + more)
    left = [c for s in (r.report or {"suites": []})["suites"] if s["name"] == "dangerous" for c in s["checks"]]
    ok(left and all(c["verdict"] == "skipped" and told in c["text"] for c in left), "dangerous=yes %s: skipped, with the reason" % more, repr(left) + "\n" + "\n".join(tail(r)))

# What gets lost or hangs as the core halts.
r = boot(options="pmu=virtual:intel-nehalem suite=control check=overflow?about* dangerous=yes inject=aaj113")
equal([(c["verdict"], "consistent with AAJ113" in c.get("text", "")) for s in (r.report or {"suites": []})["suites"] if s["name"] == "dangerous" for c in s["checks"]],
      [("wrong", True)], "an interrupt that gets lost as the core halts")

# Without a file to write to, the report goes out before what may hang the machine, and at the end.
r = boot("pxe", options="pmu=virtual:intel-sandybridge suite=control check=PEBS* dangerous=yes")
left = [c["verdict"] for s in (r.report or {"suites": []})["suites"] if s["name"] == "dangerous" for c in s["checks"]]
equal((left, sum(line == "#:report" for line in r.lines)), (["exact", "exact"], 2), "over the network a BIOS's report is sent before dangerous checks, and again at the end")

# Some that are drawn by seed, near misses of a few, and some that are sound or wrong in another way, in one boot of the test image:
# tests/self/mutants/catches.c. make soak draws anew, and makes the whole table (tests/self/soak/errata.t).
DRAWN, SEED = 20, few(SEED, random.randrange(1 << 16))
r = boot(direct="mutants.bin", options="pmu=virtual suite=catches check=caught/*,near/*,clean/* n=%d seed=%d" % (DRAWN, SEED), timeout=900)
checks = [c for s in (r.report or {"suites": []})["suites"] if s["name"] == "catches" for c in s["checks"]]
table()
for c in checks:
    ok(c["verdict"] in ("exact", "skipped" if c["name"].startswith("clean/") else "exact"), "%s: %s" % (c["name"], c.get("text", "")))
equal(sum(c["name"].startswith("caught/") for c in checks), DRAWN, "%d were drawn by seed %d" % (DRAWN, SEED))
ok(sum(c["name"].startswith("near/") for c in checks) >= 1, "and near misses", tail(r))
ok(any(c["name"].startswith("clean/") and c["verdict"] == "exact" for c in checks), "and some without any", tail(r))
done()
