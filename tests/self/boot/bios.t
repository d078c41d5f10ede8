#!/usr/bin/python3
"""The stick under a BIOS: SeaBIOS in QEMU and Bochs's own start it through GRUB, and the report comes over the serial line. What keeps a BIOS's
machine from a run is one line."""
import mmap
import os
import re
import subprocess
import tempfile

from boottest import TOP, boot, complains, done, emulators, equal, few, ok, same_table, sound, tail, valid

OPTIONS = "pmu=virtual suite=control,events reps=2 kernel=nop_loop,calls event=ASSAY_*,INST_RETIRED.ANY_P check=wrap*,access/*,LVT*"
FILES = {"/assay/events/our own.json": b'[{"EventName":"ASSAY_OWN","EventCode":"0xc0","SampleAfterValue":"1"}]'}
direct = boot(options=OPTIONS, files=FILES)
KEPT = "/assay/bios.txt"
kept = {}


def cut_short(image):
    """A run of QEMU's CPU before this one, which was switched off in a suite: only sectors of the file are written, as the machine does it."""
    with open(image, "r+b") as f, mmap.mmap(f.fileno(), 0) as data:
        at = data.find(b"# Assay keeps the reports of machines with a BIOS here.\n") + 512
        before = b"#:run 0041 AuthenticAMD-15-6B-1\nassay 123abc456def on AuthenticAMD-15-6B-1\n0 ms: setting the machine up\n12 ms: suite control on processor 0\n"
        data[at:at + len(before)] = before


for emulator, cpu in (("qemu", None), ("bochs", "p4_prescott_celeron_336")):
    r = boot("bios", emulator=emulator, cpu=cpu, config="menu=10 exit=shutdown\n%s\n" % OPTIONS, files=FILES, cpus=2 if emulator == "qemu" else 1,
             prepare=cut_short if emulator == "qemu" else None, inspect=lambda image: kept.update({emulator: emulators.read_file(image, KEPT).decode("latin-1")}))
    sound(r, "a BIOS in " + emulator + (", on a VGA without VBE" if emulator == "bochs" else ""))
    same_table(r, direct, "the same table as a direct start")
    valid(r.report, "its report has come")
    ok(r.report and "GRUB" in r.report["machine"]["firmware"], "the loader is named", [str(r.report and r.report["machine"])])
    equal(r.text[-1:], ["report: in \\assay\\bios.txt; scripts/serial-report takes it from there"], "the last line says where it is")
    ok(not any(line.startswith("#:") for line in r.lines), "it is not sent besides")
    if emulator == "qemu":
        equal(r.report and r.report["machine"]["processor_count"], 2, "ACPI's tables are found")
        ok(r.report and "the last run (0041) ended in suite control on processor 0" in r.report["notes"], "it says where the last run ended", r.report and r.report["notes"])
    number = 42 if emulator == "qemu" else 1
    lines = [line for line in kept[emulator].split("\n") if line]
    first = next((i for i, line in enumerate(lines) if line.startswith("#:run %04d " % number)), 0)
    journal = lines[first:lines.index("#:report", first)] if first else []
    ok(any(line.endswith(" ms: suite control on processor 0") for line in journal) and journal[-1].startswith("ended: "),
       "its journal is kept, too, from the beginning to the end", lines[:20])
    equal([line for line in lines if line.startswith("#:kept")], ["#:kept %04d" % number], "and behind its report is the run's end")

# Over the network: by PXE, from a TFTP server.
captured = r = boot("pxe", options=OPTIONS, files={path.replace(" ", "_"): data for path, data in FILES.items()})
sound(r, "started by a BIOS's PXE")
same_table(r, direct, "the same table as a direct start, with the event file that assay/files.cfg names")
valid(r.report, "its report has come over the serial line")
ok(r.text[-1].startswith("report: on the serial line; "), "the last line says so", tail(r))
ok(any("the report is not on the stick: the loader was not started from a disk" in line for line in r.lines), "and why", tail(r))
for missing in few((), (b"set files=events/none.json\n",)):
    complains(boot("pxe", options=OPTIONS, files={"/assay/files.cfg": missing}), "a file that cannot be read$", "a name in assay/files.cfg that the server has not")

# A disk that is not the stick any more, or takes nothing: the serial line.
for what, disk, files, why in few((), (("a disk that cannot be written", "readonly", {}, "INT 13H does not write to the disk"),
                                       ("another file in the place of its own", "ide", {KEPT: b"mine\n" * 999}, "is not as the image has it: it begins otherwise"))):
    r = boot("bios", options=OPTIONS, disk=disk, files=files)
    sound(r, what)
    ok(any("the report is not on the stick: " in line and why in line for line in r.lines), what + ": why", tail(r))
    valid(r.report, what + ": its report has come over the serial line")

