#!/usr/bin/env python3
"""TAP test: no source keeps the number of a quantity in fewer than 16 bits. Each is compiled with lists of quantities whose numbers all need more
than eight; a constant that does not fit makes the compiler complain."""
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
from tap import done, ok  # noqa: E402

EXTRA = 256  # quantities before all others
FLAGS = ["-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra", "-DQUANTITY_LIST=\"pmu/quantity/x86.def\""]


def complaints(wide, source, *more):
    r = subprocess.run(["gcc", *FLAGS, "-I", wide, "-I", ".", "-I", "build/gen", *more, source], cwd=ROOT, capture_output=True, text=True, check=False)
    return [line for line in r.stderr.splitlines() if "changes value" in line or "-Woverflow" in line]


with tempfile.TemporaryDirectory() as d:
    wide = pathlib.Path(d)
    (wide / "pmu/quantity").mkdir(parents=True)
    rows = "".join('QUANTITY(EXTRA_%d, "extra.%d", MICRO, "none")\n' % (i, i) for i in range(EXTRA))
    (wide / "pmu/quantity/quantity.def").write_text(rows + (ROOT / "pmu/quantity/quantity.def").read_text(encoding="utf-8"), encoding="utf-8")
    (wide / "narrow.c").write_text('#include "pmu/quantity/quantity.h"\nconst unsigned char q[] = {Q_LOADS};\n', encoding="utf-8")
    ok(complaints(wide, str(wide / "narrow.c")), "a quantity in eight bits is noticed")

    listed = subprocess.run(["git", "ls-files", "*.c"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    sources = [s for s in listed if "Q_" in (ROOT / s).read_text(encoding="utf-8") or "quantit" in (ROOT / s).read_text(encoding="utf-8")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [line for lines in pool.map(lambda s: complaints(wide, s), sources) for line in lines]
    ok(len(sources) > 100 and not found, "no source of %d keeps one in eight bits" % len(sources), "\n".join(sorted(set(found))))
done()
