#!/usr/bin/python3
"""scripts/serial-report on the file of machines with a BIOS: the newest run's report wherever it lies, or the one that is asked for."""
import base64
import os
import subprocess
import sys
import tempfile
import zlib

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from tap import done, equal, ok  # noqa: E402

FIRST = "# Assay keeps the reports of machines with a BIOS here.\n"


def report(data):
    lines = ["#:report", "#:piece plain %d %d" % (len(data), len(data))]
    lines += ["#:" + base64.b64encode(data[at:at + 57]).decode() for at in range(0, len(data), 57)]
    return "\n".join(lines + ["#:sum %08x" % zlib.crc32(data), "#:end %d %08x" % (len(data), zlib.crc32(data)), ""])


def run(number, data, end=True):
    return "#:run %04d GenuineIntel-6-F-B\n0 ms: setting the machine up\n\n%s%s\n" % (number, report(data), "#:kept %04d\n" % number if end else "")


def data(number):
    return b"report of run %d " % number * 20


with tempfile.TemporaryDirectory() as folder:

    def read(text, *options):
        out = folder + "/report.json"
        with open(folder + "/bios.txt", "w", encoding="ascii") as f:
            f.write(FIRST + text)
        if os.path.exists(out):
            os.remove(out)
        r = subprocess.run([TOP + "/scripts/serial-report", folder + "/bios.txt", "-o", out, *options], capture_output=True, text=True, check=False)
        if not os.path.exists(out):
            return r.returncode, r.stderr.replace(folder + "/", "")
        with open(out, "rb") as f:
            return r.returncode, f.read()

    three = [run(n, data(n)) for n in (1, 2, 3)]
    equal(read("".join(three)), (0, data(3)), "the newest of three runs")
    equal(read("".join(three), "-r", "2"), (0, data(2)), "one that is asked for")
    # The fourth one took the place of the first, and of half of the second, whose remains end with its end.
    remains = "\n".join(three[1].split("\n")[5:])
    equal(read(run(4, data(4)) + remains + three[2]), (0, data(4)), "the newest one lies in front of older ones")
    equal(read(run(4, data(4)) + remains + three[2], "-r", "3"), (0, data(3)), "and older ones are still there")
    behind = "\n".join(three[1].split("\n")[3:])  # its report is whole, its first line is gone
    equal(read("#:run 0004 GenuineIntel-6-F-B\n" + behind + three[2]), (2, "serial-report: bios.txt: there is no whole report of run 0004; there are those of 0002, 0003\n"),
          "a run that was switched off before it wrote any: what was there is not taken for its report")
    equal(read(three[0] + "\n".join(run(2, data(2)).split("\n")[:8])),
          (2, "serial-report: bios.txt: there is no whole report of run 0002 (the report is cut short: 0 bytes of it came, and its last line did not); "
           "there are those of 0001\n"), "one that is cut short")
    hurt = run(2, data(2)).replace("cmVwb3J0", "cmVwb3J1", 1)
    status, said = read(three[0] + hurt)
    ok(status == 2 and "is damaged: its checksum differs" in said and said.count("\n") == 1, "one that is damaged: " + str(said).strip())
    equal(read("".join(three), "-r", "7"), (2, "serial-report: bios.txt: there is no whole report of run 0007; there are those of 0001, 0002, 0003\n"), "a run that is not there")
    equal(read(report(data(1)) + "#:kept\n" + report(data(2)) + "#:kept\n"), (0, data(2)), "a file of an older image, whose runs have no numbers")
    equal(read(report(data(1)) + "#:kept\n" + three[0]), (0, data(1)), "and one that a newer image went on with")
    equal(read(""), (2, "serial-report: bios.txt: there is no report in it: the line #:report is not there\n"), "nothing in it yet")
done()
