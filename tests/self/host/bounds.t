#!/usr/bin/env python3
"""TAP test: each number of tests/kernels/x86/bounds.c is one of limits.def, which has its source; a row with a watchdog's number says so. What breaks that is told."""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
from tap import done, equal, ok  # noqa: E402

KINDS = ("MANUAL", "STRUCTURE", "WATCHDOG")


def limits_of(text):
    """Rows of limits.def: name -> (value, kind, source)."""
    rows = [r for r in text.splitlines() if r.startswith("LIMIT(")]
    found = [re.fullmatch(r'LIMIT\((\w+), (.+?), (\w+), "([^"]*)"\)', r) for r in rows]
    return {m[1]: (m[2], m[3], m[4]) for m in found if m}, [r for r, m in zip(rows, found) if not m]


def numbers_in(text):
    return re.findall(r"(?:UP|SHARE)\(\w+, (\w+)\)", text) + re.findall(r"(?:UP|SHARE)_(?:IN|UNLESS)\([^()]*, (\w+)\)", text)


def rows_of(text):
    """Rows of bounds.c: (macro, quantity, names of limits). Lists of parts that several rows share count in each."""
    shared = dict(re.findall(r"#define ([A-Z_]+) (?:\\\n|[ \t])((?:.*\\\n)*.*)", text))
    table = text[text.index(" rows[] = {"):text.index("/* clang-format on */")]
    for row in re.split(r"\n\t(?=BOUND|WATCHED)", table)[1:]:
        macro, quantity, low, high = re.match(r"(\w+)\((\w+), (\w+), (\w+),", row).groups()
        parts = row + "".join(shared[w] for w in re.findall(r"\b[A-Z_]+\b(?!\()", row) if w in shared)
        yield macro, quantity, [n for n in (low, high) if n != "NONE"] + numbers_in(parts)


# What a row of one kind has no part of: words of its quantity, and of those that it is bounded by.
APART = (("NTAKEN$", "(?<!N)TAKEN$"), ("(?<!N)TAKEN$", "NTAKEN$"), ("^BR_MISPRED_RET$", "JMP|CALL|COND"), ("^BR_MISPRED_CALL$", "JMP|RET|COND"),
         ("^BR_MISPRED_JMP", "RET|COND"), ("^BR_MISPRED_COND$", "JMP|CALL|RET"), ("^ITLB", "DTLB"), ("^DTLB", "ITLB"), ("^DTLB_STORE", "LOAD"),
         ("^STORES_SPLIT", "LOAD"), ("^LOADS_SPLIT", "STORE"))


def misplaced(bounds_text):
    """Rows with a part of what is the contrary of their quantity: (quantity, part)."""
    table = bounds_text[bounds_text.index(" rows[] = {"):bounds_text.index("/* clang-format on */")]
    for row in re.split(r"\n\t(?=BOUND|WATCHED)", table)[1:]:
        quantity = re.match(r"\w+\((\w+),", row)[1]
        parts = re.findall(r"(?:UP|SHARE)(?:_\w+\([^(),]*, |\()(\w+), \w+\)", row)
        yield from ((quantity, part) for of, contrary in APART if re.search(of, quantity) for part in parts if re.search(contrary, part))


def wrong(limits_text, bounds_text):
    """What is wrong with the two, one line each."""
    limits, odd = limits_of(limits_text)
    rows = list(rows_of(bounds_text))
    used = {n for _, _, names in rows for n in names}
    for value, _, _ in limits.values():
        used |= set(re.findall(r"LIMIT_VALUE_(\w+)", value))
    for row in odd:
        yield "no row of limits: " + row
    for name, (value, kind, source) in limits.items():
        of = [limits.get(n, ("", "", ""))[1] for n in re.findall(r"LIMIT_VALUE_(\w+)", value)]
        if kind not in KINDS:
            yield "%s: no kind %s" % (name, kind)
        if len(source) < 10:
            yield name + ": no source"
        if name not in used:
            yield name + ": nobody uses it"
        if kind != "WATCHDOG" and "WATCHDOG" in of:
            yield name + ": made of a watchdog, and none itself"
    for macro, quantity, names in rows:
        watched = any(limits.get(n, ("", "", ""))[1] == "WATCHDOG" for n in names)
        if watched != (macro == "WATCHED"):
            yield "%s: %s" % (quantity, "has a watchdog and does not say so" if watched else "says watchdog and has none")


