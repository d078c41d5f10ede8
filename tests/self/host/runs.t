#!/usr/bin/python3
"""TAP test: runs that end at the same time in one build folder are kept in folders of their own, and the oldest of too many go."""
import contextlib
import importlib.machinery
import importlib.util
import io
import itertools
import multiprocessing
import os
import sys
import tempfile
import time
import types

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path[:0] = [os.path.join(TOP, "scripts"), os.path.join(TOP, "tests/self")]
import emulators  # noqa: E402
from reporting.runs import number, report_in  # noqa: E402
from tap import done, equal, ok  # noqa: E402

AT_ONCE, EACH = 4, 12
PAUSE = 0.01  # seconds between looking for a number and taking it, so that runs meet there

loader = importlib.machinery.SourceFileLoader("run", os.path.join(TOP, "scripts/run"))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
loader.exec_module(run)
cpu_name = run.cpu_name


def slow_name(r):
    time.sleep(PAUSE)
    return cpu_name(r)


def ended(name):
    """A run that has ended; its report is its name."""
    identity = [{"name": "vendor", "value": name}] + [{"name": key, "value": "1"} for key in ("family", "model", "stepping")]
    return types.SimpleNamespace(report={"machine": {"identity": identity}}, report_json=name, report_text=name, text=[])


def keep(barrier, who):
    for i in range(EACH):
        barrier.wait()
        run.keep_run(ended("CPU%dx%d" % (who, i)))


with tempfile.TemporaryDirectory() as emulators.BUILD:
    barrier = multiprocessing.Barrier(AT_ONCE)
    run.cpu_name = slow_name
    processes = [multiprocessing.Process(target=keep, args=(barrier, who)) for who in range(AT_ONCE)]
    for p in processes:
        p.start()
    for p in processes:
        p.join()
    equal([p.exitcode for p in processes], [0] * AT_ONCE, "%d runs at a time end well" % AT_ONCE)
    folder = os.path.join(emulators.BUILD, "runs")
    kept = sorted(name for name in os.listdir(folder) if number(name) is not None)
    equal([number(name) for name in kept], list(range(1, AT_ONCE * EACH + 1)), "each has a number of its own")

    def text(name):
        with open(os.path.join(folder, name, "report.json"), encoding="utf-8") as f:
            return f.read()

    equal([name.split("-")[1] for name in kept], [text(name) for name in kept], "and its own report in it")
    run.cpu_name = cpu_name
    while len(kept) <= run.KEPT:
        run.keep_run(ended("late"))
        kept.append("late")
    left = sorted(number(name) for name in os.listdir(folder) if number(name) is not None)
    ok(len(left) == run.KEPT and left[0] == len(kept) - run.KEPT + 1, "of more than %d the oldest go" % run.KEPT, left[:3])

# --- which report of a folder is meant ---
with tempfile.TemporaryDirectory() as folder:
    equal(report_in(folder), None, "a folder without a report has none")
    for name, meant in (("report.json.new", "report.json.new"), ("report.json", "report.json")):
        with open(os.path.join(folder, name), "w", encoding="ascii") as f:
            f.write("{}")
        equal(os.path.basename(report_in(folder)), meant, "with %s: the one that was written whole goes before" % name)

# --- what is wrong with -s: a check that was skipped, or that there is none ---
run.keep_run = run.save_run = lambda *given: "runs/0001-CPU"


def ends(status, checks, skipped, *options):
    """How scripts/run ends where the image does so."""
    r = types.SimpleNamespace(interrupted=False, timed_out=False, verdict="%d checks" % checks, status=status, report_json=None, seconds=1.5, counts={"checks": checks, "skipped": skipped})
    emulators.boot = lambda *given, **named: r
    sys.argv = ["run", "-b", "direct", *options]
    with contextlib.redirect_stdout(io.StringIO()) as said:
        try:
            status = run.main()
        except SystemExit as e:
            status = e.code
    return status, said.getvalue().rstrip().split("\n")[-1]


