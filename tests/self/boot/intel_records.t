#!/usr/bin/python3
"""Records of Intel's PMUs on the virtual CPU: PEBS of every kind of record, branch traces, last-branch stacks by model and architectural,
and control logic that is Intel's own; deviations that must show; the kind of core that is not judged."""
from boottest import boot, done, equal, few, sound, verdict_table

OPTIONS = "pmu=virtual:intel-%s suite=%s kernel=calls event=INST_RETIRED.ANY_P"

for profile in few(("core2", "goldmont", "lunarlake-p"),
                   ("core2", "goldmont", "goldmontplus", "alderlake-e", "lunarlake-p", "pantherlake-e")):
    r = boot(options=OPTIONS % (profile, "trace,sampling"))
    sound(r, "intel-" + profile)
    table = verdict_table(r) or {}
    stack = ("trace/LBR call stack/open", "trace/LBR call stack/calls") if profile != "core2" else ()
    for what in ("sampling/INST_RETIRED.ANY_P/PEBS period", "trace/BTS whole", "trace/LBR") + stack:
        equal(any(name.startswith(what) and verdict == "exact" for name, (verdict, _) in table.items()), True, "intel-%s: %s" % (profile, what))
    unjudged = {"alderlake-e": "its performance cores", "lunarlake-p": "its efficiency cores", "pantherlake-e": "its performance cores"}.get(profile, "")
    notes = [note for note in (r.report or {}).get("notes", []) if note.startswith("hybrid")]
    equal([unjudged in note for note in notes], [True] * (unjudged != ""), "intel-%s: which kind of core is not judged is said" % profile)


FIXED = "pmu=virtual:intel-%s suite=sampling kernel=calls event=INST_RETIRED.ANY,CPU_CLK_UNHALTED.*"
for profile in few(("pantherlake-p",), ("icelake", "pantherlake-p")):
    table = verdict_table(boot(options=FIXED % profile)) or {}
    equal({verdict for name, (verdict, _) in table.items() if "/PEBS period/" in name}, {"exact"}, "intel-%s: fixed counter 0 samples and is reloaded" % profile)
    equal({verdict for name, (verdict, _) in table.items() if "/PEBS extended/" in name}, {"within"}, "intel-%s: cycles are sampled" % profile)
table = verdict_table(boot(options=FIXED.replace("*", "THREAD") % "icelake" + " inject=extended-lost+counter-unnamed")) or {}
equal({name.split("/")[2] for name, (verdict, _) in table.items() if verdict == "wrong"}, {"PEBS extended", "PEBS counter"},
      "cycles that are not sampled are found, and records that name another counter")


# Its records are late, as on silicon, but where the hardware promises better; the injection has them late there.
DISTRIBUTION = "pmu=virtual:intel-sapphirerapids suite=sampling kernel=calls event=INST_RETIRED." + few("ANY", "*")
for more, must in (("", "exact"), (" inject=pdir-skids", "wrong")):
    table = verdict_table(boot(options=DISTRIBUTION + more)) or {}
    equal({what: {verdict for name, (verdict, _) in table.items() if "/%s/" % what in name} for what in ("PEBS period", "PEBS precise distribution")},
          {"PEBS period": {"within"}, "PEBS precise distribution": {must}}, "late records, and those that are not to be%s" % more)
    equal({name.split("/")[2] for name, (verdict, _) in table.items() if verdict not in ("exact", "within", "skipped")}, {"PEBS precise distribution"} if more else set(),
          "nothing else is wrong%s" % more)


def wrong(profile, suite, injected, more=""):
    """Names of checks that are wrong, as a published erratum predicts or not, without kernels and rings."""
    r = boot(options=OPTIONS % (profile, suite) + " inject=" + injected + more)
    return {name.split("/")[2 if suite == "sampling" else 1] for name, (verdict, _) in (verdict_table(r) or {}).items()
            if verdict in ("wrong", "erratum")}


for profile, suite, injected, must in (
        ("icelake", "trace", "bts-lost+lbr-stale-from", {"BTS whole", "BTS full", "LBR"}),
        *few((), [("skylake", "trace", "calls-stay", {"LBR call stack"})]),
        ("alderlake-p", "trace", "calls-stay", {"LBR call stack"}),
        *few((), [("icelake", "sampling", "hsd110", {"PEBS period", "PEBS buffer full"})]),
        *few((), [("icelake", "sampling", "skl104", {"PEBS period"})]),
        ("pantherlake-p", "sampling", "full-unsaid+hsd110", {"PEBS period", "PEBS buffer full"}),
        ("goldmont", "sampling", "w127+skl120", {"PEBS instruction", "PEBS buffer full"})):
    equal(must - wrong(profile, suite, injected), set(), "%s on intel-%s is found" % (injected, profile))

table = verdict_table(boot(options="pmu=virtual:intel-icelake suite=sampling kernel=sse_ps event=INST_RETIRED.ANY_P inject=registers-stale")) or {}
equal({name.split("/")[2] for name, (verdict, _) in table.items() if verdict == "wrong"}, {"PEBS registers", "PEBS vector registers"},
      "stale registers are found in general and XMM registers")

LATENCY = "pmu=virtual:intel-haswell suite=sampling kernel=clflush_reload event=MEM_TRANS_RETIRED.LOAD_LATENCY_GT_*"
slow = boot(options=LATENCY)
sound(slow, "loads above every threshold")
equal(len([name for name, (verdict, _) in (verdict_table(slow) or {}).items() if "/load latency/" in name and verdict == "exact"]), 16,
      "eight thresholds in two rings are judged")
table = verdict_table(boot(options=LATENCY + " inject=latency-ignored")) or {}
equal(sorted(name.split("/")[1].rsplit("_", 1)[1] for name, (verdict, _) in table.items() if verdict == "wrong" and "ring 3" in name),
      ["256", "512"], "loads from memory are told where the threshold is above them")

CONTROL = " check=freeze*,interrupts?of*,overflow*together?*frozen*,write*near*,metrics*,comparison*,counter*reload*,counts*,kept*"
for profile, injected, must in (
        ("nehalem", "bj94+aaj148+bj77", {"freeze on an interrupt", "overflow together, frozen", "write near the top"}),
        ("nehalem", "aaj119+aaj125", {"interrupts of two overflows", "interrupts of a frozen overflow"}),
        ("icelake", "skl186+metrics-short", {"freeze on an interrupt", "metrics"}),
        ("lunarlake-p", "eq-ignored+log-lost", {"comparison", "counts in records"}),
        ("version6", "rdpmc-user", {"kept from ring 3"}),
        ("lunarlake-e", "reload-ignored", {"counter reload"})):
    equal(wrong(profile, "control", injected, CONTROL), must, "%s on intel-%s is all that is wrong" % (injected, profile))
done()
