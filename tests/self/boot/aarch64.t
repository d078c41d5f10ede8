#!/usr/bin/python3
"""TAP test: the AArch64 image boots on QEMU's board virt (docs/aarch64.md), finds QEMU's own PMU exact where the emulator counts instructions,
and tells what does not fit."""
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests/self")]
from reporting.validity import breaches  # noqa: E402
from tap import done, equal, ok  # noqa: E402

loader = importlib.machinery.SourceFileLoader("run_aarch64", str(ROOT / "scripts/run-aarch64"))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_aarch64", loader))
loader.exec_module(run)

COUNTERS = "6 general and 1 fixed counters"
# CPU, what else QEMU is told, options: the name, and the PMU that it has.
MACHINES = (
    ("cortex-a53", "gic-version=3", "suite=events,machine kernel=loads,exclusives*,system_calls", "Arm Cortex-A53", "Arm PMUv3, " + COUNTERS),
    ("cortex-a57", "virtualization=on", "suite=events,machine kernel=empty,calls,float_single,vector_kept", "Arm Cortex-A57", "Arm PMUv3, " + COUNTERS),
    ("max", "", "suite=control", "QEMU max", "Arm PMUv3p5, " + COUNTERS),
)
MACHINE_CHECKS = 20  # tests/kernels/aarch64/machine.c
JUDGED = {"exact", "skipped"}


def boot(options, cpu, machine=""):
    """(lines, report, exit status) where each instruction counts."""
    lines, text, status = run.boot(options, cpu, machine=machine, icount=True, timeout=120)
    return lines, json.loads(text) if text else None, status


def verdicts(report):
    return {check["verdict"] for suite in report["suites"] for check in suite["checks"]}


def suite_of(report, name):
    return [check for suite in report["suites"] if suite["name"] == name for check in suite["checks"]] if report else []


for cpu, machine, options, name, pmu in MACHINES:
    lines, report, status = boot(options, cpu, machine)
    what = "%s, %s" % (cpu, machine or "as it is")
    ok(any(line.startswith("# " + name) for line in lines), "%s: it says that it is %s" % (what, name), lines[:5])
    ok(any(line.startswith("# PMU: " + pmu) for line in lines), "%s: and what its PMU is" % what, lines[:20])
    ok("# watchdog: FIQ from the physical timer" in lines, "%s: the watchdog cannot be held off" % what, lines[:10])
    ok(status == 0 and report and verdicts(report) == JUDGED, "%s: every counter climbs the ladder, and nothing is wrong" % what, lines[-40:])
    if "machine" in options:
        equal([check["verdict"] for check in suite_of(report, "machine")], ["exact"] * MACHINE_CHECKS,
              "%s: exceptions, pages, guard pages, the watchdog and the hand-over are as they should" % what)
    equal(list(breaches(report)) if report else None, [], "%s: its report keeps to the schemas" % what)

WRONG = ("loads:loads.bytes:1", "exclusives:insn.exclusive.store:1", "calls:br.ret:1N")
lines, report, status = boot("suite=events kernel=loads,exclusives,calls,undefined inject=" + "+".join("wrong-signature:" + w for w in WRONG), "cortex-a72")
told = [check["text"] for suite in report["suites"] for check in suite["checks"] if check["verdict"] == "error"] if report else []
equal(status, 1, "signatures that are wrong make something wrong")
for kernel, quantity, _ in (w.split(":") for w in WRONG):
    ok(any("kernel %s declares" % kernel in text and quantity in text for text in told),
       "stepping tells what is wrong with %s of %s" % (quantity, kernel), told)
wrong = [check for suite in report["suites"] for check in suite["checks"] if check["verdict"] == "wrong"] if report else []
ok(wrong and all(check.get("kernel") == "undefined" and check.get("event") == "INST_RETIRED" for check in wrong),
   "QEMU counts an undefined instruction as retired, and is told", [(check["name"], check.get("kernel")) for check in wrong])


def count_ten(insn):
    """What QEMU counts, by a program of a few lines in which nothing is Assay's."""
    with tempfile.TemporaryDirectory() as tmp:
        program = tmp + "/own"
        subprocess.run(["aarch64-linux-gnu-gcc", "-nostdlib", "-static", "-Wl,-Ttext=0x40200000", "-DINSN=" + insn, "-o", program,
                        ROOT / "tests/self/boot/aarch64_own.S"], check=True)
        return subprocess.run([run.QEMU, "-M", "virt", "-cpu", "cortex-a57", "-display", "none", "-semihosting-config", "enable=on,target=native", "-icount",
                               "shift=0", "-kernel", program], check=False, timeout=60).returncode


# Besides: two ISBs and the write that starts; of each exception four instructions of the handler.
equal(count_ten("nop"), 10 + 3, "a program of its own counts ten NOPs, with the write that starts the counter")
equal(count_ten("udf #0"), 10 + 3 + 10 * 4, "and ten undefined instructions as if they had retired")
lines, text, status = run.boot("suite=nonsense", timeout=60)
equal(status, 2, "with options that are none it could not run")
done()
