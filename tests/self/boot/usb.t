#!/usr/bin/python3
"""The disk image as a USB stick: boots, and the report is on it. It is the walk of a newcomer, too: from the image to the opened page, by the
commands as the README and the page for the person at the machine have them."""
import os
import re
import shlex
import subprocess
import tempfile

from boottest import BUILD, TOP, boot, done, emulators, equal, ok, sound, valid
from browser import browser, complaints

# What firmware goes by, which may be stricter than ours: the partition's type is that of an EFI system partition (UEFI 2.10, 5.3.3), and its
# file system is FAT32.
def said(*command):
    return subprocess.run(command, env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}, capture_output=True, text=True, check=False).stdout


IMAGE = os.path.join(BUILD, "assay.img")
partition = said("sgdisk", "-i", "1", IMAGE)
ok("C12A7328-F81F-11D2-BA4B-00A0C93EC93B" in partition and "'Assay'" in partition, "an EFI system partition of its name", partition)
whole = said("sgdisk", "-v", "-p", IMAGE)
ok("No problems found" in whole and re.findall(r"^ +\d+ .*$", whole, re.M) == re.findall(r"^ +1 .* EF00 +Assay$", whole, re.M), "both tables are well, and name no other one", whole)
first = int(re.search(r"First sector: (\d+)", partition).group(1))
files = said("minfo", "-i", "%s@@%d" % (IMAGE, 512 * first), "::")
ok('disk type="FAT32   "' in files and 'disk label="ASSAY      "' in files, "a FAT32 file system with a label", files)
with open(IMAGE, "rb") as f:
    boot_record = f.read(512)
equal((boot_record[510:], boot_record[450], int.from_bytes(boot_record[454:458], "little")), (b"\x55\xaa", 0xee, 1), "a protective record before them")
equal((boot_record[462], boot_record[466]), (0x80, 0), "beside an active entry, without which some BIOSes start no disk, of no partition")
equal((first, first % 2048), (emulators.FIRST_SECTOR, 0), "the partition begins where the scripts look for it, on a block of flash memory")
catalog = said("xorriso", "-indev", IMAGE, "-report_el_torito", "plain")
ok(re.search(r"boot img +:? +1 +BIOS", catalog) and re.search(r"boot img +:? +2 +UEFI", catalog), "as a CD it is for a BIOS and for UEFI", catalog)

# The commands, word for word; but that the stick is a file, and where it is mounted a folder with its files.
FOLDER = tempfile.TemporaryDirectory()
STICK, MOUNTED, PAGE = (os.path.join(FOLDER.name, name) for name in ("stick", "mounted", "report.html"))


def walk(page, command):
    """Carry out a command that a page has. @return what is wrong, "" if nothing"""
    with open(os.path.join(TOP, page), encoding="utf-8") as f:
        if "`%s`" % command not in f.read():
            return "%s does not say `%s`" % (page, command)
    words = shlex.split(command.replace("/dev/sdX", STICK).replace("/media/stick", MOUNTED).replace("report.html", PAGE))
    r = subprocess.run(words, cwd=TOP, env={k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "MFLAGS"}, capture_output=True,
                       text=True, check=False)
    return "" if r.returncode == 0 else "%s ended with %d: %s%s" % (command, r.returncode, r.stdout, r.stderr)


equal(walk("README.md", "make image"), "", "the walk: the image is made")
equal(walk("README.md", "dd if=build/assay.img of=/dev/sdX bs=4M conv=fsync"), "", "the walk: and put onto the stick")


# Nobody is there: everything is run. So the stick's own file has it; behind that only little of everything is chosen here, and a shorter wait.
LITTLE = "menu=3 kernel=empty event=INST_RETIRED.ANY_P check=wrap* reps=1"
asked = []


def stick_in(image):
    emulators.copy_image(image, STICK)
    own = emulators.read_file(image, "/assay/assay.cfg").decode()
    asked.extend(word for line in own.splitlines() for word in line.partition("#")[0].split())
    emulators.write_file(image, "/assay/assay.cfg", own + "\n" + LITTLE + "\n")


def look_at_stick(image):
    os.mkdir(MOUNTED)
    emulators.mtools("mcopy", image, "-s", "::/*", MOUNTED)


r = boot("disk", disk="usb", options=None, prepare=stick_in, inspect=look_at_stick, stop_when=lambda line: "may be switched off" in line)
equal(asked, ["exit=halt", "menu=10", "suite=all", "kernel=all", "event=*"], "as it was made it waits ten seconds for a key, and then runs everything")
sound(r, "booted from USB mass storage, nobody there")
with open(os.path.join(TOP, "docs/choices.md"), encoding="utf-8") as f:
    suites = re.findall(r"^\| `(\w+)` \|", f.read().partition("## Options")[0], re.M)
# Those of research are asked for by name, errata are judged in other suites' stead, and the ladder is before all of them.
equal([s["name"] for s in (r.report or {"suites": []})["suites"]],
      ["ladder"] + [name for name in suites if name not in ("strings", "opcodes", "skid", "scan", "bench", "errata", "first")], "every suite that judges was run")
ok(any("may be switched off" in line for line in r.lines), "the table stays on the screen", r.lines[-5:])
valid(r.report, "report.json on the stick is valid")
equal(r.report and r.report["complete"], True, "and complete")
equal(r.report and r.report["machine"]["platform"], "UEFI", "started by UEFI")
ok(r.report_text and "virtual PMU (model " in r.report_text and "not silicon" in r.report_text, "report.txt says what was judged")
found = sorted(os.listdir(MOUNTED + "/assay/runs"))
ok(len(found) == 1 and re.fullmatch(r"0001-[A-Za-z]+-\d+-[0-9A-F]+-[0-9A-F]+", found[0]) and
   sorted(os.listdir(MOUNTED + "/assay/runs/" + found[0])) == ["journal.txt", "report.json", "report.txt"], "the walk: its folder has the three files", found)
equal(walk("docs/at-the-machine.md", "scripts/assay-report html /media/stick -o report.html"), "", "the walk: a page is made of the stick's report")
with browser() as window:
    window.get("file://" + PAGE)
    text = window.execute_script("return document.body.innerText")
    equal(complaints(window), [], "the walk: it is opened without complaints")
totals = r.report["totals"] if r.report else {}
ok("%s exact" % totals.get("exact") in text and r.report["machine"]["cpu"] in text and r.report["date"] in text and "silicon" in text,
   "the walk: opened in a browser, the page has the CPU, the date, how many checks there were, and that no silicon was judged", text[:2000])
FOLDER.cleanup()
equal({k: v for k, v in totals.items()}, r.counts, "the totals are those of the last line")
done()
