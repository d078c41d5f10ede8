#!/usr/bin/env python3
"""TAP test of what is imported of Intel's events (pmu/intel/events/events.csv): every column, against the sources.

tests/self/host/data/intel-models.csv has the models of family 6 by core, as Linux names them (arch/x86/include/asm/intel-family.h).
tests/self/host/data/intel-columns.csv has the columns as the kernel's lists of 30 cores have them (tools/perf/pmu-events/arch/x86 of Linux
6.1, which come from Intel's lists of 2022, by another way). pmu/intel/events/checksums.csv is what scripts/intel-events wrote when it
imported the lists of all cores.
"""
import csv
import importlib.machinery
import importlib.util
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
sys.dont_write_bytecode = True
from tap import done, equal, ok  # noqa: E402

EVENTS = ROOT / "pmu/intel/events/events.csv"
CORES = [c["core"] for c in csv.DictReader((ROOT / "pmu/intel/events/cores.csv").open(encoding="utf-8"))]
SPR = "GLC SPR EMR"

# Where Intel's later lists, which are imported, say something else than the kernel's: column, name, theirs, ours, cores, and why.
LATER = [
    *(("counters", "MEM_UOPS_RETIRED.LOAD_LATENCY_GT_%d" % n, "ff", "3", "CMT", "the first list of the core had no constraint")
      for n in (4, 8, 16, 32, 64, 128, 256, 512)),
    *(("pebs", "INST_RETIRED." + name, "0", "1", SPR, "added to later lists") for name in ("MACRO_FUSED", "NOP", "REP_ITERATION")),
    ("pebs", "MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM", "0", "1", SPR, "added to later lists"),
    *(("pebs", "MEM_LOAD_L3_MISS_RETIRED." + name, "0", "1", "SPR EMR", "added to later lists")
      for name in ("REMOTE_DRAM", "REMOTE_FWD", "REMOTE_HITM")),
    ("pebs", "MEM_LOAD_L3_MISS_RETIRED.REMOTE_PMM", "0", "1", "SPR", "added to later lists"),
    ("pebs", "MEM_LOAD_RETIRED.LOCAL_PMM", "0", "1", "SPR", "added to later lists"),
    ("pebs", "RTM_RETIRED.ABORTED", "0", "1", "ICL ICX RKL TGL SPR EMR", "added to later lists"),
    ("selector", "ARITH.IDIV_ACTIVE", "8b0", "10008b0", SPR, "cycles: the threshold was missing, see its disagreement"),
    *(("selector", "L2_RQSTS." + name, "%x" % theirs, "%x" % (theirs | 0x8000), "BDE", "a mask bit was missing")
      for name, theirs in (("CODE_RD_HIT", 0x4424), ("DEMAND_DATA_RD_HIT", 0x4124), ("L2_PF_HIT", 0x5024), ("RFO_HIT", 0x4224))),
    ("selector", "UOPS_RETIRED.TOTAL_CYCLES", "a8001c2", "108001c2", "BDW BDE", "the threshold is 16, not 10"),
]


# Two cores share a model, told by its stepping, or by the kind of core and its native model (SDM vol. 2, CPUID leaf 1AH).
STEPPINGS = {"SKX": "1f", "CLX": "ffe0"}
NATIVE = {"GLC": "40 1", "RWC": "40 2", "LNC": "40 3", "LNA": "40 3", "GRT": "20 1", "CMT": "20 2", "CMA": "20 2", "SKT": "20 3", "SKA": "20 3"}
NO_HYBRID = {"be"}  # cores of one kind alone: they tell none


