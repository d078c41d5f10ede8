#!/usr/bin/python3
"""Files that include each other in circles: a file is a .c with the .h of its name.

Circles that are left are listed in data/circles.txt, a line each. The list only shrinks: a circle that is not in it
fails, and so does one that is no longer there.
"""
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from tap import done, ok  # noqa: E402

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+\.h)"', re.M)  # a list (.def) is not the .c of its name


def stem(name):
    return os.path.splitext(name)[0]


def graph(files):
    """{file without suffix: those that it includes} of {file: text}."""
    stems = {stem(f) for f in files}
    out = {s: set() for s in stems}
    for name, text in files.items():
        out[stem(name)] |= {stem(h) for h in INCLUDE.findall(text)} & stems - {stem(name)}
    return out


def reach(edges, start):
    """All that can be come to from there, by one step at least."""
    seen, todo = set(), list(edges[start])
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo += edges[at]
    return seen


def circles(files):
    """Sets of files each of which includes each other one, if only by way of others."""
    edges = graph(files)
    reached = {s: reach(edges, s) for s in edges}
    return {frozenset(t for t in reached[s] if s in reached[t]) for s in edges if s in reached[s]}


def parse(text):
    return {frozenset(line.split()) for line in text.splitlines() if line.strip() and not line.startswith("#")}


def read(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as f:
        return f.read()


def sources():
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "boot", "arch", "pmu", "tests", "tools"]
    listed = subprocess.run(command, cwd=TOP, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return {f: read(f) for f in listed if f.endswith((".c", ".h", ".S")) and os.path.exists(os.path.join(TOP, f))}


def lines(found):
    return [" ".join(sorted(c)) for c in sorted(found, key=sorted)]


def main():
    files = sources()
    found, listed = circles(files), parse(read("tests/self/host/data/circles.txt"))
    ok(len(files) > 500, "sources are found")
    found = set(found)
    listed = set(listed)
    ok(found <= listed, "no files include each other in a circle, but for those listed", lines(found - listed))
    ok(listed <= found, "every circle that is listed is still there, as large as that", lines(listed - found))
    families = tuple("pmu/%s/" % d for d in os.listdir(os.path.join(TOP, "pmu")) if d not in ("events", "quantity"))
    ok(not any(s.startswith(families) for c in listed for s in c),
       "none is in a family's folder, nor in what it owes the rest")

    # The other side: what is planted is told.
    ok(circles({"a.c": '#include "b.h"', "b.h": "", "b.c": '#include "c.h"', "c.h": '#include "a.h"', "a.h": ""}) ==
       {frozenset("abc")}, "a circle of three is told, though no header includes another in one")
    ok(not circles({"a.c": '#include "a.h"\n#include "b.h"', "a.h": "", "b.c": '#include "b.h"', "b.h": ""}),
       "a file with its own header is none")
    ok(not circles({"a.h": '#include "b.def"', "b.c": '#include "a.h"'}), "a list is not the file of its name")
    ok(len(circles({"a.h": '#include "b.h"', "b.h": '#include "a.h"', "c.h": '#include "d.h"\n#include "a.h"',
                    "d.c": '#include "c.h"'})) == 2, "two circles are two, though one leads to the other")
    ok(parse("# why\n\na b\n") == {frozenset("ab")}, "a list is read")
    done()


main()
