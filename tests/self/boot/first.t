#!/usr/bin/python3
"""suite=first and levels of courage: the steps in order, what each of them tells, what no level writes, and what is on the volume when one of them
resets the machine."""
import json
import re

from boottest import boot, done, emulators, equal, few, ok, sound, tail

STEPS = ["identity", "snapshot", "shares", "witnesses", "ladder", "events", "ladder", "sampling", "trace", "control"]
PMU = "pmu=virtual:intel-core2 "


def steps(r):
    """The steps that a report has, with their verdicts; one that goes on is told once."""
    found = []
    for s in (r.report or {"suites": []})["suites"]:
        if not found or found[-1][0] != s["name"]:
            found.append((s["name"], []))
        found[-1][1].extend((c["name"], c["verdict"], c.get("text", "")) for c in s["checks"])
    return found


def bad(r, step):
    return [c for name, checks in steps(r) if name == step for c in checks if c[1] not in ("exact", "within", "skipped")]


r = boot(cpus=2, options=PMU + "suite=first courage=1", machine="q35,hpet=off", extra=["-smbios", "type=1,product=Assayed Box"])
sound(r, "suite=first as far as counting")
equal([name for name, _ in steps(r)], STEPS[:6], "its steps come in order")
values = {v["name"]: v["value"] for v in (r.report or {"values": []})["values"] if v["suite"] == "identity"}
equal(values.get("SMBIOS system product"), "Assayed Box", "identity: SMBIOS tells the machine's make")
ok(values.get("CR0", "").startswith("0x") and values.get("IA32_PAT") == "0x7040600070406" and "IA32_MTRR_DEF_TYPE" in values,
   "identity: registers as firmware left them", repr(values)[:900])
# Each has bits that it alone must have: PE and PG, PAE, LME and LMA, x87.
missing = [name for name, bits in (("CR0", 0x80000001), ("CR4", 0x20), ("EFER", 0x500), ("XCR0", 1)) if int(values.get(name, "0"), 16) & bits != bits]
equal(missing + [name for name in ("CR0", "CR4", "XCR0") if int(values.get(name, "0"), 16) & 0x500 == 0x500], [], "identity: each register by its own name")
ok([v for v in values.values() if v.startswith("APIC revision")] and [v for v in values.values() if v.startswith("FACP revision")],
   "identity: ACPI's tables", repr(values)[-900:])
ok(values.get("TSC by HPET") == "not there" and re.match(r"\d+ Hz$", values.get("TSC by ACPI PM timer", "")), "identity: the TSC by each clock that there is")
ok("SMIs" in values, "identity: SMIs")
equal([c[0] for name, checks in steps(r) if name == "snapshot" for c in checks], ["read/processor 0", "read/processor 1"], "snapshot: of two cores")
equal(len((r.report or {"snapshots": []})["snapshots"]), 2, "with all registers of each")

r = boot(options=PMU + "suite=first courage=1 inject=rdpmc-wrong-index+odd-counter")
ok([c for c in bad(r, "shares") if "two readings" in c[0]] or [c for c in bad(r, "ladder") if "two readings" in c[0]], "shares: what readings add is not one number", tail(r))
equal([c[0] for c in bad(r, "witnesses")], ["read while it runs/PMC0", "read while it runs/PMC1", "read while it runs/FIXED_CTR0"], "witnesses: reading says otherwise than the rest")
ok(bad(r, "events") and all("BR_INST" in c[0] or "share" in c[0] for c in bad(r, "events")), "five kernels: one counter counts branches twice", repr(bad(r, "events")))
r = boot(options=PMU + "suite=first courage=1 inject=dead-counter")
equal([(c[0], c[1]) for c in bad(r, "ladder") if c[0] == "PMC1"], [("PMC1", "dead")], "ladder: a counter is dead")
ok("together" in [c[0] for c in bad(r, "witnesses")], "which the witnesses saw before", repr(bad(r, "witnesses")))
r = boot(options=PMU + "suite=first courage=2 inject=no-pmi+lbr-lost")
equal([name for name, _ in steps(r)], STEPS[:9], "with courage=2 interrupts and records follow")
ok(any("rung \"interrupts\"" in c[2] for c in bad(r, "ladder")), "ladder: no interrupt comes, which the lower level did not ask for", repr(bad(r, "ladder")))
ok(any("no interrupt" in c[2] for c in bad(r, "sampling")) and any(c[0].startswith("LBR/") for c in bad(r, "trace")), "sampling and traces tell of theirs")
equal([bad(r, step) for step in ("witnesses", "events")], [[], []], "what counts alone is sound")

# What is beyond a level is refused by register and level, and nothing else is said of the PMU.
r = boot(options=PMU + "suite=control courage=0")
refused = bad(r, "ladder")
ok(len(refused) == 5 and all(c[1] == "error" and "MSR 38FH is written from courage=1 on, and this is courage=0" in c[2] for c in refused),
   "courage=0 writes no register of the PMU, and says which was to be", repr(refused))
for profile in ("intel-skylake", "amd-zen3"):
    r = boot(options="pmu=virtual:%s suite=control,trace courage=1 kernel=nop_loop" % profile)
    sound(r, profile + " with courage=1: what counts is judged, the rest is left out")
    left = {c[0]: c[2] for name, checks in steps(r) for c in checks if c[1] == "skipped"}
    ok("courage=3" in left.get("accesses", "") and any("overflow interrupt" in why for why in left.values()), "with the reason", repr(left)[:900])

# A step that resets the machine leaves those before it on the volume.
kept = {}


def keep(image):
    first = emulators.runs(image)[0]
    kept["report"] = json.loads(emulators.read_file(image, first + "/report.json"))
    kept["journal"] = emulators.read_file(image, first + "/journal.txt").decode()


r = boot("disk", options=PMU + "suite=first courage=1 inject=reset:witnesses/together", inspect=keep,
         stop_when=lambda line: "the last run" in line and "witnesses/together" in line)
ok(any("the last run (0001) ended in witnesses/together" in line for line in r.lines), "a step that resets the machine is named by the next start", tail(r))
equal([s["name"] for s in kept.get("report", {"suites": []})["suites"]], STEPS[:3], "the report on the volume has all steps before it")
stages = re.findall(r"^\d+ ms: (?:suite )?([a-z]+)", kept.get("journal", ""), re.M)
equal(stages[-4:], STEPS[:4], "and the journal's last line is the step itself")
for cpu in few((), ("bx_generic", "tigerlake")):
    r = boot(emulator="bochs", cpu=cpu, options="pmu=virtual suite=first kernel=empty")
    sound(r, "suite=first in Bochs, " + cpu)
    equal([name for name, _ in steps(r)], STEPS, "its steps come in order")
done()
