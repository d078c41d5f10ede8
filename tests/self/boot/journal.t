#!/usr/bin/python3
"""A run that ends before its end: the next start says where it was, and goes on behind it."""
import json
import os
import random
import re
import shutil
import tempfile
import time

from boottest import boot, comparable, done, emulators, equal, few, ok, sound, tail, valid
from monitor import Monitor

CONTROL = "pmu=virtual suite=control"
with tempfile.TemporaryDirectory() as folder:
    # What a card at port 80H shows, in a file.
    clean = boot(options=CONTROL, extra=("-chardev", "file,id=card,path=%s/card" % folder, "-device", "isa-debugcon,iobase=0x80,chardev=card"))
    with open(folder + "/card", "rb") as f:
        shown = f.read()
sound(clean, "a run to its end")
# Stages are E0H and up, one after the other; behind each come its checks, from 1 on.
stages = re.findall(rb"([\xe0-\xff])([^\xe0-\xff]*)", shown, re.S)
equal((b"".join(b"".join(stage) for stage in stages), [code[0] for code, _ in stages]), (shown, list(range(0xe0, 0xe0 + len(stages)))), "port 80H: stages are told as they begin")
equal([list(checks) for _, checks in stages], [list(range(1, len(checks) + 1)) for _, checks in stages], "port 80H: and so are checks")
ok(len(stages) >= 5 and max(len(checks) for _, checks in stages) > 100, "all of them", repr(shown))
equal([line for line in clean.text if "the last run" in line or "left out" in line], [], "it says nothing of an earlier one")


def went_on(r, name, ended, checks):
    """The machine was reset once for each place in `ended`; each start says where, and the last one leaves these checks out."""
    notes = [line for line in r.text if line.startswith("note: the last run")]
    ok(len(notes) == len(ended) and all(place in note for place, note in zip(ended, notes)), name + ": each start says where the last run ended",
       notes + tail(r))
    table = comparable(r) or {}
    errors = [k for k, (verdict, _) in table.items() if verdict == "error"]
    equal(errors, checks, "the check is an error")
    texts = [c.get("text") for s in (r.report or {"suites": []})["suites"] for c in s["checks"] if c["verdict"] == "error"]
    ok(texts and all(text.startswith("reset the machine") for text in texts), "which says that it reset the machine", texts)
    others, reference = [{k: v for k, v in t.items() if k not in checks} for t in (table, comparable(clean) or {})]
    equal([k for k in reference if others.get(k) != reference[k]], [], "all others are judged as ever")
    ok(r.status == 1, "something is wrong: %s" % r.verdict)


r = boot(options=CONTROL + " inject=reset:control/accesses:17")
access = [k for k in comparable(clean) or {} if k.startswith("control/access/")]
went_on(r, "a step of a check", ["ended in control/accesses #17"], access[16:17])
r = boot(options=CONTROL + " inject=triple-fault:control/wrap/PMC0+reset:control/accesses:3+reset:control/wrap/PMC1")
went_on(r, "three checks, one with a triple fault", ["control/wrap/PMC0", "control/wrap/PMC1", "control/accesses #3"],
        ["control/wrap/PMC0", "control/wrap/PMC1", access[2]])
ok(any("the register that was last written is " in line for line in r.text), "it says which register was last written", [line for line in r.text if "last run" in line])

r = boot(config='inject="reset:control"', options="pmu=virtual suite=control,events kernel=empty event=*INST*")
suites = {s["name"]: [c["verdict"] for c in s["checks"]] for s in (r.report or {"suites": []})["suites"]}
equal(suites.get("control"), ["error"], "between two checks, twice: the suite is left out")
ok(suites.get("events") and set(suites["events"]) <= {"exact", "within"}, "and the next one is judged", [repr(suites)] + tail(r))
r = boot(options=CONTROL + " check=wrap* inject=exception:control/wrap/PMC0")
equal([k for k, (verdict, _) in (comparable(r) or {}).items() if verdict == "error"], ["control/wrap/PMC0"], "an exception ends its check, and no other")
r = boot(options=CONTROL + " inject=exception:control")
ok(r.status == 2 and "it needs a check" in (r.verdict or ""), "nor can it end a suite: %s" % r.verdict, tail(r))
r = boot(config='inject="reset:choosing the PMU"', options="pmu=virtual suite=control")
ok(r.status == 2 and "the last 2 starts ended while choosing the PMU" in (r.verdict or ""), "a machine that starts over and over is stopped: %s" % r.verdict, tail(r))

