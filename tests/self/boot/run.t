#!/usr/bin/python3
"""`make run` as its user meets it: what it shows, what it leaves behind, and its exit status."""
import json
import os
import signal
import subprocess
import tempfile

from boottest import BUILD, TOP, boot, done, emulators, equal, ok, valid

OF_MAKE = ("MFLAGS", "ARGS", "CFG", "EVENTS", "EMU", "CPU", "CPUS", "V", "BOOT", "STRICT")  # what `make check` hands down
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k not in OF_MAKE}


def run(command, name, status, last):
    r = subprocess.run(command, cwd=TOP, env=ENVIRONMENT, capture_output=True, text=True, timeout=300, check=False)
    lines = r.stdout.rstrip("\n").split("\n")
    equal(r.returncode, status, name + ": exit status %d" % status)
    if command[0] == "make" and status == 2:
        ok(last[len("assay: "):] in r.stderr.rstrip().split("\n")[-1], name + ": so does make's own line, which comes last", r.stderr.split("\n")[-5:])
    ok(lines[-1].startswith(last), name + ": the last line says so", lines[-5:] + r.stderr.split("\n")[-5:])
    return lines


CONTROL = "pmu=virtual suite=control"
OWN = "pmu=virtual suite=control,experiments"
for given, boots in (((), "disk"), (("ARGS=" + CONTROL,), "direct"), (("CFG=x",), "direct"), (("EVENTS=x",), "direct"), (("ARGS=n=1", "BOOT=disk"), "disk"),
                     (("BOOT=direct",), "direct"), (("ARGS= ",), "disk")):
    r = subprocess.run(["make", "-s", "--eval", "boots: ; @echo $(BOOT)", "boots", *given], cwd=TOP, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)
    equal(r.stdout.strip(), boots, "make run %s boots %s" % (" ".join(given), boots))
lines = run(["make", "run", "ARGS=" + CONTROL], "make run", 0, "assay: ")
ok(any(line.startswith("running the image without firmware") for line in lines), "with ARGS it starts without firmware, and says so", lines[:5])
ok(not any(line.startswith(("ok ", "TAP version", "1..", "# ")) for line in lines), "the text is for people: no TAP lines", lines[:20])
ok(any("virtual PMU (model intel-core2), not silicon" in line for line in lines), "it says what was judged")
with open(BUILD + "/report.json", encoding="utf-8") as f:
    valid(json.load(f), "build/report.json is valid")
with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "own.bin"), "wb") as f:
        f.write(bytes.fromhex("ffcf75fcc3"))
    with open(os.path.join(folder, "own.cfg"), "w", encoding="ascii") as f:
        f.write("pmu=auto suite=none n=7\n[experiment own] code=own.bin ring=3 events=INST_RETIRED.ANY_P\n")
    lines = run(["make", "run", "BOOT=direct", "V=1", "CFG=" + f.name, "EVENTS=tests/self/host/data/events-intel.json", "ARGS=" + OWN], "make run V=1", 0, "assay: ")
with open(BUILD + "/report.json", encoding="utf-8") as f:
    report = json.load(f)
options = " %s " % report["options"]
equal([o["values"] for x in report["experiments"] for c in x["counts"] for o in c["observations"]], [[[2 * n + 3, 3]] for n in (7, 14, 21)],
      "code that an experiment of CFG names is taken from its folder")
ok(all(" %s " % option in options for option in (*OWN.split(), "n=7")), "options of CFG are taken, and those of ARGS win over them", options)
ok(any("events\\events-intel.json: " in line for line in lines), "EVENTS are taken", lines[:20])
ok("TAP version 14" in lines and any(line.startswith("ok 1 ") for line in lines), "with V=1 the TAP lines are shown")

WRONG = "pmu=virtual suite=events inject=wrong-signature:mix:instructions:1"
lines = run(["make", "run", "BOOT=direct", "ARGS=" + WRONG], "a kernel that declares one instruction too many", 1, "assay: ")
ok(any("mix" in line and "instructions" in line for line in lines), "the kernel and the quantity are named", lines[-30:])

