#!/usr/bin/python3
"""Rows of errata (pmu/FAMILY/errata/rows.csv, docs/errata/elsewhere.csv) make sense, and their generator tells those that do not."""
import csv
import importlib.machinery
import importlib.util
import io
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from tap import done, equal, ok  # noqa: E402


def generator():
    loader = importlib.machinery.SourceFileLoader("gen_errata", os.path.join(TOP, "scripts/gen-errata"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


GEN = generator()
KNOWN = GEN.mechanisms()


def complaint(rows):
    try:
        GEN.check(rows, KNOWN)
    except GEN.Wrong as e:
        return str(e)
    return None


def text(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as f:
        return f.read()


ROWS = {family: GEN.rows_of(family) for family in GEN.FAMILIES}
ELSEWHERE = GEN.read(os.path.join(TOP, "docs/errata/elsewhere.csv"))
for family, rows in ROWS.items():
    equal(complaint(rows), None, "%s: %d rows make sense" % (family, len(rows)))
ALL = [r for rows in ROWS.values() for r in rows] + ELSEWHERE
equal(len({GEN.bare(n) for r in ALL for n in r["id"].split("|")}), sum(len(r["id"].split("|")) for r in ALL), "no number is in two rows")
equal(len(ALL), 303, "rows, and those of families that are not driven")
ok(all(r["events"] and r["source"] and r["unit"] and r["effect"] for r in ALL), "each says what it is about, and where it is from")
ok(all(r["mechanism"] in KNOWN for r in ELSEWHERE), "mechanisms of the others are known")
used = {r["mechanism"] for r in ALL}
equal(sorted(set(KNOWN) - used), [], "every mechanism has a row")

# Injections that are named like errata are of rows that there are.
for family, rows in ROWS.items():
    numbers = {GEN.bare(n) for r in rows for n in r["id"].split("|")}
    names = re.findall(r'_(?:INJECTION|PUBLISHED)\(\w+, "([^"]+)"', text("pmu/%s/errata/injections.def" % family))
    named = [n for n in names if re.match(r"^[a-z]{1,3}\d+$|^\d+$", n) and n not in ("x16",)]
    strangers = [n for n in named if GEN.bare(n) not in numbers and GEN.bare("AMD-" + n) not in numbers]
    ok(named and not strangers, "%s: injections with an erratum's number have its row" % family, " ".join(strangers))

equal(text("docs/errata/rows.md"), GEN.listing() + "\n", "docs/errata/rows.md is of today: scripts/gen-errata --list > docs/errata/rows.md")
for name, page in GEN.pages().items():
    ok(page == text("docs/errata/%s.md" % name), "docs/errata/%s.md is of today: scripts/gen-errata --pages" % name)
equal([GEN.title(n) for n in ("tsx-abort-counting", "pmi-lost", "extra-quantity", "ler-changes")], ["TSX abort counting", "PMI lost", "Extra quantity", "LER changes"],
      "abbreviations in titles are capitals")
ok(not [line for page in GEN.pages().values() for line in page.split("\n") if len(line) > 120 and not line.startswith("|")], "text of the pages is wrapped")
VAGUE = GEN.looked_for("intel", ROWS["intel"], KNOWN)
ok(any("HSD140" in n for n in VAGUE), "a row of a direction alone is looked for")
HSD140 = next(r for r in ROWS["intel"] if "HSD140" in r["id"].split("|"))
equal([bool(GEN.looked_for("intel", [dict(HSD140, needs=needs)], KNOWN)) for needs in ("", "kernel")], [True, False],
      "not so where no kernel has what it takes")
ok("looked for" in GEN.state_of(dict(ROWS["intel"][1]), KNOWN, True) and "agrees" in GEN.state_of(dict(ROWS["intel"][1]), KNOWN, False) and
   "yet" in GEN.state_of(dict(ROWS["intel"][1], needs=""), KNOWN, None),
   "a row is looked for, or not")

# Rows that nothing looks for say what they take.
def unheld(wanted, given):
    try:
        GEN.hold(wanted, given)
    except GEN.Wrong as e:
        return str(e)
    return None


CONDITIONS = GEN.conditions()
NAMES = list(CONDITIONS)
equal(unheld(NAMES, CONDITIONS), None, "%d rows that nothing looks for have a condition" % len(NAMES))
ok("AE19 is missing" in str(unheld(NAMES, {n: c for n, c in CONDITIONS.items() if n != "AE19"})), "a row without a condition is told")
ok("HSD73 is looked for" in str(unheld(NAMES, dict(CONDITIONS, HSD73=("program", "x")))), "a condition of a row that is looked for is told")
ok("by luck" in str(unheld(NAMES, dict(CONDITIONS, AE19=("luck", "x")))), "whether a program can is one of three words")
equal(GEN.share(3, {"A": ("program", "x"), "B": ("none", "x"), "C": ("measured", "x")}), (4, 3), "rows that a program can provoke, and those of them that are looked for")

GOOD = dict(ROWS["intel"][1])
for change, what in (({"id": "AR62|W0125|w125"}, "is no number"), ({"parts": "06_0"}, "part 06_0"), ({"parts": ""}, "no part"),
                     ({"mechanism": "magic"}, "no mechanism magic"), ({"needs": "luck"}, "needs luck"), ({"confidence": "sure"}, "confidence sure"),
                     ({"fixed": "06_0F"}, "fixed 06_0F"), ({"fixed": "06_3C:12"}, "fixed names no part of it"), ({"id": "AR62|AR062"}, "AR062 is in")):
    ok(what in (complaint([dict(GOOD, **change)]) or ""), "a row is told: " + what, str(complaint([dict(GOOD, **change)])))
ok("is in" in (complaint([GOOD, dict(GOOD, id="W0125")]) or ""), "a number that two rows have is told")
equal(GEN.parts_of(dict(GOOD, parts="06_5C/2,9-A", fixed="06_5C/9:2E")), [(6, 0x5c, 0x5c, 1 << 9, 0x2e), (6, 0x5c, 0x5c, 1 << 2 | 1 << 10, 0)],
      "processors and the microcode that mends it there")
equal(GEN.parts_of(dict(GOOD, parts="17_00-2F")), [(0x17, 0, 0x2f, 0xffff, 0)], "a range of models")
equal(len(list(csv.reader(io.StringIO(text("pmu/intel/errata/rows.csv"))))[0]), 10, "ten columns")
done()