r = boot(config='inject="triple-fault:choosing the PMU/call 1"', options="pmu=virtual suite=control")
ok(r.lines.count("TAP version 14") == 3 and r.status == 2 and "left out: choosing the PMU/call 1" in "".join(r.text),
   "what nothing goes on without is tried twice: %s" % r.verdict, tail(r))

# At any moment: checks are told one by one, the tables at the end at once.
SEED = int(os.environ.get("ASSAY_SEED") or random.randrange(1 << 32))
chance = random.Random(SEED)
last = max([i for i, line in enumerate(clean.lines) if line.startswith("ok ")] or [10])
MOMENTS = few(3, 20)
for moment in range(MOMENTS):
    how = ("reset", "triple fault", "killed")[moment % 3]
    at, seen = chance.randrange(4, last - (50 if how == "triple fault" else 4)), []  # nothing interrupts the last checks
    if how == "killed":  # below: what is left of it is on the disk
        continue
    with Monitor() as monitor:

        def reset(line):
            seen.append(line)
            if len(seen) == at and how == "reset":
                monitor.do("system_reset")
            elif len(seen) == at:
                monitor.triple_fault()

        r = boot(options=CONTROL, extra=monitor.options, on_line=reset)
    notes = [line for line in r.text if line.startswith("note: the last run")]
    missing = [k for k in comparable(clean) or {} if k not in (comparable(r) or {})]
    # What one check tells as many is missing with it.
    for check, many in (("accesses", "control/access/"), ("power-up", "control/power-up/")):
        if "ended in control/" + check in "".join(notes):
            missing = [k for k in missing if not k.startswith(many)]
    # So are the checks of a counter whose ladder is left out.
    counter = re.search(r"ended in choosing the PMU/ladder/(\w+)", "".join(notes))
    missing = [k for k in missing if not counter or not k.endswith("/" + counter[1])]
    ok(r.lines.count("TAP version 14") == 2 and len(notes) == 1 and r.counts and r.counts["error"] <= 1 and not missing,
       "%s at line %d of %d: %s" % (how, at, last, notes[0] if notes else "nothing is said"), ["seed %d" % SEED] + missing + tail(r, 30))

# Under firmware, with a journal.
FOLDER = tempfile.TemporaryDirectory()
DISK = FOLDER.name + "/disk.img"
FEW = "exit=shutdown %s check=wrap*\n" % CONTROL
journals = []


def keep(image):
    journals.extend((emulators.read_file(image, run + "/journal.txt") or b"").decode() for run in emulators.runs(image))
    shutil.copy(image, DISK)


r = boot("disk", config=FEW + "inject=reset:control/wrap/PMC1", inspect=keep, timeout=180)
ok(any("the last run (0001) ended in control/wrap/PMC1" in line for line in r.text), "UEFI: the second start says it", tail(r))
ok(any("reset the machine (run 0001)" == c.get("text") for s in (r.report or {"suites": []})["suites"] for c in s["checks"]), "and in which run it was")
equal(r.counts and (r.counts["error"], r.counts["exact"]), (1, 9), "all other checks are judged")
valid(r.report, "its report is valid")
equal(len(journals), 2, "each run has a journal")
if len(journals) == 2:
    ok(re.search(r"\A(assay .* on .*-.*\noptions: .*)\n(\d+ ms: .*\n)*\d+ ms: suite control on processor 0\n\Z", journals[0]),
       "the first one's ends with the suite", journals[0])
    ok("left out: 0001 0 0 control/wrap/PMC1\n" in journals[1] and re.search(r"\nended: 10 checks, in \d+ ms\n\Z", journals[1]), "the second one's with its end", journals[1])


