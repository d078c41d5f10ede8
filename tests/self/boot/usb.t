#!/usr/bin/python3
"""The disk image as a USB stick: boots, and the report is on it."""
from boottest import boot, done, equal, ok, sound, valid

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
