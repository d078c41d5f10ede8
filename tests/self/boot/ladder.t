#!/usr/bin/python3
"""The ladder: a counter that fails a rung gets that rung's verdict once, and the others are judged on. One deviation for each rung."""
from boottest import boot, done, equal, tail

# Deviation, family's profile, the counter that has it, its verdict and the beginning of what is said of it.
RUNGS = [
    ("backwards", "intel-nehalem", "PMC3", "wrong", 'rung "monotonic": window 1 of 3 moved it by -'),
    ("backwards", "amd-zen3", "PERF_CTR5", "wrong", 'rung "monotonic": window 1 of 3 moved it by -'),
    ("backwards", "netburst-prescott", "IQ_COUNTER5", "wrong", 'rung "monotonic": window 1 of 3 moved it by -'),
    ("dead-counter", "intel-nehalem", "PMC3", "dead", 'rung "ticks": never ticks: stays at 1000'),
]

for deviation, profile, counter, verdict, words in RUNGS:
    r = boot("direct", options="pmu=virtual:%s suite=overhead kernel=empty reps=10 inject=%s" % (profile, deviation))
    checks = [c for s in (r.report or {"suites": []})["suites"] if s["name"] == "ladder" for c in s["checks"]]
    bad = {(c["counter"], c["verdict"], c["text"][:len(words)]) for c in checks if c["verdict"] not in ("exact", "skipped")}
    equal(bad, {(counter, verdict, words)}, "%s on %s: %s is %s, and no other counter" % (deviation, profile, counter, verdict))
    equal(r.status, 1, "and the run says so")
    if not checks:
        print("\n".join("# " + line for line in tail(r)))
done()