def cpus():
    """(core, model, steppings, kind and native model) of family 6, as imported, and as the second source and the lists above have it."""
    rows = {c["core"]: c["cpus: family model steppings type native"] for c in csv.DictReader((ROOT / "pmu/intel/events/cores.csv").open(encoding="utf-8"))}
    models = {r["core"]: r["models"].split() for r in csv.DictReader((ROOT / "tests/self/host/data/intel-models.csv").open(encoding="utf-8"))}
    ours = {(core, "%02x" % int(model, 16), steppings, kind + " " + native) for core, cpu in rows.items() if core in models
            for family, model, steppings, kind, native in (one.split() for one in cpu.split("; ")) if family == "6"}
    theirs = {(core, model, STEPPINGS.get(core, "ffff"), "0 0" if model in NO_HYBRID else NATIVE.get(core, "0 0")) for core in models for model in models[core]}
    return ours, theirs


def load(path):
    """(core, name) to its row."""
    table = {}
    for row in csv.DictReader(path.open(encoding="utf-8")):
        for core in row["cores"].split():
            assert (core, row["name"]) not in table, (core, row["name"])
            table[core, row["name"]] = row
    return table


def differences(ours, theirs):
    """(column, name, theirs, ours) to the cores where they differ. Errata may be more than theirs."""
    found = {}
    for (core, name), row in theirs.items():
        mine = ours.get((core, name))
        for column in ("selector", "counters", "pebs"):
            a, b = row[column], mine and mine[column]
            if column == "pebs" and mine:
                a, b = str(int(a != "0")), str(int(b != "0"))
            if a != b:
                found.setdefault((column, name, a, b), []).append(core)
        missing = set(row["errata"].split()) - set((mine or row)["errata"].split())
        if missing:
            found.setdefault(("errata", name, " ".join(sorted(missing)), None), []).append(core)
    return {key: " ".join(sorted(cores, key=CORES.index)) for key, cores in found.items()}


def main():
    ours, theirs = load(EVENTS), load(ROOT / "tests/self/host/data/intel-columns.csv")
    listed = {row[:4]: row[4] for row in LATER}
    ok(len({core for core, _ in theirs}) >= 30 and len(theirs) > 8000, "the second source has thousands of events", len(theirs))
    equal(differences(ours, theirs), listed, "every column is the second source's, but where a later list is known to differ")

    here, there = cpus()
    ok(len(there) > 80, "the second source has the models of most cores", len(there))
    equal(sorted(here), sorted(there), "each core is that of the CPUs that the second source names")

    # The comparison itself can fail, in each column.
    name = ("SKL", "ARITH.DIVIDER_ACTIVE")
    for column, wrong in (("selector", "1000115"), ("counters", "f"), ("pebs", "1")):
        spoilt = dict(ours)
        spoilt[name] = dict(ours[name], **{column: wrong})
        ok(len(differences(spoilt, theirs)) == len(listed) + 1, "another %s is told" % column)
    spoilt = dict(ours)
    name = ("SKL", "BR_INST_RETIRED.ALL_BRANCHES")
    spoilt[name] = dict(ours[name], errata="")
    ok(len(differences(spoilt, theirs)) == len(listed) + 1, "a missing erratum is told")

    loader = importlib.machinery.SourceFileLoader("intel_events", str(ROOT / "scripts/intel-events"))
    tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("intel_events", loader))
    loader.exec_module(tool)
    order = {core: i for i, core in enumerate(CORES)}
    imported = [tuple(r.values()) for r in csv.DictReader((ROOT / "pmu/intel/events/checksums.csv").open(encoding="utf-8"))]
    now = [(core, str(n), checksum) for core, n, checksum in tool.checksums(EVENTS, order)]
    ok(len(now) > 45, "there are checksums of all cores", len(now))
    equal(now, imported, "every core's events are as they were imported")

    # Core Duo's are no list's: the import takes them over as they are.
    old = load(ROOT / "pmu/intel/events/old_events.csv")
    columns = ("selector", "msr", "value", "counters", "pebs", "errata", "deprecated")
    ok(len(old) > 40, "there are events of Core Duo", len(old))
    equal([key for key, row in old.items() if any(ours.get(key, {}).get(c) != row[c] for c in columns)], [],
          "they are in the table as they are written down")
    done()


main()