def compiles(bounds_text):
    with tempfile.TemporaryDirectory() as d:
        path = pathlib.Path(d) / "bounds.c"
        path.write_text(bounds_text, encoding="utf-8")
        r = subprocess.run(["gcc", "-std=gnu11", "-DQUANTITY_LIST=\"pmu/quantity/x86.def\"", "-c", "-o", "/dev/null", "-I", ".", "-I", "build/gen", str(path)], cwd=ROOT,
                           capture_output=True, text=True)
    return r.returncode == 0, r.stderr


LIMITS, BOUNDS = ((ROOT / "tests/kernels/x86" / f).read_text(encoding="utf-8") for f in ("limits.def", "bounds.c"))
names = limits_of(LIMITS)[0]
rows = list(rows_of(BOUNDS))
ok(not list(wrong(LIMITS, BOUNDS)), "limits and rows as they are", "\n".join(wrong(LIMITS, BOUNDS)))
ok(len(names) > 60 and len(rows) > 110 and all(n for _, _, n in rows), "%d numbers, %d rows" % (len(names), len(rows)))
equal(list(misplaced(BOUNDS)), [], "no row is bounded by the contrary of what it counts")
for row, old, new in (("BR_MISPRED_NTAKEN", "BR_COND_NTAKEN", "BR_COND_TAKEN"), ("BR_MISPRED_RET", "BR_RET", "BR_CALL_DIRECT"), ("BR_MISPRED_COND", "BR_COND", "BR_RET")):
    spoilt = re.sub(r"(BOUND\(%s, .*?UP\()%s\b" % (row, old), r"\g<1>" + new, BOUNDS, flags=re.S)
    equal(list(misplaced(spoilt)), [(row, new)], "%s for %s is told" % (new, old))
for what, limits, bounds, told in (
        ("a number without a source", LIMITS.replace('LIMIT(ONCE, 1, STRUCTURE, "', 'LIMIT(ONCE, 1, STRUCTURE, ""), ("', 1), BOUNDS, "no row of limits"),
        ("a number with an empty source", re.sub(r'(LIMIT\(FUSED, 2, MANUAL, )"[^"]*"', r'\1""', LIMITS), BOUNDS, "FUSED: no source"),
        ("a number of no kind", LIMITS.replace("FUSED, 2, MANUAL", "FUSED, 2, GUESS"), BOUNDS, "FUSED: no kind GUESS"),
        ("a number that nobody uses", LIMITS + 'LIMIT(SPARE, 3, MANUAL, "some manual or other")\n', BOUNDS, "SPARE: nobody uses it"),
        ("a watchdog's number that calls itself a manual's", LIMITS.replace("LIMIT_VALUE_AGAIN, WATCHDOG", "LIMIT_VALUE_AGAIN, MANUAL"), BOUNDS,
         "WALK_STEPS: made of a watchdog"),
        ("a row that conceals a watchdog", LIMITS, BOUNDS.replace("WATCHED(BR_MISPRED,", "BOUND(BR_MISPRED,"), "BR_MISPRED: has a watchdog and does not"),
        ("a row that conceals one in a list it shares", LIMITS, BOUNDS.replace("WATCHED(OFFCORE_CODE,", "BOUND(OFFCORE_CODE,"), "OFFCORE_CODE: has"),
        ("a row that has none and says so", LIMITS, BOUNDS.replace("BOUND(SLOTS,", "WATCHED(SLOTS,"), "SLOTS: says watchdog")):
    found = list(wrong(limits, bounds))
    ok(any(f.startswith(told) for f in found), what + " is told", "\n".join(found))
good, text = compiles(BOUNDS)
ok(good, "bounds.c as it is", text)
for what, old, new, word in (("a bare number", "UP(CYCLES, SLOTS_MOST)", "UP(CYCLES, 16)", "LIMIT_VALUE_16"),
                             ("a bare fixed part", "WATCHED(CYCLES, ONCE, CYCLES_WINDOW", "WATCHED(CYCLES, ONCE, 20000", "LIMIT_VALUE_20000"),
                             ("an unknown number", "UP(CYCLES, SLOTS_MOST)", "UP(CYCLES, SLOTS_MORE)", "LIMIT_VALUE_SLOTS_MORE")):
    assert old in BOUNDS, old
    good, text = compiles(BOUNDS.replace(old, new, 1))
    ok(not good and word in text, what + " does not compile", text)
done()
