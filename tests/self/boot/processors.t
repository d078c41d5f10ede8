#!/usr/bin/python3
"""Other processors than the one that the run began on: started, judged as that one is, and named where they are not (docs/booting.md)."""
import json
import os
import re
import subprocess
import tempfile

from boottest import boot, complains, done, emulators, equal, few, ok, same_table, sound, tail, valid, verdict_table
from monitor import Monitor

BAD = emulators.BAD_VERDICTS
HYBRID = "pmu=virtual:intel-alderlake"
# For boots that wait in vain for a processor, seconds of the machine's time: an instruction takes eight times as long as otherwise, so that a wait has
# an eighth of them. With steady=False, which leaves this to us.
WAITING = ("-icount", "shift=7,sleep=off")


def judged(r):
    return [(p["number"], p.get("kind"), p["judged"]) for p in (r.report or {}).get("processors", [])]


def wrong_on(r):
    """Processors with a verdict that is bad."""
    return sorted({s.get("processor") for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if c["verdict"] in BAD},
                  key=str)


def notes(r, text):
    return len([n for n in (r.report or {"notes": []})["notes"] if text in n])


# --- the same tables wherever the run goes ---------------------------------------------------------------------

r = boot(options="pmu=virtual suite=step,machine cpus=2,0", cpus=(2, 2))
sound(r, "QEMU: one of each of two cores")
equal(judged(r), [(0, None, True), (2, None, True)], "both are in the report, the others are not")
valid(r.report, "the report keeps to the schema")
same_table(r, r, "stepping says the same on each", processors=(2, 0))
ok(len([k for k in verdict_table(r, 2) or {} if k.startswith("machine/")]) > 50, "the machine under our own tables, on each")
equal([(verdict_table(r, n) or {}).get("machine/others/all work at once, each by itself", ["not there"])[0] for n in (0, 2)], ["exact"] * 2, "all others work at once, started by each")
equal([(verdict_table(r, n) or {}).get("machine/second/a write that is refused", ["not there"])[0] for n in (0, 2)], ["exact"] * 2, "a sibling tells what it refuses, and goes on")
alike = {k: v[0] for k, v in (verdict_table(r, 2) or {}).items() if k.startswith("machine/alike/")}
ok(len(alike) == 4 and set(alike.values()) == {"exact"}, "control registers, XCR0, PAT and MTRRs are alike", "%r" % alike)
ok(not any(k.startswith("machine/alike/") for k in verdict_table(r, 0) or {"machine/alike/": 0}), "which the first is not asked")

for name, what in (("QEMU, PIT as watchdog", dict(machine="q35,hpet=off", cpus=2)),
                   *few((), (("Bochs, x2APIC", dict(emulator="bochs", options="x2apic=1", ignore_bad_msrs=0, cpus=2)),))):
    r = boot(**dict(what, options=("pmu=virtual suite=machine cpus=1 " + what.get("options", "")).strip()))
    sound(r, name + ": the other processor alone")
    equal([line for line in r.text if line.startswith("processor ")], ["processor 1 is judged"], name + ": which it says")

for topology, pairs in (((2, 2), [(0, 1), (1, 0), (2, 3), (3, 2)]), ((4, 1), [])):
    r = boot(options="pmu=virtual suite=none cpus=all", cpus=topology)
    equal([(n, other) for n in range(4) for other in range(4) if notes(r, "processor %d shares its core with processor %d, which " % (n, other))],
          pairs, "siblings of %d cores with %d threads" % topology)
    # The boot processor waits for the one that is judged; any other one was not started, or is done.
    equal([(n, other) for n, other in pairs
           if not notes(r, "processor %d shares its core with processor %d, which %s while it is judged" % (n, other, "executes nothing" if other else "waits halted"))],
          [], "and what they do meanwhile")

# --- between turns -----------------------------------------------------------------------------------------------

rest = re.search(r"^([0-9a-f]+) [tT] processor_rest$", subprocess.run(["nm", emulators.BUILD + "/direct.elf"], capture_output=True, text=True, check=True).stdout, re.M)
seen = []
with Monitor() as monitor:

    def look(line):
        if line.startswith("ok ") and "processor 0" in line and not seen:
            seen.extend(re.findall(r"RIP=([0-9a-f]+) RFL=([0-9a-f]+) .*HLT=(\d)", monitor.do("info registers -a")))

    r = boot(options="pmu=virtual suite=control check=wrap* cpus=all", cpus=3, extra=monitor.options, on_line=look)
sound(r, "three processors, one after the other")
ok(len(seen) == 3 and all(0 <= int(rip, 16) - int(rest[1], 16) < 64 and not int(flags, 16) & 0x200 and halted == "1" for rip, flags, halted in seen[1:]),
   "those that were started rest in code of Assay's, halted, with interrupts masked", [repr(seen)] + tail(r))

