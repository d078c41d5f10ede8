#!/usr/bin/python3
"""Records of Intel's PMUs on the virtual CPU: PEBS of every record format, branch traces, last-branch stacks by model and architectural, and
control logic that is Intel's own; deviations that must show."""
from boottest import boot, done, equal, sound, verdict_table

OPTIONS = "pmu=virtual:intel-%s suite=%s kernel=calls,loads event=%s"

# Each has a precise event of instructions, branches or loads of its own.
for profile, events in {"core2": "INST_RETIRED.ANY_P", "nehalem": "MEM_INST_RETIRED.LOADS", "haswell": "BR_INST_RETIRED.NEAR_TAKEN",
                        "skylake": "BR_INST_RETIRED.NEAR_TAKEN", "goldmont": "INST_RETIRED.ANY_P", "lunarlake-p": "INST_RETIRED.ANY_P"}.items():
    r = boot(options=OPTIONS % (profile, "trace,sampling", events))
    sound(r, "intel-" + profile)
    table = verdict_table(r) or {}
    for what in ("sampling/%s/PEBS period" % events, "trace/BTS whole", "trace/LBR"):
        equal(any(name.startswith(what) and verdict == "exact" for name, (verdict, _) in table.items()), True, "intel-%s: %s" % (profile, what))


def wrong(profile, suite, injected, more=""):
    """Beginnings of the names of checks that are wrong."""
    r = boot(options=OPTIONS % (profile, suite, "INST_RETIRED.ANY_P") + " inject=" + injected + more)
    return {name.split("/")[1 if suite != "sampling" else 2] for name, (verdict, _) in (verdict_table(r) or {}).items() if verdict in ("wrong", "error")}


for profile, suite, injected, must in (
        ("icelake", "trace", "bts-lost+lbr-stale-from", {"BTS whole", "BTS full", "LBR"}),
        ("nehalem", "trace", "hsd53+lbr-lost", {"BTS whole", "BTS full", "LBR"}),
        ("icelake", "sampling", "pebs-late", {"PEBS period", "PEBS buffer full"}),
        ("icelake", "sampling", "hsd110", {"PEBS period", "PEBS buffer full"}),
        ("icelake", "sampling", "skl104", {"PEBS period"}),
        ("icelake", "sampling", "w127", {"PEBS buffer full"}),
        ("icelake", "sampling", "w126", {"PEBS period"}),
        ("goldmont", "sampling", "skl120", {"PEBS instruction"})):
    found = wrong(profile, suite, injected)
    equal(must - found, set(), "%s on intel-%s is found" % (injected, profile))

CONTROL = " check=freeze*,overflow*together?*frozen*,write*near*,metrics*,comparison*"
for profile, injected, must in (
        ("nehalem", "bj94+aaj148+bj77", {"freeze on an interrupt", "overflow together, frozen", "write near the top"}),
        ("icelake", "skl186+metrics-short", {"freeze on an interrupt", "metrics"}),
        ("lunarlake-p", "eq-ignored", {"comparison"})):
    equal(wrong(profile, "control", injected, CONTROL), must, "%s on intel-%s is all that is wrong" % (injected, profile))
done()
