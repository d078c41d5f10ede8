#!/usr/bin/env python3
"""TAP test: the table in docs/intel-events.md is the one that build/coverage makes, a stale or missing one is noticed, and an event
that nothing is said of is refused."""
import csv
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests/self"), str(ROOT / "scripts")]
from coverage_tools import kept, tools  # noqa: E402
from tap import done, ok  # noqa: E402

TOOL = ROOT / "scripts/coverage-table"


def tool(*args):
    return subprocess.run([TOOL, *args], capture_output=True, text=True)


table = tool().stdout
lines, families = ([[cell.strip() for cell in line.strip("|\n").split("|")] for line in part.splitlines()[2:]] for part in table.split("\n\n"))
document = (ROOT / "docs/intel-events.md").read_text(encoding="utf-8")
ok(table in document, "docs/intel-events.md is up to date (else run scripts/coverage-table -w docs/intel-events.md)")
# A family's kinds of events may each have some of its microarchitectures.
documented = {}
for path in kept("impostors.csv"):
    with open(path, encoding="utf-8", newline="") as f:
        for r in csv.DictReader(f):
            if r["kind"] in {family[0] for family in families}:
                documented[path] = max(documented.get(path, 0), int(r["microarchitectures"]))
ok(documented and len(lines) == sum(documented.values()) and len({r[0] for r in lines}) == len(lines), "every microarchitecture of each family has a line")
ok(all(int(r[1]) == sum(map(int, r[2:7])) + int(r[9]) for r in lines), "the columns add up to what is documented")
ok(all(int(r[9]) == sum(map(int, re.findall(r"\d+(?=,|$)", r[10]))) for r in lines), "what is not judged is accounted for by reasons")
ok(all(int(r[2]) > 0 for r in lines), "some events are judged exactly everywhere")
ok(families and all(sum(int(r[c]) for r in families) == sum(int(r[c + 1]) for r in lines) for c in range(1, 6)),
   "the families' lines are the sums of the others")
for _, program in tools()[1:]:
    program = program.relative_to(ROOT)
    page = "docs/%s.md" % program.parent.name
    other = tool(program).stdout
    ok(other.splitlines()[2:] and other in (ROOT / page).read_text(encoding="utf-8"),
       "%s is up to date (else run scripts/coverage-table -w %s %s)" % (page, page, program))
with tempfile.TemporaryDirectory() as d:
    d = pathlib.Path(d)
    copy = d / "c.md"
    copy.write_text(document.replace("| Skylake |", "| Stale |", 1), encoding="utf-8")
    ok(table not in copy.read_text(encoding="utf-8"), "a stale table differs")
    ok(tool("-w", copy).returncode == 0 and copy.read_text(encoding="utf-8") == document, "it is put right in its place")
    copy.write_text("no place\n", encoding="utf-8")
    r = tool("-w", copy)
    ok(r.returncode != 0 and "no place for the table" in r.stderr, "a file without a place for it is refused")

    # The same generator on tables of its own.
    (d / "scripts").mkdir()
    (d / "pmu").mkdir()
    shutil.copy(ROOT / "scripts/gen-events", d / "scripts")
    shutil.copytree(ROOT / "pmu/intel", d / "pmu/intel")
    shutil.copytree(ROOT / "pmu/quantity", d / "pmu/quantity")

    def generate(change):
        events = d / "pmu/intel/events/events.csv"
        events.write_text(change((ROOT / "pmu/intel/events/events.csv").read_text(encoding="utf-8")), encoding="utf-8")
        return subprocess.run([sys.executable, d / "scripts/gen-events", "list", "SKL"], capture_output=True, text=True)

    r = generate(lambda text: text + "NO_SUCH.EVENT,SKL,1ff,f,,,,list,,0,0,0,,0\n")
    ok(r.returncode != 0 and "says nothing of NO_SUCH.EVENT on SKL" in r.stderr, "an event without meaning and reason stops the build")
    r = generate(lambda text: text + "INST_RETIRED.ANY_X,SKL,1ff,f,,,,list,,0,0,0,,0\n")
    ok(r.returncode == 0 and "SKL INST_RETIRED.ANY_X 1ff EXACT" in r.stdout, "a row may fit a new name")
done()
