#!/usr/bin/python3
"""Every rule of the PMU models is broken once, in one boot of a test image, and the suites tell; the list of what told each is the output."""
import re

from boottest import boot, done, equal, few, ok, table, tail
from house import families, read

# The suites tell all of a family's list but those of which it says that only the host's tests of the models can.
LISTS = {family: read("pmu/%s/model/mutants.list" % family) for family in families(read("pmu/families.def"))["x86"]}
TOLD = {family: len(re.findall(r"^\ttold by (?!OUT_OF_REACH)", text, re.M)) for family, text in LISTS.items()}
OUT_OF_REACH = {"%s/%s" % (family, name) for family, text in LISTS.items()
                for name in re.findall(r"^(M_\w+):[^\n]*\n(?:\t[^\n]*\n)*?\ttold by OUT_OF_REACH", text, re.M)}
ok(all(TOLD.values()), "each family of x86 has a list of mutants", [str(TOLD)])

r = boot(direct="mutants.bin", options="pmu=virtual suite=mutants" + few("", " kernel=full"), timeout=900)
checks = [c for s in (r.report or {"suites": []})["suites"] if s["name"] == "mutants" for c in s["checks"]]
told, untold, clean = {}, [], []
for c in checks:
    family = c["name"].split("/")[0]
    if family == "nothing broken":
        clean.append(c)
    elif c["verdict"] == "skipped":
        untold.append(c)
    else:
        told.setdefault(family, []).append(c)
ok(len(clean) > few(25, 160) and all(c["verdict"] == "exact" for c in clean), "the unbroken models raise nothing in %d trials" % len(clean),
   [c["name"] + ": " + c.get("text", "") for c in clean if c["verdict"] != "exact"] + tail(r))
table()
for family, number in TOLD.items():
    for c in told.get(family, []):
        ok(c["verdict"] == "exact", "%s: %s" % (c["name"], c.get("text", "")))
    ok(len(told.get(family, [])) == number, "%s: the suites tell %d mutants" % (family, len(told.get(family, []))), tail(r))
equal(sorted(c["name"].split(":")[0] for c in untold), sorted(OUT_OF_REACH), "no mutant goes untold but those of which the lists say why")
equal(r.status, 0, "the run: " + (r.verdict or "no verdict"))
for c in untold:
    print("# not told: %s: %s" % (c["name"], c.get("text", "")))
done()
