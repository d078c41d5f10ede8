"""Every suite, the self-test among them, on every virtual CPU: `pmu=virtual:PROFILE suite=all` has to find nothing wrong."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "boot"))
from boottest import boot, done, profiles, sound  # noqa: E402

HYBRIDS = {"intel": ["intel-alderlake", "intel-meteorlake", "intel-lunarlake"]}  # a processor of each type


def every_suite(*families):
    for family in families:
        hybrids = HYBRIDS.get(family, [])
        for profile in profiles(family) + hybrids:
            sound(boot(options="pmu=virtual:%s suite=all report=none" % profile, cpus=2 if profile in hybrids else 1, timeout=3600), profile)
    done()
