#!/usr/bin/env python3
"""TAP test: no family lets more impostors pass than its coverage/impostors.csv says, the shares that were reached, and none loses a
microarchitecture. Expectations that lose their lower or upper ends are told, and so is a figure that is better than the file's, which is to be put
into it (impostors.t -w does)."""
import csv
import fractions
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests/self"), str(ROOT / "scripts")]
from coverage_tools import ask, kept  # noqa: E402
from tap import done, ok  # noqa: E402

NUMBER, FIGURES = "microarchitectures", ("dead", "vacuous", "twice")
MUCH = fractions.Fraction(1, 50)  # that a figure may be better than the file's


def figures(*args):
    """What the tools say, of each kind of events of each family's: kind -> figure -> (part, whole); and kind -> family, number of microarchitectures."""
    found, of = {}, {}
    for line in ask(*args, "figures").splitlines():
        family, kind, values = re.fullmatch("(.*?); (.*): (.*)", line).groups()
        n = {k: int(v) for k, v in re.findall(r"(\w+) (\d+)", values)}
        found[kind] = {f: (n[f], n["lower" if f == "twice" else "intervals"]) for f in FIGURES}
        of[kind] = family, n[NUMBER]
    return found, of


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
    limits, of = {}, {}
    for path in kept("impostors.csv"):
        with open(path, encoding="utf-8", newline="") as f:
            for r in csv.DictReader(f):
                limits[r["kind"]] = {k: share(*map(int, r[k].split("/"))) for k in FIGURES}
                of[r["kind"]] = path.parent.parent.name, int(r[NUMBER])
    return limits, of


def write(seen, of):
    for family in {family for family, _ in of.values()}:
        with open(ROOT / "pmu" / family / "coverage/impostors.csv", "w", encoding="utf-8", newline="") as f:
            w = csv.writer(f, lineterminator="\n")
            w.writerow(("kind", NUMBER, *FIGURES))
            for kind, values in seen.items():
                if of[kind][0] == family:
                    w.writerow((kind, of[kind][1], *("%d/%d" % values[k] for k in FIGURES)))


now, of = figures()
if sys.argv[1:] == ["-w"]:
    write(now, of)
    sys.exit()
limits, of_limits = read()
differing = sorted(of.items() ^ of_limits.items())
ok(now and not differing, "each family's list has its kinds of events, and as many microarchitectures of each as there are: else impostors.t -w",
   str(differing))
for kind, (family, number) in of.items():
    fewer, other = {**of, kind: (family, number - 1)}, {k: v for k, v in of.items() if k != kind}
    ok(fewer.items() ^ of_limits.items() and other.items() ^ of_limits.items(), "%s: a microarchitecture that is lost is told, and so is the kind" % kind)
now = {kind: values for kind, values in now.items() if kind in limits}
for family in now:
    told = ["%s, %s" % (f, text) for kind, f, text in compare(now, limits) if kind == family]
    ok(not told, "%s: %s" % (family, ", ".join("%s %d of %d" % (k, *v) for k, v in now[family].items())), "\n".join(told))
# Kinds with a row that its upper end alone keeps from saying nothing: not AArch64's, where each such row is held from below, too.
rows_seen = [line.split(";") for line in ask("rows").splitlines()]
held_above = {row[0] for row in rows_seen if row[3] not in ("vacuous", "control") and not row[4]}
for args, what, figure in ((("-l",), "lower ends", "dead"), (("-u",), "upper ends", "vacuous"), (("-u",), "upper ends", "twice")):
    seen = {kind: values for kind, values in figures(*args)[0].items() if kind in limits}
    worse = {kind for kind, f, text in compare(seen, limits) if f == figure and text.startswith("worse")}
    could = {family for family in now if limits[family][figure] < 1 and (figure != "vacuous" or family in held_above)}
    ok(could and worse == could, "expectations without %s are told by: %s" % (what, figure), str(worse))


# Rows that say too little are listed by class, each with its reason; the classes add up to them.
CLASSES = ROOT / "scripts/coverage-classes"
DOCUMENT = ROOT / "docs/coverage-gaps.md"


def run(*args):
    return subprocess.run([CLASSES, *args], capture_output=True, text=True)


listed = []
for path in kept("missed.csv"):
    with open(path, encoding="utf-8", newline="") as f:
        listed += csv.DictReader(f)
with tempfile.TemporaryDirectory() as d:
    rows, changed = pathlib.Path(d) / "rows", pathlib.Path(d) / "missed.csv"
    rows.write_text(ask("rows"), encoding="utf-8")

    def check(classes=None):
        """What is told of the classes."""
        if classes is None:
            return run("-r", rows, "--check").stdout.splitlines()
        with open(changed, "w", encoding="utf-8", newline="") as f:
            w = csv.DictWriter(f, ("figures", "family", "rows", "reason"), lineterminator="\n")
            w.writeheader()
            w.writerows(classes)
        return run("-r", rows, "-c", changed, "--check").stdout.splitlines()

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
    ok(len(cells) == len(of) and all([sum(c) for c in zip(*part[:-1])] == part[-1] for part in cells), "each family's classes add up to the rows that miss")
    seen = {part[0].strip("| ").split(":")[0]: total[-1] for part, total in zip(parts, cells)}
    ok(all(seen[family][i] == now[family][f][0] for family in now for i, f in enumerate(FIGURES)), "these are as many as the figures say", str(seen))
    stale = pathlib.Path(d) / "stale.md"
    stale.write_text(DOCUMENT.read_text(encoding="utf-8").replace("all that miss", "all", 1), encoding="utf-8")
    ok(run("-r", rows, "-w", stale).returncode == 0 and stale.read_text(encoding="utf-8") == DOCUMENT.read_text(encoding="utf-8"), "stale tables are put right")
    stale.write_text("no place\n", encoding="utf-8")
    ok("no place for the tables" in run("-r", rows, "-w", stale).stderr, "a file without a place for them is refused")
done()
