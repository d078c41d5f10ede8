#!/usr/bin/python3
"""Unmodified files of the vendors, from the directory that VENDOR_FILES names: a checkout of Intel's perfmon repository, or of the kernel's
tools/perf/pmu-events/arch/x86. Each virtual CPU gets its file or files among others, with the vendor's mapfile.csv, and takes them."""
import csv
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "boot"))
from boottest import TOP, boot, done, ok, sound, tail  # noqa: E402

DIRECTORY = os.environ["VENDOR_FILES"]
# Where the files are gone through: a few kernels, and of the events of unknown meaning those of some name.
OPTIONS = "exit=shutdown suite=events kernel=empty,nop_loop,branches_taken,calls,loads,stores event=%s"
EVENTS = {"intel": "*RETIRED*", "amd": "ex_ret*"}
CPUS = {
    "intel-nehalem": "GenuineIntel-6-1A-5", "intel-westmere": "GenuineIntel-6-2C-2", "intel-sandybridge": "GenuineIntel-6-2A-7",
    "intel-ivybridge": "GenuineIntel-6-3A-9", "intel-haswell": "GenuineIntel-6-3C-3", "intel-broadwell": "GenuineIntel-6-3D-4",
    "intel-skylake": "GenuineIntel-6-9E-A", "intel-icelake": "GenuineIntel-6-7E-5", "intel-alderlake-p": "GenuineIntel-6-97-2",
    "intel-sapphirerapids": "GenuineIntel-6-8F-4", "intel-silvermont": "GenuineIntel-6-37-8", "intel-goldmont": "GenuineIntel-6-5C-9",
    "intel-goldmontplus": "GenuineIntel-6-7A-8",
    "intel-tremont": "GenuineIntel-6-9C-0", "intel-alderlake-e": "GenuineIntel-6-97-2", "intel-tigerlake": "GenuineIntel-6-8C-1",
    "intel-meteorlake-p": "GenuineIntel-6-AA-4", "intel-meteorlake-e": "GenuineIntel-6-AA-4", "intel-graniterapids": "GenuineIntel-6-AD-1",
    "intel-lunarlake-p": "GenuineIntel-6-BD-1", "intel-lunarlake-e": "GenuineIntel-6-BD-1", "amd-zen1": "AuthenticAMD-23-1-1",
    "amd-zen2": "AuthenticAMD-23-71-0", "amd-zen3": "AuthenticAMD-25-21-0",
}


def fits(pattern, cpu):
    pattern = pattern.replace("[[:xdigit:]]", "[0-9A-F]")
    return re.fullmatch(pattern, cpu) or re.fullmatch(pattern, cpu.rsplit("-", 1)[0])


def read(path):
    with open(path, "rb") as f:
        return f.read()


def rows():
    with open(os.path.join(DIRECTORY, "mapfile.csv"), encoding="utf-8") as f:
        return list(csv.reader(f))[1:]


def chosen(profile, cpu):
    """Files for this CPU, {name on the stick: path}, with some for others; and the names of its own."""
    files, own, found = {}, set(), False
    core = {"p": "0x40", "e": "0x20"}.get(profile.rsplit("-", 1)[1])
    for row in rows():
        pattern, name, kind = row[0], row[2], row[3]
        good = bool(fits(pattern, cpu)) and (not core or len(row) < 5 or row[4] in ("", core))
        if name.endswith(".json"):
            if kind in ("core", "hybridcore"):
                files[os.path.basename(name)] = DIRECTORY + name
                own |= {os.path.basename(name)} if good else set()
        else:
            good, found = good and not found, found or good
            for path in glob.glob(os.path.join(DIRECTORY, name, "*.json")):
                on_stick = "%s_%s" % (name, os.path.basename(path))
                if good or path.endswith(("pipeline.json", "core.json")):
                    files[on_stick] = path
                own |= {on_stick} if good else set()
    return files, own


def notes(r):
    found = {}
    for line in (r.report or {"notes": []})["notes"]:
        match = re.match(r"events\\([^:]+): (.*)", line)
        if match:
            found[match.group(1)] = match.group(2)
    return found


alike = subprocess.run([os.path.join(TOP, "tests/self/host/vendor-events.t"), DIRECTORY], capture_output=True, text=True, check=False)
ok(alike.returncode == 0, "all files are read as Python's JSON module reads them", [x for x in alike.stdout.splitlines() if x.startswith("not ok")])

tried = 0
for profile, cpu in CPUS.items():
    files, own = chosen(profile, cpu)
    if not own:
        continue
    tried += 1
    with_map = {"/assay/events/" + name: read(path) for name, path in {"mapfile.csv": os.path.join(DIRECTORY, "mapfile.csv"), **files}.items()}
    r = boot("disk", config="pmu=virtual:%s %s\n" % (profile, OPTIONS % EVENTS[profile.split("-")[0]]), disk="virtio", files=with_map, timeout=900)
    sound(r, "%s with %s" % (profile, ", ".join(sorted(own))))
    said = notes(r)
    taken = {name for name, text in said.items() if re.match(r"\d+ events", text)}
    ok(taken == own, "its own files are taken", [repr(sorted(taken)), repr(sorted(own))] + tail(r, 40))
    ok(all("for another CPU" in said.get(name, "") for name in set(files) - own), "all others are not",
       [repr((n, said.get(n))) for n in set(files) - own])
    ok(not any("not understood" in text or "lost" in text for text in said.values()), "everything in them is understood", list(said.values()))
    for name in sorted(own):
        print("# %s: %s" % (name, said.get(name)))
    for check in [c for s in (r.report or {"suites": []})["suites"] for c in s["checks"]]:
        if "counts like" in check.get("text", "") and "no known" not in check["text"]:
            print("# %s %s" % (check["name"], check["text"]))
ok(tried >= 5, "at least five microarchitectures: %d" % tried)
done()
