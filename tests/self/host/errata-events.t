#!/usr/bin/python3
"""scripts/errata-events tells of a report's errata which events they are of, in the form of vendors' event files."""
import json
import os
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from tap import done, equal, ok  # noqa: E402


def told(report, *options):
    """({event: errata}, all of it, status, complaint)"""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        f.write(report if isinstance(report, str) else json.dumps(report))
        f.flush()
        p = subprocess.run([os.path.join(TOP, "scripts/errata-events"), *options, f.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    events = json.loads(p.stdout) if p.stdout else []
    return {e["EventName"]: e["Errata"] for e in events}, events, p.returncode, p.stderr


REPORT = {"errata": [{"number": "HSD73", "state": "not observed"}, {"number": "BJ50", "state": "present"}, {"number": "AMD-1266", "state": "present"},
                     {"number": "SKL91", "state": "consistent"}],
          "suites": [{"checks": [{"verdict": "erratum", "event": "X.Y", "encoding": "0x2ff", "text": "as erratum BJ50 says: expected 1"},
                                 {"verdict": "erratum", "event": "X.Z", "encoding": "0x2ff", "text": "as erratum BJ5 says: expected 1"}]}]}
names, events, status, complaint = told(REPORT)
equal(names, {"LD_BLOCKS.STORE_FORWARD": "BJ50", "PMCx0CB[02]": "AMD-1266", "X.Y": "BJ50"}, "those that are present, by the tables and by checks")
equal((status, complaint), (0, ""), "and nothing is complained about")
equal(events[0], {"EventName": "LD_BLOCKS.STORE_FORWARD", "EventCode": "0x03", "UMask": "0x02", "Errata": "BJ50"}, "as event files have them")
names, _, _, _ = told(REPORT, "--consistent")
ok("BR_INST_RETIRED.ALL_BRANCHES" in names and "SKL91" in names["BR_INST_RETIRED.ALL_BRANCHES"], "what agrees is told if it is asked for", repr(names))
equal(told({"errata": []})[1], [], "of no erratum there is an empty list")
ok(told({})[2] and "suite errata" in told({})[3], "a report without errata is refused")
ok(told("{")[2], "and so is what is no report")
done()
