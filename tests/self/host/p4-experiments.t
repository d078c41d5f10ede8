#!/usr/bin/python3
"""TAP test of scripts/p4-experiments: every command of the thesis, files in the form of Brink's, and what is refused.

data/p4 has the files. Those of the examples have the names that the thesis gives for the ones of Brink & Abyss (4 of
its part on them), and are written after what it says of their form; emon.txt is such a configuration.
"""
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
from tap import done, equal, ok  # noqa: E402

DATA = ROOT / "tests/self/host/data/p4"
ENCODE = str(ROOT / "build/assay-encode")
SCRATCH = tempfile.TemporaryDirectory()


def run(*words):
    r = subprocess.run(
        [str(ROOT / "scripts/p4-experiments"), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd=DATA,
    )
    return r.returncode, r.stdout, r.stderr


def sections(text):
    """[(name, {key: [values]})] of a configuration."""
    found = []
    for part in re.split(r"^\[experiment (\S+)\]$", text, flags=re.M)[1:]:
        if re.fullmatch(r"\S+", part):
            found.append((part, {}))
            continue
        for line in part.split("\n"):
            if line and not line.startswith("#"):
                key, value = line.split("=", 1)
                found[-1][1].setdefault(key, []).append(value)
    return found


def events(text):
    return [s["events"] for _, s in sections(text)]


def written(content, name="file.txt"):
    path = os.path.join(SCRATCH.name, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(content)
    return path


def refused(pattern, name, *words):
    status, out, err = run(*words)
    ok(status == 1 and not out and re.search(pattern, err), "refused: " + name, "%d %s %s" % (status, out, err))


def one_pass(pmu, strings, name):
    r = subprocess.run([ENCODE, pmu, *strings], capture_output=True, text=True, check=False, timeout=60)
    ok(r.returncode == 0 and " in 1 pass" in r.stdout, name, r.stdout + r.stderr)


# --- perfex --------------------------------------------------------------------------------------------------------

status, out, err = run("--kernel", "loads", "thesis.txt")
equal(
    events(out),
    [
        ["0x0003B000/0x1200020C:p4pe=0x01000001:p4pmv=0x00000001@0x8000000C"],
        ["0x0027B000/0x0C001804@0x8000000E"],
        ["0x00035000/0x04000405@0x8000000E", "0x0003B000/0x10000205@0x8000000F"],
        ["0x00033000/0x09000034@0x80000008", "0x0003B000/0x18000204@0x8000000C"],
    ],
    "the thesis's four commands, register for register",
)
equal(
    [(n, s["ring"], s["kernel"], s.get("passes")) for n, s in sections(out)],
    [
        ("perfex-algun_programa", ["both"], ["loads"], None),
        ("perfex-algun_programa-2", ["3"], ["loads"], None),
        ("perfex-algun_programa-3", ["3"], ["loads"], ["one"]),
        ("perfex-algun_programa-4", ["3"], ["loads"], ["one"]),
    ],
    "each is a section, in the rings of its ESCRs, and registers that act together are one pass",
)
for pmu, strings in zip(("netburst-northwood-ht",) * 3 + ("netburst-northwood",), events(out)):
    one_pass(pmu, strings, "Assay takes %s in one pass" % " ".join(strings))
PRINTED = (
    ("0x00039000/0x0200020A@0x8000000E",),
    ("0x00035000/0x04000205@0x8000000E", "0x0003B000/0x10000205@0x8000000F"),
    ("0x00033000/0x18008035@0x80000008", "0x0003B000/0x18000205@0x8000000C"),
)
for command in PRINTED:
    status, out, err = run("perfex", *[w for e in command for w in ("-e", e)], "algun_programa")
    equal((status, events(out)), (0, [list(command)]), "as it is printed: " + " ".join(command))
equal(
    events(run("perfex", "--event=241664/201332740@2147483662", "ls", "-l")[1]),
    [["0x0003B000/0x0C001804@0x8000000E"]],
    "decimal numbers",
)
equal(
    events(
        run(
            "perfex",
            "-e",
            "0x0003B000/0x12000204",
            "--p4_pebs_enable=0x01000001",
            "--p4_pebs_matrix_vert=1",
            "-o",
            "out",
            "ls",
        )[1]
    ),
    [["0x0003B000/0x12000204:p4pe=0x01000001:p4pmv=0x00000001"]],
    "the long names of options, and no counter",
)

refused(
    "perfctr refuses it",
    "PEBS by --p4pe",
    "perfex",
    "-e",
    "0x0003B000/0x12000204@0x8000000C",
    "--p4pe=0x03000001",
    "ls",
)
refused(
    "no event counts them",
    "tags that nothing counts",
    "perfex",
    "-e",
    "0x00039000/0x0200020C@0x8000000E",
    "--p4pe=0x01000001",
    "ls",
)
refused("takes an ESCR, too", "no ESCR", "perfex", "-e", "0x0003B000", "ls")
refused("perfex takes CCCR/ESCR@COUNTER", "letters", "perfex", "-e", "branches", "ls")
refused("more than 32 bits", "too wide", "perfex", "-e", "0x10003B000/0x12000204", "ls")
refused("count in no ring", "no ring", "perfex", "-e", "0x0003B000/0x12000200", "ls")
refused(
    "either all events name a counter",
    "some counters",
    "perfex",
    "-e",
    "0x3B000/0x12000204@0x8000000C",
    "-e",
    "0x39000/0x200020C",
    "ls",
)
refused("assay-encode --list", "perfex -l", "perfex", "-l")
refused("beginning of each run", "perfex -i", "perfex", "-i")
refused("option --fast", "an unknown option", "perfex", "--fast", "ls")
refused(
    "lines.txt:3: -e 5: a Pentium 4 takes an ESCR",
    "a wrong line, by its number",
    written("# one\n\nperfex -e 5 ls\n", "lines.txt"),
)
refused("no tool that is known", "another tool", written("perf stat ls\n", "lines.txt"))

# --- Brink's files -------------------------------------------------------------------------------------------------

MISSES = "1stL_cache_load_miss_retired:u"
TWELVE = {
    "simple": [["instr_retired:NBOGUSNTAG:u", "branch_retired:MMTP:MMTM:u"]],
    "cross": [
        ["branch_retired:MMTP:MMTM:u", "branch_retired:MMNP:MMNM:u"],
        ["retired_branch_type:CALL:u", "retired_branch_type:RETURN:u"],
    ],
    "fields": [
        [
            "uops_retired:NBOGUS:u",
            "uops_retired:NBOGUS:u:thr=2",
            "uops_retired:NBOGUS:u:thr=2:cmpl",
            "uops_retired:NBOGUS:u:e",
            "0x00238000/0x02000204@0x8000000C",
        ]
    ],
    "craft": [["0x00032000/0x09000054@0x80000008", "execution_event:NBOGUS1:u"], ["branch_retired:MMTP:MMTM:u"]],
    "cascade": [["instr_retired:NBOGUSNTAG:u", "branch_retired:MMTP:MMTM:u"]] * 2,
    "front_end_tag": [["memory_loads:u"], ["memory_stores:u"]],
    "exec_tag": [["X87_FP_retired:u"], ["packed_SP_retired:u"]],
    "replay_tag": [[MISSES], ["DTLB_load_miss_retired"]],
    "ebs": [["branch_retired:MMTP:u"]],
    "front_end_pebs": [["memory_loads:u"]],
    "replay_pebs": [[MISSES]],
    "pebs_vs_iebs": [["memory_loads:u"], ["memory_loads:u"]],
}
equal(
    sorted(TWELVE),
    sorted(p.name[: -len("_exp.txt")] for p in DATA.glob("*_exp.txt") if p.name != "thesis_exp.txt"),
    "there are twelve files",
)
for name, expected in sorted(TWELVE.items()):
    status, out, err = run(name + "_exp.txt")
    equal((status, events(out)), (0, expected), name + "_exp.txt")
    for (_, s), strings in zip(sections(out), expected):
        if "passes" in s or "cascade" in s:
            one_pass("netburst-northwood", strings, "Assay takes %s in one pass" % " ".join(strings))
cascade = sections(run("cascade_exp.txt")[1])[0][1]
equal(
    (cascade["cascade"], cascade["period"]),
    (["1>2"], ["500"]),
    "the counter's value says how often the first event occurs",
)
cascade = sections(run("cascade_exp.txt")[1])[1][1]
equal(
    [cascade[k] for k in ("cascade", "period", "record", "then")],
    [["1>2"], ["500"], ["pmi"], ["37"]],
    "the other counter's value says how often the second one occurs before it interrupts",
)
EBS = ("record", "period", "sample", "max", "buffer", "beside")
equal(
    [[s.get(k) for k in EBS] for name in ("front_end_pebs", "ebs") for _, s in sections(run(name + "_exp.txt")[1])],
    [
        [["pebs"], ["50"], ["A"], ["20000"], ["500"], ["front_end_event:NBOGUS:u"]],
        [["pmi"], ["100"], None, ["20000"], None, None],
    ],
    "attributes of <ebs> are keys, and what is not sampled is counted beside",
)
equal(
    [(s["record"], s["period"]) for _, s in sections(run("pebs_vs_iebs_exp.txt")[1])],
    [(["pebs"], ["25"]), (["pmi"], ["25"])],
    "precise is PEBS, imprecise is an interrupt",
)
status, out, err = run("--program", "first=loads,stores", "--program", "second=mix", "cross_exp.txt")
equal(
    [s["kernel"] for _, s in sections(out)],
    [["loads,stores,mix"]] * 2,
    "each experiment with what stands for each program",
)
status, out, err = run("CountIt", "-expfile", "cross_exp.txt", "-iters", "7", "-configfile", "emon.txt", "a.out")
ok(status == 1 and "no event is called retired_branch_type" in err, "an event that a configuration has not got", err)
status, out, err = run("CountIt", "-expfile", "simple_exp.txt", "-iters", "7", "a.out")
equal([s.get("reps") for _, s in sections(out)], [["7"]], "CountIt's -iters is reps=")
equal(
    events(run("brinkMod", "-exp", "thesis_exp.txt", "-outdir", "x")[1]),
    [
        ["uops_retired:NBOGUS:u", "X87_FP_retired:u"],
        ["uops_retired:NBOGUS"],
        ["memory_loads:u"],
    ],
    "the experiment file that the thesis makes up",
)
equal(
    events(run("brink", "-exp", "craft_exp.txt", "-config", "emon.txt")[1]),
    TWELVE["craft"],
    "events of a configuration, by their bits",
)


def own(experiments):
    return written(
        "<exp_config><processor type='pentium4'/><programs><p/></programs><experiments>%s</experiments></exp_config>"
        % experiments
    )


def with_config(experiments):
    return run("brink", "-exp", own(experiments), "-config", "emon.txt")


USR = "<default><set><usr/></set></default>"
for what, xml, expected in (
    ("a metric of the manual under another name", "<loads_retired base='loads_retired'/>", ["memory_loads:u"]),
    ("tags by replay under another name", "<m base='ld_miss_1L_retired'/>", [MISSES]),
    (
        "loads and stores, which no metric has: tags by hand",
        "<m base='memory_uops_retired'/>",
        ["uop_type:TAGLOADS:TAGSTORES:u", "front_end_event:NBOGUS:u"],
    ),
    (
        "an event that no manual has: a pair of words",
        "<m base='undocumented_by_intel'><set><third/></set></m>",
        ["0x0003C000/0x7C000804@0x8000000C"],
    ),
    (
        "a colour of the user's own",
        "<m base='x87_fp_of_the_second_colour'/>",
        ["0x00032000/0x09000054@0x80000008", "execution_event:NBOGUS1:u"],
    ),
    (
        "operations that never retire",
        "<m base='x87_fp_retired'><set><bogus/></set></m>",
        ["0x00032000/0x09000034@0x80000008", "execution_event:BOGUS0:u"],
    ),
):
    status, out, err = with_config(USR + "<e>%s</e>" % xml)
    equal((status, events(out)), (0, [expected]), what)
    one_pass("netburst-northwood", expected, "Assay takes it in one pass: " + what)

BRANCH = "base='branch_retired'"
for what, pattern, xml in (
    ("no ring", "set usr or os", "<e><x %s><set><mmtp/></set></x></e>" % BRANCH),
    ("no bit of the mask", "it counts nothing: set a bit of its mask, such as mmnp", USR + "<e><x %s/></e>" % BRANCH),
    (
        "the bit that the thesis sets, and uops_retired has not",
        "no bit or field nbogusntag: did you mean nbogus",
        USR + "<e><x base='uops_retired'><set><nbogusntag/></set></x></e>",
    ),
    (
        "an unknown event",
        "no event is called branch_retird: did you mean branch_retired",
        USR + "<e><x base='branch_retird'/></e>",
    ),
    ("no base=", "base= is missing", USR + "<e><x/></e>"),
    (
        "a field without its value",
        "threshold has 4 bits: write",
        USR + "<e><x %s><set><mmtp/><threshold/></set></x></e>" % BRANCH,
    ),
    ("a value that is none", "takes binary digits", USR + "<e><x %s><threshold val='9'/></x></e>" % BRANCH),
    (
        "a value that is too wide",
        "threshold has 4 bits",
        USR + "<e><x %s><set><mmtp/></set><threshold val='10000'/></x></e>" % BRANCH,
    ),
    (
        "interrupts without samples",
        "nothing is sampled",
        USR + "<e><x %s><set><mmtp/><ovf_pmi/></set></x></e>" % BRANCH,
    ),
    (
        "an event that is off",
        "waits for nothing",
        USR + "<e><x %s><set><mmtp/></set><clr><enable/></clr></x></e>" % BRANCH,
    ),
    (
        "a cascade without a first",
        "a cascade has one event",
        USR + "<e><x %s><set><mmtp/><cascade/></set></x></e>" % BRANCH,
    ),
    (
        "another kind of samples",
        "precise",
        USR + "<e><x %s><set><mmtp/></set><ebs type='exact' interval='5'/></x></e>" % BRANCH,
    ),
    ("no interval", "interval= as a number", USR + "<e><x %s><set><mmtp/></set><ebs type='precise'/></x></e>" % BRANCH),
    (
        "an interrupt of the second of a cascade without a number",
        "interrupts with ovf_pmi, and a value",
        USR
        + "<e><a %s><set><mmtp/></set><counter val='0xfffffffff0'/></a>" % BRANCH
        + "<x %s><set><mmnp/><cascade/><ovf_pmi/></set></x></e>" % BRANCH,
    ),
    (
        "two ways of sampling",
        "sampled in different ways",
        USR
        + "<e><a %s><set><mmtp/></set><ebs type='imprecise' interval='5'/></a>" % BRANCH
        + "<x %s><set><mmnp/></set><ebs type='imprecise' interval='6'/></x></e>" % BRANCH,
    ),
    (
        "an unknown attribute",
        "<ebs> has no size=",
        USR + "<e><x %s><set><mmtp/></set><ebs type='imprecise' interval='5' size='1'/></x></e>" % BRANCH,
    ),
    ("no events", "it has no events", "<e/>"),
):
    refused(pattern, what, own(xml))
refused(r"file.txt:1:\d+: mismatched tag", "XML as the thesis prints it, where exp2 ends as expl", own("<exp2></expl>"))
refused(
    "33 experiments are more than the 32",
    "more experiments than a configuration may have",
    own(USR + "".join("<e%d><x %s><set><mmtp/></set></x></e%d>" % (i, BRANCH, i) for i in range(33))),
)
refused(
    "type is itanium2",
    "another processor",
    written((DATA / "simple_exp.txt").read_text().replace("pentium4", "itanium2")),
)
refused(
    "there is no third: there are first, second",
    "a program that is not there",
    "--program",
    "third=mix",
    "simple_exp.txt",
)
refused("required: -exp", "no experiment file", "brink", "-config", "emon.txt")
CONFIG = (DATA / "emon.txt").read_text()
for what, pattern, old, new in (
    ("an event select that is none", "event_select is six", "0x06", "six"),
    ("a bit outside the mask", "one of 9 to 24", 'mmnp bits="9"', 'mmnp bits="8"'),
    ("a kind of tags that is none", "type is late", "<type>replay", "<type>late"),
    ("a tagging event that is none", "no normal event", "<uop_type><set><tagloads/></set></uop_type>", "<uop_kind/>"),
    ("a bit of pebs_enable that is none", "has no bit l9miss", "<tag/><l0miss/>", "<tag/><l9miss/>"),
    ("an ESCR that is none", "no ESCR is called", "MSR_CRU_ESCR4</escr><escr>MSR_CRU_ESCR5", "MSR_XYZ"),
):
    assert old in CONFIG, what
    refused(
        pattern,
        what,
        "brink",
        "-exp",
        own(USR + "<e><m base='undocumented_by_intel'><set><third/></set></m></e>"),
        "-config",
        written(CONFIG.replace(old, new), "config.txt"),
    )

# The table of docs/netburst-examples.md names experiments of the examples, and all of those that are the thesis's.
PAGE = (ROOT / "docs/netburst-examples.md").read_text(encoding="utf-8")
named = set(re.findall(r"`(p4-[a-z0-9*-]+)`", PAGE)) - {"p4-experiments"}
written_there = {
    name: set(re.findall(r"^\[experiment (\S+)\]", (ROOT / "docs/examples" / name).read_text(encoding="ascii"), re.M))
    for name in ("netburst.cfg", "netburst-perfex.cfg", "netburst-thesis.cfg")
}
exists = set().union(*written_there.values())
equal(
    sorted(n for n in named if not fnmatch.filter(exists, n)),
    [],
    "each experiment that the page names is in an example",
)
short = {n for n in exists for m in re.findall(r"`(-[a-z0-9]+)`", PAGE) if n.endswith(m)}
left = {n for n in written_there["netburst-perfex.cfg"] | written_there["netburst-thesis.cfg"] if n not in short}
equal(sorted(n for n in left if not any(fnmatch.fnmatch(n, m) for m in named)), [], "and each of the thesis's is named")
places = re.findall(r"^\| ((?:I|II|III|IV|V)(?: |,)[^|]*)\|", PAGE, re.M)
figures = set()
for place in places:
    for first, last in re.findall(r"figures? (\d+)(?: (?:to|and) (\d+))?", place):
        figures |= set(range(int(first), int(last or first) + 1))
equal(sorted(figures), list(range(1, 32)), "all of its 31 figures have a row")
done()
