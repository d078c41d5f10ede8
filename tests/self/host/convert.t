#!/usr/bin/python3
"""Reports of schema 4: converted, they are the schema-5 reports of the same boots; broken ones are refused.

data/reports holds pairs: NAME.4.json is of the last image that wrote schema 4, NAME.5.json of the first that wrote
schema 5, booted with the same options. hybrid: two processors, experiments with samples and traces. intel: a dead PMU
with its registers, then a virtual one. amd: round trips. netburst: selectors, events in pairs.
"""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests/self")]
from reporting.convert import STEPS, current  # noqa: E402
from reports import script  # noqa: E402
from tap import done, equal, ok  # noqa: E402

DATA = ROOT / "tests/self/host/data/reports"
NAMES = ("hybrid", "intel", "amd", "netburst")
JUDGE = pathlib.Path(os.environ.get("ASSAY_BUILD", ROOT / "build")) / "assay-judge"
OLD = {name: json.loads((DATA / f"{name}.4.json").read_text()) for name in NAMES}
NEW = {name: json.loads((DATA / f"{name}.5.json").read_text()) for name in NAMES}


def summed(event_lists):
    """Of each N, what the events counted together: how it is split between two depends on mispredictions, and those
    on where an image has its code."""
    return [
        [o["n"], sum(int(event[i]["min"]) for event in event_lists), sum(int(event[i]["max"]) for event in event_lists)]
        for i, o in enumerate(event_lists[0])
    ]


def comparable(report):
    """Without what two boots never have in common: the build, and the clock's rate as it was measured."""
    made = copy.deepcopy(report)
    del made["build"], made["machine"]["clock_hz"]
    for a in made["attributions"]:
        events = a["events"]
        if len(events) > 1:
            filters = [list(e["apart"]) for e in events]
            sums = [summed([e["apart"][f] for e in events]) for f in events[0]["apart"]]
            names = [(e["event"], e["encoding"]) for e in events]
            a["events"] = [names, filters, sums, summed([e["together"] for e in events])]
    return made


def first_difference(a, b, where=""):
    if isinstance(a, dict) and isinstance(b, dict):
        if list(a) != list(b):
            return f"{where}: members {list(a)}, {list(b)}"
        pairs = [(a[key], b[key], f"{where}/{key}") for key in a]
    elif isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return f"{where}: {len(a)} and {len(b)} elements"
        pairs = [(x, y, f"{where}/{i}") for i, (x, y) in enumerate(zip(a, b))]
    else:
        return None if type(a) is type(b) and a == b else f"{where}: {a!r}, {b!r}"
    return next(filter(None, (first_difference(*pair) for pair in pairs)), None)


def at(document, path):
    for key in path.split("/"):
        document = document[int(key) if isinstance(document, list) else key]
    return document


def changed(name, path, value):
    """The old report with one value for another; KeyError takes the member away."""
    made = copy.deepcopy(OLD[name])
    above, _, key = path.rpartition("/")
    place = at(made, above) if above else made
    key = int(key) if isinstance(place, list) else key
    if value is KeyError:
        del place[key]
    else:
        place[key] = value
    return made


