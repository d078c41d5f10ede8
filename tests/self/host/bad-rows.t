#!/usr/bin/env python3
"""TAP test: a row that names what there is not (an event's quantity, a kernel's) ends the build with a message that names row and word."""
import importlib.machinery
import importlib.util
import pathlib
import re
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

for table, source, row, good, bad in (
        ("pmu/amd/events/events_core.def", "pmu/amd/events/events.c", "DISPATCHED_FPU.OPS_ADD", "Q(UOPS_FP)", "Q(UOPS_FB)"),
        ("pmu/netburst/events/events.c", None, "TC_DELIVER_MODE", "Q_TC_BUILD_CYCLES", "Q_TC_BUILT_CYCLES"),
        ("pmu/intel/events/events_arch.c", None, "LONGEST_LAT_CACHE.REFERENCE", "LLC_REF", "LLC_REV")):
    ok(compiled(table, [], source)[0] == 0, "%s as it is" % table, compiled(table, [], source)[1])
    refused("%s with an unknown quantity" % table, compiled(table, [(good, bad)], source), bad.strip("Q()_"), row)

for table, source, row, good, bad in (
        ("pmu/amd/events/events.def", "pmu/amd/events/events.c", "DIV_OP_COUNT", "LEAST, DIV_OPS", "LEAST, NONE"),
        ("pmu/netburst/events/events.c", None, "PAGE_WALK_TYPE", "AT_LEAST, WALKS", "AT_LEAST, NONE"),
        ("pmu/intel/events/events_arch.c", None, "LONGEST_LAT_CACHE.REFERENCE", "LLC_REF, PREFETCHERS", "LLC_REF, NONE")):
    ok(compiled(table, [], source)[0] == 0, "%s as it is" % table, compiled(table, [], source)[1])
    refused("%s with an event that counts at least something, and no rule" % table, compiled(table, [(good, bad)], source),
            "needs a rule: what else", row)

refused("a unit mask of more than eight bits", compiled("pmu/amd/events/events_core.def", [('"DISPATCHED_FPU.OPS_ADD", 0x000, 0x01', '"DISPATCHED_FPU.OPS_ADD", 0x000, 0x101')],
        "pmu/amd/events/events.c"), "overflow|conversion", "OPS_ADD|events_core")
loader = importlib.machinery.SourceFileLoader("amd_events", str(ROOT / "scripts/amd-events"))
amd_events = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(amd_events)
ok(amd_events.fits("X", 0) and amd_events.fits("X", 0xff), "the import takes unit masks of eight bits")
ok(not amd_events.fits("X", 0x100) and not amd_events.fits("X", 0x1000), "and refuses others")

loader = importlib.machinery.SourceFileLoader("gen_intel_events", str(ROOT / "scripts/gen-intel-events"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("gen_intel_events", loader))
loader.exec_module(tool)
ok(not [r for r in tool.ROWS if tool.unknown_word(r, tool.QUANTITIES, tool.RULES)] and len(tool.ROWS) > 300, "meanings.def as it is")
for text, message in (
        ("EXACT, NONE, Q(BRANCHS)", "meanings.def: BR_*: no quantity BRANCHS: did you mean BRANCHES?"),
        ("EXACT, NONE, Q(BRANCHES), MINUS(ZZZ)", "meanings.def: BR_*: no quantity ZZZ"),
        ("EXACT, NONE, BRANCHES", "meanings.def: BR_*: no quantity BRANCHES: did you mean BRANCHES?"),
        ("EXACT, NONE", "meanings.def: BR_*: there is no quantity"),
        ("EXACTLY, NONE, Q(BRANCHES)", "meanings.def: BR_*: no judgement EXACTLY"),
        ("EXACT, NO_RULE, Q(BRANCHES)", "meanings.def: BR_*: no exception NO_RULE in rules.def"),
        ("LEAST, NONE, Q(BRANCHES)", "meanings.def: BR_*: LEAST, and NONE does not say in rules.def what else may count"),
        ("LEAST, NO_LBR, Q(BRANCHES)", "meanings.def: BR_*: LEAST, and NO_LBR does not say in rules.def what else may count"),
        ("LEAST, SPEC, Q(BRANCHES)", None)):
    got = tool.unknown_word(("BR_*", None, text), tool.QUANTITIES, tool.RULES)
    ok(got == message, "meanings.def: " + text, got)
ok(not tool.unknown_floor(tool.FLOORS, tool.MOVED, tool.QUANTITIES) and len(tool.FLOORS) > 40, "floors.def as it is")
for floors, moved, message in (
        ({"F": ["LOADZ"]}, [("BR_INST_RETIRED.*", None, "F")], "floors.def: F: no quantity LOADZ"),
        ({"F": ["LOADS"]}, [], "floors.def: F: moves nothing"),
        ({"F": ["LOADS"]}, [("BR_INST_RETIRED.*", None, "F"), ("BR_*", None, "G")], "floors.def: BR_*: no floor G"),
        ({"F": ["LOADS"]}, [("NO_SUCH.EVENT", None, "F")], "floors.def: no event fits NO_SUCH.EVENT"),
        ({"F": ["LOADS"]}, [("BR_INST_RETIRED.*", None, "F"), ("BR_*", None, "NONE")], None)):
    got = tool.unknown_floor(floors, moved, tool.QUANTITIES)
    ok(got == message, "floors.def: %s" % (message or "a good row"), got)
loader = importlib.machinery.SourceFileLoader("gen_amd_floors", str(ROOT / "scripts/gen-amd-floors"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("gen_amd_floors", loader))
loader.exec_module(tool)
for named, moved, message in (
        (["F"], [("A.*", "F")], None),
        (["F"], [("A.*", "F"), ("B", "G")], "B: no floor G"),
        (["F"], [("A.*", "F"), ("C", "F")], "no event fits C"),
        (["F", "G"], [("A.*", "F")], "G: moves nothing")):
    got = tool.wrong(named, moved, ["A.X", "B"])
    ok(got == message, "AMD's floors.def: %s" % (message or "good rows"), got)
done()
