#!/usr/bin/python3
"""A script that is given a bad argument, or that misses what it needs, says so in its own words and does nothing."""
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from tap import done, ok  # noqa: E402

BAD = {"gen-errata": ["--bogus"], "amd-events": ["/no/such/folder"], "armv8-events": ["/no/such/folder"], "coverage-table": [],
       "coverage-classes": [], "errata-table": []}


def words(status, said, wanted):
    return status != 0 and "Traceback" not in said and wanted in said


# From a copy without a build folder: nothing that is made is there.
with tempfile.TemporaryDirectory() as folder:
    shutil.copytree(TOP + "/scripts", folder + "/scripts")
    shutil.copytree(TOP + "/pmu", folder + "/pmu")
    for name, arguments in BAD.items():
        r = subprocess.run([folder + "/scripts/" + name, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=60)
        ok(words(r.returncode, r.stderr + r.stdout, arguments[0] if name.endswith("-events") else ""), "%s %s: %s" % (name, " ".join(arguments), r.stderr.split("\n")[0]), [r.stderr])
    ok(sorted(os.listdir(folder)) == ["pmu", "scripts"], "and nothing is made", os.listdir(folder))
ok(not words(1, "Traceback (most recent call last):", "") and not words(0, "fine", ""), "a traceback and a good status would be told")
done()
