#!/usr/bin/env python3
"""TAP test: no family lets more impostors pass than tests/host/data/impostors.csv says, the shares that were reached. Expectations that lose
their lower or upper ends are told, and so is a figure that is better than the file's, which is to be put into it (impostors.t -w does)."""
import collections
import csv
import fnmatch
import fractions
import functools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from tap import done, ok  # noqa: E402

LIMITS = ROOT / "tests/host/data/impostors.csv"
FIGURES = ("dead", "vacuous", "twice")
MUCH = fractions.Fraction(1, 50)  # that a figure may be better than the file's


def figures(*args):
    """What build/coverage says: family -> figure -> (part, whole)."""
    text = subprocess.run([ROOT / "build/coverage", *args, "figures"], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in text.splitlines():
        family, values = line.rsplit(": ", 1)
        n = {k: int(v) for k, v in re.findall(r"(\w+) (\d+)", values)}
        found[family] = {f: (n[f], n["lower" if f == "twice" else "intervals"]) for f in FIGURES}
    return found


def share(part, whole):
    return fractions.Fraction(part, whole) if whole else fractions.Fraction(0)


def compare(seen, limits):
    """What differs: (family, figure, "worse" or "better")."""
    for family, values in seen.items():
        for f in FIGURES:
            now, then = share(*values[f]), limits[family][f]
            if now > then:
                yield family, f, "worse: %d of %d, %.1f %% instead of %.1f %%" % (*values[f], 100 * now, 100 * then)
            elif now < then - MUCH:
                yield family, f, "better: %.1f %% instead of %.1f %%: run tests/host/impostors.t -w" % (100 * now, 100 * then)


def read():
    with open(LIMITS, encoding="utf-8", newline="") as f:
        return {r["family"]: {k: share(*map(int, r[k].split("/"))) for k in FIGURES} for r in csv.DictReader(f)}


def write(seen):
    with open(LIMITS, "w", encoding="utf-8", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(("family", *FIGURES))
        for family, values in seen.items():
            w.writerow((family, *("%d/%d" % values[k] for k in FIGURES)))


now = figures()
if sys.argv[1:] == ["-w"]:
    write(now)
    sys.exit()
limits = read()
ok(set(now) == set(limits) and len(now) == 4, "four families")
for family in now:
    told = ["%s, %s" % (f, text) for of, f, text in compare(now, limits) if of == family]
    ok(not told, "%s: %s" % (family, ", ".join("%s %d of %d" % (k, *v) for k, v in now[family].items())), "\n".join(told))
for args, what, figure in ((("-l",), "lower ends", "dead"), (("-u",), "upper ends", "vacuous"), (("-u",), "upper ends", "twice")):
    worse = {of for of, f, text in compare(figures(*args), limits) if f == figure and text.startswith("worse")}
    could = {family for family in now if limits[family][figure] < 1}
    ok(could and worse == could, "expectations without %s are told by: %s" % (what, figure), str(worse))


# Rows that a dead counter passes are listed by class, each with its reason.
UNMOVED = ROOT / "tests/host/data/unmoved.csv"


def dead_rows(families):
    """Names of the rows that a dead counter passes, as often as microarchitectures have them."""
    for line in subprocess.run([ROOT / "build/coverage", "rows"], check=True, capture_output=True, text=True).stdout.splitlines():
        family = next((f for f in families if line.startswith(f + ",")), None)
        if family:
            _, name, column, _, passed = line[len(family) + 1:].rsplit(",", 4)
            if column in ("tight", "weak", "vacuous") and int(passed, 16) & 1:
                yield family, name


def classify(rows, classes):
    """How many rows each class has, the first that fits; and those that none fits."""
    found, left = collections.Counter(), []
    of = functools.lru_cache(maxsize=None)(lambda family, name: next(
        (i for i, c in enumerate(classes) if c["family"] == family and any(fnmatch.fnmatchcase(name, g) for g in c["rows"].split("|"))), None))
    for family, name in rows:
        i = of(family, name)
        if i is None:
            left.append(name)
        else:
            found[i] += 1
    return found, left


with open(UNMOVED, encoding="utf-8", newline="") as f:
    classes = list(csv.DictReader(f))
rows = list(dead_rows({c["family"] for c in classes}))
found, left = classify(rows, classes)
ok(not left, "each row that a dead counter passes is in a class of unmoved.csv", "\n".join(sorted(set(left))))
ok(all(found[i] for i in range(len(classes))), "each class has some", "\n".join(c["rows"] for i, c in enumerate(classes) if not found[i]))
for i, c in enumerate(classes):
    print("# %s: %d rows: %s" % (c["family"], found[i], c["reason"]))
ok(classify([(classes[0]["family"], "NO_SUCH.EVENT")], classes[:1])[1] == ["NO_SUCH.EVENT"], "a row that is in none is told")
done()
