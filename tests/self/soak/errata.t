#!/usr/bin/python3
"""TAP test: the whole table of errata (docs/errata/index.md): every erratum that a virtual CPU can be given, twenty variants of each that has any, near
misses, workarounds, and every virtual CPU without any, drawn by a seed of its own. ERRATA_SEED repeats one."""
import os
import pathlib
import random
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "tests/self/boot"))
from tap import done, ok  # noqa: E402

SEED = int(os.environ.get("ERRATA_SEED", random.randrange(1 << 16)))
BAD = "MISSED", "TAKEN FOR ONE", "NOT WORKED AROUND", "FALSE ALARM"
TOTALS = "caught: ", "variants caught: ", "near misses refused: ", "worked around: ", "sound, or wrong in another way: silent: "

r = subprocess.run([TOP / "scripts/errata-table", "n=1000", "noticed=no", "jobs=%d" % (os.cpu_count() or 1), "seed=%d" % SEED], cwd=TOP, capture_output=True,
                   text=True, check=False)
lines = r.stdout.splitlines()
bad = [line for line in lines if any(word in line for word in BAD)]
ok(r.returncode == 0 and not bad, "the table by seed %d: nothing is missed, nothing else is told" % SEED, bad or r.stderr.splitlines()[-5:])
for total in TOTALS:
    ok(any(line.startswith(total) for line in lines), "it has " + total.rstrip(": "), lines[-5:])
done()