# --- hybrid: each type with its own PMU ------------------------------------------------------------------------

SMALL = " suite=control,events event=BR_INST_RETIRED* kernel=nop_loop,calls check=wrap*,gating*"
r = boot(options=HYBRID + SMALL + " registers=1 inject=processor:2:late:1", cpus=3)
sound(r, "hybrid machine")
valid(r.report, "its report keeps to the schema")
equal(judged(r), [(0, "P-core", True), (1, "E-core", True)], "one processor of each type is judged")
equal(notes(r, "processor 2"), 0, "and the third, which would not come, is not started for it")
equal([(p["processor"], p["model"]) for p in (r.report or {"pmus": []})["pmus"]], [(0, "intel-alderlake-p"), (1, "intel-alderlake-e")],
      "each with its own PMU")
found = {s.get("processor"): {e["name"] for e in s["registers"]} for s in (r.report or {"snapshots": []})["snapshots"]}
ok(sorted(found) == [0, 1] and "MSR_PEBS_FRONTEND" in found[0] - found[1], "and the registers that were found are those of each", repr(found))
for number, profile in ((0, "intel-alderlake-p"), (1, "intel-alderlake-e")):
    alone = boot(options="pmu=virtual:" + profile + SMALL)
    mine = {k: v[0] for k, v in (verdict_table(r, number) or {}).items()}
    equal(mine, {k: v[0] for k, v in (verdict_table(alone) or {}).items()}, "its checks are those of " + profile)
    ok(notes(alone, "hybrid CPU: its ") == 1, "alone, it says which cores it leaves out")
ok(verdict_table(r, 0) != verdict_table(r, 1), "which are not the same")

r = boot(options="pmu=virtual:intel-lunarlake suite=none", cpus=2)
equal([(p["processor"], p["general"], p["fixed"]) for p in (r.report or {"pmus": []})["pmus"]], [(0, 10, 4), (1, 8, 6)],
      "counters are looked for on each core")

EVENTS = [{"EventName": "MINE." + name, "EventCode": "0xc4", "UMask": "0x" + umask, "SampleAfterValue": "1", "Unit": unit}
          for name, umask, unit in (("P", "11", "cpu_core"), ("E", "7e", "cpu_atom"))]


r = boot(options=HYBRID + " suite=machine,events event=MINE* kernel=nop_loop,calls", cpus=2, files={"/assay/events/mine.json": json.dumps(EVENTS).encode()})
sound(r, "hybrid machine with a vendor's file")
equal([sorted({k.split("/")[1] for k in verdict_table(r, n) or {} if k.startswith("events/MINE")}) for n in (0, 1)], [["MINE.P"], ["MINE.E"]],
      "each type takes its own events of a vendor's file")

r = boot(options=HYBRID + " suite=control inject=dropped-carry@1 check=wrap*,gating*,write*", cpus=2)
equal((r.status, wrong_on(r)), (1, [1]), "a deviation of the E-core is reported of that alone")

r = boot(options=HYBRID + " suite=control check=*gating*")
sound(r, "hybrid machine of one processor")
ok(notes(r, "hybrid CPU: its efficiency cores (cpu_atom) are not judged: firmware lists no other processor") == 1, "says what is not judged, and why")
r = boot(options=HYBRID + " suite=control check=*gating* cpus=1", cpus=2)
ok(notes(r, "hybrid CPU: its performance cores (cpu_core) are not judged: cpus= leaves them out") == 1, "so does one with cpus=1")

# --- kernels that want another processor -----------------------------------------------------------------------

COMPANIONS = "suite=truth kernel=rival_stores,sibling_works"


def skipped(r, processor=None):
    return sorted({(c["kernel"], c["text"]) for s in (r.report or {"suites": []})["suites"] if s.get("processor") == processor
                   for c in s["checks"] if c["verdict"] == "skipped"})


ALONE = ("sibling_works", "no other processor that could work shares this core")
NOBODY = ("rival_stores", "there is no other processor that could work")
for cpus, missing in ((1, [NOBODY, ALONE]), (2, [ALONE]), ((1, 2), [])):
    r = boot(options="pmu=virtual " + COMPANIONS, cpus=cpus)
    sound(r, "kernels with a second CPU, %r processors" % (cpus,))
    equal(skipped(r), missing, "those that have none are skipped, and why")

# --- what the sibling does makes no difference to a count --------------------------------------------------------

def checks(r, processor=None):
    return [c for s in (r.report or {"suites": []})["suites"] if processor in (None, s.get("processor")) for c in s["checks"]]


SWEEP = "pmu=virtual:intel-nehalem suite=sweep kernel=nop_loop,loads reps=1 event=INST_RETIRED.ANY_P,BR_INST_RETIRED.ALL_BRANCHES"


