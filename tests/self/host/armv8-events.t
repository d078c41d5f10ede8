#!/usr/bin/env python3
"""TAP test of pmu/armv8/events/events.csv: the rows mean what the importer says, nothing that must stay 0 is what a kernel has, and what is counted
exactly is what a kernel has."""
import csv
import importlib.machinery
import importlib.util
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
sys.dont_write_bytecode = True
from tap import done, equal, ok  # noqa: E402

# Instructions that a kernel without the rule's subject cannot have, and quantities; a rule without any is about what no instruction asks for.
DENIED = {
    "NO_OTHER_LEVEL": (r"smc|hvc", ()),
    "NO_ERRORS": (r"esb", ()),
    "NO_FIRST_FAULT": (r"ld(ff|nf)1\w+", ()),
    "NO_CODE_FAULTS": (r"(?!)", ("EXC_PABORT",)),
    "TRACE_OFF": (r"tsb|trcit", ()),
    "PROFILING_OFF": (r"psb", ()),
    "NO_OVERFLOW": (r"(?!)", ()),
    "TRIGGERS_OFF": (r"(?!)", ()),
    "TAGS_OFF": (r"st\w*g|ldg\w*|irg|gmi", ()),
}
# Interrupts are no kernel's: noise and sampling make them.
NO_KERNELS = {"INTERRUPTS_HW", "INTERRUPTS_NMI"}


def importer():
    loader = importlib.machinery.SourceFileLoader("importer", str(ROOT / "scripts/armv8-events"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("importer", loader))
    loader.exec_module(module)
    return module


def kernels():
    """(quantities of all signatures, words of all instructions)"""
    quantities, instructions = set(), set()
    macros = (ROOT / "tests/kernels/macros.h").read_text(encoding="utf-8")
    texts = [p.read_text(encoding="utf-8") for p in sorted((ROOT / "tests/kernels/aarch64").glob("*.S"))]
    for text in texts:
        instructions |= set(re.findall(r"^(?:\w+:)?\s+([a-z][\w.]*)", text, flags=re.M))
        quantities |= set(re.findall(r"^\s*SIG(?:_RANGE)?\s+(\w+)", text, flags=re.M))
        for name in set(re.findall(r"^\s*(SIG_\w+)", text, flags=re.M)):
            body = re.search(r"^\.macro %s\b.*?^\.endm" % name, macros, flags=re.M | re.S)
            quantities |= set(re.findall(r"^\s*SIG(?:_RANGE)?\s+(\w+)", body.group(0), flags=re.M)) if body else set()
    # SIG_LOOP is a row of its own, which tests/kernels/kernel.c writes out.
    return quantities | {"BRANCHES", "BR_COND", "BR_COND_TAKEN", "BR_COND_NTAKEN"}, instructions


def wrong_with(row, quantities, instructions):
    """Why a row cannot be judged as it says, or None."""
    terms = {t.lstrip("-") for t in row["terms"].split()}
    if terms == {"NOT_PROVOKED"}:
        if row["rule"] not in DENIED:
            return "%s must stay 0, and no rule that is known says why" % row["name"]
        pattern, denied = DENIED[row["rule"]]
        found = [i for i in instructions if re.fullmatch(pattern, i)] + sorted(quantities & set(denied))
        return "%s must stay 0, and kernels have %s" % (row["name"], found) if found else None
    if row["judgement"] == "EXACT" and not terms & (quantities | NO_KERNELS):
        return "%s is exact, and no kernel has any of it" % row["name"]
    return None


with (ROOT / "pmu/armv8/events/events.csv").open(encoding="ascii") as f:
    ROWS = list(csv.DictReader(f))
meaning = importer().meaning
QUANTITIES, INSTRUCTIONS = kernels()
ok("whilelo" in INSTRUCTIONS and {"INSN_SVE", "INSN_LOAD", "EXC_UNDEF", "BR_RET"} <= QUANTITIES, "instructions and quantities of kernels are found",
   (sorted(QUANTITIES), sorted(INSTRUCTIONS)))
equal([r["name"] for r in ROWS if r["source"] == "perf" and (r["judgement"], r["rule"], r["terms"]) != tuple(meaning(r["name"]))], [],
      "each imported row means what the importer says")
equal([w for w in (wrong_with(r, QUANTITIES, INSTRUCTIONS) for r in ROWS) if w], [],
      "what must stay 0 is nothing that a kernel has, and what is exact is something that one has")
row = {"name": "SVE_INST_SPEC", "judgement": "EXACT", "rule": "NO_SVE", "terms": "NOT_PROVOKED"}
ok(wrong_with(row, QUANTITIES, INSTRUCTIONS), "a row that must stay 0 for a reason that nobody knows is refused")
DENIED["NO_SVE"] = (r"(?!)", ("INSN_SVE",))
ok("INSN_SVE" in (wrong_with(row, QUANTITIES, INSTRUCTIONS) or ""), "and one that denies a quantity that kernels have")
DENIED["NO_SVE"] = ("whilelo", ())
ok("whilelo" in (wrong_with(row, QUANTITIES, INSTRUCTIONS) or ""), "and one that denies an instruction that they have")
ok(wrong_with(dict(row, rule="", terms="EXC_PABORT"), QUANTITIES - {"EXC_PABORT"}, INSTRUCTIONS), "and an exact row of which no kernel has any")
slots = [r for r in ROWS if r["name"].startswith("STALL_SLOT")]
ok(len(slots) >= 3 and not any(r["judgement"] == "TIME" for r in slots), "slots are not judged as cycles", slots)
equal({tuple(r["terms"].split()) for r in ROWS if r["name"].startswith("STALL_FRONTEND")}, {("STALL_FRONTEND",)}, "stalls of the front end are such")

# A core whose list of events is found has a name.
parts = set(re.findall(r"^ARMV8_PART\(\w+, (0x\w+)\)", (ROOT / "pmu/armv8/events/cores.def").read_text(encoding="utf-8"), flags=re.M))
named = set(re.findall(r"\{0x41, (0x\w+), \"Arm\", ", (ROOT / "arch/aarch64/identity.c").read_text(encoding="utf-8")))
ok(len(parts) > 20 and parts <= named, "each part of Arm's that has a list of events has a name", sorted(parts - named))
done()
