#!/usr/bin/python3
"""Every suite on every virtual CPU of: amd, netburst."""
from suites import every_suite

every_suite("amd", "netburst")
