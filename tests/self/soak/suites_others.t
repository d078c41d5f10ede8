#!/usr/bin/python3
"""Every suite on every virtual CPU of all families of x86 but Intel's, which has a test of its own for its many CPUs."""
from suites import every_suite, x86_families

every_suite(*(f for f in x86_families() if f != "intel"))
