#!/usr/bin/python3
"""Models have the manual's rules alone: what injections do is in pmu/FAMILY/errata, and models call its hooks."""
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from tap import done, ok  # noqa: E402

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
ASKED = re.compile(r"\b(?:injected|model_injected(?:_any)?)\s*\(|\bINJECT_[A-Z0-9_]+")
IDENTIFIER = re.compile(r"^[A-Z][A-Z0-9]*_(?:INJECTION|PUBLISHED)\((\w+),", re.M)


def asking(files):
    """Those of {file: text} that ask for an injection, and a model's file is not to."""
    return sorted(f for f, text in files.items() if re.match(r"pmu/\w+/model/", f) and ASKED.search(COMMENT.sub("", text)))


def unused(names, texts):
    """Injections that no hook of the family asks for."""
    return sorted(n for n in names if not any(re.search(r"\bINJECT_%s\b" % n, t) for t in texts))


def sources():
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "pmu"]
    listed = subprocess.run(command, cwd=TOP, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    out = {}
    for name in listed:
        path = os.path.join(TOP, name)
        if name.endswith((".c", ".h", ".def")) and os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                out[name] = f.read()
    return out


FILES = sources()
FAMILIES = sorted({f.split("/")[1] for f in FILES if re.match(r"pmu/\w+/model/", f)})
ok(len(FAMILIES) >= 4, "families with a model are found", " ".join(FAMILIES))
ok(not asking(FILES), "no model asks for an injection", "\n".join(asking(FILES)))
for family in FAMILIES:
    room = {f: t for f, t in FILES.items() if f.startswith("pmu/%s/errata/" % family)}
    listed = IDENTIFIER.findall(room.get("pmu/%s/errata/injections.def" % family, ""))
    left = unused(listed, [t for f, t in room.items() if not f.endswith(".def")])
    ok(listed and not left, "%s: every injection is carried out in errata" % family, " ".join(left))

# The other side.
ok(asking({"pmu/a/model/x.c": "if (injected(s, INJECT_DEAD)) amount = 0;"}), "a model that asks is told")
ok(asking({"pmu/a/model/x.c": "if (model_injected_any(&s->active)) return;"}), "so is one that asks for any of them")
ok(not asking({"pmu/a/model/x.c": "/* injected(s, INJECT_DEAD) */ amount = a_hook_count(s, amount);",
               "pmu/a/errata/x.c": "injected(s, INJECT_DEAD)"}), "comments and errata are not meant")
ok(unused(["DEAD", "DEAD_COUNTER"], ["injected(s, INJECT_DEAD_COUNTER)"]) == ["DEAD"], "an injection that does nothing is told")
ok(IDENTIFIER.findall('P6_INJECTION(DEAD, "dead", "why")\nA_PUBLISHED(B7, "b7", "why")\n') == ["DEAD", "B7"], "a family's prefix may have digits")
done()