def main(folder):
    def write(name, content):
        path = folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    for name in NAMES:
        kept = copy.deepcopy(OLD[name])
        made = current(OLD[name])
        equal(OLD[name], kept, f"{name}: the old report is left as it was")
        equal(first_difference(comparable(made), comparable(NEW[name])), None, f"{name}: it is that of the same boot")
        paths = [write("made.json", made), DATA / f"{name}.5.json", DATA / f"{name}.4.json"]
        equal(script("validate-report", *paths), (0, "", ""), f"{name}: all three are valid")
        equal(current(NEW[name]) is NEW[name], True, f"{name}: a report of today is itself")
    # Together they have everything that schema 5 calls otherwise.
    for name, path in (("hybrid", "processors/1"), ("hybrid", "experiments/2/samples/0"), ("amd", "attributions/0/counted"),
                       ("netburst", "attributions/3/events/1"), ("intel", "snapshots/0/registers/0"),
                       ("intel", "pmus/1/identity/0"), ("netburst", "pmus/0/counters/17"), ("amd", "machine/identity/7")):
        ok(at(NEW[name], path), f"the pairs have {path}")
    # A conversion that forgot something would be seen.
    for name, path, value in (
        ("hybrid", "machine/cpu/stepping", 9),
        ("hybrid", "machine/cpu/microcode", "0x7"),
        ("hybrid", "machine/cpu/brand", ""),
        ("hybrid", "machine/cpu/count", 9),
        ("hybrid", "machine/hypervisors", []),
        ("hybrid", "processors/1/apic_id", "0x9"),
        ("hybrid", "experiments/0/ring", "ring 3"),
        ("hybrid", "suites/1/checks/0/ring", "ring 1"),
        ("intel", "snapshots/0/registers/0/address", "0x9"),
        ("netburst", "pmus/0/counters/1/rdpmc", "0x9"),
        ("netburst", "pmus/0/cpuid/1/5", "0x9"),
        ("netburst", "pmus/0/cpuid/1/1", "0x9"),
        ("netburst", "attributions/3/events/0/both/0/min", 9),
        ("amd", "attributions/0/manual/usr", 9),
        ("amd", "attributions/0/counted/os", 9),
        ("amd", "attributions/0/events/0/both/0/min", 9),
        ("amd", "attributions/0/events/0/usr/0/min", 9),
    ):
        made = comparable(current(changed(name, path, value)))
        ok(first_difference(made, comparable(NEW[name])), f"seen: another {path}")

    for count in range(4):
        blocks = [{"signature": f"S{n}", "first_leaf": f"0x4000{n}00", "max_leaf": f"0x4000{n}01"} for n in range(count)]
        made = current(changed("hybrid", "machine/hypervisors", blocks))["machine"]["identity"]
        equal([(p["name"], p["value"]) for p in made if p["name"].startswith("hypervisor")],
              [("hypervisor" + (f" {n + 1}" if n else ""), f"S{n}, CPUID leaves 4000{n}00H to 4000{n}01H") for n in range(count)],
              f"{count} hypervisors are all kept")

    # --- what is old and broken: one line, with what and where ---
    refused = (
        ("intel", "machine/cpu/microcode", 12, "machine/cpu/microcode: 12 must be string"),
        ("intel", "machine/cpu/microcode", "12", 'machine/cpu/microcode: "12" must match pattern'),
        ("intel", "machine/cpu/family", KeyError, "machine/cpu: family is missing"),
        ("intel", "machine", [], "machine: [] must be object"),
        ("intel", "machine/tsc_hz", -1, "machine/tsc_hz: -1 must be valid exactly by one definition"),
        ("intel", "machine/clock_hz", 5, "machine: unknown members: clock_hz"),
        ("intel", "isa", "x86-64", "the document: unknown members: isa"),
        ("intel", "suites", KeyError, "the document: suites is missing"),
        ("hybrid", "processors/1/apic_id", "one", 'processors/1/apic_id: "one" must match pattern'),
        ("amd", "pmus/0/cpuid/3", ["0x1"], "pmus/0/cpuid/3: "),
        ("amd", "pmus/0/cpuid/3/2", None, "pmus/0/cpuid/3/2: null must be string"),
        ("amd", "attributions/4/events/0/usr", KeyError, "attributions/4/events/0: usr is missing"),
        ("amd", "attributions/4/manual/os", "2", 'attributions/4/manual/os: "2" must be integer'),
        ("intel", "snapshots/0/registers/2/address", 5, "snapshots/0/registers/2/address: 5 must be string"),
        ("hybrid", "experiments/1/ring", "ring 2", 'experiments/1/ring: "ring 2" must be one of'),
        ("intel", "suites/2/checks/1/verdict", "fine", 'suites/2/checks/1/verdict: "fine" must be one of'),
        ("intel", "suites/2/checks/1/observations/0/n", KeyError, "suites/2/checks/1/observations/0: n is missing"),
    )
    for name, path, value, message in refused:
        broken = write("broken.json", changed(name, path, value))
        whole = f"{broken}: not as docs/report-4.schema.json says: {message}"
        found = script("report-view", broken)
        ok(
            found[0] == 2 and not found[1] and found[2].startswith(f"report-view: {whole}") and found[2].count("\n") == 1,
            f"refused: {path} that is {'missing' if value is KeyError else json.dumps(value)}",
            found,
        )
    for tool, *arguments in (("report-view", "--judge"), ("report-view", DATA / "amd.4.json"), ("assay-report", "convert"),
                             ("assay-report", "csv"), ("assay-report", "html", "-o", folder / "out.html"),
                             ("validate-report",)):
        found = script(tool, *arguments, broken)
        ok(found[0] in (1, 2) and not found[1] and message in found[2] and found[2].count("\n") == 1
           and not (folder / "out.html").exists(), f"refused by {tool} {' '.join(map(str, arguments[:1]))}", found)
    for schema in ("assay-report/3", "assay-report/6", "assay-report/", 4, None, ["assay-report/4"]):
        path = write("unknown.json", dict(OLD["amd"], schema=schema))
        line = f"{path}: schema is {schema!r}; this program knows assay-report/4, assay-report/5\n"
        for tool, *arguments in (("report-view",), ("report-view", "--judge"), ("assay-report", "convert")):
            equal(script(tool, *arguments, path), (2, "", f"{tool}: {line}"), f"{tool} {schema}: one clear line")
    equal(list(STEPS), ["assay-report/4"], "no other old schema is read")

    # --- readers: an old report reads as the new one does ---
    for name in NAMES:
        old, new = write("old.json", OLD[name]), write("new.json", dict(NEW[name], build=OLD[name]["build"]))
        equal(script("report-view", old), script("report-view", new), f"{name}: report-view shows it as the new one")
        equal(script("report-view", old, new)[0], 0, f"{name}: and finds no difference")
        equal(script("assay-report", "csv", old), script("assay-report", "csv", new), f"{name}: so does the CSV")
        status, out, err = script("assay-report", "convert", old)
        equal((status, err, json.loads(out)), (0, "", current(OLD[name])), f"{name}: assay-report convert writes it")
        judged = [
            subprocess.run([ROOT / "scripts/report-view", "--judge", path], capture_output=True, text=True, check=False)
            for path in (old, new)
        ]
        equal(judged[0].stdout, judged[1].stdout, f"{name}: it is judged again as the new one is")
        equal(judged[0].returncode, judged[1].returncode, f"{name}: with the same status")
        ok(name == "hybrid" or "checks judged again" in judged[0].stdout, f"{name}: and something was judged", judged[0])
    ended = subprocess.run([JUDGE, DATA / "amd.4.json"], capture_output=True, text=True, check=False)
    ok(ended.returncode == 2 and ended.stderr.endswith(
        ": not of schema assay-report/5; scripts/report-view --judge converts older ones\n"),
       "assay-judge alone says who converts", ended)

    both = folder / "both"
    both.mkdir()
    (both / "old.json").write_text(json.dumps(OLD["amd"]))
    (both / "new.json").write_text(json.dumps(NEW["amd"]))
    equal(script("assay-report", "fleet", both, "-o", folder / "fleet.html"), (0, "", ""), "a fleet of both is read")
    page = (folder / "fleet.html").read_text()
    columns = json.loads(page.partition('id="columns">')[2].partition("</script>")[0])
    equal([[r["path"] for r in c["reports"]] for c in columns], [["new.json", "old.json"]], "and they are of one machine")


with tempfile.TemporaryDirectory() as place:
    main(pathlib.Path(place))
done()
