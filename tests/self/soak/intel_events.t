#!/usr/bin/python3
"""Every event of every Intel core that a virtual CPU has: counted on every kernel of the core set, and sampled."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../boot"))
from boottest import boot, done, sound  # noqa: E402

for profile in ("yonah", "core2", "nehalem", "westmere", "sandybridge", "ivybridge", "haswell", "broadwell", "skylake", "icelake",
                "tigerlake", "alderlake-p", "sapphirerapids", "graniterapids", "meteorlake-p", "lunarlake-p", "silvermont", "goldmont",
                "goldmontplus", "tremont", "alderlake-e", "meteorlake-e",
                "lunarlake-e", "pantherlake-p", "pantherlake-e"):
    sound(boot(options="pmu=virtual:intel-%s suite=events event=* n=1 reps=1 report=none" % profile, timeout=900), profile)
    sound(boot(options="pmu=virtual:intel-%s suite=sampling event=* n=1 report=none" % profile, timeout=900), profile + ", sampled")
done()
