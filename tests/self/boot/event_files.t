#!/usr/bin/python3
"""Vendors' event files on the stick: their events are judged by name or scanned, and what is wrong with a file is one line."""
import os
import re

from boottest import TOP, boot, done, emulators, equal, ok, sound, tail, valid

DATA = os.path.join(TOP, "tests/self/host/data")
KERNELS = "kernel=empty,nop_loop,branches_taken,calls,loads,stores,mix"
INTEL = {
    "haswell_core.json": "events-intel.json",
    "sapphirerapids_core.json": "events-intel.json",
    "zen.json": "events-perf.json",
    "mapfile.csv": "events-mapfile.csv",
    # Whose events say nothing of a CPU, and end too soon.
    "cut.json": b'[{"EventName":"CUT.WHOLE","EventCode":"0xc0","SampleAfterValue":"1"},{"EventName":"CUT.HALF","Eve',
    "broken.json": b'{"Events": [{"EventName": "BROKEN.VALUE", "UMask": "0x1ff", "SampleAfterValue": "1"}]}',
    "picture.json": b"\x89PNG\r\n\x1a\n",
    "names.json": b'[{"EventName":"BR_INST_RETIRED.ANY","EventCode":"0xc4","SampleAfterValue":"1"},'
                  b'{"EventName":"FP_ARITH_INST_RETIRED.SCALAR_DOUBLE","EventCode":"0xc7","UMask":"0x1","SampleAfterValue":"1"}]',
    "huge.json": b"[" + b" " * (8 << 20) + b"]",
    "GenuineIntel-6-8F.json": b"[]",
    "readme.txt": b"not looked at",
}
AMD = {
    "AuthenticAMD-25-21_core.json": "events-perf.json",
    "intel.json": "events-intel.json",
}


def put(files):
    """{name: bytes, or a file of DATA}, for the folder of event files."""
    given = {}
    for name, content in files.items():
        if isinstance(content, str):
            with open(os.path.join(DATA, content), "rb") as f:
                content = f.read()
        given["/assay/events/" + name] = content
    return given


def with_directory(image):
    emulators.mtools("mmd", image, "::/assay/events", "::/assay/events/directory.json")


def notes(r):
    """By file, what is said of it."""
    found = {}
    for line in (r.report or {"notes": []})["notes"]:
        match = re.match(r"events\\([^:]+): (.*)", line)
        if match:
            found.setdefault(match.group(1), []).append(match.group(2))
    return found


def checks(r):
    return [c for s in (r.report or {"suites": []})["suites"] if s["name"] == "events" for c in s["checks"]]


def told(r, event):
    """What is said of an event of unknown meaning."""
    return [(c["verdict"], c["text"]) for c in checks(r) if c["name"] == event]


def judged(r, event):
    return {c["verdict"] for c in checks(r) if c.get("event") == event and c["name"].startswith(event + "/")}


options = "exit=shutdown pmu=virtual:intel-haswell suite=events event=SOMETHING*,WAITING*,CUT*,INST_RETIRED*,*REF_TSC,BR_INST_RETIRED.ANY,FP_ARITH* " + KERNELS
r = boot("disk", config=options + "\n", files=put(INTEL), prepare=with_directory)
sound(r, "with files for this CPU, for others, and broken ones")
valid(r.report, "the report is valid")
EXPECTED = {
    "haswell_core.json": r"7 events, 1 known by name, 4 of unknown meaning, 1 in the table already, 1 in the table with another code, which "
                         r"stays, 2 other objects; first: LONGEST_LAT_CACHE.MISS: code .*",
    "sapphirerapids_core.json": r"for another CPU, as mapfile.csv says; this one is GenuineIntel-6-3C-\d: left out",
    "zen.json": r"for another CPU, as its form says; this one is GenuineIntel-6-3C-\d: left out",
    "names.json": r"2 events, 1 known by name, 1 of unknown meaning",
    "cut.json": r"1 events, 1 of unknown meaning; the rest is lost; first: byte 69: the file ends within an event: it is cut off",
    "broken.json": r'0 events, 1 not understood; first: byte 12: "0x1ff" is no value of UMask',
    "picture.json": r"byte 0: no JSON: neither \[ nor \{ begins it: left out",
    "huge.json": r"8388610 bytes; at most 8388608 are read: left out",
    "GenuineIntel-6-8F.json": r"for another CPU, as its name says; this one is GenuineIntel-6-3C-\d: left out",
}
found = {name.lower(): lines for name, lines in notes(r).items()}
for name, pattern in EXPECTED.items():
    lines = found.pop(name.lower(), [])
    ok(len(lines) == 1 and re.fullmatch(pattern, lines[0]), "one line about " + name, lines or tail(r, 60))
