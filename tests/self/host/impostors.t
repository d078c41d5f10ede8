#!/usr/bin/env python3
"""TAP test: no family lets more impostors pass than tests/self/host/data/impostors.csv says, the shares that were reached. Expectations that lose
their lower or upper ends are told, and so is a figure that is better than the file's, which is to be put into it (impostors.t -w does)."""
import csv
import fractions
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
from tap import done, ok  # noqa: E402

LIMITS = ROOT / "tests/self/host/data/impostors.csv"
TOOLS = ((ROOT / "build/coverage",), ("qemu-aarch64", ROOT / "build/aarch64/coverage"))
FIGURES = ("dead", "vacuous", "twice")
MUCH = fractions.Fraction(1, 50)  # that a figure may be better than the file's


def tools(*args):
    return "".join(subprocess.run([*tool, *args], check=True, capture_output=True, text=True).stdout for tool in TOOLS)


def figures(*args):
    """What the tools say: family -> figure -> (part, whole)."""
    text = tools(*args, "figures")
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
                yield family, f, "better: %.1f %% instead of %.1f %%: run tests/self/host/impostors.t -w" % (100 * now, 100 * then)


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
ok(set(now) == set(limits) and len(now) == 5, "five families")
for family in now:
    told = ["%s, %s" % (f, text) for of, f, text in compare(now, limits) if of == family]
    ok(not told, "%s: %s" % (family, ", ".join("%s %d of %d" % (k, *v) for k, v in now[family].items())), "\n".join(told))
for args, what, figure in ((("-l",), "lower ends", "dead"), (("-u",), "upper ends", "vacuous"), (("-u",), "upper ends", "twice")):
    worse = {of for of, f, text in compare(figures(*args), limits) if f == figure and text.startswith("worse")}
    could = {family for family in now if limits[family][figure] < 1}
    ok(could and worse == could, "expectations without %s are told by: %s" % (what, figure), str(worse))



# Rows that say too little are listed by class, each with its reason; the classes add up to them.
CLASSES = ROOT / "scripts/coverage-classes"
MISSED = ROOT / "tests/self/host/data/missed.csv"
DOCUMENT = ROOT / "docs/coverage-gaps.md"
NONE = {("Intel, offcore responses", figure) for figure in ("vacuous", "loud")}  # no row misses
OPEN = set()  # figures of families that have no classes yet


def run(*args):
    return subprocess.run([CLASSES, *args], capture_output=True, text=True)


with open(MISSED, encoding="utf-8", newline="") as f:
    listed = list(csv.DictReader(f))
ok({(c["family"], figure) for c in listed for figure in c["figures"].split()} == {(a, b) for a in now for b in ("dead", "vacuous", "twice", "loud")} - OPEN - NONE,
   "each family has classes for each figure that some of its rows miss")
with tempfile.TemporaryDirectory() as d:
    rows, changed = pathlib.Path(d) / "rows", pathlib.Path(d) / "missed.csv"
    rows.write_text(tools("rows"), encoding="utf-8")

    def check(classes=None):
        """What is told of the classes, but for the figures that are open."""
        if classes is not None:
            with open(changed, "w", encoding="utf-8", newline="") as f:
                w = csv.DictWriter(f, ("figures", "family", "rows", "reason"), lineterminator="\n")
                w.writeheader()
                w.writerows(classes)
        r = run("-r", rows, "-c", MISSED if classes is None else changed, "--check")
        return [line for line in r.stdout.splitlines() if not any(line.startswith(a + ": ") and ": %s (" % NAMES[b] in line for a, b in OPEN)]

    NAMES = {"dead": "dead passes", "vacuous": "vacuous", "twice": "twice passes", "loud": "never still"}
    told = check()
    ok(not told, "each row that says too little is in a class, and each class has rows and a reason", "\n".join(told[:40]))
    left_out = listed[0]
    ok(any("is in no class" in line and line.startswith(left_out["family"]) for line in check(listed[1:])), "a class that is left out is told")
    ok(any("has no row" in line for line in check([*listed, {**listed[0], "rows": "ADDED.*"}])), "a class without rows is told")
    ok(any("fits everything" in line for line in check([*listed, {**listed[0], "rows": "*"}])), "a class that everything fits is told")
    ok(any("fits everything" in line for line in check([{**listed[0], "reason": ""}, *listed[1:]])), "a class without a reason is told")
    table = run("-r", rows).stdout
    ok(table and table in DOCUMENT.read_text(encoding="utf-8"), "docs/coverage-gaps.md is up to date (else scripts/coverage-classes -w docs/coverage-gaps.md)")
    parts = [part.strip().splitlines() for part in table.split("\n\n")]
    cells = [[[int(c) for c in line.strip("|").split("|")[2:]] for line in part[2:]] for part in parts]
    ok(len(cells) == 5 and all([sum(c) for c in zip(*part[:-1])] == part[-1] for part in cells), "each family's classes add up to the rows that miss")
    seen = {part[0].strip("| ").split(":")[0]: total[-1] for part, total in zip(parts, cells)}
    ok(all(seen[family][i] == now[family][f][0] for family in now for i, f in enumerate(FIGURES)), "these are as many as the figures say", str(seen))
    stale = pathlib.Path(d) / "stale.md"
    stale.write_text(DOCUMENT.read_text(encoding="utf-8").replace("all that miss", "all", 1), encoding="utf-8")
    ok(run("-r", rows, "-w", stale).returncode == 0 and stale.read_text(encoding="utf-8") == DOCUMENT.read_text(encoding="utf-8"), "stale tables are put right")
    stale.write_text("no place\n", encoding="utf-8")
    ok("no place for the tables" in run("-r", rows, "-w", stale).stderr, "a file without a place for them is refused")
done()