def along(r, verdict):
    return sorted({c["name"].split("/")[0] for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if s["name"] == "sweep" and c["verdict"] == verdict})


r = boot(options=SWEEP, cpus=(1, 2))
sound(r, "counts beside a sibling that is halted, and one that works")
ok("sibling" in along(r, "exact"), "are those declared", along(r, "exact"))
r = boot(options=SWEEP + " inject=sibling-leak", cpus=(1, 2))
equal(along(r, "wrong"), ["sibling"], "one that leaks is found, along this axis alone")
ok(any("1 of 2 deviate; the sibling works: " in c.get("text", "") for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if c["verdict"] == "wrong"),
   "and it is said when")
r = boot(options=SWEEP + " cpus=all", cpus=3)
sound(r, "counts of each of three processors, while both others work at once")
for axis, what in (("others/", "are those declared"), ("together/", "and those of the others, which all count at once, are what each counts alone")):
    equal([[c["verdict"] for c in checks(r, n) if c["name"].startswith(axis)] for n in range(3)], [["exact", "exact"]] * 3, what)
ok(any(re.fullmatch(r"3 processors: (\d+) of \1 checks have the same verdict on each", line) for line in r.text), "the end says that they agree", tail(r))
equal([c["text"] for c in checks(r, 1) if c["name"] == "sibling"], ["no other processor that could work shares this core"], "without a sibling its axis is skipped, once")
r = boot(options=SWEEP + " inject=others-leak@2 cpus=all", cpus=3)
equal((wrong_on(r), along(r, "wrong")), ([2], ["others", "together"]), "a processor whose counter leaks is found, that one alone, where others work and where they count")
ok(any(re.fullmatch(r"  processor 2 differs in \d+", line) for line in r.text), "the end names it", tail(r))
ok(any("1 of 1 other processors deviate; " in c.get("text", "") for c in checks(r, 2)), "and so are those that count beside it", [c.get("text") for c in checks(r, 2)])
ok(any("1 of 2 deviate; all other processors work: " in c.get("text", "") for c in checks(r, 2)), "and it is said when", [c.get("text") for c in checks(r, 2)])
r = boot(options=SWEEP)
equal([c["text"] for c in checks(r) if c["name"] == "others"], ["there is no other processor that could work"], "one processor alone: the axis is skipped")
r = boot(options="pmu=virtual cpus=all " + COMPANIONS, cpus=3)
sound(r, "on each of three processors")
equal([line.split(":")[0] for line in r.text if re.match(r"suite \d+ of \d+:", line)], ["suite 2 of 3", "suite 3 of 3"],
      "suites are numbered through the processors")
equal([skipped(r, n) for n in range(3)], [[ALONE]] * 3, "each finds another one, but no sibling")
r = boot(options="pmu=virtual cpus=1 " + COMPANIONS, cpus=2)
equal(skipped(r, None) or skipped(r, 1), [NOBODY, ALONE], "the boot processor, which waits, is none")
r = boot("disk", options="pmu=virtual suite=machine,truth kernel=rival_stores", cpus=2)
sound(r, "UEFI: another processor is started, and the firmware finds its own afterwards")

# --- what one thread of a core counts lands in the other's: BJ122 by its numbers on later CPUs -------------------

for profile, number in (("intel-ivybridge", "BV98"), ("intel-haswell", "HSD29")):
    r = boot(options="pmu=virtual:%s suite=control check=beside* inject=%s" % (profile, number))
    found = {c["name"].rpartition("/")[2]: c.get("text", "") for c in checks(r) if c["verdict"] == "wrong"}
    ok(sorted(found) == ["81H", "82H"] and all("(consistent with BJ122)" in text for text in found.values()), "%s on %s is found" % (number, profile), [repr(found)] + tail(r))
sound(boot(options="pmu=virtual:intel-haswell suite=control check=beside*"), "without it no thread counts what the other one does")

# --- whichever firmware, and however many ------------------------------------------------------------------------

EACH = "pmu=virtual suite=control check=*gating* cpus=all"
alone = {k: v[0] for k, v in (verdict_table(boot(options=EACH)) or {}).items()}
# The firmware of 32 bits has all processors wait for each other in system management mode, again and again.
FIRMWARES = (("a BIOS", "bios", {}), ("UEFI", "disk", {}), ("32-bit UEFI", "disk", {"firmware": emulators.OVMF32, "in_turns": True}))
for name, how, cpus, firmware in (*((name, how, 8, firmware) for name, how, firmware in FIRMWARES),
                                  *few((), [("%s, %d" % (name, cpus), how, cpus, firmware) for cpus in (1, 2) for name, how, firmware in FIRMWARES])):
    r = boot(how, options=EACH, cpus=cpus, **firmware)
    sound(r, "%s: %d processors" % (name, cpus))
    equal(judged(r) if cpus > 1 else [(0, None, True)], [(n, None, True) for n in range(cpus)], "each is judged")
    equal([n for n in range(cpus) if not alone or {k: v[0] for k, v in (verdict_table(r, n if cpus > 1 else None) or {}).items()} != alone], [],
          "with the verdicts of one processor in a direct start")

