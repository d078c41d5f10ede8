#!/usr/bin/python3
"""Vendors' event files as the image reads them and as Python's JSON module does: every core event alike.

    vendor-events.t [DIRECTORY]     unmodified files anywhere below it, instead of the made-up ones of the tests
"""
import json
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from tap import done, ok  # noqa: E402

TOOL = os.path.join(os.environ.get("ASSAY_BUILD", os.path.join(TOP, "build")), "tools/vendor-events")
EVERY_COUNTER = 0xffffffff


def first_number(text):
    text = str(text).split(",")[0].strip()
    return int(text, 16) if text.lower().startswith("0x") else int(text or "0")


def counters(text):
    general, fixed = 0, -1
    for item in text.split(","):
        match = re.fullmatch(r"\s*(fixed counter)?\s*(\d+)\s*", item, re.I)
        index = int(match.group(2))
        if match.group(1) or index >= 32:
            fixed = index if match.group(1) else index - 32
        else:
            general |= 1 << index
    return general, fixed


def columns(e):
    """An event as the tool prints it."""
    def n(key):
        value = e.get(key)
        return 0 if value in (None, "null") else first_number(value)

    general, fixed = counters(e["Counter"]) if "Counter" in e else (EVERY_COUNTER, -1)
    pebs = max(n("PEBS"), n("Precise"))
    return [e["EventName"], n("EventCode"), n("UMask"), n("UMaskExt"), n("CounterMask"), n("Invert"), n("EdgeDetect"), n("AnyThread"),
            n("Equal"), n("Deprecated"), pebs, general, fixed, n("MSRIndex"), n("MSRValue"), e.get("Unit", "")]


def is_core(e):
    return "EventName" in e and e.get("Unit", "cpu").lower().startswith("cpu")


def read(path):
    """What the tool says of a file: events, others, what went wrong."""
    out = subprocess.run([TOOL, path], capture_output=True, text=True, check=True).stdout.splitlines()[1:]
    events, others, wrong = [], 0, []
    for line in out:
        kind, *rest = line.split("\t")
        if kind == "event":
            events.append([rest[0]] + [int(x, 0) for x in rest[1:-1]] + [rest[-1]])
        elif kind == "other":
            others += 1
        elif kind != "end":
            wrong.append(line)
    return events, others, wrong


def compare(path, name):
    with open(path, encoding="utf-8-sig") as f:
        try:
            data = json.load(f)
        except ValueError as e:
            print("# %s: no JSON for Python: %s" % (name, e))
            return 0
    events, others, wrong = read(path)
    whole = data["Events"] if isinstance(data, dict) and "Events" in data else data
    if not isinstance(whole, list):
        ok(not events and len(wrong) == 1, "%s: no list of events" % name, wrong[:3])
        return 0
    expected = [columns(e) for e in whole if is_core(e)]
    differing = [(a, b) for a, b in zip(events, expected) if a != b]
    ok(events == expected and others == len(whole) - len(expected) and not wrong,
       "%s: %d core events, %d other objects" % (name, len(expected), others), (wrong + differing)[:5])
    return len(expected)


directory = sys.argv[1] if len(sys.argv) > 1 else os.path.join(TOP, "tests/self/host/data")
paths = sorted(os.path.join(d, f) for d, _, files in os.walk(directory) for f in files if f.endswith(".json"))
ok(paths, "there are files in " + os.path.basename(directory.rstrip("/")))
total = sum(compare(path, os.path.relpath(path, directory)) for path in paths)
ok(total, "there are core events: %d" % total)
if len(sys.argv) == 1:
    # The comparison can fail: an event that Python is given otherwise.
    path = os.path.join(directory, "events-intel.json")
    events, _, _ = read(path)
    with open(path, encoding="utf-8") as f:
        other = json.loads(f.read().replace("0xC4", "0xC5"))["Events"]
    ok(events != [columns(e) for e in other if is_core(e)], "a code that differs is seen")
done()
