"""Booting AArch64's image in tests: scripts/run-aarch64 as a module, and what its machines must show."""
import importlib.machinery
import importlib.util
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests/self")]
from reporting.validity import breaches  # noqa: E402
from tap import equal, ok  # noqa: E402

loader = importlib.machinery.SourceFileLoader("run_aarch64", str(ROOT / "scripts/run-aarch64"))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_aarch64", loader))
loader.exec_module(run)

EL2 = "# note: firmware runs at EL2: the machine is taken over at EL1"
MACHINE_CHECKS = 25  # tests/kernels/aarch64/machine.c
NEED_FIQ = 4  # of those
JUDGED = {"exact", "skipped"}


def boot(options, cpu, machine="", disk=False, image=None):
    """(lines, report, exit status) where each instruction counts."""
    if disk:
        r = run.boot_disk(options, cpu, machine=machine, icount=True, timeout=120, image=image)
        return r.lines, r.report, r.status
    lines, text, status = run.boot(options, cpu, machine=machine, icount=True, timeout=120)
    return lines, run.emulators.json.loads(text) if text else None, status


def checks(report, suite=None):
    """Of one suite, or of all."""
    return [check for s in report["suites"] if suite in (None, s["name"]) for check in s["checks"]] if report else []


def machine_is_sound(report, what, fiq=True):
    left_out = 0 if fiq else NEED_FIQ
    equal(sorted(check["verdict"] for check in checks(report, "machine")), ["exact"] * (MACHINE_CHECKS - left_out) + ["skipped"] * left_out,
          "%s: exceptions, pages, guard pages, the watchdog and the hand-over are as they should" % what)


def says_what_it_is(lines, name, pmu, what, fiq=True, el2=False):
    ok(any(line.startswith("# " + name) for line in lines), "%s: it says that it is %s" % (what, name), lines[:5])
    ok(any(line.startswith("# PMU: " + pmu) for line in lines), "%s: and what its PMU is" % what, lines[:20])
    ok(("# watchdog: FIQ from the physical timer" in lines) == fiq, "%s: the watchdog %s be held off" % (what, "cannot" if fiq else "may"), lines[:10])
    equal(EL2 in lines, el2, "%s: %s" % (what, "firmware runs at EL2, and is told" if el2 else "nothing is at EL2"))


def is_valid(report, what):
    equal(list(breaches(report)) if report else None, [], "%s: its report keeps to the schemas" % what)
