#!/usr/bin/python3
"""Every suite on every virtual CPU of: intel."""
from suites import every_suite

every_suite("intel")
