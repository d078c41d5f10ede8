#!/usr/bin/python3
"""make usb: which devices are written to, by what a kernel's files say of them, and that it is written (on a loop device, where one can be had)."""
import errno
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
equal(look(proc=MOUNT, force=True), GOOD + "; IN USE: sdz1 is mounted on /media/stick", "which FORCE=1 overrides, and says")
equal(look(proc={"self/mountinfo": "36 1 8:16 / /mnt rw - vfat /dev/sdz rw"}), "refused: /dev/sdz is in use: sdz is mounted on /mnt; unmount it first " + FORCED, "all of it is mounted")
equal(look(proc={"self/mountinfo": "36 1 8:1 / /mnt rw - vfat /dev/sdy rw"}), GOOD, "another disk's mounts do not matter")
equal(look(proc={"self/mountinfo": "36 1 0:44 / /mnt rw - btrfs /dev/sdz2 rw"}), "refused: /dev/sdz is in use: sdz2 is mounted on /mnt; unmount it first " + FORCED,
      "mounted by a file system with a number of its own")
equal(look(proc={"swaps": "Filename Type\n/dev/sdz2 partition 1 0 -2"}), "refused: /dev/sdz is in use: sdz2 is swapped to; unmount it first " + FORCED, "swapped to")
equal(look(files={"sdz2/holders/dm-0": ""}), "refused: /dev/sdz is in use: sdz2 is part of dm-0; unmount it first " + FORCED, "below another device")
equal(look(files={"removable": "0"}), "refused: /dev/sdz is not removable: a disk of this computer? " + FORCED, "not removable")
equal(look(files={"removable": "0"}, force=True), GOOD + "; NOT REMOVABLE", "which FORCE=1 overrides, and says")
equal(look(files={"removable": "0"}, proc=MOUNT, force=True), GOOD + "; IN USE: sdz1 is mounted on /media/stick; NOT REMOVABLE", "both")
equal(look(number=(8, 17), force=True), "refused: /dev/sdz is a partition: name the whole disk, /dev/sdz", "a partition, even with FORCE=1")
equal(look(needed=(100 << 20) + 1, force=True), "refused: /dev/sdz is too small: it has 100 MiB, and the image 101", "too small, even so")
equal(look(files={"size": "0"}), "refused: /dev/sdz has no medium", "an empty reader of cards")
equal(look(files={"ro": "1"}, force=True), "refused: /dev/sdz is write-protected", "write-protected")
equal(look(number=(9, 9)), "refused: /dev/sdz: the kernel knows no such disk", "unknown to the kernel")

# Without a terminal, of a disk without a doubt.
real_look, arguments, sys.argv = usb.look, sys.argv, [SCRIPT, image, "/dev/sdz"]
usb.look = lambda path, needed, force: GOOD
said, usb.complain = [], lambda why: said.append(str(why)) or 2
try:
    with open(os.devnull, encoding="ascii") as nothing:
        stdin, sys.stdin = sys.stdin, nothing
        usb.main()
    left = None
except SystemExit as e:
    left = e.code
finally:
    sys.stdin, usb.look, sys.argv = stdin, real_look, arguments
equal((left, said), (2, ["/dev/sdz: nobody is at a terminal to be asked " + FORCED]), "nobody to be asked: refused")


# What a kernel answers to O_EXCL for a disk that somebody has a claim to.
def claimed(force):
    flags, real = [], os.open

    def answer(path, how, *rest):
        flags.append(how)
        raise OSError(errno.EBUSY if how & os.O_EXCL else errno.EIO, "as the kernel says", path)

    os.open = answer
    try:
        usb.write(image, "/dev/sdz", force)
    except (usb.Refused, OSError) as e:
        return str(e) if isinstance(e, usb.Refused) else e.errno
    finally:
        os.open = real
    return None


equal(claimed(False), "/dev/sdz is in use " + FORCED, "claimed by another: in use")
equal(claimed(True), errno.EIO, "with FORCE=1 no claim is asked for, and other errors stay what they are")

# Signed or not: by the applications in the image.
application = os.path.join(TOP, os.environ.get("ASSAY_BUILD", "build"), "aarch64/BOOTAA64.EFI")
run_openssl = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", "-keyout", folder.name + "/key", "-out", folder.name + "/cert"]
subprocess.run(run_openssl, capture_output=True, check=True)
subprocess.run([TOP + "/scripts/sign", folder.name + "/key", folder.name + "/cert", application, folder.name + "/SIGNED.EFI"], check=True)
equal([usb.is_signed(path) for path in (application, folder.name + "/SIGNED.EFI", image)], [False, True, False], "an application is signed, or not, or is none")
for names, wanted in (((), False), (("SIGNED.EFI",), True), (("SIGNED.EFI", application), False)):
    stick = os.path.join(folder.name, "stick")
    with open(stick, "wb") as f:
        f.truncate(usb.PARTITION + (8 << 20))
    fat = "%s@@%d" % (stick, usb.PARTITION)
    for command in (["mformat", "-i", fat, "-T", "16384", "-h", "16", "-s", "32", "::"], ["mmd", "-i", fat, "::/EFI", "::/EFI/BOOT"],
                    *(["mcopy", "-i", fat, os.path.join(folder.name, name), "::/EFI/BOOT/"] for name in names)):
        subprocess.run(command, check=True)
    equal(usb.signed(stick), wanted, "an image with %d applications" % len(names))


# What make passes on: DEV and FORCE by the command line alone.
def made(*arguments, **environment):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "MFLAGS"}
    r = subprocess.run(["make", "-n", "usb", *arguments], cwd=TOP, env={**kept, **environment}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return next((line.split("assay.img", 1)[1].strip() for line in r.stdout.splitlines() if line.startswith("scripts/write-usb ")), r.stderr[-300:])


equal(made("DEV=/dev/sdz", "FORCE=1"), '"$DEV" --force', "make usb DEV=... FORCE=1")
equal(made("DEV=/dev/sdz", "FORCE=0"), '"$DEV"', "FORCE=0 does not force")
equal(made(DEV="/dev/sdz", FORCE="1"), '""', "the environment's do not count")

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
        ok(status == 0 and "; NOT REMOVABLE\n" in text and "not signed for Secure Boot" in text and text.endswith("written, and read back\n"),
           "with FORCE=1 it is written", [text])
        claim = os.open(device, os.O_RDONLY | os.O_EXCL)
        try:
            usb.write(image, device, False)
            text = "written"
        except usb.Refused as e:
            text = str(e)
        os.close(claim)
        equal(text, device + " is in use " + FORCED, "while another has a claim to it")
    finally:
        subprocess.run(["losetup", "-d", device], check=False)
    with open(disk, "rb") as f, open(image, "rb") as wanted:
        content = wanted.read()
        equal(f.read(len(content)) == content, True, "byte for byte")
else:
    skip("writing to a loop device", "that wants root")
done()