REPORTS = [os.path.join(BUILD, "report." + kind) for kind in ("json", "txt")]


def starts_not(command, name, last, leaves_text=False):
    """It ends with 2, and of the run before it, which went well, no report is left to be mistaken for its own."""
    for path in REPORTS:
        with open(path, "w", encoding="ascii") as f:
            f.write("of the run before\n")
    r = subprocess.run(command, cwd=TOP, env=ENVIRONMENT, capture_output=True, text=True, timeout=300, check=False)
    said = (r.stdout + r.stderr).strip().split("\n")
    ok(r.returncode == 2 and any(line.startswith(last) for line in said), name + ": it says so, and ends with 2", said[-5:])
    found = {}
    for path in REPORTS:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                found[path] = f.read()
    equal([path for path, text in found.items() if path == REPORTS[0] or not leaves_text or "of the run before" in text], [],
          name + ": no report of the run before is left")


COULD_NOT = "assay: could not run: "
starts_not(["scripts/run", "-b", "efi", "-f", "boot/assay.cfg"], "a file that cannot be handed over", COULD_NOT + "-b efi")
starts_not(["scripts/run", "-b", "direct", "-f", "no-such.cfg"], "a configuration that is not there", COULD_NOT + "no-such.cfg: No such file")
starts_not(["scripts/run", "-b", "direct", "-d", "docs/examples"], "no event file", COULD_NOT + "docs/examples: no event file")
starts_not(["scripts/run", "-b", "direct", "-d", "no-such-folder"], "no directory of event files", COULD_NOT + "no-such-folder: no event file")
starts_not(["scripts/run", "-b", "floppy"], "a way to boot that is none", "usage: run")
starts_not(["scripts/run", "-n", "many"], "a number of processors that is none", "usage: run")
starts_not(["scripts/run", "-e", "vmware", "-b", "direct"], "an emulator that does not exist", COULD_NOT + "there is no emulator")
starts_not(["scripts/run", "-c", "8086", "-b", "direct"], "a CPU model that does not exist", COULD_NOT + "qemu has no CPU model 8086: there are ", leaves_text=True)
starts_not(["scripts/run", "-c", "skylake-servr", "-b", "direct"], "one that is misspelled", COULD_NOT + "qemu has no CPU model skylake-servr: did you mean Skylake-Server", leaves_text=True)
starts_not(["scripts/run", "-c", "max,+nonesuch", "-b", "direct"], "a CPU's feature that does not exist", COULD_NOT + "qemu: CPU=max,+nonesuch: there is no feature nonesuch", leaves_text=True)
starts_not(["scripts/run", "-e", "bochs", "-c", "corei7_haswel_4770", "-b", "direct"], "a CPU model that Bochs has not", COULD_NOT + "bochs has no CPU model corei7_haswel_4770: did you mean corei7_haswell_4770", leaves_text=True)
starts_not(["scripts/run", "-b", "direct", "suite=nonesuch"], "a suite that does not exist", COULD_NOT + "suite=nonesuch", leaves_text=True)

starts_not(["scripts/run", "-b", "direct", "-n", "0"], "no processor", "usage: run")
starts_not(["scripts/run", "-b", "direct", "-n", "2:0"], "processors without threads", "usage: run")
for device, why in (("/dev/no-such-device", "No such file"), ("/dev/null", "Inappropriate ioctl")):
    try:
        emulators.need_kvm(device)
        ok(False, "KVM through %s" % device)
    except emulators.Missing as e:
        ok(str(e).startswith("EMU=kvm wants %s: %s" % (device, why)), "where KVM cannot be had, it is said why", str(e))