def go_on(image):
    shutil.copy(DISK, image)
    emulators.write_file(image, "/assay/assay.cfg", FEW)


def past(lines):
    """Those of the last start, to its last check."""
    begin = max([i for i, line in enumerate(lines) if line == "TAP version 14"] or [0])
    return max([i - begin for i, line in enumerate(lines) if re.match("(not )?ok ", line)] or [1])


# dangerous=yes: what may hang the machine comes last, when the report is on the volume, and so is the check's name.
FEW = "exit=shutdown %s check=wrap*,PEBS* dangerous=yes inject=bj106\n" % CONTROL
saved = []


def keep_hung(image):
    runs = emulators.runs(image)
    saved.append((emulators.read_file(image, runs[-1] + "/report.json"), emulators.read_file(image, runs[-1] + "/journal.txt")))
    shutil.copy(image, DISK)


def hung(line):
    seen.append(line)
    if "dangerous: what can hang" not in "".join(seen[-1:]) or sum("dangerous: what can hang" in s for s in seen) < 2:
        return False
    time.sleep(2)
    return True


seen = []
r = boot("disk", config="", prepare=go_on, stop_when=hung, inspect=keep_hung)
report, journal = saved[-1]
ok(r.verdict is None and re.search(rb"suite dangerous on processor 0\nmay hang: \d+ 0 0 dangerous/PEBS switched while it counts/PMC0\n\Z", journal or b""),
   "a check that hangs is told beforehand", [repr(journal)] + tail(r))
r = boot("disk", config="", prepare=go_on, inspect=keep_hung)
before, after = ([(s["name"], c["name"], c["verdict"]) for s in (document or {"suites": []})["suites"] for c in s["checks"]] for document in (json.loads(report or b"null"), r.report))
equal((before, after[-1:]), (after[:-1], [("dangerous", "PEBS switched while it counts/PMC0", "error")]), "all that came before it is in the report, and the next start leaves it out")
ok(("dangerous", "PEBS buffer of two pages/PMC0", "exact") in before, "one that does not hang is judged", repr(before))
ok(any("the last run (%04d) ended in dangerous/PEBS switched while it counts/PMC0" % (len(r.runs) - 1) in line for line in r.text), "and says so", tail(r))
FEW = "exit=shutdown %s check=wrap*\n" % CONTROL

until = past(r.lines) - 8
for moment in range(2, MOMENTS, 3):
    at, seen, name = chance.randrange(until), [], "killed by seed %d at line " % SEED

    def kill(line):
        if seen or line == "TAP version 14":
            seen.append(line)
        if len(seen) <= at:
            return False
        time.sleep(chance.random() / 50)
        return True

    came = []

    def keep_killed(image):
        """The machine may be ahead of what was heard of it, and at its end."""
        came.append(b"\nended: " in (emulators.read_file(image, emulators.runs(image)[-1] + "/journal.txt") or b""))
        shutil.copy(image, DISK)

    r = boot("disk", config="", prepare=go_on, stop_when=kill, inspect=keep_killed)
    ok(r.verdict is None and not [line for line in r.text if "the last run" in line or "left out" in line],
       "behind a run that ended well a start says nothing of any, and leaves nothing out", tail(r))
    run = len(r.runs)
    r = boot("disk", config="", prepare=go_on, inspect=keep_killed)
    sound(r, name + "%d of %d: the next start" % (at, until))
    notes = [line for line in r.text if line.startswith("note: the last run")]
    ok(not notes if came[0] else len(notes) == 1 and "the last run (%04d) ended in " % run in notes[0],
       "it says where: %s" % (notes or "nothing is said"), tail(r, 30))
done()
