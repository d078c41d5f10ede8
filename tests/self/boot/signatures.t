#!/usr/bin/python3
"""Every number of every signature is changed by one, in one run: exactly that kernel must fail.

build/host/test_bounds does it with what this machine's processor did step by step. What it has no means to step (ring 0) is
stepped in QEMU, and it gets the amounts from its reports.
"""
import os
import re
import subprocess
import tempfile

from boottest import BUILD, boot, done, equal, ok, sound, table

TOOL = os.path.join(BUILD, "host/test_bounds")
# Memory beyond the first GiB is for pages of that size.
MACHINE = dict(cpu="max,vendor=GenuineIntel", memory=1600)
LONGEST = 127  # characters of an option's value
NAME = re.compile(r"^(\S+)/ring (\d)/N = (\d+)(/committed)?$")


def judge(*arguments):
    r = subprocess.run([TOOL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                       env={k: v for k, v in os.environ.items() if k != "CMOCKA_MESSAGE_OUTPUT"})
    return r.returncode, r.stdout.splitlines()


def stepped(report):
    """What suite truth saw, as lines for the tool."""
    for value in report["values"] if report else []:
        match = NAME.match(value["name"])
        if value["suite"] == "truth" and match:
            kernel, ring, n, committed = match.groups()
            yield "%s %s %s %s %s\n" % (kernel, ring, n, "commit" if committed else "abort", value["value"])


def selections(kernels):
    """Values of kernel= that ask for these kernels, and for others that begin like them."""
    globs, chosen = sorted({re.sub(r"_.*", "_*", kernel) for kernel in kernels}), ""
    for glob in globs:
        if chosen and len(chosen) + 1 + len(glob) > LONGEST:
            yield chosen
            chosen = ""
        chosen += ("," if chosen else "") + glob
    if chosen:
        yield chosen


left = judge("--left")[1]
ok(left, "%d kernels are not for a host process" % len(left))
lines = []
for kernels in selections(left):
    r = boot(options="suite=truth kernel=%s pmu=virtual:intel-nehalem" % kernels, timeout=300, **MACHINE)
    sound(r, "kernel=" + kernels)
    lines += [line for line in stepped(r.report) if line.split()[0] in left]
equal(sorted(set(left) - {line.split()[0] for line in lines}), [], "each is stepped in QEMU")

with tempfile.NamedTemporaryFile("w", suffix=".amounts") as f:
    def refused(content, pattern, name):
        f.seek(0)
        f.truncate()
        f.writelines(content)
        f.flush()
        status, said = judge(f.name)
        return ok(status and re.search(pattern, "\n".join(said)), name, said[:20])

    first = lines[0].split()[0] if lines else ""
    refused([line for line in lines if not line.startswith(first + " ")], re.escape(first) + " is missing", "a kernel that nobody stepped is missed")
    refused(lines + ["nop_loop 0 3 abort instructions=9\n"], "nop_loop can be stepped without it", "one that was stepped twice is noticed")
    refused(lines + [lines[0].replace("=", "s=", 1)] if lines else [], "no architectural quantity", "an unknown quantity is refused")
    f.seek(0)
    f.truncate()
    f.writelines(lines)
    f.flush()
    status, said = judge(f.name)
total = [line for line in said if "changes of a number" in line]
ok(status == 0 and len(total) == 1, "every change of a number is noticed", said[-20:])
match = re.match(r"(\d+) of (\d+) changes of a number in (\d+) signatures make that kernel fail, and no other: 100 %$", total[0] if total else "")
ok(match and match[1] == match[2], "all of them", total)
table()
for line in said:
    if "changes of a number" in line or line.startswith("(") and "micro-architecture" in line:
        print("# " + line)
done()
