#!/usr/bin/python3
"""Who may include whom: boot -> tests -> pmu -> arch, and nothing that serves every instruction set includes one's own.

Files that still do are listed in data/layers.txt: a header, why it is still included, and who includes it. The list only
shrinks: an include that is not in it fails, and so does an entry that is no longer needed.
"""
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from house import FREE, owned_by, parse, read, sources  # noqa: E402
from tap import done, ok  # noqa: E402

# An instruction set's headers: each of these folders has one folder for each instruction set.
HEADERS = re.compile(r"(?:arch|tests/kernels|tests/suites(?:/research)?|tools|(?=pmu/x86/)pmu)/(?!research/)([a-z0-9_]+)/")
# Lower layers first: a file may include its own layer and lower ones. pmu/quantity is the vocabulary of all of them.
LAYERS = ("arch/", "pmu/", "tests/", "boot/")
VOCABULARY = "pmu/quantity/"

CONTRACT = re.compile(r"(?:arch|pmu/contract)/[a-z_]+\.h|pmu/quantity/quantity\.h|tests/kernels/kernel\.h|tests/judge/check\.h")

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def layer(name):
    return next((i for i, prefix in enumerate(LAYERS) if name.startswith(prefix)), None)


def includes(files):
    """(file, header) of each include that is against the rules, of {file: text}."""
    points_back, foreign = set(), set()
    for name, text in files.items():
        if FREE.match(name):
            continue
        for header in INCLUDE.findall(text):
            of = HEADERS.match(header)
            if of and of.group(1) not in owned_by(name):
                foreign.add((name, header))
            above, own = layer(header), layer(name)
            if above is not None and own is not None and above > own and not header.startswith(VOCABULARY):
                points_back.add((name, header))
    return points_back, foreign


def undocumented(contracts, page):
    """Headers of arch/ that the page does not name."""
    return [c for c in contracts if "`%s`" % os.path.basename(c) not in page]


def without_example(files):
    """Headers whose comment at the head has no example."""
    return [f for f, text in sorted(files.items()) if "xample" not in text.split("*/")[0]]


def lines(pairs):
    return ["%s includes %s" % p for p in sorted(pairs)]


def main():
    files = sources()
    points_back, foreign = includes(files)
    listed, complaints = parse(read("tests/self/host/data/layers.txt"))
    ok(len(files) > 500 and any("x86" in owned_by(f) for f in files), "sources are found")
    ok(not points_back, "no layer includes one above it", lines(points_back))
    ok(not complaints, "the list of exceptions is well formed, each with a reason", complaints)
    ok(not foreign - listed, "nothing neutral includes an instruction set's header, but for what is listed",
       lines(foreign - listed))
    ok(not listed - foreign, "every exception is still needed", lines(listed - foreign))

    contracts = sorted(f for f in files if re.fullmatch(r"arch/[a-z_]+\.h", f))
    unnamed = undocumented(contracts, read("docs/adding-an-instruction-set.md"))
    ok(contracts and not unnamed, "docs/adding-an-instruction-set.md has every contract of arch/", unnamed)

    bare = without_example({f: text for f, text in files.items() if CONTRACT.fullmatch(f)})
    ok(not bare, "each contract has an example at its head", bare)

    # The other side: what is planted is told.
    ok(without_example({"arch/a.h": "/* What it is. */\n/* Example: */", "arch/b.h": "/* Example:\n */"}) == ["arch/a.h"], "one without is told")
    ok(undocumented(["arch/time.h", "arch/planted.h"], "| `time.h` |") == ["arch/planted.h"],
       "a contract that is not there is told")

    def told(name, header):
        back, own = includes({name: '#include "%s"\n' % header})
        return bool(back), bool(own)

    neutral = ("boot/main.c", "tests/measure/pass.c", "tests/suites/noise.c", "pmu/contract/control.c", "pmu/registry.c",
               "arch/time.h", "tools/coverage.c")
    ok(all(told(f, "arch/x86/cpu/msr.h")[1] for f in neutral), "x86's header in a neutral file is told")
    ok(told("pmu/intel/driver/driver.c", "arch/other/other.h")[1] and told("arch/other/other.c", "arch/x86/cpu/cpu.h")[1],
       "so is one instruction set's in another one's file")
    ok(told("tests/report/report_calls.c", "tests/kernels/x86/needs.h")[1] and
       told("boot/main.c", "tests/suites/x86/machine.h")[1] and told("boot/main.c", "tests/suites/research/x86/planted.h")[1] and
       told("tests/measure/pass.c", "pmu/x86/read_counters.h")[1], "so are headers of its kernels and suites")
    ok(told("arch/x86/step/step_engine.c", "pmu/contract/pmu.h")[0] and told("pmu/virtual/vpmu.c", "tests/judge/check.h")[0] and
       told("tests/judge/check.h", "boot/options.h")[0], "so is a layer that points back")
    right = (("arch/x86/cpu/msr.c", "arch/x86/cpu/msr.h"), ("pmu/amd/driver/driver.c", "arch/x86/cpu/msr.h"),
             ("tests/kernels/x86/services.c", "arch/x86/cpu/cpu.h"), ("boot/main.c", "arch/time.h"),
             ("tests/suites/x86/machine.c", "tests/kernels/x86/needs.h"), ("tests/suites/research/x86/opcodes.c", "tests/kernels/x86/opcodes.h"),
             ("boot/selection.c", "tests/suites/research/scan.h"), ("boot/main.c", "tests/judge/check.h"),
             ("boot/direct/direct.c", "arch/x86/console/serial.h"), ("pmu/x86/control.c", "arch/x86/cpu/msr.h"),
             ("arch/x86/step/step_engine.c", "pmu/quantity/quantity.h"), ("arch/other/step.c", "arch/other/cpu.h"),
             ("tests/self/host/test_insn.c", "arch/x86/step/insn.h"))
    ok(not any(any(told(*r)) for r in right), "what may be included is not", [r for r in right if any(told(*r))])
    ok(parse("a.h: why\n\tb.c c.c\n") == ({("b.c", "a.h"), ("c.c", "a.h")}, []), "an exception is read")
    ok(parse("a.h:\n\tb.c\n")[1] and parse("a.h: why\n\tb.c b.c\n")[1], "one without a reason, or twice, is told")
    done()


main()
