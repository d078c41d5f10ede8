#!/usr/bin/python3
"""Where reports go: a read-only volume, a full one, a run that is cut short."""
import os

from boottest import BUILD, boot, done, emulators, equal, ok, sound, tail, valid

OPTIONS = "pmu=virtual suite=control,events exit=shutdown\n"

r = boot("disk", config=OPTIONS.replace(",events", ""), disk="readonly")
sound(r, "read-only volume")
ok(sum("cannot write" in line and "write-protected" in line for line in r.text) == 1, "it is said once, with the reason", tail(r))


def fill(image):
    """Leave no cluster free: files of half the size each time one does not fit any more."""
    size, n = 64 << 20, 0
    while size >= 512:
        with open(image + ".fill", "wb") as f:
            f.truncate(size)
        n += 1
        if emulators.mtools("mcopy", image, image + ".fill", "::/fill%d" % n, check=False) != 0:
            emulators.mtools("mdel", image, "::/fill%d" % n, check=False)
            size //= 2
    os.remove(image + ".fill")


r = boot("disk", config=OPTIONS.replace(",events", ""), prepare=fill)
sound(r, "full volume")
ok(sum("cannot write" in line and "full" in line for line in r.text) == 1, "it is said once, with the reason", tail(r))

# Killed when the second suite has begun.
second = []


def in_second_suite(line):
    if "events" in line and not line.startswith("# assay"):
        second.append(line)
    return len(second) > 3


r = boot("disk", config=OPTIONS + "verbose=1\n", stop_when=in_second_suite)
ok(r.verdict is None, "killed half-way", tail(r))
valid(r.report, "what it left is a valid report")
if r.report:
    equal(r.report["complete"], False, "which says that it is incomplete")
    finished = {s["name"]: len(s["checks"]) for s in r.report["suites"] if s["complete"]}
    ok(finished.get("control", 0) > 5, "and holds the suite that was finished", repr(finished))



def leave_longer_reports(image):
    """Reports of another run, longer than those to come: of each line of theirs nothing may be left."""
    for kind in ("json", "txt"):
        emulators.write_file(image, "/assay/report." + kind, OLD_LINE * 100000)


OLD_LINE = "a line of an older report\n"
r = boot("disk", config=OPTIONS + "suite=control,experiments\n[experiment small] kernel=nop_loop events=INST_RETIRED.ANY\n", prepare=leave_longer_reports)
sound(r, "one to its end, with an experiment")
equal([x["name"] for x in (r.report or {"experiments": []})["experiments"]], ["small"], "which is in its report")
ok(r.report_json and OLD_LINE not in r.report_json and r.report_text and OLD_LINE not in r.report_text,
   "nothing is left of longer reports that were there", [r.report_text[-200:] if r.report_text else "no report.txt"])
valid(r.report, "its report is valid")
equal(r.report and r.report["complete"], True, "and complete")
ok(r.report_text and r.report_text.rstrip().split("\n")[-1] == "assay: " + (r.verdict or ""), "report.txt ends with the verdict line")
ok(os.path.getsize(BUILD + "/assay.img") <= 128 << 20, "the image suits any stick")
done()
