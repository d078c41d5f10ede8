#!/usr/bin/python3
"""Where reports go: a folder for each run on the right volume, which may be read-only or full, and of a run that is cut short."""
import os
import shutil
import subprocess
import tempfile

import aarch64_boot as arm
from boottest import BUILD, boot, done, emulators, equal, ok, sound, tail, valid

OPTIONS = "pmu=virtual suite=control,events exit=shutdown\n"
CONTROL = OPTIONS.replace(",events", "")
FOLDER = tempfile.TemporaryDirectory()


def other_volume(name, *directories):
    """Another disk, without partitions, and QEMU's options for it."""
    path = os.path.join(FOLDER.name, name)
    with open(path, "wb") as f:
        f.truncate(4 << 20)
    subprocess.run(["mformat", "-i", path, "::"], check=True)
    for directory in directories:
        subprocess.run(["mmd", "-i", path, "::" + directory], check=True)
    return path, ("-drive", "if=none,id=%s,format=raw,file=%s" % (name, path), "-device", "virtio-blk-pci,drive=" + name)


def content(path):
    with open(path, "rb") as f:
        return f.read()


def said_once(r, what, name):
    lines = [line for line in r.text if "cannot write" in line]
    return ok(len(lines) == 1 and what in lines[0] and "on the screen and the serial line" in lines[0] and closing(r).startswith("report: none could be written (") and what in closing(r),
              name + ": it is said once, with the reason, and once more in the last line", lines + tail(r))


def closing(r):
    return next((line for line in reversed(r.text) if line.startswith("report: ")), "")


stranger, options = other_volume("stranger")
before = content(stranger)
r = boot("disk", config=CONTROL, disk="readonly", extra=options)
sound(r, "read-only volume")
said_once(r, "write-protected", "read-only volume")
ok(content(stranger) == before, "another volume, without \\assay, is left as it is")

# The one that the image comes from has no \\assay.
own, more = other_volume("own", "assay")
subprocess.run(["mcopy", "-i", own, "-", "::/assay/assay.cfg"], input=b"pmu=virtual suite=none exit=shutdown", check=True)


def without_folder(image):
    emulators.mtools("mdeltree", image, "::/assay")


r = boot("disk", prepare=without_folder, extra=options + more)
listed = subprocess.run(["mdir", "-b", "-i", own, "::/assay/runs"], capture_output=True, text=True, check=False).stdout.split()
ok(len(listed) == 1 and "/0001-" in listed[0] and "report: in \\assay\\runs\\" + listed[0].strip("/").rsplit("/", 1)[-1] in r.text,
   "started from a volume without \\assay: of two others the one that has it gets the report", listed + tail(r))
ok(content(stranger) == before, "and the one without is left as it is")
equal(r.runs, [], "so is its own")


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


r = boot("disk", config=CONTROL, prepare=fill)
sound(r, "full volume")
said_once(r, "volume is full", "full volume")

# Killed when the second suite has begun.
second = []


def in_second_suite(line):
    if "events" in line and not line.startswith(("# assay", "# options")):
        second.append(line)
    return len(second) > 3


DISK = FOLDER.name + "/disk.img"
r = boot("disk", config=OPTIONS + "verbose=1\n", stop_when=in_second_suite, inspect=lambda image: shutil.copy(image, DISK))
ok(r.verdict is None, "killed half-way", tail(r))
valid(r.report, "what it left is a valid report")
if r.report:
    equal(r.report["complete"], False, "which says that it is incomplete")
    finished = {s["name"]: len(s["checks"]) for s in r.report["suites"] if s["complete"]}
    ok(finished.get("control", 0) > 5, "and holds the suite that was finished", repr(finished))
first, first_json, first_text = r.runs[-1:], r.report_json, r.report_text

# Settings of two instruction sets, which one file may have for both.
SETTINGS = "hpet=1 x2apic=0 fiq=1\n"
PASSED_OVER = "note: passed over, as only other instruction sets have it: "

