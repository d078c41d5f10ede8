#!/usr/bin/python3
"""Nothing outside of a PMU family's folder names the family, but for its line in pmu/families.def.

Files that still do are listed in data/families.txt, with a reason. The list only shrinks: a file that is not in it
fails, and so does one that no longer names any.
"""
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from house import read, sources  # noqa: E402
from tap import done, ok  # noqa: E402

REGISTRY = "pmu/families.def"
# Tests of single families, and of whole images, know what they test; the list of these is in the folders' names.
FREE = ("tests/self/host/", "tests/self/boot/", "tests/self/soak/")
# An instruction set and the family of its PMU may have one name.
INSTRUCTION_SETS = {d for d in os.listdir(os.path.join(TOP, "arch")) if os.path.isdir(os.path.join(TOP, "arch", d))}
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def families(text):
    return re.findall(r"^PMU_FAMILY\((\w+)_family\)$", text, re.M)


STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def naming(names):
    """What finds, in a source without comments, identifiers that begin with a family's name, in small letters or in capitals, its headers, and
    texts that begin with it ("intel-skylake") or have it for a word, whatever the letters."""
    words = [n for n in names if n not in INSTRUCTION_SETS]
    some, capitals = "|".join(names), "|".join(n.upper() for n in words)
    plain = re.compile(r'\b(?:%s)_\w|\b(?:%s)_\w|"(?:%s)(?:"|-)|pmu/(?:%s)/' % (some, capitals, some, some))
    word = re.compile(r"(?<!\w)(?:%s)(?!\w)" % "|".join(words), re.I)
    return lambda text: plain.search(text) or any(word.search(t) for t in STRING.findall(text))


def offenders(files, names):
    """Files that name one, of {file: text}."""
    named = naming(names)
    own = tuple("pmu/%s/" % n for n in names) + tuple("arch/%s/" % n for n in names if n in INSTRUCTION_SETS)
    return {f for f, text in files.items() if not f.startswith(own + FREE) and f != REGISTRY and named(COMMENT.sub("", text))}


def parse(text):
    """The list: "file: reason" in each line. @return {file}, complaints"""
    listed, complaints = set(), []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            name, colon, reason = line.partition(":")
            if name in listed or not reason.strip():
                complaints.append(line)
            listed.add(name)
    return listed, complaints


def main():
    files = sources()
    names = families(files[REGISTRY])
    found = offenders(files, names)
    listed, complaints = parse(read("tests/self/host/data/families.txt"))
    folders = {f.split("/")[1] for f in files if re.match(r"pmu/\w+/(family|driver/driver)\.c$", f)}
    ok(len(files) > 500 and names, "sources and families are found")
    ok(sorted(names) == sorted(folders), "each family's folder has one line in %s, and each line a folder" % REGISTRY,
       ["lines: " + " ".join(names), "folders: " + " ".join(sorted(folders))])
    ok(not complaints, "the list of exceptions is well formed, each with a reason", complaints)
    ok(not found - listed, "no other file names a family, but for those listed", sorted(found - listed))
    ok(not listed - found, "every file that is listed still does", sorted(listed - found))

    # The other side: what is planted is told.
    def told(name, text):
        return bool(offenders({name: text}, ["intel", "amd"]))

    ok(told("boot/main.c", "x = INTEL_DRIVER;") and told("boot/main.c", 'say("needs an AMD CPU");') and told("boot/main.c", 'say("AMD");') and
       told("boot/main.c", 'say("not Intel\'s");'), "so are capitals, and a word of a text")
    ok(not told("boot/main.c", "x = UNINTEL_LIGENT;") and not told("boot/main.c", 'say("amdahl");') and not told("boot/main.c", 'say("a"), amd, say("b");'),
       "and words that only have one inside are not")
    ok(told("boot/main.c", "x = &intel_driver;") and told("tests/judge/pass.c", '#include "pmu/amd/amd.h"') and
       told("tests/measure/virtual.h", '#define P "intel-core2"') and told("pmu/registry.c", 'if (!strcmp(n, "amd"))'),
       "an identifier, a header, a profile and a name are told")
    ok(not told("pmu/intel/driver/driver.c", "amd_driver") and
       not told("tests/self/host/test_amd_driver.c", "amd_driver") and
       not told("boot/main.c", "/* as intel_driver does */") and not told("boot/main.c", "x86_intel_like = 1;") and
       not told(REGISTRY, "PMU_FAMILY(intel_family)"), "what may name one is not")
    ok(parse("a.c: why\n") == ({"a.c"}, []) and parse("a.c:\n")[1] and parse("a.c: w\na.c: w\n")[1], "a list is read")
    ok(families("/* PMU_FAMILY(x) */\nPMU_FAMILY(some_family)\n") == ["some"], "the registry is read")
    done()


main()
