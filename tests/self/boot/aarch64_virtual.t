#!/usr/bin/python3
"""TAP test: virtual CPUs on AArch64 (docs/aarch64.md): one whose registers are those of PMUv3 is judged like a real one, with nothing wrong; what
is wrong with one is told of what it is wrong with."""
import json
import re

from aarch64_boot import is_valid, run
from tap import done, equal, ok


def boot(options, cpus="1"):
    """(lines, report, exit status): the emulator's own PMU has no say."""
    lines, text, status = run.boot(options, "cortex-a53", cpus=cpus, timeout=400)
    return lines, json.loads(text) if text else None, status


def suite_of(report, name):
    return [check for suite in report["suites"] if suite["name"] == name for check in suite["checks"]] if report else []


# One or two of each kind that a row can be of; all of them take half a minute. A model does the same in each repetition.
EVENTS = "SW_INCR,INST_*,EXC_TAKEN,EXC_RET*,EXC_IRQ,CID_*,TTBR_*,BR_MIS_PRED*,BR_RETIRED,MEM_ACCESS,MEMORY_*,CPU_CYC*,L1D_CACHE,DTLB_WALK"

lines, report, status = boot("pmu=virtual:neoverse-n1 reps=1 suite=control,events,identities,noise,sampling,skid,truth,selftest "
                             "kernel=loads,system_calls,irq_gicv2,undefined,software_increments,refills event=" + EVENTS)
checks = [check for suite in report["suites"] for check in suite["checks"]] if report else []
ok(status == 0 and {check["verdict"] for check in checks} == {"exact", "within", "skipped"}, "neoverse-n1: nothing is wrong, and faults that are put into it are told", lines[-40:])
ok(len(suite_of(report, "control")) > 100 and len(suite_of(report, "events")) > 100 and suite_of(report, "noise"), "neoverse-n1: each suite has judged it")
is_valid(report, "neoverse-n1")

lines, report, status = boot("pmu=virtual:neoverse-n1 suite=control check=counts?beside*,asked*", cpus="2")
found = [(check["name"], check["verdict"]) for check in suite_of(report, "control")]
equal((status, found), (0, [("asked while enabled/PMCR_EL0.E", "exact"), ("counts beside others/PMEVCNTR0", "exact")]),
      "neoverse-n1, on one of two processors: it is interrupted, and counts what it counts alone while the other one works")

lines, report, status = boot("pmu=virtual:cortex-a72 inject=neighbour-coupling suite=events kernel=loads")
told = {counter for check in suite_of(report, "events") if check["verdict"] not in ("exact", "within", "skipped")
        for counter in re.findall(r"PM\w*CNTR\d?", check["name"])}
equal((status, told), (1, {"PMEVCNTR0"}), "cortex-a72: what one counter adds to another is told, of that one")
done()
