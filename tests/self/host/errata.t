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
from tap import done, equal, ok  # noqa: E402

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

# AMD's rows of errata (pmu/amd/errata/rows.csv) name processors and event selects: each attachment is one of theirs, and each of theirs that is an
# event of the generation's is attached.
GENERATIONS = {"AMD_K8": "0F", "AMD_10H": "10", "AMD_11H": "11", "AMD_12H": "12", "AMD_14H": "14", "AMD_15H": "15", "AMD_16H": "16", "AMD_ZEN5": "1A"}
IN_ORDER = ["AMD_K7", *list(GENERATIONS)[:7], "AMD_ZEN1", "AMD_ZEN2", "AMD_ZEN3", "AMD_ZEN4", "AMD_ZEN5"]
NAMED_SETS = {"ALL": IN_ORDER, "K8_UP": IN_ORDER[1:], "K8_TO_16H": IN_ORDER[1:8], "K8_TO_12H": IN_ORDER[1:5], "ZEN": IN_ORDER[8:],
              "ZEN2_UP": IN_ORDER[9:], "ZEN3_UP": IN_ORDER[10:]}
NO_ATTACHMENT = {"ZEN-IC"}  # tests/self/host/data/errata.csv says why


def generations(parts):
    """Of "19_00-0F 17_31/0": family, and the models or one of them."""
    found = set()
    for family, first, last in re.findall(r"([0-9A-F]{2})_([0-9A-F]{2})(?:-([0-9A-F]{2}))?", parts):
        models = range(int(first, 16), int(last or first, 16) + 1)
        if family == "17":
            found |= {"AMD_ZEN1" if m < 0x30 else "AMD_ZEN2" for m in models}
        elif family == "19":
            found |= {"AMD_ZEN4" if m >> 4 == 1 or m >> 4 >= 6 else "AMD_ZEN3" for m in models}
        else:
            found |= {g for g, f in GENERATIONS.items() if f == family}
    return found


def selects(events):
    """(event select, unit mask or None) of "PMCx1D3-1D5, 0C1, PMCx052[3]"."""
    if "PMCx" not in events:
        return set()
    return {(s, 1 << int(bit) if bit else None)
            for first, last, bit in re.findall(r"(?:PMCx|\b)([0-9A-F]{3})(?:-([0-9A-F]{3}))?(?:\[(\d)\])?", events)
            for s in range(int(first, 16), int(last or first, 16) + 1)}


def amd_published():
    """(number, generation, event select) to its unit mask."""
    with (ROOT / "pmu/amd/errata/rows.csv").open(encoding="utf-8") as f:
        return {(n.replace("AMD-", ""), g, select): mask for r in csv.DictReader(f) for n in r["id"].split("|")
                for g in generations(r["parts"]) for select, mask in selects(r["events"])}


def amd_attached(text):
    return {(n, g, int(select, 16)): None if mask == "ANY" else int(mask, 16)
            for of, select, mask, numbers in re.findall(r'^AMD_ERRATUM\(([^,]+), (0x\w+), (\w+), "([^"]+)"\)', text, flags=re.M)
            for n in numbers.split() for g in of.split(" | ")}


def amd_events():
    """(generation, event select) of the tables."""
    with (ROOT / "pmu/amd/events/events.csv").open(encoding="utf-8") as f:
        return {(g, int(r["selector"], 16) & 0xff | int(r["selector"], 16) >> 24 & 0xf00) for r in csv.DictReader(f) if r["selector"]
                for c in r["cores"].split() for g in NAMED_SETS.get(c, [c])}


PUBLISHED, TABLE, DEF = amd_published(), amd_events(), (ROOT / "pmu/amd/errata/errata.def").read_text(encoding="utf-8")
ATTACHED = amd_attached(DEF)
# Of one unit mask alone, where the guide names the event by what it counts there.
MASKED = {("1266", "AMD_ZEN3", 0xcb)}


def unpublished(attached):
    return sorted(k for k, mask in attached.items() if k not in PUBLISHED or mask != PUBLISHED[k] and k not in MASKED)


def unattached(attached):
    return sorted(k for k in PUBLISHED if k[1:] in TABLE and k[0] not in NO_ATTACHMENT and k not in attached)


ok(len(ATTACHED) > 50 and len(PUBLISHED) > 70 and len(TABLE) > 500, "AMD's attachments are found", (len(ATTACHED), len(PUBLISHED), len(TABLE)))
equal(unpublished(ATTACHED), [], "each is published of its generation, event and unit mask")
equal(unattached(ATTACHED), [], "what is published of an event that a generation has is attached")
for what, old, new in (("another number", 'ZEN3, 0x0c4, ANY, "1292"', 'ZEN3, 0x0c4, ANY, "1291"'), ("another event", "ZEN2, 0x0c8", "ZEN2, 0x0ce"),
                       ("another generation", "AMD_16H, 0x076", "AMD_15H, 0x076"), ("another unit mask", "0x024, 0x04", "0x024, 0x08")):
    spoilt = amd_attached(DEF.replace(old, new))
    ok(old in DEF and unpublished(spoilt) and (unattached(spoilt) or "mask" in what), "%s is told" % what)


done()
