#!/usr/bin/env python3
"""TAP test of pmu/armv8/events/events.csv: the rows mean what the importer says, nothing that must stay 0 is what a kernel has, and what is counted
exactly is what a kernel has."""
import csv
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import shutil
import sys
import tempfile

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
    "NO_SECOND_STAGE": (r"(?!)", ()),
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

# Numbers, as the Arm ARM has them (D7.10.3 and appendix K3, "Recommendations for Performance Monitors Event numbers"), by another way.
IN_ROWS = {
    0x00: "SW_INCR L1I_CACHE_REFILL L1I_TLB_REFILL L1D_CACHE_REFILL L1D_CACHE L1D_TLB_REFILL LD_RETIRED ST_RETIRED INST_RETIRED EXC_TAKEN EXC_RETURN"
          " CID_WRITE_RETIRED PC_WRITE_RETIRED BR_IMMED_RETIRED BR_RETURN_RETIRED UNALIGNED_LDST_RETIRED BR_MIS_PRED CPU_CYCLES BR_PRED MEM_ACCESS"
          " L1I_CACHE L1D_CACHE_WB L2D_CACHE L2D_CACHE_REFILL L2D_CACHE_WB BUS_ACCESS MEMORY_ERROR INST_SPEC TTBR_WRITE_RETIRED BUS_CYCLES -"
          " L1D_CACHE_ALLOCATE L2D_CACHE_ALLOCATE BR_RETIRED BR_MIS_PRED_RETIRED STALL_FRONTEND STALL_BACKEND L1D_TLB L1I_TLB - - L3D_CACHE_ALLOCATE"
          " L3D_CACHE_REFILL L3D_CACHE - L2D_TLB_REFILL L2I_TLB_REFILL L2D_TLB L2I_TLB REMOTE_ACCESS - - DTLB_WALK ITLB_WALK LL_CACHE_RD"
          " LL_CACHE_MISS_RD REMOTE_ACCESS_RD L1D_CACHE_LMISS_RD OP_RETIRED OP_SPEC STALL STALL_SLOT_BACKEND STALL_SLOT_FRONTEND STALL_SLOT"
          " L1D_CACHE_RD L1D_CACHE_WR L1D_CACHE_REFILL_RD L1D_CACHE_REFILL_WR L1D_CACHE_REFILL_INNER L1D_CACHE_REFILL_OUTER L1D_CACHE_WB_VICTIM"
          " L1D_CACHE_WB_CLEAN L1D_CACHE_INVAL - - - L1D_TLB_REFILL_RD L1D_TLB_REFILL_WR L1D_TLB_RD L1D_TLB_WR L2D_CACHE_RD L2D_CACHE_WR"
          " L2D_CACHE_REFILL_RD L2D_CACHE_REFILL_WR - - L2D_CACHE_WB_VICTIM L2D_CACHE_WB_CLEAN L2D_CACHE_INVAL - - - L2D_TLB_REFILL_RD"
          " L2D_TLB_REFILL_WR L2D_TLB_RD L2D_TLB_WR BUS_ACCESS_RD BUS_ACCESS_WR BUS_ACCESS_SHARED BUS_ACCESS_NOT_SHARED BUS_ACCESS_NORMAL"
          " BUS_ACCESS_PERIPH MEM_ACCESS_RD MEM_ACCESS_WR UNALIGNED_LD_SPEC UNALIGNED_ST_SPEC UNALIGNED_LDST_SPEC - LDREX_SPEC STREX_PASS_SPEC"
          " STREX_FAIL_SPEC STREX_SPEC LD_SPEC ST_SPEC LDST_SPEC DP_SPEC ASE_SPEC VFP_SPEC PC_WRITE_SPEC CRYPTO_SPEC BR_IMMED_SPEC BR_RETURN_SPEC"
          " BR_INDIRECT_SPEC - ISB_SPEC DSB_SPEC DMB_SPEC - - EXC_UNDEF EXC_SVC EXC_PABORT EXC_DABORT - EXC_IRQ EXC_FIQ EXC_SMC - EXC_HVC"
          " EXC_TRAP_PABORT EXC_TRAP_DABORT EXC_TRAP_OTHER EXC_TRAP_IRQ EXC_TRAP_FIQ RC_LD_SPEC RC_ST_SPEC",
    0xa0: "L3D_CACHE_RD - L3D_CACHE_REFILL_RD",
    0x4000: "SAMPLE_POP SAMPLE_FEED SAMPLE_FILTRATE SAMPLE_COLLISION CNT_CYCLES STALL_BACKEND_MEM L1I_CACHE_LMISS - - L2D_CACHE_LMISS_RD -"
            " L3D_CACHE_LMISS_RD TRB_WRAP PMU_OVFS TRB_TRIG PMU_HOVFS TRCEXTOUT0 TRCEXTOUT1 TRCEXTOUT2 TRCEXTOUT3 - - - - CTI_TRIGOUT4"
            " CTI_TRIGOUT5 CTI_TRIGOUT6 CTI_TRIGOUT7 - - - - LDST_ALIGN_LAT LD_ALIGN_LAT ST_ALIGN_LAT - MEM_ACCESS_CHECKED"
            " MEM_ACCESS_CHECKED_RD MEM_ACCESS_CHECKED_WR",
}
NUMBERS = {name: first + i for first, names in IN_ROWS.items() for i, name in enumerate(names.split()) if name != "-"}


