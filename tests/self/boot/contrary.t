#!/usr/bin/python3
"""Virtual CPUs, no guests, on which what no manual promises of starts, stops and readings is the other way round: as much is judged, and as
right, as on the plain one, the deviation is named once, and a fault beside it is told all the same."""
from boottest import boot, done, equal, few, ok, sound, tail, valid, verdict_table

CPUS = ("intel-skylake", "amd-zen3", "netburst-prescott")
EVENTS = "suite=events kernel=empty,nop_loop,calls n=3 reps=2"
# What a control suite has of each family that leans on shares.
CONTROL = " check=enable*,ring?filter*,wrap*,filter*,overflow*,global*,busy*,counter?exchange*,RDPMC*,threshold*,clock*"
# Shares are measured over windows of their own: what leans on them comes once.
ONCE = few(" reps=1", " reps=2")
SUITES = "suite=control,events,identities kernel=nop_loop,calls n=3" + ONCE + CONTROL
NETBURST = "suite=events kernel=nop_loop,calls n=3" + ONCE + " event=instr_*,branch_*,uops_retired*"


# Rows that lean on a share are of these; make soak takes all.
ROWS = {"amd-zen3": few(" event=*INSTR*,*BRANCH*", "")}


def facts(result):
    return [f["name"] + ": " + f["text"] for f in (result.report or {}).get("facts", [])]


def run(cpu, inject, options):
    return boot(options="pmu=virtual:%s %s%s%s" % (cpu, options, ROWS.get(cpu, ""), " inject=" + inject if inject else ""))


def verdicts(result):
    return {name: verdict for name, (verdict, _) in (verdict_table(result) or {}).items()}


for cpu in CPUS:
    options = SUITES if cpu != "netburst-prescott" else NETBURST
    plain = run(cpu, None, options)
    sound(plain, cpu)
    equal(facts(plain), [], cpu + ": there is nothing to be told of it")
    shares = (plain.report or {}).get("shares", [])
    ok(len(shares) > 10 and all(s["state"] == "steady" and s["share"] == s["implied"] for s in shares), cpu + ": %d shares are what the code implies" % len(shares),
       [s for s in shares if s.get("share") != s["implied"]][:5] + tail(plain))
    for inject, text in (("start-counted", "counts the write that starts it: a window has 4 instructions"),
                         ("stop-counted", "counts the write that stops it: a window has 4 instructions"),
                         ("start-counted-but-own+stop-counted", "counts the write that starts it and the one that stops it: a window has 5 instructions"),
                         ("reading-twice", "counts RDPMC as 2 instructions")):
        r = run(cpu, inject, options)
        name = cpu + ", " + inject
        sound(r, name)
        equal(verdicts(r), verdicts(plain), name + ": every row is judged as on the plain CPU")
        # Where a counter has two enables it shows that one of them is otherwise.
        mixed = ["shares: switches"] if "own" in inject and cpu != "amd-zen3" else []
        ok(len(facts(r)) == 1 + len(mixed) and "each counter " + text in facts(r)[0] and (not mixed or "each counter counts the write that starts it if that is to"
           in facts(r)[1]), name + ": the deviation is named once", facts(r))
        if inject == "start-counted":
            valid(r.report, name + ": the report keeps to its schema")

# Counters that differ, and one that is not steady: the others are judged, and that one is named.
for cpu in CPUS[:2]:
    plain = run(cpu, None, EVENTS)
    r = run(cpu, "start-counted-by-some", EVENTS)
    sound(r, cpu + ", every other counter counts its start")
    equal(verdicts(r), verdicts(plain), cpu + ": every row is judged as on the plain CPU")
    ok(len(facts(r)) == 1 and "each counter" not in facts(r)[0] and "CTR1, " in facts(r)[0].replace("PMC1", "CTR1"), "they are named", facts(r))
    if cpu == "intel-skylake":
        sound(run(cpu, "start-counted-by-some", "suite=skid,overhead reps=2"), "an overflow comes one instruction earlier on those alone")
        sound(run("intel-icelake", "start-counted", "suite=sampling kernel=loads event=INST_RETIRED.ANY_P"), "records come one earlier, and a start may end a period")
    sound(run(cpu, "start-counted-by-some", "suite=control kernel=nop_loop n=3 reps=2"), cpu + ", and by some through filters, too: controls are judged with their own shares")
    r = run(cpu, "start-counted-at-times", EVENTS)
    bad = {name: verdict for name, verdict in verdicts(r).items() if verdict not in ("exact", "within", "skipped")}
    equal(list(bad.values()), ["noisy"], cpu + ", one counter is not steady: " + ", ".join(bad))
    left = next(iter(bad), "ladder/?").split("/")[1]
    if cpu == "intel-skylake":  # where counters start one by one, events take turns on those that are left
        equal({n: v for n, v in verdicts(r).items() if left not in n}, {n: v for n, v in verdicts(plain).items() if left not in n},
              "the others are judged as on the plain CPU")
# Where counters of one ESCR differ, their filters are held against each other all the same.
for fault in ("", "+threshold-reached"):
    r = run(CPUS[2], "start-counted-by-some" + fault, "suite=control kernel=nop_loop n=3 reps=2 check=filter*")
    bad = {verdict for verdict in verdicts(r).values() if verdict not in ("exact", "skipped")}
    equal(bad, {"wrong"} if fault else set(), CPUS[2] + ", filters of counters that differ" + (", with a fault beside it" if fault else ""))

# Faults beside it.
for cpu in CPUS:
    for fault, options in (("dropped-carry", "suite=control check=wrap* kernel=nop_loop"), ("overcount-x16", NETBURST if cpu == CPUS[2] else EVENTS)):
        r = run(cpu, "start-counted+" + fault, options)
        ok(r.status == 1 and r.counts and r.counts["wrong"] + r.counts["biased"], "%s, %s is told beside it" % (cpu, fault), tail(r))
done()
