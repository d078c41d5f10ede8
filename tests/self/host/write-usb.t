#!/usr/bin/python3
"""make usb: which devices are written to, by what a kernel's files say of them, and that it is written (on a loop device, where one can be had)."""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from tap import done, equal, ok, skip  # noqa: E402

SCRIPT = os.path.join(TOP, "scripts", "write-usb")
loader = importlib.machinery.SourceFileLoader("write_usb", SCRIPT)
usb = importlib.util.module_from_spec(importlib.util.spec_from_loader("write_usb", loader))
loader.exec_module(usb)


def run(*arguments):
    r = subprocess.run([SCRIPT, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return r.returncode, r.stdout + r.stderr


folder = tempfile.TemporaryDirectory()
image = os.path.join(folder.name, "image")
with open(image, "wb") as f:
    f.write(os.urandom(5 << 20) + b"end")

# By the command: nothing is written to what is no disk.
for device, why in (("", "say which disk: make usb DEV=/dev/sdX"), (image, image + " is no block device: name a disk such as /dev/sdb"),
                    ("/dev/null", "/dev/null is no block device: name a disk such as /dev/sdb"), ("/dev/none", "/dev/none: No such file or directory")):
    equal(run(image, device), (2, "usb: %s\n" % why), "no disk: " + os.path.basename(device))

# A kernel's files: a stick of two partitions at 8:16, and what else is said of it.
SYS, PROC = os.path.join(folder.name, "sys"), os.path.join(folder.name, "proc")
DISK = {"dev": "8:16", "size": "204800", "removable": "1", "ro": "0", "device/vendor": "ACME", "device/model": "Stick", "sdz1/dev": "8:17", "sdz1/partition": "1",
        "sdz2/dev": "8:18", "sdz2/partition": "2"}
REAL = usb.number_of


def look(number=(8, 16), force=False, needed=1 << 20, proc=None, **changes):
    """What is said of the stick with some of its files changed, and in /proc."""
    subprocess.run(["rm", "-rf", SYS, PROC], check=True)
    files = {os.path.join(SYS, "devices/sdz", name): text for name, text in {**DISK, **changes.pop("files", {})}.items()}
    files.update({os.path.join(PROC, name): text for name, text in {"self/mountinfo": "", "swaps": "", **(proc or {})}.items()})
    for path, text in files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as f:
            f.write(text + "\n")
    os.makedirs(os.path.join(SYS, "dev/block"))
    for numbers, at in (("8:16", "sdz"), ("8:17", "sdz/sdz1")):
        os.symlink("../../devices/" + at, os.path.join(SYS, "dev/block", numbers))
    usb.number_of = lambda path: number
    try:
        return usb.look("/dev/sdz", needed, force, SYS, PROC)
    except usb.Refused as e:
        return "refused: %s" % e
    finally:
        usb.number_of = REAL


MOUNT = {"self/mountinfo": "23 1 0:21 / /proc rw - proc proc rw\n36 1 8:17 / /media/stick rw - vfat /dev/sdz1 rw"}
GOOD = "/dev/sdz: ACME Stick, 100 MiB, 2 partitions"
FORCED = "(FORCE=1 writes all the same)"
equal(look(), GOOD, "a stick is taken, and named")
equal(look(proc=MOUNT), "refused: /dev/sdz is in use: sdz1 is mounted on /media/stick; unmount it first " + FORCED, "a partition of it is mounted")
equal(look(proc=MOUNT, force=True), GOOD, "which FORCE=1 overrides")
equal(look(proc={"self/mountinfo": "36 1 8:16 / /mnt rw - vfat /dev/sdz rw"}), "refused: /dev/sdz is in use: sdz is mounted on /mnt; unmount it first " + FORCED, "all of it is mounted")
equal(look(proc={"self/mountinfo": "36 1 8:1 / /mnt rw - vfat /dev/sdy rw"}), GOOD, "another disk's mounts do not matter")
equal(look(proc={"self/mountinfo": "36 1 0:44 / /mnt rw - btrfs /dev/sdz2 rw"}), "refused: /dev/sdz is in use: sdz2 is mounted on /mnt; unmount it first " + FORCED,
      "mounted by a file system with a number of its own")
equal(look(proc={"swaps": "Filename Type\n/dev/sdz2 partition 1 0 -2"}), "refused: /dev/sdz is in use: sdz2 is swapped to; unmount it first " + FORCED, "swapped to")
equal(look(files={"sdz2/holders/dm-0": ""}), "refused: /dev/sdz is in use: sdz2 is part of dm-0; unmount it first " + FORCED, "below another device")
equal(look(files={"removable": "0"}), "refused: /dev/sdz is not removable: a disk of this computer? " + FORCED, "not removable")
equal(look(files={"removable": "0"}, force=True), GOOD, "which FORCE=1 overrides")
equal(look(number=(8, 17), force=True), "refused: /dev/sdz is a partition: name the whole disk, /dev/sdz", "a partition, even with FORCE=1")
equal(look(needed=(100 << 20) + 1, force=True), "refused: /dev/sdz is too small: it has 100 MiB, and the image 101", "too small, even so")
equal(look(files={"size": "0"}), "refused: /dev/sdz has no medium", "an empty reader of cards")
equal(look(files={"ro": "1"}, force=True), "refused: /dev/sdz is write-protected", "write-protected")
equal(look(number=(9, 9)), "refused: /dev/sdz: the kernel knows no such disk", "unknown to the kernel")

# For real.
disk = os.path.join(folder.name, "disk")
with open(disk, "wb") as f:
    f.truncate(8 << 20)
loop = subprocess.run(["losetup", "-f", "--show", disk], capture_output=True, text=True, check=False) if os.getuid() == 0 else None
if loop and loop.returncode == 0:
    device = loop.stdout.strip()
    try:
        status, text = run(image, device)
        ok(status == 2 and "is not removable" in text and text.count("\n") == 1, "a loop device is not removable: " + text.strip())
        with open(disk, "rb") as f:
            equal(f.read(1 << 20).strip(b"\0"), b"", "nothing was written")
        status, text = run(image, device, "--force")
        ok(status == 0 and "all of it is replaced by" in text and text.endswith("written, and read back\n"), "with FORCE=1 it is written", [text])
    finally:
        subprocess.run(["losetup", "-d", device], check=False)
    with open(disk, "rb") as f, open(image, "rb") as wanted:
        content = wanted.read()
        equal(f.read(len(content)) == content, True, "byte for byte")
else:
    skip("writing to a loop device", "that wants root")
done()