def misnumbered(rows):
    return [r["name"] for r in rows if NUMBERS.get(r["name"], int(r["selector"], 16)) != int(r["selector"], 16)]


def renamed(rows):
    """Rows that have a number whose name is known, below those that each core numbers as it likes, and another name."""
    by_number = {number: name for name, number in NUMBERS.items()}
    return [r["name"] for r in rows if by_number.get(int(r["selector"], 16), r["name"]) != r["name"]]


equal((misnumbered(ROWS), renamed(ROWS)), ([], []), "numbers are the architecture's")
swapped = [dict(r, selector={"86": "87", "87": "86"}.get(r["selector"], r["selector"])) for r in ROWS]
equal(misnumbered(swapped), ["EXC_IRQ", "EXC_FIQ"], "two that are exchanged are told")

# What the architecture's own events count, as Arm ARM D7.10.3 says it in words: rows that no import has.
MEANT = {name: (judgement, terms) for name, judgement, terms in (line.split(maxsplit=2) for line in """
SW_INCR EXACT SW_INCREMENTS
L1I_CACHE_REFILL LEAST L1I_MISS
L1D_CACHE_REFILL LEAST L1D_LOAD_MISS
LD_RETIRED EXACT INSN_LOAD
ST_RETIRED EXACT INSN_STORE
INST_RETIRED EXACT INSTRUCTIONS
EXC_TAKEN EXACT EXCEPTIONS INTERRUPTS_HW INTERRUPTS_NMI
EXC_RETURN EXACT EXC_RETURNS
CID_WRITE_RETIRED EXACT CID_WRITES
PC_WRITE_RETIRED EXACT BRANCHES -BR_COND_NTAKEN -BR_FAR
BR_IMMED_RETIRED EXACT BR_COND BR_JMP_DIRECT BR_CALL_DIRECT
BR_RETURN_RETIRED EXACT BR_RET
UNALIGNED_LDST_RETIRED EXACT UNALIGNED
BR_MIS_PRED LEAST BR_MISPRED
CPU_CYCLES TIME CYCLES
BR_PRED LEAST BRANCHES -BR_FAR
MEM_ACCESS LEAST INSN_LOAD INSN_STORE
INST_SPEC LEAST INSTRUCTIONS
TTBR_WRITE_RETIRED EXACT TTBR_WRITES
BUS_CYCLES TIME BUS_CYCLES
BR_RETIRED EXACT BRANCHES -BR_FAR
BR_MIS_PRED_RETIRED LEAST BR_MISPRED
STALL_FRONTEND TIME STALL_FRONTEND
STALL_BACKEND TIME STALL_BACKEND
STALL TIME STALL_FRONTEND STALL_BACKEND
""".split("\n") if line)}


def meant_otherwise(rows):
    return [r["name"] for r in rows if r["source"].startswith("Arm ARM") and MEANT.get(r["name"]) != (r["judgement"], r["terms"])]


