#!/usr/bin/env python3
"""TAP test: a row that names what there is not (an event's quantity, a kernel's) ends the build with a message that names row and word."""
import importlib.machinery
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
from tap import done, ok  # noqa: E402


def compiled(path, change, source=None):
    """What the compiler says of `source` (path itself) when `path` is changed: pairs of what stands there and what is put in its place."""
    text = (ROOT / path).read_text(encoding="utf-8")
    for old, new in change:
        assert old in text, (path, old)
        text = text.replace(old, new, 1)
    with tempfile.TemporaryDirectory() as d:
        changed = pathlib.Path(d) / path
        changed.parent.mkdir(parents=True)
        changed.write_text(text, encoding="utf-8")
        r = subprocess.run(["gcc", "-std=gnu11", "-DQUANTITY_LIST=\"pmu/quantity/x86.def\"", "-Werror=overflow", "-c", "-o", "/dev/null", "-I", d, "-I", ".", "-I", "build/gen",
                            str(changed) if source is None else source], cwd=ROOT, capture_output=True, text=True)
    return r.returncode, r.stderr


def refused(what, result, *words):
    status, text = result
    ok(status != 0 and all(re.search(w, text) for w in words), what, text)


KERNELS = "tests/kernels/x86/basic.S"
LINE = "SIG INSTRUCTIONS, "
ok(compiled(KERNELS, [])[0] == 0, "kernels as they are", compiled(KERNELS, [])[1])
refused("a kernel with an unknown quantity", compiled(KERNELS, [(LINE, "SIG INSTRUCTOINS, ")]), "signature names an unknown quantity: INSTRUCTOINS",
        r"basic\.S:\d+")
refused("a kernel with an amount that fits no row", compiled(KERNELS, [(LINE, LINE + "0x80000000 + ")]), "amount beyond 32 bits: INSTRUCTIONS")
name = re.search(r"KERNEL (\w+), (\".*?\")", (ROOT / KERNELS).read_text(encoding="utf-8"))
refused("a kernel without a purpose", compiled(KERNELS, [(name[0], "KERNEL %s, \"\"" % name[1])]), "kernel %s has no purpose" % name[1])

