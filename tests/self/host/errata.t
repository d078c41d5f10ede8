#!/usr/bin/env python3
"""TAP test: published errata of counters and events (tests/self/host/data/errata.csv, by all their numbers) are attached to rows, or the file says why
not; and nothing is attached that the file does not know. What attaches them: Intel's own lists and pmu/intel/errata/errata.csv (scripts/gen-events
joins both), pmu/amd/errata/errata.def, pmu/netburst/events/events.c."""
import csv
import importlib.machinery
import importlib.util
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
from tap import done, ok  # noqa: E402

FAMILIES = tuple(sorted(p.parent.parent.name for p in ROOT.glob("pmu/*/errata/rows.csv")))


def generator():
    loader = importlib.machinery.SourceFileLoader("gen_events", str(ROOT / "scripts/gen-events"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def bare(number):
    return re.sub(r"(?<=[A-Z])0+(?=[0-9])", "", number)


def attached(gen):
    """Numbers on rows, by family."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "pmu/amd/errata/errata.def").read_text(encoding="utf-8"), flags=re.S)
    amd = {"AMD-" + n for row in re.findall(r'AMD_ERRATUM\(.*"([^"]+)"\)', text) for n in row.split()}
    netburst = re.findall(r'\.errata = .*\? "([^"]+)"', (ROOT / "pmu/netburst/events/events.c").read_text(encoding="utf-8"))
    return {"intel": {bare(n) for core, e, _, _ in gen.by_core(gen.Family(gen.INTEL)) for n in gen.errata_of(e, core).split()},
            "amd": amd, "netburst": set(netburst)}


def missing(listed, rows):
    """What the list has on rows of a family, and no row has."""
    return [names for names, where in listed if where in FAMILIES and not set(names) & rows[where]]


with (ROOT / "tests/self/host/data/errata.csv").open(encoding="utf-8") as f:
    next(f)
    LISTED = [(names.split(), where) for names, where in (line.rstrip("\n").split(",", 1) for line in f)]
GEN = generator()
ROWS = attached(GEN)
MISSING = missing(LISTED, ROWS)
ok(not MISSING, "every erratum of the list that is within reach is on a row", "\n".join(" ".join(m) for m in MISSING))
ok(all(where and where != "?" for _, where in LISTED), "every other one has its reason")
KNOWN = {n for names, _ in LISTED for n in names}
for family in FAMILIES:
    unknown = sorted(ROWS[family] - KNOWN)
    ok(not unknown or family == "intel" and not {r["erratum"] for r in GEN.published()} & set(unknown), "%s: nothing is attached that the list lacks" % family,
       " ".join(unknown))
ok(all(any(GEN.errata_of(e, core).find(r["erratum"]) >= 0 for core, e, _, _ in GEN.by_core(GEN.Family(GEN.INTEL)) if core in r["cores"].split()) for r in GEN.published()[::9]),
   "lines of pmu/intel/errata/errata.csv are about events of their cores")


def models(core):
    """Family and model of each processor with these cores, as rows.csv writes them. None of hybrid ones: rows.csv does not tell kinds of cores apart."""
    return {"%02X_%02X" % (int(family), int(model, 16)) for family, model in re.findall(r"(\d+) ([0-9a-f]+) [0-9a-f]+ 0 \d+", core["cpus: family model steppings type native"])}


with (ROOT / "pmu/intel/events/cores.csv").open(encoding="utf-8", newline="") as f:
    MODELS = {r["core"]: models(r) for r in csv.DictReader(f)}
with (ROOT / "pmu/intel/errata/rows.csv").open(encoding="utf-8", newline="") as f:
    PARTS = {bare(n): set(re.findall(r"[0-9A-F]{2}_[0-9A-F]{2}", r["parts"])) for r in csv.DictReader(f) for n in r["id"].split("|")}


def elsewhere(published):
    """Lines with a core on none of the processors that the erratum is of."""
    return ["%s on %s" % (r["erratum"], core) for r in published for core in r["cores"].split()
            if PARTS.get(bare(r["erratum"])) and MODELS[core] and not PARTS[bare(r["erratum"])] & MODELS[core]]


ok(not elsewhere(GEN.published()), "each line's cores are those of processors that the erratum is published for", "\n".join(elsewhere(GEN.published())))
ok(elsewhere([{"erratum": "AAJ127", "cores": "NHM NHX"}]) == ["AAJ127 on NHX"], "another core is told")
ok(missing(LISTED, dict(ROWS, intel=ROWS["intel"] - {"BJ90"})) == MISSING + [n for n, _ in LISTED if "BJ90" in n], "an erratum that is taken off its row is told")
reasons = {}
for names, where in LISTED:
    if where not in FAMILIES:
        reasons.setdefault(where, []).append(names[0])
for where, names in sorted(reasons.items()):
    print("# table: %s: %s" % (where, " ".join(names)))
done()