# The same disk once more, with an older run on it.
older = {"/assay/runs/0041-TheVendor-6-F-B/report.json": b"of another machine"}
left = {}


def go_on(image):
    shutil.copy(DISK, image)
    emulators.write_file(image, "/assay/assay.cfg",
                         CONTROL + SETTINGS + "suite=control,experiments\n[experiment small] kernel=nop_loop events=INST_RETIRED.ANY\n")


def look(image):
    left["older"] = {path: emulators.read_file(image, path) for path in older}
    left["first"] = [emulators.read_report(image, first[0], kind) for kind in ("json", "txt")] if first else None
    shutil.copy(image, DISK)
    left["names"] = sorted(emulators.names(image, r"/assay/runs/" + os.path.basename(emulators.runs(image)[-1])))


r = boot("disk", config="", prepare=go_on, files=older, inspect=look)
sound(r, "one to its end, with an experiment")
equal([line for line in r.text if line.startswith(PASSED_OVER)], [PASSED_OVER + "fiq=1"], "what only AArch64 can set is passed over, and told")
equal([os.path.basename(run).split("-")[0] for run in r.runs], ["0001", "0041", "0042"], "it has a folder behind all that were there")
ok(any("the last run (0001) ended in suite events on processor 0" in line for line in r.text), "it says where that run ended", tail(r, 40))
equal(r.runs and first and os.path.basename(r.runs[-1]).split("-", 1)[1], first and os.path.basename(first[0]).split("-", 1)[1],
      "which has the CPU's name, as that of the run before")
equal(left.get("older"), older, "another machine's report is as it was")
equal(left.get("first"), [first_json, first_text], "so is that of the run before")
equal([name for name in left.get("names", []) if name.endswith(".new")], [], "no file is left under the name that it was written under")
ok(("report: in " + r.runs[-1].replace("/", "\\")) in r.text, "the last line says where the report is", tail(r))
equal([x["name"] for x in (r.report or {"experiments": []})["experiments"]], ["small"], "the experiment is in its report")
valid(r.report, "its report is valid")
equal(r.report and r.report["complete"], True, "and complete")
ok(r.report_text and r.report_text.rstrip().split("\n")[-1] == "assay: " + (r.verdict or ""), "report.txt ends with the verdict line")

# The same volume serves AArch64's firmware, here at EL2, behind a run on x86.
equal(sorted(name for name in emulators.names(DISK, "/EFI/BOOT") if name.endswith(".EFI")), ["BOOTAA64.EFI", "BOOTIA32.EFI", "BOOTX64.EFI"],
      "the volume has an application for each instruction set's firmware")
emulators.write_file(DISK, "/assay/assay.cfg", SETTINGS + "exit=shutdown suite=events,machine kernel=empty,calls,float_single,vector_kept\n")
lines, report, status = arm.boot("", "cortex-a57", "virtualization=on", disk=True, image=DISK)
arm.says_what_it_is(lines, "Arm Cortex-A57", "Arm PMUv3, 6 general and 1 fixed counters", "AArch64 at EL2", el2=True)
arm.machine_is_sound(report, "AArch64 at EL2")
equal(status, 0, "AArch64 at EL2: nothing is wrong")
equal([line[2:] for line in lines if line.startswith("# " + PASSED_OVER)], [PASSED_OVER + "hpet=1 x2apic=0"], "what only x86 can set is passed over there, and told")
equal([os.path.basename(path)[:5] for path in emulators.runs(DISK)], ["0001-", "0041-", "0042-", "0043-"], "its run has a folder behind x86's")
equal(emulators.read_file(DISK, r.runs[-1] + "/report.json").decode(), r.report_json, "whose report is as it was")
ok(os.path.getsize(BUILD + "/assay.img") <= 128 << 20, "the image suits any stick")
done()