def built(table, change, source):
    """Status and message of the generator, or of the compiler of `source`, when a line of a list of events is changed."""
    text = (ROOT / (table + ".csv")).read_text(encoding="utf-8")
    for old, new in change:
        assert old in text, (table, old)
        text = text.replace(old, new, 1)
    with tempfile.TemporaryDirectory() as d:
        d = pathlib.Path(d)
        (d / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/gen-events", d / "scripts")
        shutil.copytree(ROOT / "pmu/quantity", d / "pmu/quantity")
        shutil.copytree((ROOT / table).parent, (d / table).parent)
        (d / (table + ".csv")).write_text(text, encoding="utf-8")
        r = subprocess.run([sys.executable, d / "scripts/gen-events", "rows", table], capture_output=True, text=True)
        if r.returncode:
            return r.returncode, r.stderr
        (d / "gen" / table).parent.mkdir(parents=True)
        (d / "gen" / (table + ".def")).write_text(r.stdout, encoding="utf-8")
        r = subprocess.run(["gcc", "-std=gnu11", "-DQUANTITY_LIST=\"pmu/quantity/x86.def\"", "-Werror=overflow", "-c", "-o", "/dev/null", "-I", d / "gen",
                            "-I", ".", "-I", "build/gen", source], cwd=ROOT, capture_output=True, text=True)
        return r.returncode, r.stderr


AMD, NETBURST, METRICS, ARCHITECTURAL = ("pmu/amd/events/events", "pmu/netburst/events/events", "pmu/netburst/events/metrics",
                                         "pmu/intel/events/architectural")
SOURCE = {AMD: "pmu/amd/events/events.c", NETBURST: "pmu/netburst/events/events.c", METRICS: "pmu/netburst/events/events.c",
          ARCHITECTURAL: "pmu/intel/events/events_arch.c"}
for table, source in SOURCE.items():
    ok(built(table, [], source)[0] == 0, "%s.csv as it is" % table, built(table, [], source)[1])
for table, what, row, good, bad, *says in (
        (AMD, "an unknown quantity", "DISPATCHED_FPU.OPS_ADD", "BOUNDS,,UOPS_FP,", "BOUNDS,,UOPS_FB,", "no quantity UOPS_FB: did you mean UOPS_FP"),
        (NETBURST, "an unknown quantity", "TC_deliver_mode:BI", "TC_BUILD_CYCLES", "TC_BUILT_CYCLES", "no quantity TC_BUILT_CYCLES"),
        (METRICS, "an unknown quantity", "memory_loads", "UOPS_LOAD", "UOPS_LOD", "no quantity UOPS_LOD"),
        (ARCHITECTURAL, "an unknown quantity", "LONGEST_LAT_CACHE.REFERENCE", "LLC_REF,", "LLC_REV,", "no quantity LLC_REV"),
        (AMD, "an event that counts at least something, and no rule", "DIV_OP_COUNT", "LEAST,DIV_OPS", "LEAST,", "LEAST, and no rule"),
        (NETBURST, "an event that counts at least something, and no rule", "page_walk_type:DTMISS", "LEAST,WALKS", "LEAST,", "LEAST, and no rule"),
        (ARCHITECTURAL, "an event that counts at least something, and no rule", "LONGEST_LAT_CACHE.REFERENCE", "LEAST,PREFETCHERS", "LEAST,",
         "LEAST, and no rule"),
        (ARCHITECTURAL, "a rule that allows nothing", "LONGEST_LAT_CACHE.REFERENCE", "LEAST,PREFETCHERS", "LEAST,TSC_RATE", "TSC_RATE does not say"),
        (AMD, "a rule that there is not", "DIV_OP_COUNT", "LEAST,DIV_OPS", "LEAST,DIV_OPTS", "DIV_OPTS"),
        (NETBURST, "a rule that there is not", "page_walk_type:DTMISS", "LEAST,WALKS", "LEAST,WALKERS", "RULE_WALKERS"),
        (AMD, "a generation that there is not", "CYCLES_NOT_IN_HALT", "CYCLES_NOT_IN_HALT,ZEN,", "CYCLES_NOT_IN_HALT,ZENN,", "ZENN"),
        (AMD, "a judgement that there is not", "DIV_OP_COUNT", "LEAST,DIV_OPS", "MOST,DIV_OPS", "no judgement MOST"),
        (AMD, "terms that are none", "DISPATCHED_FPU.OPS_ADD", "BOUNDS,,UOPS_FP,", "BOUNDS,,+UOPS_FP,", "terms are not quantities"),
        (AMD, "a coefficient for which there is no room", "DISPATCHED_FPU.OPS_ADD", "BOUNDS,,UOPS_FP,", "BOUNDS,,2*UOPS_FP,", "no room for it"),
        (AMD, "no quantity", "DISPATCHED_FPU.OPS_ADD", "BOUNDS,,UOPS_FP,", "BOUNDS,,,", "there is no quantity"),
        (AMD, "a unit mask of more than eight bits", "DISPATCHED_FPU.OPS_ADD", "AMD_12H,100,", "AMD_12H,10100,", "a unit mask of 8"),
        (AMD, "a row too few columns", "DISPATCHED_FPU.OPS_ADD", "BOUNDS,,UOPS_FP,", "BOUNDS,UOPS_FP,", "not as many columns"),
        (AMD, "a row that is there twice", "CYCLES_NOT_IN_HALT", "CYCLES_NOT_IN_HALT,ZEN,76,,TIME,,CYCLES,two lists,,1\n",
         "CYCLES_NOT_IN_HALT,ZEN,76,,TIME,,CYCLES,two lists,,1\n" * 2, "CYCLES_NOT_IN_HALT is there twice")):
    refused("%s.csv with %s" % (table, what), built(table, [(good, bad)], SOURCE[table]), re.escape(says[0]), re.escape(row))

loader = importlib.machinery.SourceFileLoader("amd_events", str(ROOT / "scripts/amd-events"))
amd_events = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(amd_events)
ok(amd_events.fits("X", 0) and amd_events.fits("X", 0xff), "the import takes unit masks of eight bits")
ok(not amd_events.fits("X", 0x100) and not amd_events.fits("X", 0x1000), "and refuses others")

loader = importlib.machinery.SourceFileLoader("gen_events", str(ROOT / "scripts/gen-events"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("gen_events", loader))
loader.exec_module(tool)
INTEL = tool.Family(tool.INTEL)
ok(not [r for r in INTEL.meanings if tool.unknown_word("meanings.csv", r, INTEL.known, INTEL.rules)] and len(INTEL.meanings) > 300, "meanings.csv as it is")
for judgement, rule, terms, message in (
        ("EXACT", "", "BRANCHS", "meanings.csv: BR_*: no quantity BRANCHS: did you mean BRANCHES?"),
        ("EXACT", "", "BRANCHES -ZZZ", "meanings.csv: BR_*: no quantity ZZZ"),
        ("EXACT", "", "BRANCHES, LOADS", "meanings.csv: BR_*: terms are not quantities: BRANCHES, LOADS"),
        ("EXACT", "", "", "meanings.csv: BR_*: there is no quantity"),
        ("EXACTLY", "", "BRANCHES", "meanings.csv: BR_*: no judgement EXACTLY"),
        ("EXACT", "NO_RULE", "BRANCHES", "meanings.csv: BR_*: no exception NO_RULE in rules.def"),
        ("LEAST", "", "BRANCHES", "meanings.csv: BR_*: LEAST, and no rule does not say what else may count"),
        ("LEAST", "NO_LBR", "BRANCHES", "meanings.csv: BR_*: LEAST, and NO_LBR does not say what else may count"),
        ("LEAST", "SPEC", "BRANCHES", None)):
    got = tool.unknown_word("meanings.csv", {"name": "BR_*", "judgement": judgement, "rule": rule, "terms": terms}, INTEL.known, INTEL.rules)
    ok(got == message, "meanings.csv: %s, %s, %s" % (judgement, rule, terms), got)
for family, floors in (("intel", 40), ("amd", 40), ("netburst", 15)):
    folder = ROOT / "pmu" / family / "events"
    here = tool.Family(folder)
    named = tool.named_floors(folder)
    ok(not tool.unknown_floor(named, here.floors, here.names(), here.known, tool.named_in_code(folder)) and len(named) > floors, "floors of %s as they are" % family, len(named))
NAMES = {"BR_INST_RETIRED.NEAR_TAKEN", "BR_OTHER"}
for floors, moved, message in (
        ({"F": ["LOADZ"]}, [("BR_INST_RETIRED.*", "F")], "floors.def: F: no quantity LOADZ"),
        ({"F": ["LOADS"]}, [], "floors.def: F: moves nothing"),
        ({"F": ["LOADS"]}, [("BR_INST_RETIRED.*", "F"), ("BR_*", "G")], "floors.csv: BR_*: no floor G"),
        ({"F": ["LOADS"]}, [("NO_SUCH.EVENT", "F")], "floors.csv: no event fits NO_SUCH.EVENT"),
        ({"F": ["LOADS"]}, [("BR_INST_RETIRED.*", "F"), ("BR_*", "NONE")], None)):
    got = tool.unknown_floor(floors, [{"name": name, "cores": "", "floor": floor} for name, floor in moved], NAMES, INTEL.known)
    ok(got == message, "floors: %s" % (message or "good rows"), got)
done()