# --- what does not come ----------------------------------------------------------------------------------------

# A second MADT: an enabled processor with the local APIC ID 7, which nobody has, and one that is online capable with the ID 8.
MADT = bytes([0, 0, 0xe0, 0xfe, 1, 0, 0, 0, 0, 8, 7, 7, 1, 0, 0, 0, 0, 8, 8, 8, 2, 0, 0, 0])
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "madt")
    with open(path, "wb") as f:
        f.write(MADT)
    ghosts = dict(steady=False, extra=(*WAITING, "-acpitable", "sig=APIC,data=" + path))
    r = boot(options="pmu=virtual suite=control check=*gating* cpus=all", cpus=2, **ghosts)
    equal(judged(r), [(0, None, True), (1, None, True), (2, None, False)], "one of three does not start, the others are judged")
    why = [c["text"] for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if s["name"] == "processors"]
    equal((why, r.counts and r.counts["error"]), (["processor 2 (APIC ID 7) did not start: nothing answers at this APIC ID"], 1),
          "one line names it, and the run is not called good")
    valid(r.report, "the report keeps to the schema")
    r = boot(options="pmu=virtual suite=machine", cpus=2, extra=("-acpitable", "sig=APIC,data=" + path))
    equal([c["name"] for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if c["verdict"] in ("wrong", "error")],
          ["others/all work at once, each by itself"], "and is missed where all are to work at once")
    complains(boot(options="pmu=virtual suite=control cpus=3", cpus=2, **ghosts), r"processor 3 \(APIC ID 8\) did not start: firmware has not enabled it",
              "only one asked for, that firmware keeps off")

# 255 processors are listed, and two answer.
n = 255
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "madt")
    with open(path, "wb") as f:
        f.write(bytes([0, 0, 0xe0, 0xfe, 1, 0, 0, 0]) + b"".join(bytes([0, 8, i, i, 1, 0, 0, 0]) for i in range(2, n)))
    r = boot(options="pmu=virtual suite=control check=*gating* cpus=all", cpus=2, steady=False, extra=(*WAITING, "-acpitable", "sig=APIC,data=" + path))
equal(judged(r), [(i, None, i < 2) for i in range(n)], "two of %d start, and are judged" % n)
equal([c["text"] for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if s["name"] == "processors"],
      ["processor 2 (APIC ID 2) did not start: nothing answers at this APIC ID; likewise %d more, up to processor %d" % (n - 3, n - 1)],
      "one line names the others")
equal((r.status, r.counts and r.counts["error"]), (1, 1), "which is an error, once")
valid(r.report, "the report keeps to the schema")

for how, turn, why in (("faults", 3, r"was given up: #UD in ring 0 at run_turn\+0x"),
                       ("hangs", 3, r"was given up: no sign of life until the recall in ring 0 at run_turn\+0x"),
                       ("deaf", 2, "was given up: no sign of life, nor does it take an NMI: its registers are not known"),
                       ("late", 1, "did not start: it began, and did not come within 2 s")):
    r = boot(options="pmu=virtual suite=control check=*gating* cpus=all inject=processor:1:%s:%d" % (how, turn), cpus=3, steady=False, extra=WAITING)
    said = [c["text"] for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if s["name"] == "processors"]
    ok(len(said) == 1 and re.fullmatch(r"processor 1 \(APIC ID 1\) " + why + ".*", said[0]), "one that %s in turn %d is named" % (how, turn), said + tail(r))
    equal((r.status, wrong_on(r) in ([1], [None]), bool(verdict_table(r, 2)), r.report and r.report["complete"]), (1, True, True, True),
          "and the run goes on with the rest")
    equal(len([line for line in r.text if line.startswith("  rip ") or "  rip    " in line]), how in ("faults", "hangs"),
          "with its registers, if it can still tell them")
    valid(r.report, "the report keeps to the schema")

for options, pattern, name in (("pmu=virtual cpus=2", r"cpus=2: there is no processor 2, only 0 to 1", "a processor that is not there"),
                               ("pmu=virtual cpus=0,,1", r"token 2: cpus=0,,1 is malformed: it wants auto, all, or numbers", "a malformed list"),
                               (HYBRID + " inject=dropped-carry@2", r"inject=dropped-carry@2: processor 2 is not judged", "a deviation of nobody"),
                               (HYBRID + " inject=no-such@1", r"no injection .no-such.", "an unknown one, before anything is judged")):
    complains(boot(options=options, cpus=2, timeout=60), pattern, name)
done()