equal(found, {}, "and none about anything else")
equal(judged(r, "CPU_CLK_UNHALTED.REF_TSC"), {"within"}, "a name that is known is judged")
equal(judged(r, "INST_RETIRED.ANY"), {"exact"}, "so is what the table has")
equal(told(r, "SOMETHING_NEW.TAKEN_UP"), [("skipped", "meaning unknown; counts like branches (all 7 kernels, 6 answer)")],
      "an unknown name with a known code is recognised by its response")
equal(judged(r, "FP_ARITH_INST_RETIRED.SCALAR_DOUBLE"), {"exact"}, "a name that cores mean differently is judged if the encoding tells which")
equal(told(r, "BR_INST_RETIRED.ANY"), [("skipped", "meaning unknown; counts like branches (all 7 kernels, 6 answer); its name means this on BNL and MRM")],
      "if not, each meaning is held against the counts")
equal(told(r, "SOMETHING_ELSE.ENTIRELY"), [("skipped", "meaning unknown; counts like instructions (all 7 kernels, 7 answer)")], "another, too")
equal(told(r, "CUT.WHOLE"), [("skipped", "meaning unknown; counts like instructions (all 7 kernels, 7 answer)")], "and one before a cut")
equal(told(r, "CUT.HALF") + told(r, "BROKEN.VALUE"), [], "nothing is made up of what is cut or broken")
equal(told(r, "WAITING.FOR_THINGS"), [("skipped", "meaning unknown; counts nothing on any of 7 kernels")],
      "of a code that this CPU does not have nothing is known")
signatures = {v["name"]: v["value"] for v in (r.report or {"values": []})["values"] if v["suite"] == "events"}
ok(re.search(r"\bbranches_taken 5N\b.*\bcalls 5N\+1\b", signatures.get("SOMETHING_NEW.TAKEN_UP", "")), "its signature is told", repr(signatures))

r = boot(options="pmu=virtual:amd-zen3 suite=events event=ex_ret* " + KERNELS, files=put(AMD))
sound(r, "with files on AMD's")
found = notes(r)
equal(found.get("AuthenticAMD-25-21_core.json"), ["2 events, 1 known by name, 1 of unknown meaning, 2 other objects"], "AMD's is taken")
ok(re.match("for another CPU, as its form says", (found.get("intel.json") or [""])[0]), "Intel's is not", repr(found))
equal(judged(r, "ex_ret_instr"), {"exact"}, "perf's name for instructions is known")
equal(told(r, "ex_ret_novelty"), [("skipped", "meaning unknown; counts nothing on any of 7 kernels")], "the other is not")
# What hardware refuses, what only a counter could count that is not believed, and one that is well.
LIST = ",".join('{"EventName":"LIST.%s","EventCode":"0xc4","SampleAfterValue":"1"%s}' % row for row in (
    ("REFUSED", ',"AnyThread":"1"'), ("DOUBTFUL", ',"Counter":"7"'), ("WELL", "")))
ANY = '{"EventName":"BR_INST_RETIRED.ANY","EventCode":"0xc4","SampleAfterValue":"1"}'
r = boot(options="pmu=virtual:intel-icelake inject=dead-counter+w146 suite=events event=LIST.*,BR_INST_RETIRED.ANY kernel=nop_loop,calls,cpuid",
         files=put({"list.json": ("[%s,%s]" % (LIST, ANY)).encode()}))
ok(any("; its name means this on MRM, something else on BNL" in said for _, said in told(r, "BR_INST_RETIRED.ANY")),
   "where CPUID counts as a branch, it is the one meaning and not the other", repr(told(r, "BR_INST_RETIRED.ANY")))
for event, text in (("REFUSED", "and not counted: programming was refused"), ("DOUBTFUL", "and not counted: no counter that is to be believed"),
                    ("WELL", "counts like insn.serializing + branches")):
    ok(any(verdict == "skipped" and text in said for verdict, said in told(r, "LIST." + event)), "%s: %s" % (event, text),
       repr(told(r, "LIST." + event)))
r = boot(options="pmu=virtual:intel-haswell list=events", files=put(INTEL))
listed = [line.split()[0] for line in r.text if line.split()]
ok("SOMETHING_ELSE.ENTIRELY" in listed and "FP_ARITH_INST_RETIRED.SCALAR_DOUBLE" in listed,
   "list=events has what files brought, of known and unknown meaning", tail(r, 20))
done()
