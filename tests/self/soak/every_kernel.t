#!/usr/bin/python3
"""Every equation on every kernel in every ring, and the alignment of every kernel at all 64 places, on a virtual CPU of each family."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "boot"))
from boottest import boot, done, ok, sound, tail, verdict_table  # noqa: E402

for profile in ("intel-skylake", "amd-zen4", "netburst-northwood"):
    sound(boot(options="pmu=virtual:%s suite=identities kernel=all" % profile, timeout=3600), profile + ": equations")
    r = boot(options="pmu=virtual:%s suite=sweep n=1" % profile, timeout=3600)
    sound(r, profile + ": sweeps")
    places = {name: sum(f for _, f in observations[0][3]) for name, (_, observations) in (verdict_table(r) or {}).items()
              if name.startswith("sweep/alignment/") and observations}
    ok(len(places) > 170 and all(n % 64 == 0 for n in places.values()), "%s: %d times all places" % (profile, len(places)), tail(r))
done()
