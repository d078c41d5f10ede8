#!/usr/bin/env python3
"""TAP test of floors (pmu/FAMILY/events/floors.def, floors.csv): none is of the contrary of what its events are of."""
import csv
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
sys.dont_write_bytecode = True
from tap import done, ok  # noqa: E402

# A floor is of what its event is of: of stores or of loads, of code or of data, of branches or of mispredicted ones, of one precision, width or
# kind of arithmetic. What an event's name has, what it has not, what is the contrary, and what is it not after all.
NONE = "^$"
APART = (("STORE|RFO", "LOAD|DATA_RD", "LOAD", "STORE"), ("LOAD|DATA_RD", "STORE|RFO", "STORE(?!_FORWARD)", "LOAD"), ("ITLB(?!.*FLUSH)", "DTLB", "DTLB", "ITLB"),
         ("DTLB", "ITLB", "ITLB", "DTLB"), ("MISP", "BR_INST", "^(BRANCHES|BR_COND.*|BR_RET)$", "MISPRED"), ("BR_INST", "MISP", "MISPRED", NONE),
         ("DOUBLE|_DP", "SINGLE|_SP", "_SP(_|$)", NONE), ("SINGLE|_SP", "DOUBLE|_DP", "_DP(_|$)", NONE), ("SCALAR", "PACKED|VECTOR", "FP_(128|256|512)_", NONE),
         ("PACKED", "SCALAR", "FP_SCALAR_", NONE), ("128B", "256|512", "FP_(SCALAR|256|512)_", NONE), ("256B", "128|512", "FP_(SCALAR|128|512)_", NONE),
         ("512B", "128|256", "FP_(SCALAR|128|256)_", NONE), ("MUL(?!TI)", "ADD|DIV|MAC", "_(ADD|SUB|DIV)$", NONE),
         ("ADD(?!R)", "MUL|DIV|MAC", "_(MUL|DIV)$", NONE),
         ("DIV", "ADD|MUL|MAC", "_(ADD|SUB|MUL)$", NONE))


def amounts(text):
    """Floor to the quantities that it adds up."""
    found = re.findall(r'^\w+_FLOOR\((\w+),(?: \w+,)? \d+, "[^"]*"((?:, Q\(\w+, -?\d+\))+)\)', text, flags=re.M)
    return {name: re.findall(r"Q\((\w+), \d+\)", amount) for name, amount in found}


def misplaced(rows, floors):
    """Events whose floor is of the contrary of what their name says."""
    return [(r["name"], q) for r in rows for of, no, contrary, both in APART if re.search(of, r["name"]) and not re.search(no, r["name"])
            for q in floors.get(r["floor"], ()) if re.search(contrary, q) and not re.search(both, q)]


for family, least in (("intel", 100), ("amd", 40), ("netburst", 15)):
    text = (ROOT / "pmu" / family / "events/floors.def").read_text(encoding="utf-8")
    with (ROOT / "pmu" / family / "events/floors.csv").open(encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    floors = amounts(text)
    ok(len(floors) > least and not misplaced(rows, floors), "%s: floors are of what their events are of" % family, (len(floors), misplaced(rows, floors)))
spoilt = {"F": ["DTLB_LOAD_MISS"], "G": ["DTLB_STORE_MISS"], "H": ["BR_MISPRED"], "I": ["FP_256_SP"], "J": ["FLOPS_DP_ADD"], "K": ["FP_SCALAR_DP"]}
for name, floor, wrong in (("DTLB_STORE_MISSES.WALK_ACTIVE", "F", True), ("DTLB_STORE_MISSES.WALK_ACTIVE", "G", False), ("DTLB_LOAD_MISSES.ANY", "G", True),
                           ("ITLB_MISSES.ANY", "F", True), ("BR_INST_RETIRED.ALL", "H", True), ("BR_MISP_RETIRED.ALL", "H", False),
                           ("FP_ARITH.256B_PACKED_DOUBLE", "I", True), ("FP_ARITH.256B_PACKED_SINGLE", "I", False), ("FP_ARITH.128B_PACKED_SINGLE", "I", True),
                           ("RETIRED_OPS.DOUBLE_MUL", "J", True), ("RETIRED_OPS.DOUBLE_ADD", "J", False), ("RETIRED_OPS.DOUBLE_DIV", "J", True),
                           ("FP_ARITH.PACKED_DOUBLE", "K", True), ("FP_ARITH.SCALAR_DOUBLE", "K", False)):
    ok(bool(misplaced([{"name": name, "floor": floor}], spoilt)) == wrong, "%s by %s: %s" % (name, spoilt[floor][0], "told" if wrong else "good"))
done()
