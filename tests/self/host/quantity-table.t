#!/usr/bin/env python3
"""TAP test: the tables in docs/quantity-list.md are those that the lists in pmu/quantity make, and a stale or missing one is noticed."""
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
lists = {p.stem: p.read_text(encoding="utf-8") for p in (ROOT / "pmu/quantity").glob("*.def")}
rows = [re.findall(r'^QUANTITY\(\w+, "([^"]+)"', text, flags=re.M) for text in lists.values()]
common = set(re.findall(r'^QUANTITY\(\w+, "([^"]+)"', lists["common"], flags=re.M))
ok(all("\n| `%s` | exact |" % q in table or "\n| `%s` | micro |" % q in table for names in rows for q in names), "every quantity has a row")
said = {name: re.findall(r"^ \* - ([\w.]+): ", text, flags=re.M) for name, text in lists.items()}
ok(any(said.values()) and all(set(names) <= common for names in said.values()), "what a list says of common quantities, it says of such")
own = re.findall(r'^QUANTITY_HERE\(\w+, \w+, "([^"]+)"', lists["x86"], flags=re.M)
ok(own and all("`, here `%s` |" % q in table for q in own), "a name of the instruction set's own is told beside the common one")
ok(table in document, "docs/quantity-list.md is up to date (else run scripts/quantity-table -w docs/quantity-list.md)")
tool_code = {"__name__": "quantity_table", "__file__": str(TOOL)}
exec(compile(TOOL.read_text(encoding="utf-8"), TOOL, "exec"), tool_code)
ok(tool_code["cell"]("a | b") == "a \\| b", "what would end a table's cell is marked")
with tempfile.TemporaryDirectory() as d:
    copy = pathlib.Path(d) / "q.md"
    copy.write_text(document.replace("| exact |", "| stale |", 1), encoding="utf-8")
    ok(table not in copy.read_text(encoding="utf-8"), "a stale table differs")
    ok(tool("-w", copy).returncode == 0 and copy.read_text(encoding="utf-8") == document, "it is put right in its place")
    copy.write_text("no place\n", encoding="utf-8")
    r = tool("-w", copy)
    ok(r.returncode != 0 and "no place for the table" in r.stderr, "a file without a place for it is refused")
done()
