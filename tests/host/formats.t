#!/usr/bin/python3
"""The image's printf knows the length modifiers h and l only and no floating point: no format of the image may use others."""
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
UNKNOWN = re.compile(r"%[-+ 0#]*[0-9*]*(?:\.[0-9*]+)?(?:(?:ll|hh|[zjtqL])[diouxX]|[aAeEfFgG])\b")


def offences(text):
    """Formats with what the small printf lacks; "%%" is no format."""
    return [m.group(0) for literal in re.findall(r'"(?:[^"\\\n]|\\.)*"', text) for m in UNKNOWN.finditer(literal.replace("%%", ""))]


def sources():
    listed = subprocess.run(["git", "ls-files", "boot", "arch", "pmu", "tests"], cwd=TOP, stdout=subprocess.PIPE, text=True, check=True)
    return [f for f in listed.stdout.split() if f.endswith((".c", ".h")) and not f.startswith(("tests/host/", "tests/boot/"))]


def main():
    found = []
    for name in sources():
        with open(os.path.join(TOP, name), encoding="utf-8") as f:
            found += ["%s: %s" % (name, o) for o in offences(f.read())]
    print("1..3")
    print("%sok 1 - no format of the image uses what its printf lacks" % ("not " if found else ""))
    for line in found:
        print("# " + line)
    bad = ['"%zu"', '"%016llx"', '"%.2f"', '"a %5hhu"', '"%jd b"']
    print("%sok 2 - each such format would be found" % ("" if all(offences(b) for b in bad) else "not "))
    good = ['"%lu %hx %s %c %p"', '"100%%f"', '"%-8.3s"', "%zu"]
    print("%sok 3 - others are not" % ("not " if any(offences(g) for g in good) else ""))
    return 1 if found else 0


sys.exit(main())
