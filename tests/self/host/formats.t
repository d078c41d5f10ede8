#!/usr/bin/python3
"""The image's printf knows the length modifiers h and l only and no floating point: no format of the image may use others."""
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from tap import done, ok  # noqa: E402

UNKNOWN = re.compile(r"%[-+ 0#]*[0-9*]*(?:\.[0-9*]+)?(?:(?:ll|hh|[zjtqL])[diouxX]|[aAeEfFgG])\b")


def offences(text):
    """Formats with what the small printf lacks; "%%" is no format."""
    return [m.group(0) for literal in re.findall(r'"(?:[^"\\\n]|\\.)*"', text) for m in UNKNOWN.finditer(literal.replace("%%", ""))]


def sources():
    listed = subprocess.run(["git", "ls-files", "boot", "arch", "pmu", "tests"], cwd=TOP, stdout=subprocess.PIPE, text=True, check=True)
    return [f for f in listed.stdout.split() if f.endswith((".c", ".h")) and not f.startswith(("tests/self/host/", "tests/self/boot/"))]


def main():
    found = []
    for name in sources():
        with open(os.path.join(TOP, name), encoding="utf-8") as f:
            found += ["%s: %s" % (name, o) for o in offences(f.read())]
    ok(not found, "no format of the image uses what its printf lacks", found)
    bad = ['"%zu"', '"%016llx"', '"%.2f"', '"a %5hhu"', '"%jd b"']
    ok(all(offences(b) for b in bad), "each such format would be found")
    good = ['"%lu %hx %s %c %p"', '"100%%f"', '"%-8.3s"', "%zu"]
    ok(not any(offences(g) for g in good), "others are not")
    done()


main()
