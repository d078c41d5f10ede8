#!/usr/bin/python3
"""scripts/check: what it makes of tests that pass, fail, skip, break off, hang, or leave something running."""
import importlib.machinery
import importlib.util
import itertools
import os
import re
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
CHECK = os.path.join(TOP, "scripts", "check")
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from tap import done, equal, ok  # noqa: E402

PASSES = "echo 1..2; echo ok 1 - one; echo ok 2 - two"
FAILS = "echo ok 1; echo 'not ok 2 - two'; echo '# why'; echo 1..2; exit 1"
SKIPS = "echo 'ok 1 - one # SKIP no such thing'; echo 1..1"


def check(tmp, *options, **scripts):
    """Run it on shell scripts, {name: text}. Returns its status and its lines."""
    names = []
    for name, text in scripts.items():
        names.append(os.path.join(tmp, name))
        with open(names[-1], "w", encoding="ascii") as f:
            f.write("#!/bin/sh\n" + text + "\n")
        os.chmod(names[-1], 0o755)
    r = subprocess.run([CHECK, "--log", tmp + "/log", *options, *names], stdout=subprocess.PIPE, text=True, check=False)
    return r.returncode, r.stdout.splitlines()


def alive(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii") as f:
            return f.read().split(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends(pid):
    """Whether that process is gone within a while."""
    until = time.monotonic() + 10
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.05)
    return not alive(pid)


def written(path):
    with open(path, encoding="ascii") as f:
        return int(f.read())


with tempfile.TemporaryDirectory() as tmp:
    status, lines = check(tmp, a=PASSES, b=PASSES)
    equal((status, lines[-1]), (0, "4 passed, 0 failed, 0 skipped"), "tests that pass")
    named = re.match(r"\d+ s; dearest, in seconds of processors: \S+/[ab] 0, \S+/[ab] 0; every line is in ", lines[-2])
    ok(named, "the dearest are named", lines)
    status, lines = check(tmp, a=PASSES, b=FAILS, c=SKIPS)
    equal((status, lines[-1]), (1, "3 passed, 1 failed, 1 skipped"), "one that fails, one that skips")
    ok("    # why" in lines and any("no such thing" in line for line in lines), "and why", lines)
    # One that fails, wherever it stands.
    for order in itertools.permutations((("a", PASSES), ("b", FAILS), ("c", SKIPS))):
        status, lines = check(tmp, **dict(order))
        equal((status, lines[-1]), (1, "3 passed, 1 failed, 1 skipped"), "in the order " + " ".join(name for name, _ in order))
    for name, text in {"no plan": "echo ok 1", "a point too few": "echo 1..2; echo ok 1",
                       "a bad status": PASSES + "; exit 3", "killed by a signal": PASSES + "; kill -9 $$",
                       "nothing at all": "true",
                       "skipped, with a bad status": "echo '1..0 # SKIP nothing'; exit 1"}.items():
        status, lines = check(tmp, a=text)
        ok(status == 1 and ", 1 failed," in lines[-1] and any("it broke off" in line for line in lines),
           name + " is a failure", lines)
    status, lines = check(tmp, a="echo '1..0 # SKIP nothing to see'")
    equal((status, lines[-1]), (0, "0 passed, 0 failed, 1 skipped"), "all of it skipped")
    ok("    skipped: nothing to see" in lines, "and why", lines)

    # cmocka's way to skip, on a machine that lacks something; the reason is the comment before.
    status, lines = check(tmp, a="echo 1..2; echo '# no such unit'; echo 'not ok 1 # SKIP unit'; echo ok 2 - two")
    equal((status, lines[-1]), (0, "1 passed, 0 failed, 1 skipped"), "a test that cmocka skipped")
    ok("    not ok 1 # SKIP unit: no such unit" in lines, "and why", lines)
    status, lines = check(tmp, a="echo 1..2; echo ok 1 - one; echo 'not ok 2 # SKIP unit'; exit 1")
    equal((status, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"), "skipped without a reason is a failure")
    status, lines = check(tmp, a="echo 1..1; echo '# SKIP unit'; echo 'not ok 1 - unit'; exit 1")
    equal((status, lines[-1]), (1, "0 passed, 1 failed, 0 skipped"), "a failure behind a comment is one")

    # Both have said that all is well. One hangs, and what it started, too; the other takes its time.
    started = time.monotonic()
    status, lines = check(tmp, "--limit", "2", hangs=PASSES + "; sleep 1000 & echo $! >%s/child; wait" % tmp,
                          slow="sleep 0.5; " + PASSES)
    equal((status, lines[-1]), (1, "4 passed, 1 failed, 0 skipped"), 
          "one that hangs is a failure, one that is slow is none")
    equal([line for line in lines if "longer" in line],
          ["    %s/hangs took longer than 2 s; its last lines:" % tmp], "the one that hangs is named")
    ok(time.monotonic() < started + 60, "without waiting for its end")
    ok(ends(written(tmp + "/child")), "what it started is ended")
    status, lines = check(tmp, a="sleep 1000 & echo $! >%s/child; %s" % (tmp, PASSES))
    ok(status == 0 and ends(written(tmp + "/child")), "so is what a test leaves running", lines)

    started = time.monotonic()
    status, lines = check(tmp, a="i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; " + PASSES,
                          b="sleep 1; " + PASSES)
    named = re.search(r"processors: \S+/(.) ", lines[-2])
    ok(named and named.group(1) == "a", "dear is what keeps a processor busy, not what waits", lines)

spec = importlib.util.spec_from_loader("check", importlib.machinery.SourceFileLoader("check", CHECK))
tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)
tool.CPUS = 2
for seconds, others, said, failed in (
        (599, 0, "100 times power-on to verdict of a default run (6.0 s; at most 100)", False),
        (606, 0.1, "101 times power-on to verdict of a default run (6.0 s; at most 100: MISSED)", True),
        (606, 0.11, "MISSED), with 11 % of 2 processors busy with something else: that does not count", False)):
    text, missed = tool.verdict_on_time(seconds, 6.0, others)
    ok(text.endswith(said) and missed == failed,
       "%d s, others %d %%: %s" % (seconds, others * 100, "a failure" if failed else "none"), text)
tool.CPUS = 1
ok(not tool.verdict_on_time(2000, 6.0, 0)[1], "one processor is no measure")
unknown = [test for test in tool.SECONDS if not os.path.exists(os.path.join(TOP, test))
           and not test.startswith("build/")]
equal(unknown, [], "every test whose cost is known is there")
ok(tool.limit_of("tests/self/boot/selftest.t") > tool.limit_of("build/host/test_insn") > 60, "every test has a limit")
ok(tool.fixes_addresses(32) and not tool.fixes_addresses(28), "addresses are fixed where they are too random")
done()
