#!/usr/bin/env python3
"""TAP test: models read as the manual does; the lists of their broken forms fit them, and a place that does not is told in one line."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
from tap import done, equal, ok  # noqa: E402

TOOL = ROOT / "scripts/gen-mutants"
LISTS = sorted(str(p.relative_to(ROOT)) for p in [*ROOT.glob("pmu/*/model/mutants.list"), *ROOT.glob("pmu/virtual/*_mutants.list")])
MODEL = """#define LIMIT 4 /* add( */
int other(int a) { return a + 1; }
int add(int a, int b)
{
	int sum = a + b; /* the rule */

	if (sum > LIMIT && a)
		sum = LIMIT;
	return sum;
}
"""
PROGRAM = MODEL + """
#include <stdio.h>
int model_mutant;
int main(void)
{
	for (model_mutant = 0; model_mutant < TOY_MUTANTS_END; model_mutant++)
		printf("%d %d,", add(1, 1), add(3, 4));
}
"""


def make(rows, source=MODEL):
    """What the tool makes of a model and its list: (status, what it says, the copy)."""
    with tempfile.TemporaryDirectory() as d:
        room = pathlib.Path(d)
        (room / "pmu/toy/model").mkdir(parents=True)
        (room / "pmu/toy/model/model_toy.c").write_text(source, encoding="utf-8")
        (room / "pmu/toy/model/mutants.list").write_text(rows, encoding="utf-8")
        r = subprocess.run([TOOL, "out/mutants", "pmu/toy/model/mutants.list"], capture_output=True, text=True, cwd=room)
        copy = room / "out/mutants/pmu/toy/model/model_toy.c"
        ran = ""
        if not r.returncode:
            built = subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-Iout", "-o", "toy", str(copy)], capture_output=True, text=True, cwd=room)
            ran = subprocess.run(["./toy"], capture_output=True, text=True, cwd=room).stdout if source == PROGRAM and not built.returncode else built.stderr
        return r.returncode, r.stderr, ran


def refused(name, rows, says, source=MODEL):
    status, text, _ = make(rows, source)
    ok(status == 1 and says in text and text.count("\n") == 1, name, text or "it was taken")


models = sorted({str(p.parent.relative_to(ROOT)) for p in ROOT.glob("pmu/*/model/model_*.c")})
lists = [os.path.dirname(p) for p in LISTS]
equal([m for m in models + ["pmu/virtual"] if m not in lists], [], "each model has a list, and so has the machine model")
with tempfile.TemporaryDirectory() as d:
    r = subprocess.run([TOOL, d, *LISTS], capture_output=True, text=True, cwd=ROOT)
    ok(r.returncode == 0, "each place of each list is found, once", r.stderr)
sources = [*ROOT.glob("pmu/*/model/*.[ch]"), ROOT / "pmu/virtual/uarch.c"]
equal([str(p) for p in sources if re.search(r"\b(MUTANT|MODEL_MUTANTS|model_mutant)\b", p.read_text(encoding="utf-8"))], [], "no model has a mutant in it")

ROWS = """M_A: wrong
\tmodel_toy.c add: a + b => a - b

M_B: no limit
\ttold by CONTROL("toy", "x")
\tmodel_toy.c add: sum > LIMIT
\t\t&& a => sum >
\t\tLIMIT + 4 && a

M_C: one more
\tmodel_toy.c add: `` return sum; => sum++;

M_D: left as it was
\tmodel_toy.c add: sum = LIMIT; => ;

