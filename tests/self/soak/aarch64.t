#!/usr/bin/python3
"""TAP test: every suite on AArch64 (docs/aarch64.md): QEMU's own PMU on four of its CPUs, with exact instructions and without, on one processor and on
each of two, where nothing is wrong but what is listed; and each virtual CPU, where nothing is."""
import collections
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "boot"))
from aarch64_boot import JUDGED, checks, run  # noqa: E402
from tap import done, equal, ok  # noqa: E402

SUITES = {"ladder", "control", "events", "overhead", "noise", "sampling", "truth", "machine", "selftest"}
# With -icount, and without.
LISTED = {
    True: {("wrong", "asked while enabled/PMCR_EL0.E"), ("biased", "INST_RETIRED/undefined instruction, EL0, OS+USR"),
           ("biased", "INST_RETIRED/undefined instruction, EL0, USR")} | {("wrong", "%s meanwhile/PMEVCNTR%d" % (what, i)) for what in ("status", "cleared")
                                                                          for i in range(6)},
    False: {("wrong", "asked while enabled/PMCR_EL0.E"), ("wrong", "required events/PMCEID0_EL0")},
}
# On 32-bit counters alone; and by the first processor, beside the other one.
LONG_AGO, BESIDE = ("wrong", "overflow long ago/PMEVCNTR0"), ("wrong", "counts beside others/PMEVCNTR0")
PROFILES = ("cortex-a53", "cortex-a57", "cortex-a72", "neoverse-n1", "neoverse-n2", "arm-pmuv3p9")


def boot(options, cpu, cpus="1", icount=False):
    """(the report, exit status, what is not as it should)"""
    _, text, status = run.boot(options + (" cpus=all" if cpus != "1" else ""), cpu, cpus=cpus, icount=icount, timeout=3000)
    report = json.loads(text) if text else None
    return report, status, collections.Counter((c["verdict"], c["name"]) for c in checks(report) if c["verdict"] not in JUDGED | {"within"})


for cpu in ("cortex-a53", "cortex-a57", "cortex-a72", "max"):
    for icount in (True, False):
        for cpus in (1, 2):
            what = "%s, %s, %d processors" % (cpu, "exact instructions" if icount else "the host's time", cpus)
            report, status, found = boot("suite=all", cpu, str(cpus), icount)
            wrong = collections.Counter({name: cpus for name in LISTED[icount]})
            if icount:
                wrong += collections.Counter({LONG_AGO: cpus if cpu != "max" else 0, BESIDE: cpus - 1})
            equal((status, found), (1, wrong), "%s: what is wrong is what is listed" % what)
            judged = {s["name"] for s in report["suites"] if any(c["verdict"] in JUDGED for c in s["checks"])} if report else set()
            equal(SUITES - judged, set(), "%s: each suite has judged" % what)
            ok(report and report["shares"] and (report["attributions"] or not icount), "%s: shares of windows are measured, and where deliveries count" % what)
for profile in PROFILES:
    report, status, found = boot("pmu=virtual:%s suite=all event=*" % profile, "cortex-a57")
    ok(status == 0 and not found and len(checks(report)) > 1000, "%s: nothing is wrong" % profile, found)
report, status, found = boot("pmu=virtual:neoverse-n1 suite=all", "cortex-a57", "2")
ok(status == 0 and not found, "neoverse-n1 on each of two processors: nothing is wrong", found)
done()