# The script by which a person gets it, on what was received.
with tempfile.TemporaryDirectory() as folder:

    def extract(lines):
        with open(folder + "/capture", "w", encoding="utf-8") as f:
            f.write("\r\n".join(lines))
        if os.path.exists(folder + "/report.json"):
            os.remove(folder + "/report.json")
        s = subprocess.run([TOP + "/scripts/serial-report", folder + "/capture", "-o", folder + "/report.json"], capture_output=True, text=True, check=False)
        if not os.path.exists(folder + "/report.json"):
            return s.returncode, s.stderr.replace(folder + "/capture", "CAPTURE")
        with open(folder + "/report.json", encoding="utf-8") as f:
            return s.returncode, f.read()

    equal(extract(captured.lines), (0, captured.report_json), "scripts/serial-report takes it out of what was received")
    equal(extract(["#:report", "#:piece plain 3 3"] + captured.lines), (0, captured.report_json), "behind one that was broken off, too")
    first, last = [next((i for i, line in enumerate(captured.lines) if line.startswith(what)), 0) for what in ("#:piece ", "#:end ")]
    data = captured.lines[first + 1]
    for what, lines, why in (
            ("nothing", [line for line in captured.lines if not line.startswith("#:")], "there is no report in it"),
            ("cut short", captured.lines[:last], "the report is cut short: "),
            ("a line lost", captured.lines[:first + 2] + captured.lines[first + 3:], "the piece that begins at line %d has " % (first + 1)),
            ("a character changed", captured.lines[:first + 1] + [data[:40] + ("A" if data[40] != "A" else "B") + data[41:]] + captured.lines[first + 2:],
             "the piece that begins at line %d is damaged" % (first + 1)),
            ("no base64", captured.lines[:first + 1] + [data[:40] + "?" + data[41:]] + captured.lines[first + 2:], "line %d is damaged: " % (first + 2)),
            ("the checksum changed", captured.lines[:last] + ["#:end 1 00000000"] + captured.lines[last + 1:], "line %d: the report has " % (last + 1))):
        status, said = extract(lines)
        ok(status == 2 and said.startswith("serial-report: CAPTURE: " + why) and said.count("\n") == 1, "%s: %s" % (what, said.strip()), [why])

# What keeps it from a run.
complains(boot("bios", cpu="pentium3", options=""), "this CPU has no SSE2", "neither 64-bit mode nor SSE2")
for megabytes, why in ((4, "too little memory, or a file that cannot be read$"), *few((), ((8, "too little memory"), (12, "not 1 MiB of memory is free"), (16, "too little memory below 4 GiB")))):
    complains(boot("bios", options="suite=control", memory=megabytes), why, "%d MiB of memory" % megabytes)
for memory, files, options, why, what in few((), ((32, {"/assay/events/large.json": b" " * (40 << 20)}, "suite=control", "too little memory, or a file that cannot be read$", "a file that does not fit into memory"),
                                          (256, {}, "sweet=control", "sweet", "a bad option in its assay.cfg"))):
    complains(boot("bios", options=options, memory=memory, files=files), why, what + ": no start")

for cpu in few((), ("corei7_haswell_4770",)):
    r = boot("bios", emulator="bochs", cpu=cpu, config="exit=shutdown\n%s\n" % OPTIONS, files=FILES, timeout=240)
    same_table(r, direct, cpu + " in Bochs: the same table")

# As a CD: by a BIOS, whose GRUB sees the other file system alone, and by UEFI.
def as_cd(*firmware):
    command = ["qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-m", "256", "-nodefaults", "-display", "none", "-serial", "stdio",
               "-drive", "if=none,id=cd,media=cdrom,format=raw,file=%s/assay.img" % emulators.BUILD, "-device", "ide-cd,drive=cd", *firmware]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
        found = next((line for line in process.stdout if re.search(rb"options: .*suite=all", line)), b"")
        process.kill()
    return found.decode("latin-1")


for name, firmware in few((), (("a BIOS", ("-bios", emulators.BIOS)), ("UEFI", ("-bios", emulators.BOCHS_OVMF)))):
    ok("suite=all" in as_cd(*firmware), name + " starts it from a CD, as its assay.cfg asks")
done()
