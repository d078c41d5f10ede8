#!/usr/bin/env python3
"""TAP test of scripts/intel-events: from lists in the vendor's form to the imported tables."""
import csv
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
from tap import done, ok  # noqa: E402

TOOL = ROOT / "scripts/intel-events"


loader = importlib.machinery.SourceFileLoader("intel_events", str(TOOL))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("intel_events", loader))
loader.exec_module(tool)


def event(name, **fields):
    return dict({"EventCode": "0xC4", "UMask": "0x01", "EventName": name, "Counter": "0,1,2,3", "MSRIndex": "0x00", "MSRValue": "0x00",
                 "CounterMask": "0", "Invert": "0", "EdgeDetect": "0"}, **fields)


EVENTS = [
    event("PLAIN", CounterHTOff="0,1,2,3,4,5,6,7", PEBS="1", Errata="SKL091, SKL044"),
    event("CONDITIONS", CounterMask="2", Invert="1", EdgeDetect="1", AnyThread="1", Errata="null"),
    event("SECOND_MASK", UMaskExt="0x0A", Counter="0", Deprecated="1"),
    event("FRONTEND", EventCode="0xC6", MSRIndex="0x3F7", MSRValue="0x11"),
    event("FIXED", Counter="Fixed counter 2", EventCode="0x00", UMask="0x03"),
    event("OCR.DEMAND_DATA_RD.ANY_RESPONSE", EventCode="0xB7, 0xBB", MSRIndex="0x1a6,0x1a7", MSRValue="0x10001"),
    event("OCR.DEMAND_RFO.L3_HIT.SNOOP_HITM", EventCode="0xB7, 0xBB", MSRIndex="0x1a6,0x1a7", MSRValue="0x10003c0002"),
    event("OCR.DEMAND_RFO.ANY_RESPONSE", EventCode="0xB7, 0xBB", MSRIndex="0x1a6,0x1a7", MSRValue="0x10002", Deprecated="1"),
    event("OFFCORE_RESPONSE:request=DEMAND_RFO:response=ANY_RESPONSE", EventCode="0xB7, 0xBB", MSRIndex="0x1a6,0x1a7", MSRValue="0x10002"),
    event("OFFCORE_RESPONSE", EventCode="0xB7, 0xBB"),
]
EXPECTED = {
    "PLAIN": ("1c4", "0", "0", "ff", "1", "SKL091 SKL044", "0"),
    "CONDITIONS": ("2a401c4", "0", "0", "f", "0", "", "0"),
    "SECOND_MASK": ("a00000001c4", "0", "0", "1", "0", "", "1"),
    "FRONTEND": ("1c6", "3f7", "11", "f", "0", "", "0"),
    "FIXED": ("300", "0", "0", "F2", "0", "", "0"),
}

# What each field is made of, one at a time.
errata = [tool.errata({"Errata": text}) for text in ("AJ12", "AJ12, BDM11,SKL091", "HSD29, HSM30", "null", "", "ADL1234", "errata A12 and 7")]
ok(errata == ["AJ12", "AJ12 BDM11 SKL091", "HSD29 HSM30", "", "", "ADL1234", ""] and tool.errata({}) == "", "errata of two letters and of three", errata)
numbers = [tool.number(text) for text in ("0x1F", "31", " 0x0a, 0x0b", "", "null", "NA", "None", 7)]
ok(numbers == [31, 31, 10, 0, 0, 0, 0, 7], "numbers, of which the first of several counts", numbers)
masks = [tool.counters(text) for text in ("0", "1", "2", "0,1,2,3", "0,1,2,3,4,5,6,7", "1,3", "Fixed counter 0", "fixed counter 3 ")]
ok(masks == ["1", "2", "4", "f", "ff", "a", "F0", "F3"], "masks of counters", masks)
NOTHING = {"EventCode": "0", "UMask": "0", "CounterMask": "0", "EdgeDetect": "0", "Invert": "0"}
bits = {key: tool.selector(dict(NOTHING, **{key: value})) for key, value in
        (("EventCode", "0xff"), ("UMask", "0xff"), ("UMaskExt", "0xff"), ("CounterMask", "255"), ("EdgeDetect", "1"), ("Invert", "1"), ("AnyThread", "1"),
         ("Equal", "1"))}
ok(bits == {"EventCode": 0xff, "UMask": 0xff00, "UMaskExt": 0xff << 40, "CounterMask": 0xff << 24, "EdgeDetect": 1 << 18, "Invert": 1 << 23,
            "AnyThread": 1 << 21, "Equal": 1 << 36}, "each condition has its bits (SDM vol. 3, 18.2.1)", bits)
parts = [tool.offcore_parts("SKL", name) for name in ("OCR.A_B.C.D", "OFFCORE_RESPONSE.A.B", "OFFCORE_RESPONSE_0.A.B.C", "OFFCORE_RESPONSE:request=A:response=B.C")]
ok(parts == [("OCR", "A_B", "C.D"), ("OFFCORE_RESPONSE", "A", "B"), ("OFFCORE_RESPONSE_0", "A", "B.C"), ("OFFCORE_RESPONSE", "A", "B.C")],
   "offcore responses by their names", parts)

