#!/usr/bin/env python3
"""TAP test: the table in docs/quantity-list.md is the one that pmu/quantity/quantity.def makes, and a stale or missing one is noticed."""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
from tap import done, ok  # noqa: E402

TOOL = ROOT / "scripts/quantity-table"


def tool(*args):
    return subprocess.run([TOOL, *args], capture_output=True, text=True)


table = tool().stdout
document = (ROOT / "docs/quantity-list.md").read_text(encoding="utf-8")
rows = (ROOT / "pmu/quantity/quantity.def").read_text(encoding="utf-8")
ok(table.count("\n") - 2 == len(re.findall(r"^QUANTITY\(", rows, flags=re.M)), "every quantity has a row")
ok(table in document, "docs/quantity-list.md is up to date (else run scripts/quantity-table -w docs/quantity-list.md)")
with tempfile.TemporaryDirectory() as d:
    copy = pathlib.Path(d) / "q.md"
    copy.write_text(document.replace("| exact |", "| stale |", 1), encoding="utf-8")
    ok(table not in copy.read_text(encoding="utf-8"), "a stale table differs")
    ok(tool("-w", copy).returncode == 0 and copy.read_text(encoding="utf-8") == document, "it is put right in its place")
    copy.write_text("no place\n", encoding="utf-8")
    r = tool("-w", copy)
    ok(r.returncode != 0 and "no place for the table" in r.stderr, "a file without a place for it is refused")
done()
