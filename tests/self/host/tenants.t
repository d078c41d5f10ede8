#!/usr/bin/python3
"""An instruction set is a tenant: nothing outside of its own folders knows it, and the rest stands without it.

Its own are files with its name, or that of its PMU's family, in their path. Others that name it are listed in
data/tenants.txt, each with a reason. Without its own files and its lines of the registry, every include of the rest
still has its file, and every target of `make check` its rules and sources, among which nothing is the tenant's.
"""
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from house import families, parse, read  # noqa: E402
from tap import done, equal, ok  # noqa: E402

REGISTRY = "pmu/families.def"
FAMILIES = families(read(REGISTRY))
# All but the one that make builds for without being told, and its 32-bit image.
TENANTS = sorted(d for d in os.listdir(os.path.join(TOP, "arch")) if os.path.isdir(os.path.join(TOP, "arch", d)) and d != "x86")
PROSE = ("docs/", "README.md")
KNOWING = ("tests/self/host/tenants.t", "tests/self/host/data/tenants.txt")
COMMENTS = {"c": re.compile(r"/\*.*?\*/", re.S), "script": re.compile(r"^[ \t]*#[^\n]*$|^\"\"\"[^\"]*\"\"\"$", re.M)}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def names(tenant):
    """What finds its name, and that of its families: "aarch64", "__aarch64__", "BOOTAA64", "armv8_family"; "toy", not "destroy"."""
    words = sorted({tenant} | set(FAMILIES.get(tenant, ())))
    short = {w[:2] + w[-2:] for w in words if len(w) > 5}  # firmware's, of 64 bits: AA64
    return re.compile("(?<![a-z])(?:%s)(?![a-z])" % "|".join(sorted(words) + sorted(s for s in short if s.endswith("64"))) + "|(?:BOOT|0x)AA64" * (tenant == "aarch64"), re.I)


def without_comments(path, text):
    kind = "c" if path.endswith((".c", ".h", ".S", ".def", ".ld")) else "script"
    return COMMENTS[kind].sub("", text)


def outside(tree, tenant):
    """{path: text} of what is not the tenant's own."""
    find = names(tenant)
    return {path: text for path, text in tree.items() if not find.search(path)}


def naming(tree, tenant):
    find = names(tenant)
    return {p for p, text in outside(tree, tenant).items() if not p.startswith(PROSE) and not p.endswith((".csv", ".json")) and p not in KNOWING and
            find.search(text) and find.search(without_comments(p, text))}


def unresolved(tree):
    """(file, include) without a file: what is generated."""
    return {(p, i) for p, text in tree.items() if p.endswith((".c", ".h", ".S")) for i in INCLUDE.findall(text)
            if i not in tree and os.path.normpath(os.path.join(os.path.dirname(p), i)) not in tree}


def deregistered(tree, tenant):
    return dict(tree, **{REGISTRY: re.sub(r"^#ifdef ISA_%s\n.*?^#endif\n" % tenant.upper(), "", tree[REGISTRY], flags=re.M | re.S)})


def make(tree):
    """(exit status, what `make check` would do, complaints) of a tree on an empty build folder. Nothing is installed for it."""
    with tempfile.TemporaryDirectory() as d:
        for path, text in tree.items():
            os.makedirs(os.path.dirname(os.path.join(d, path)), exist_ok=True)
            if path == "scripts/setup":
                text = '#!/bin/sh\nmkdir -p "$1"; [ -e "$1/setup.mk" ] || : >"$1/setup.mk"\n'
            elif text is tree_of_all.get(path):
                os.symlink(os.path.join(TOP, path), os.path.join(d, path))
                continue
            with open(os.path.join(d, path), "w", encoding="utf-8", errors="surrogateescape") as f:
                f.write(text)
            os.chmod(os.path.join(d, path), 0o755)
        r = subprocess.run(["make", "-n", "check"], cwd=d, capture_output=True, text=True, check=False, timeout=300,
                           env={k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))})
    return r.returncode, r.stdout, r.stderr


def whole():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=TOP, capture_output=True, text=True, check=True).stdout.split("\n")
    tree = {}
    for path in listed:
        if path and os.path.isfile(os.path.join(TOP, path)):
            with open(os.path.join(TOP, path), encoding="utf-8", errors="surrogateescape") as f:
                tree[path] = f.read()
    return tree


tree = tree_of_all = whole()
listed, complaints = parse(read("tests/self/host/data/tenants.txt"))
generated = unresolved(tree)
ok(len(tree) > 1000 and TENANTS == ["aarch64", "toy"] and not complaints, "tenants are found, and the list of what names them is well formed", [TENANTS, complaints])
found = {(path, tenant) for tenant in TENANTS for path in naming(tree, tenant)}
equal(sorted(found - listed), [], "nothing outside of a tenant's own files names it, but for what is listed")
equal(sorted(listed - found), [], "everything that is listed still does")
for tenant in TENANTS:
    rest = deregistered(outside(tree, tenant), tenant)
    ok(len(rest) < len(tree) - 20 and tenant.upper() not in rest[REGISTRY], "%s: it can be taken out" % tenant)
    equal(sorted(unresolved(rest) - generated), [], "%s: without it every include has its file" % tenant)
    status, commands, said = make(rest)
    ok(status == 0 and "build/BOOTX64.EFI" in commands and "scripts/check --measure" in commands, "%s: and every target its rules and sources" % tenant, said.splitlines()[-3:])
    equal([line[:200] for line in commands.splitlines() if names(tenant).search(line)], [], "%s: of which nothing is the tenant's" % tenant)

# The other side: what is planted is told.
PLANTED = (("boot/planted.c", '#include "arch/aarch64/gic.h"\n'), ("tests/judge/planted.c", "extern int armv8_found;\n"), ("boot/planted.c", "#ifdef __aarch64__\n#endif\n"),
           ("scripts/planted", "image = 'BOOTAA64.EFI'\n"), ("boot/more.mk", "include arch/aarch64/image.mk\n"))
ok(all(naming({path: text}, "aarch64") == {path} for path, text in PLANTED), "a name that is planted is told")
ok(naming({"boot/planted.c": "x = &toy_driver;"}, "toy") and not naming({"boot/planted.c": "destroy(toys);", "boot/more.c": "/* as on the toy machine */"}, "toy"),
   "and words that only have it inside, and comments, are not")
ok(not naming({"arch/aarch64/planted.c": "aarch64", "docs/more.md": "aarch64", "tests/self/host/test_armv8_planted.c": "armv8"}, "aarch64"), "nor its own files, and prose")
leaning = dict(tree, **{"boot/planted.c": '#include "pmu/toy/toy.h"\n'})
equal(unresolved(outside(leaning, "toy")) - generated, {("boot/planted.c", "pmu/toy/toy.h")}, "an include that leans on a tenant is told")
leaning = dict(outside(tree, "toy"), Makefile=tree["Makefile"] + "\ncheck: arch/toy/cpu.c\n")
status, _, said = make(leaning)
ok(status != 0 and "No rule to make target 'arch/toy/cpu.c'" in said, "and so is a target", said.splitlines()[-2:])
done()