with tempfile.TemporaryDirectory() as d:
    d = pathlib.Path(d)
    for _, _, file, _ in tool.CORES:
        if file:
            (d / file).parent.mkdir(parents=True, exist_ok=True)
            (d / file).write_text(json.dumps({"Header": {}, "Events": EVENTS if "skylake_" in file else EVENTS[:1]}))
    (d / "mapfile.csv").write_text(
        "Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name\n"
        "GenuineIntel-6-5E,V1,/SKL/events/skylake_core.json,core,,,\n"
        "GenuineIntel-6-55-[01234],V1,/SKX/events/skylakex_core.json,core,,,\n"
        "GenuineIntel-6-97,V1,/ADL/events/alderlake_gracemont_core.json,hybridcore,0x20,0x000001,Atom\n"
        "GenuineIntel-6-5E,V1,/SKL/events/skylake_matrix.json,offcore,,,\n")
    (d / "out").mkdir()
    r = subprocess.run([sys.executable, TOOL, d, d / "out"], capture_output=True, text=True)
    ok(r.returncode == 0, "the import runs", r.stderr)

    def table(name):
        return list(csv.DictReader((d / "out" / name).open(encoding="utf-8")))

    rows = {r["name"]: r for r in table("events.csv") if "SKL" in r["cores"].split()}
    got = {name: tuple(r[k] for k in ("selector", "msr", "value", "counters", "pebs", "errata", "deprecated")) for name, r in rows.items()}
    ok(got == EXPECTED, "every column is filled", got)
    ok(all((r["source"], r["judgement"], r["disagreement"]) == ("list", "", "") for r in rows.values()), "the source is Intel's list")
    ok({r["source"] for r in table("events.csv") if {"MRM", "YON"} & set(r["cores"].split())} == {"libpfm4", "SDM"}, "and of cores without a list another")
    ok(len(rows["PLAIN"]["cores"].split()) == 47, "cores with the same row share it", rows["PLAIN"]["cores"])
    ok(any(r["cores"] == "MRM" for r in table("events.csv")) and any("YON" in r["cores"] for r in table("events.csv")),
       "cores without a list are there")
    lines = ["%s %s" % (name, " ".join(e[:5] + e[6:])) for name, e in sorted(EXPECTED.items())]
    sums = {r["core"]: (r["events"], r["checksum"]) for r in table("checksums.csv")}
    ok(sums["SKL"] == ("5", "%08x" % zlib.crc32("\n".join(lines).encode())), "each core's events have a checksum", sums["SKL"])
    cores = {r["core"]: r for r in table("cores.csv")}
    facts = [tuple(cores[c]["offcore" + k] for k in ("", " selectors", " counters", " spellings", " bare")) for c in ("SKL", "SNB")]
    ok(facts == [("OCR", "1b7 1bb", "f", "1", "1"), ("", "", "", "0", "0")], "how offcore responses are counted", facts)
    text = "OCR.DEMAND_DATA_RD.ANY_RESPONSE 10001\nOCR.DEMAND_RFO.ANY_RESPONSE 10002\nOCR.DEMAND_RFO.L3_HIT.SNOOP_HITM 10003c0002\n"
    ok(cores["SKL"]["offcore checksum"] == "%08x" % zlib.crc32(text.encode()), "their names and values have a checksum")
    responses = [tuple(r.values()) for r in table("offcore.csv")]
    ok(responses == [("ANY_RESPONSE", "10000", "01", "SKL", "-DEMAND_RFO=2 DEMAND_DATA_RD=1"),
                     ("L3_HIT.SNOOP_HITM", "10003c0000", "01", "SKL", "DEMAND_RFO=2")], "they are taken apart", responses)
    cpus = [cores[c]["cpus: family model steppings type native"] for c in ("SKL", "SKX", "GRT", "SNB")]
    ok(cpus == ["6 5e ffff 0 0", "6 55 1f 0 0", "6 97 ffff 20 1", ""], "CPUs, their steppings and kinds of core", cpus)
    for bad, message in ((event("OCR.ANY", MSRIndex="0x1a6", MSRValue="0x10001"), "OCR.ANY is not made of a request and a response"),
                         (event("OFFCORE_RESPONSE:request=OTHER:response=ANY_RESPONSE", MSRIndex="0x1a6", MSRValue="0x1"), "has two values"),
                         (event("OCR.DEMAND_RFO.L3_MISS", MSRIndex="0x1a6", MSRValue="0x2"), "no common selector")):
        other = event("OCR.OTHER.ANY_RESPONSE", EventCode="0xB7, 0xBB", MSRIndex="0x1a6,0x1a7", MSRValue="0x18000")
        (d / "SKL/events/skylake_core.json").write_text(json.dumps({"Events": [other, bad]}))
        r = subprocess.run([sys.executable, TOOL, d, d / "out"], capture_output=True, text=True)
        ok(r.returncode != 0 and message in r.stderr, "refused: " + message, r.stderr)
    (d / "SKL/events/skylake_core.json").write_text('{"Events": [')
    r = subprocess.run([sys.executable, TOOL, d, d / "out"], capture_output=True, text=True)
    ok(r.returncode != 0 and "skylake_core.json" in r.stderr, "a list that is cut short is named", r.stderr)
    (d / "SNB/events/sandybridge_core.json").unlink()
    r = subprocess.run([sys.executable, TOOL, d, d / "out"], capture_output=True, text=True)
    ok(r.returncode != 0 and "sandybridge_core.json" in r.stderr, "a missing list is named", r.stderr)
done()
