"""Every suite, the self-test among them, on every virtual CPU: `pmu=virtual:PROFILE suite=*,research` has to find nothing wrong."""
import os
import sys

SELF = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(SELF, "boot"), SELF]
from boottest import boot, done, hybrids, profiles, sound  # noqa: E402
from house import families, read  # noqa: E402

LONGEST, SILENT = 8 * 3600, 3600  # seconds, on a slow machine


def x86_families():
    return families(read("pmu/families.def"))["x86"]


def every_suite(*families):
    for family in families:
        of_two = hybrids(family)  # a processor of each kind
        for profile in profiles(family) + of_two:
            sound(boot(options="pmu=virtual:%s suite=*,research" % profile, cpus=2 if profile in of_two else 1, timeout=LONGEST, patience=SILENT),
                  profile)
    done()
