"""Which files of the house are whose, and lists of exceptions from its rules."""
import os
import re
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Files that know an instruction set: those in folders with its name, and these.
HOMES = re.compile(r"(?:arch|tests/kernels|tests/suites(?:/research)?|tools|boot|pmu)/(?!research/)([a-z0-9_]+)/")
OWNERS = {"x86": ["boot/direct/", "boot/carrier/"]}
# Tests of Assay itself know what they test; what is generated belongs to its generator.
FREE = re.compile(r"tests/self/|pmu/\w+/readings/")


def families(text):
    """{instruction set: names of its families of PMUs} of pmu/families.def."""
    found, isa = {}, None
    for line in text.splitlines():
        begins, names = re.match(r"#ifdef ISA_(\w+)$", line), re.match(r"PMU_FAMILY\((\w+)_family\)$", line)
        isa = begins.group(1).lower() if begins else None if line.startswith("#endif") else isa
        if names:
            found.setdefault(isa, []).append(names.group(1))
    return found


def read(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as f:
        return f.read()


for isa_of_families, names_of_families in families(read("pmu/families.def")).items():
    OWNERS.setdefault(isa_of_families, []).extend("pmu/%s/" % n for n in names_of_families)


def owned_by(name):
    """The instruction sets that a file may know (and names of other folders, which are none's)."""
    own = HOMES.match(name)
    return {isa for isa, folders in OWNERS.items() if name.startswith(tuple(folders))} | ({own.group(1)} if own else set())


def parse(text):
    """A list of exceptions: a line "what: reason", and below it, indented, the files. @return {(file, what)}, complaints"""
    listed, complaints, what = set(), [], None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] in " \t":
            for name in line.split():
                if (name, what) in listed:
                    complaints.append("line %d: %s is listed twice" % (number, name))
                listed.add((name, what))
            continue
        what, colon, reason = line.partition(":")
        if not colon or not reason.strip():
            complaints.append("line %d: no reason" % number)
    return listed, complaints


def sources():
    """{name: text} of all sources in C and assembly, and of lists that they include."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "boot", "arch", "pmu", "tests", "tools"]
    listed = subprocess.run(command, cwd=TOP, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    there = [f for f in listed if os.path.exists(os.path.join(TOP, f))]
    return {f: read(f) for f in there if f.endswith((".c", ".h", ".S", ".def"))}