def apart(rows):
    """Events that count one thing where it retires and another where it is executed."""
    terms = {r["name"]: set(r["terms"].split()) for r in rows}
    return [name for name in terms if name.endswith("_RETIRED") and terms.get(name.replace("_RETIRED", "_SPEC"), terms[name]) != terms[name]]


equal((meant_otherwise(ROWS), apart(ROWS)), ([], []), "the architecture's own events count what its manual says, retired or executed")
spoilt = [dict(r, terms=r["terms"].replace(" BR_CALL_DIRECT", "")) for r in ROWS]
ok("BR_IMMED_RETIRED" in meant_otherwise(spoilt), "a term that one of them lacks is told")
spoilt = [dict(r, terms=r["terms"].replace(" BR_CALL_DIRECT", "")) if r["name"].endswith("_SPEC") else r for r in ROWS]
equal((meant_otherwise(spoilt), apart(spoilt)), ([], ["BR_IMMED_RETIRED"]), "and where they are executed, too")

# What was imported is what is there.
with (ROOT / "pmu/armv8/events/checksums.csv").open(encoding="ascii") as f:
    IMPORTED = [tuple(r) for r in list(csv.reader(f))[1:]]
sums = importer().checksums
plain = [list(r.values()) for r in ROWS]
ok(len(IMPORTED) == len(importer().CORES) + 1, "there are checksums of all cores", IMPORTED)
equal(sums(plain), IMPORTED, "every core's events are as they were imported: scripts/armv8-events --checksums after a change by hand")
for column, value in ((0, "X"), (1, "ARMV8_A34"), (2, "7f"), (3, "1")):
    spoilt = [list(r) for r in plain]
    spoilt[200][column] = value
    ok(sums(spoilt) != IMPORTED, "another %s is told" % list(ROWS[0])[column])



def files_after(folder, *arguments):
    """(rows, checksums as the file has them) after a run of the importer on a table in a folder"""
    module, module.TABLE, sys.argv = importer(), folder / "events.csv", ["armv8-events", *map(str, arguments)]
    module.main()
    return [list(csv.reader((folder / name).read_text(encoding="ascii").splitlines()))[1:] for name in ("events.csv", "checksums.csv")]


# Each way to run it leaves a table and the checksums of that table.
with tempfile.TemporaryDirectory() as d:
    d = pathlib.Path(d)
    shutil.copy(ROOT / "pmu/armv8/events/events.csv", d)
    rows, found = files_after(d, "--checksums")
    equal((rows, found), (plain, [list(c) for c in IMPORTED]), "checksums alone are made anew of the table as it is")
    (d / "list/arm/cortex-a53").mkdir(parents=True)
    for name, events in (("common-and-microarch", [{"EventName": "LD_SPEC", "EventCode": "0x70"}, {"EventName": "ST_SPEC", "EventCode": "0x71"}]),
                         ("recommended", []), ("arm/cortex-a53/a", [{"ArchStdEvent": "LD_SPEC"}, {"EventName": "MEMORY_ERROR", "EventCode": "0xc9"}])):
        (d / "list" / (name + ".json")).write_text(json.dumps(events), encoding="utf-8")
    rows, found = files_after(d, d / "list")
    equal([r[:3] for r in rows if r[7] == "perf"], [["LD_SPEC", "ARMV8_A53", "70"], ["MEMORY_ERROR", "ARMV8_A53", "c9"]], "an import has what the lists of cores have")
    equal([r for r in rows if r[7] != "perf"], [r for r in plain if r[7].startswith("Arm ARM")], "behind the rows of the manual, which stay")
    equal(found, [list(c) for c in sums(rows)], "and makes the checksums anew as well")

# A core whose list of events is found has a name.
parts = set(re.findall(r"^ARMV8_PART\(\w+, (0x\w+)\)", (ROOT / "pmu/armv8/events/cores.def").read_text(encoding="utf-8"), flags=re.M))
named = set(re.findall(r"\{0x41, (0x\w+), \"Arm\", ", (ROOT / "arch/aarch64/identity.c").read_text(encoding="utf-8")))
ok(len(parts) > 20 and parts <= named, "each part of Arm's that has a list of events has a name", sorted(parts - named))
done()
