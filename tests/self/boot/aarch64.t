#!/usr/bin/python3
"""TAP test: the AArch64 image boots on QEMU's board virt (docs/aarch64.md), says what it is on, and ends with its exit status."""
import importlib.machinery
import importlib.util
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests/self")]
from reporting.validity import breaches  # noqa: E402
from tap import done, equal, ok  # noqa: E402

loader = importlib.machinery.SourceFileLoader("run_aarch64", str(ROOT / "scripts/run-aarch64"))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_aarch64", loader))
loader.exec_module(run)

# CPU, what else QEMU is told: the name, and the PMU that it has.
MACHINES = (
    ("cortex-a53", "gic-version=3", "Arm Cortex-A53", "Arm PMUv3, 6 general and 1 fixed counters"),
    ("cortex-a57", "virtualization=on", "Arm Cortex-A57", "Arm PMUv3, 6 general and 1 fixed counters"),
    ("max", "", "QEMU max", "Arm PMUv3p5, 6 general and 1 fixed counters"),
)

for cpu, machine, name, pmu in MACHINES:
    lines, text, status = run.boot("suite=events kernel=nop_loop check=none", cpu, machine=machine, icount=True, timeout=60)
    what = "%s, %s" % (cpu, machine or "as it is")
    ok(any(line.startswith("# " + name) for line in lines), "%s: it says that it is %s" % (what, name), lines[:5])
    ok(any(line.startswith("# PMU: " + pmu) for line in lines), "%s: and what its PMU is" % what, lines[:20])
    ok("# watchdog: FIQ from the physical timer" in lines, "%s: the watchdog cannot be held off" % what, lines[:10])
lines, text, status = run.boot("suite=nonsense", timeout=60)
equal(status, 2, "with options that are none it could not run")
done()