with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/broken.json", "w", encoding="ascii") as f:
        f.write('[{"EventName": "A"')
    starts_not(["scripts/run", "-b", "direct", "-d", folder], "an event file that is none", COULD_NOT + folder + "/broken.json: no JSON: ")
    touched = folder + "/touched"
    starts_not(["make", "run", "BOOT=direct", "ARGS=suite=none; touch " + touched], "a command among the options", COULD_NOT + "command line, token 2", leaves_text=True)
    starts_not(["make", "run", "BOOT=direct", "CPU=max; touch " + touched], "a command in a CPU's name", COULD_NOT + "qemu has no CPU model max; touch", leaves_text=True)
    ok(not os.path.exists(touched), "neither is carried out")
for variable in ("ARG=suite=none", "pmu=virtual", "Cpus=2"):
    r = subprocess.run(["make", "run", "BOOT=direct", variable], cwd=TOP, env=ENVIRONMENT, capture_output=True, text=True, timeout=300, check=False)
    ok(r.returncode == 2 and "there is no variable %s: there are ARGS" % variable.split("=")[0] in r.stderr, variable + ": a variable that there is not", r.stderr)
run(["make", "run", "BOOT=direct", "STRICT=1", "ARGS=pmu=virtual suite=control check=wrap*"], "strictly, nothing skipped", 0, "assay: 10 checks")
run(["make", "run", "BOOT=direct", "STRICT=1", "ARGS=" + CONTROL], "strictly, some skipped", 1, "assay: strict: ")

run(["make", "run", "ARGS=suite=nonesuch", "BOOT=direct"], "a suite that does not exist", 2, "assay: could not run: ")
run(["make", "run", "EMU=vmware"], "an emulator that does not exist", 2, "assay: could not run: there is no emulator vmware")
run(["make", "run", "CPU=8086"], "a CPU model that does not exist", 2, "assay: could not run: qemu has no CPU model 8086")
run(["scripts/run", "-t", "0"], "nothing said in time", 2, "assay: could not run: no verdict, and nothing new for 0 s")
ok(not os.path.exists(BUILD + "/report.json"), "no report of an earlier run is left to be mistaken for this one's")

# Interrupted, a run leaves what it has written, and is kept with all others.
runs = os.path.join(BUILD, "runs")
before = set(os.listdir(runs))
process = subprocess.Popen(["scripts/run", "-v", "pmu=virtual", "suite=control,events", "verbose=1"], cwd=TOP, env=ENVIRONMENT, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))  # a shell's background job ignores it
lines = []
for line in process.stdout:
    lines.append(line.rstrip())
    if "- events: " in line:
        process.send_signal(signal.SIGINT)
        break
lines += [line.rstrip() for line in process.communicate()[0].split("\n") if line]
ok(process.returncode == 2 and lines[-1].startswith("assay: could not run: interrupted"), "interrupted: the last line says so", lines[-5:])
new = sorted(set(os.listdir(runs)) - before)
equal(len(new), 1, "the run is kept")
for folder in [os.path.join(runs, name) for name in new] + [BUILD]:
    with open(folder + "/report.json", encoding="utf-8") as f:
        report = json.load(f)
    valid(report, "what there is of its report is valid")
    ok(not report["complete"] and any(s["name"] == "control" and s["complete"] for s in report["suites"]), "and has the suite that was finished")

# A Bochs that dies as it starts is started once more, and no oftener.
with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/bochs", "w", encoding="ascii") as f:
        f.write("#!/bin/sh\necho >> %s/starts\nkill -SEGV $$\n" % folder)
    os.chmod(folder + "/bochs", 0o755)
    path, os.environ["PATH"] = os.environ["PATH"], folder + ":" + os.environ["PATH"]
    r = boot(emulator="bochs", options="suite=none")
    os.environ["PATH"] = path
    with open(folder + "/starts", encoding="ascii") as f:
        equal([r.verdict, r.exit_status, len(f.readlines())], [None, -signal.SIGSEGV, 2], "a Bochs that crashes as it starts is tried twice")
done()
