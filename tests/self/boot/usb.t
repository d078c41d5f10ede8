#!/usr/bin/python3
"""The disk image as a USB stick: boots, and the report is on it."""
import os
import re
import subprocess

from boottest import BUILD, boot, done, equal, ok, sound, valid

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

r = boot("disk", disk="usb", options=None, stop_when=lambda line: "may be switched off" in line)
sound(r, "booted from USB mass storage, just as it was made")
ok(any("may be switched off" in line for line in r.lines), "the table stays on the screen", r.lines[-5:])
valid(r.report, "report.json on the stick is valid")
equal(r.report and r.report["complete"], True, "and complete")
equal(r.report and r.report["machine"]["platform"], "UEFI", "started by UEFI")
ok(r.report_text and "virtual PMU (model " in r.report_text and "not silicon" in r.report_text, "report.txt says what was judged")
totals = r.report["totals"] if r.report else {}
equal({k: v for k, v in totals.items()}, r.counts, "the totals are those of the last line")
done()
