#!/usr/bin/python3
"""The programs that step kernels on this machine's processor, with the answers of other CPUs (tests/self/host/support/other_cpu.h)."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "boot"))
from boottest import BUILD, TOP, done, ok  # noqa: E402

PROGRAMS = (BUILD + "/host/test_uarch_mutants", TOP + "/tests/self/boot/signatures.t")

for cpu in ("low", "high", "plain"):
    for program in PROGRAMS:
        r = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                           env=dict(os.environ, ASSAY_OTHER_CPU=cpu))
        ok(r.returncode == 0, "%s on a CPU that answers as %s" % (os.path.basename(program), cpu), r.stdout.splitlines()[-20:])
r = subprocess.run(PROGRAMS[:1], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                   env=dict(os.environ, ASSAY_OTHER_CPU="nobody's"))
ok(r.returncode and "there is no CPU" in r.stdout, "a CPU that there is not", r.stdout.splitlines()[-20:])
done()
