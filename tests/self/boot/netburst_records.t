#!/usr/bin/python3
"""Records of the NetBurst PMU on the virtual CPU: PEBS, branch traces and the branch stack of every profile, and deviations that must show."""
from boottest import boot, done, equal, few, ok, same_table, sound, tail, verdict_table

# Of each mechanism that tags: front end, execution, replay.
CHOICE = " suite=trace,sampling kernel=calls,loads,loads_split_line,sse_arithmetic event=memory_loads,packed_SP_retired,split_load_retired"
SMALL = " suite=trace,sampling kernel=calls,loads event=memory_loads"


def wrong(r):
    """What is wrong, without kernels and rings."""
    return {what for name, (verdict, _) in (verdict_table(r) or {}).items() if verdict == "wrong"
            for what in name.split("/") if what.startswith(("PEBS ", "BTS ", "LBR"))}


def samples(r, ring):
    """The most samples whose place was right."""
    return max([value for name, (_, observations) in (verdict_table(r) or {}).items()
                if name.startswith("sampling/memory_loads/PEBS period/") and name.endswith("ring %d" % ring)
                for *_, values in observations for value, _ in values] + [0])


for profile, what in {"willamette": SMALL, **few({}, {"northwood": SMALL}), "northwood-ht": SMALL, "prescott": CHOICE}.items():
    r = boot(options="pmu=virtual:netburst-" + profile + what)
    sound(r, "netburst-" + profile)
    ok(min(samples(r, 0), samples(r, 3)) >= 1000, "a thousand samples are those that the period says", tail(r))

options = "pmu=virtual:netburst-prescott suite=trace kernel=calls"
bochs = boot(emulator="bochs", cpu="p4_prescott_celeron_336", options=options)
sound(bochs, "branches on Bochs's Pentium 4")
same_table(bochs, boot(options=options), "branch for branch")

for injected, must in {
        "bts-lost+pebs-no-reload": {"BTS whole", "BTS full", "BTS emptied on interrupts", "PEBS period", "PEBS buffer full"},
        "lbr-swapped+pebs-skid": {"LBR", "PEBS instruction", "PEBS period"},
        "pebs-pmi-late": {"PEBS emptied on interrupts"}}.items():
    r = boot(options="pmu=virtual:netburst-prescott" + SMALL + " inject=" + injected)
    equal(must - wrong(r), set(), "inject=%s is found" % injected)
equal(wrong(r), must, "an interrupt that comes late is all that is wrong with pebs-pmi-late")
done()
