#!/usr/bin/python3
"""scripts/errata-events tells of a report's errata which events they are of, in the form of vendors' event files."""
import json
import os
import re
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
# AMD has events above FFH: bits 11:8 of a number stand in bits 35:32 of a selector, and in an event file with the rest.
with open(os.path.join(TOP, "pmu/amd/errata/errata.def"), encoding="utf-8") as f:
    numbers = sorted({n for own in re.findall(r'^AMD_ERRATUM\(.*"([^"]+)"\)', f.read(), re.M) for n in own.split()})
_, events, _, _ = told({"errata": [{"number": "AMD-" + n, "state": "present"} for n in numbers]})
of_amd = [(e, re.fullmatch(r"PMCx([0-9A-F]{3})(?:\[([0-9A-F]{2})\])?", e["EventName"])) for e in events]
equal([e for e, named in of_amd if named and (int(e["EventCode"], 16), int(e["UMask"], 16)) != (int(named[1], 16), int(named[2] or "0", 16))], [],
      "each event of AMD's has the number that its name says")
ok(any(e["EventName"] == "PMCx1D4" and e["EventCode"] == "0x1D4" for e in events), "those above FFH are among them", repr(events))
equal(told({"errata": []})[1], [], "of no erratum there is an empty list")
ok(told({})[2] and "suite errata" in told({})[3], "a report without errata is refused")
ok(told("{")[2], "and so is what is no report")
done()