M_E: by its context
\tmodel_toy.c add: sum = `LIMIT` ; => LIMIT + 5
"""
equal(make(ROWS, PROGRAM), (0, "", "2 4,0 -1,2 7,3 5,2 7,2 9,"), "each mutant is broken as its list says, and the model without one is whole")
refused("a rule that the source has no more", ROWS, "model_toy.c: add has no such rule: a + b", MODEL.replace("a + b", "b + a"))
refused("a rule that is there twice", ROWS, "add has this rule 2 times: a + b", MODEL.replace("return sum", "return a + b - b"))
refused("a rule in another function alone", ROWS.replace("a + b => a - b", "a + 1 => a"), "add has no such rule: a + 1")
refused("a function that there is not", ROWS.replace("c add: a + b", "c adds: a + b"), "there is no function adds")
refused("a file that there is not", ROWS.replace("model_toy.c add: a + b", "model_try.c add: a + b"), "model_try.c: No such file")
refused("half a pair of backquotes", ROWS.replace("sum = `LIMIT` ;", "sum = `LIMIT ;"), "one part in backquotes")
refused("a mutant without a place", ROWS + "\nM_F: nowhere\n", "M_F has no place")
refused("a mutant that is listed twice", ROWS + "\nM_A: again\n\tmodel_toy.c add: a + b => a\n", "listed twice")
refused("a line that is no row", ROWS + "\nnonsense\n", "neither a mutant nor a place: nonsense")
refused("rules that overlap", ROWS + "\nM_F: across\n\tmodel_toy.c add: a++; b++; => ;\n\nM_G: across\n\tmodel_toy.c add: b++; a--; => ;\n", "rules overlap",
        MODEL.replace("\treturn sum", "\ta++;\n\tb++;\n\ta--;\n\treturn sum"))
refused("a broken form that is the rule", ROWS.replace("a + b => a - b", "a + b => a+b"), "the broken form is the rule")
refused("a mutant that is told twice", ROWS.replace('told by CONTROL("toy", "x")', 'told by A\n\ttold by B'), "M_B is told already")
refused("two functions of one name", ROWS, "there are two functions add", MODEL + "#ifdef X\nint add(int a) { return a; }\n#endif\n")
refused("a place behind a condition", ROWS.replace("`` return sum;", "if (sum > LIMIT && a) `` sum"), 'behind ")" there must be one statement')
TWO = MODEL.replace("\t\tsum = LIMIT;", "\t\tsum = LIMIT;\n\tsum++;")
refused("two statements behind a condition", ROWS.replace("add: sum = LIMIT; =>", "add: sum = LIMIT; sum++; =>"), 'behind ")" there must be one statement', TWO)
for rule, source in (("a + b", "a * a + b"), ("a + b", "a + b * a"), ("a + b", "a - a + b"), ("a + b", "-a + b"), ("b + a", "(char)b + a"), ("a + b", "!a + b"),
                     ("a && b", "a || a && b == a"), ("a ? b : a", "b || a ? b : a"), ("a, b", "sum, a, b = 1")):
    found = make("M_A: cut\n\tmodel_toy.c add: %s => 1\n" % rule, MODEL.replace("a + b", source))
    ok(found[0] == 1 and "no whole operand: " + " ".join(rule.replace(",", " ,").split()) in found[1], "%s is cut out of %s" % (rule, source), str(found))
for rule, source in (("a + b", "a + b + a"), ("a * a", "a + a * a"), ("a && b", "a || a && b"), ("b", "a * -b * a"), ("a + b", "a ? a + b : b"), ("a + b", "(a + b) * a")):
    equal(make("M_A: whole\n\tmodel_toy.c add: %s => 1\n" % rule, MODEL.replace("a + b;", source + ";").replace("return sum", "return LIMIT"))[:2], (0, ""),
          "%s is whole in %s" % (rule, source))

# A real model whose rule changes: the list must be told.
with tempfile.TemporaryDirectory() as d:
    shutil.copytree(ROOT / "pmu/amd/model", pathlib.Path(d) / "pmu/amd/model")
    changed = pathlib.Path(d) / "pmu/amd/model/model_registers.c"
    changed.write_text(changed.read_text(encoding="utf-8").replace("(1ull << AMD_WIDTH) - 1", "(2ull << (AMD_WIDTH - 1)) - 1"), encoding="utf-8")
    r = subprocess.run([TOOL, os.path.join(d, "out"), "pmu/amd/model/mutants.list"], capture_output=True, text=True, cwd=d)
    ok(r.returncode == 1 and "model_registers.c: reset has no such rule" in r.stderr, "a rule of AMD's model that was rewritten", r.stderr)
done()
