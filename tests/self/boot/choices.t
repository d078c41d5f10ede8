#!/usr/bin/python3
"""What can be chosen: list= tells it, docs/choices.md has it, and what is misspelled is refused with the nearest name."""
import os
import runpy

from boottest import TOP, boot, complains, done, equal, ok, sound, tail

GEN = runpy.run_path(os.path.join(TOP, "scripts/gen-choices"))
lists = {}
for what, least, known in (("suites", 15, "control"), ("options", 15, "kernel"), ("kernels", 150, "movs_rep"), ("injections", 80, "dropped-carry"),
                           ("events", 200, "INST_RETIRED.ANY_P (arch)")):
    r = boot(options="pmu=virtual list=" + what)
    lists[what] = GEN["listed"](r)
    listed = [name for name, _ in lists[what]] if what != "events" else [line.strip() for line in r.text if line.startswith("  ") and "=" not in line]
    equal([r.verdict, r.status], ["listed %d %s" % (len(listed) - (what == "events") * sum(":" in n or n.startswith("virtual") for n in listed), what), 0],
          "list=%s: it says how many, and ends with 0" % what)
    ok(len(listed) >= least and known in listed, "%s is among them" % known, listed[:5] + listed[-5:])
    equal([line for line in r.text if len(line) > 80 and line.startswith("  ")], [], "no line of them is wider than 80 columns")
equal([name for name, text in lists["suites"] + lists["options"] if not text], [], "each suite and option has words")
with open(os.path.join(TOP, "docs/choices.md"), encoding="utf-8") as f:
    equal(f.read(), GEN["page"](lists["suites"], lists["options"]), "docs/choices.md has the same (scripts/gen-choices makes it)")
boundless = boot(options="pmu=virtual:amd-zen3 list=events")
ok(any("RETIRED_INSTRUCTIONS" in line.upper() for line in boundless.text), "they are the events of the PMU at hand", tail(boundless))

NEAR = [("kernel=movs_rp", "kernel=movs_rp matches none of the kernels: did you mean movs_rep?", "a kernel"),
        ("kernel=core,branches_takn*", "branches_takn\\* .*did you mean branches_taken?", "a glob of kernels"),
        ("suite=contrl", "did you mean control?", "a suite"),
        ("pmu=virtual suite=events event=INST_RETIERD.ANY", r"did you mean INST_RETIRED\.ANY", "an event"),
        ("pmu=virtual suite=control check=wrp/*", "did you mean wrap/PMC0?", "a check"),
        ("pmu=virtual:intel-skylak", "did you mean intel-skylake?", "a virtual CPU"),
        ("pmu=virtual inject=droped-carry", "nearest: 'dropped-carry'", "an injection"),
        ("kernl=core", "did you mean kernel=", "an option")]
for options, said, name in NEAR:
    complains(boot(options=options), said, name + " that is misspelled")
complains(boot(options="suite=zzzzzz"), r"matches none of machine, step.*\(list=suites", "nothing is near: the first ones are told")

r = boot(options="pmu=virtual suite=events kernel=core,avx_ss event=INST_RETIRED.ANY")
sound(r, "core and another kernel")
used = {c.get("kernel") for s in (r.report or {"suites": []})["suites"] if s["name"] == "events" for c in s["checks"] if c.get("kernel")}
ok({"avx_ss", "nop_loop"} <= used and len(used) < 30, "both are taken, and no others", sorted(used))
r = boot(options="pmu=virtual:intel-skylake suite=events kernel=branches_taken event=BR_INST_RETIRED.CONDITIONAL,arch")
sound(r, "the vendor's own name of an event")
events = {c.get("event") for s in (r.report or {"suites": []})["suites"] if s["name"] == "events" for c in s["checks"]}
ok({"BR_INST_RETIRED.COND", "INST_RETIRED.ANY"} <= events and "BR_INST_RETIRED.COND_NTAKEN" not in events, "is taken, beside those that all have",
   sorted(map(str, events)))
for more, what in ((":u", "a modifier"), ("@PMC1", "a counter")):
    complains(boot(options="pmu=virtual:intel-skylake event=BR_INST_RETIRED.CONDITIONAL" + more), "matches none of", "with %s it is no name" % what)
done()