with tempfile.TemporaryDirectory() as emulators.BUILD:
    for status, checks, skipped in itertools.product((0, 1, 2), (0, 1, 10), (0, 1, 10)):
        if skipped > checks:
            continue
        name = "status %d, %d checks, %d skipped" % (status, checks, skipped)
        if checks and checks == skipped:
            for option in ((), ("-s",)):
                equal(ends(status, checks, skipped, *option), (2, "assay: could not run: nothing was judged: every check was skipped, and the table says why"),
                      name + ": never green")
            continue
        wrong = status == 0 and (skipped > 0 or checks == 0)
        equal(ends(status, checks, skipped), (status, "assay: %d checks" % checks), name)
        equal(ends(status, checks, skipped, "-s"), (1, "assay: strict: %d checks, %d of them skipped" % (checks, skipped)) if wrong else
              (status, "assay: %d checks" % checks), name + ", strictly")

# --- what is announced, and a KVM that gives up ---
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
loader.exec_module(run)


def said(seconds, *options):
    """The first line of a run that takes so long."""
    r = types.SimpleNamespace(interrupted=False, timed_out=False, verdict="1 checks", status=0, report_json=None, report_text="", report=None,
                              seconds=seconds, counts={"checks": 1, "skipped": 0})
    emulators.boot = lambda *given, **named: r
    sys.argv = ["run", "-b", "direct", *options]
    with contextlib.redirect_stdout(io.StringIO()) as text:
        run.main()
    return text.getvalue().split("\n")[0]


with tempfile.TemporaryDirectory() as emulators.BUILD:
    WITH = "running the image without firmware in qemu, with suite=all: "
    ok(said(31.4, "suite=all").startswith(WITH + "the defaults take"), "a first run is announced")
    said(7, "suite=none")
    equal([said(5, "suite=all"), said(1, "suite=all")], [WITH + "31 s the last time", WITH + "5 s the last time"], "later ones with how long it took")
# --- a configuration and options together: whatever section its last line is in, these are options ---
with tempfile.TemporaryDirectory() as emulators.BUILD:
    given = {}

    def keep_config(how, *_, config=None, **named):
        given[how] = config
        return types.SimpleNamespace(interrupted=False, timed_out=False, verdict="1 checks", status=0, report_json=None, report_text="", report=None,
                                     seconds=1, counts={"checks": 1, "skipped": 0})

    emulators.boot = keep_config
    path = os.path.join(emulators.BUILD, "x.cfg")
    with open(path, "w", encoding="ascii") as f:
        f.write("n=7\n[experiment one]\nkernel=mix\nevents=*")
    sys.argv = ["run", "-b", "disk", "-f", path, "suite=experiments", "n=9"]
    with contextlib.redirect_stdout(io.StringIO()):
        run.main()
    lines = given["disk"].split("\n")
    equal(lines[:4], ["n=7", "[experiment one]", "kernel=mix", "events=*"], "the lines of CFG keep their numbers")
    sections = [line for line in lines if line.startswith("[")]
    at = [i for i, line in enumerate(lines) if "n=9" in line]
    ok(len(at) == 1 and "suite=experiments" in lines[at[0]] and sections[-1] == "[options]" and lines.index("[options]") < at[0],
       "options come last, in a section of their own", lines)
importlib.reload(emulators)
emulators.need_kvm = lambda: None
with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as emulators.BUILD:
    with open(folder + "/qemu-system-x86_64", "w", encoding="ascii") as f:
        f.write("#!/bin/sh\necho 'KVM internal error. Suberror: 1' >&2\nsleep 600\n")
    os.chmod(folder + "/qemu-system-x86_64", 0o755)
    os.environ["PATH"] = folder + ":" + os.environ["PATH"]
    with open(emulators.BUILD + "/direct.bin", "wb"):
        pass
    r = emulators.boot("direct", "kvm", timeout=60)
    ok(r.seconds < 30 and not r.timed_out, "a KVM that gives the machine up is not waited for", r.seconds)
    equal(emulators.refusal("kvm", "", r.console), "EMU=kvm: this computer's KVM gave the guest up (KVM internal error. Suberror: 1); EMU=qemu does without it",
          "and it is said in words")
# Of a report and one that was being written, the whole one is meant.
with tempfile.TemporaryDirectory() as d:
    equal(report_in(d), None, "a folder without a report has none")
    for name in ("report.json.new", "report.json"):
        with open(os.path.join(d, name), "w", encoding="utf-8"):
            equal(report_in(d), os.path.join(d, name), "a folder's report: " + name)
done()
