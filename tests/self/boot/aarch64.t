#!/usr/bin/python3
"""TAP test: the AArch64 image boots on QEMU's board virt (docs/aarch64.md), finds QEMU's own PMU exact where the emulator counts instructions,
and tells what does not fit."""
import json
import subprocess
import tempfile

from aarch64_boot import JUDGED, MACHINE_CHECKS, ROOT, boot, checks, is_valid, machine_is_sound, run, says_what_it_is
from tap import done, equal, ok

COUNTERS = "6 general and 1 fixed counters"
# CPU, what else QEMU is told, options: the name, the PMU that it has, and whether firmware starts it. volume.t starts a Cortex-A57 at EL2.
MACHINES = (
    ("cortex-a53", "gic-version=3,acpi=off", "suite=events,machine kernel=loads,exclusives*,system_calls,irq_gicv3", "Arm Cortex-A53", "Arm PMUv3, " + COUNTERS, True),
    ("max", "virtualization=on", "suite=control,sampling,overhead,truth kernel=loads reps=10", "QEMU max", "Arm PMUv3p5, " + COUNTERS, False),
)

# What the suite control finds where each instruction counts (docs/aarch64.md, "QEMU's own PMU").
REGISTERS = ["asked while enabled/PMCR_EL0.E"] + ["%s meanwhile/PMEVCNTR%d" % (what, i) for what in ("status", "cleared") for i in range(6)]

for cpu, machine, options, name, pmu, disk in MACHINES:
    lines, report, status = boot(options, cpu, machine, disk)
    what = "%s, %s, %s" % (cpu, machine, "firmware" if disk else "direct")
    says_what_it_is(lines, name, pmu, what)
    found = [check["name"] for check in checks(report) if check["verdict"] not in JUDGED | {"within"}]
    ok(status == (1 if found else 0) and found == (REGISTERS if "control" in options else []),
       "%s: every counter climbs the ladder, and nothing is wrong but what is QEMU's" % what, (status, found, lines[-40:]))
    if "machine" in options:
        machine_is_sound(report, what)
    is_valid(report, what)

# No manual says how late an interrupt may be: it is not judged, but told.
PERIOD = 503  # tests/suites/sampling_pmi.c
skids = [int(value["value"].split()[0]) for value in report["values"] if "PMI skid" in value["name"]] if report else []
ok(skids and min(skids) > PERIOD, "QEMU's event counters interrupt later than a period, and are told", skids)

WRONG = ("loads:loads.bytes:1", "exclusives:insn.exclusive.store:1", "calls:br.ret:1N")
lines, report, status = boot("suite=events,machine kernel=loads,exclusives,calls,undefined inject=" + "+".join("wrong-signature:" + w for w in WRONG),
                             "cortex-a72", "secure=on")
what = "cortex-a72, with a secure side"
says_what_it_is(lines, "Arm Cortex-A72", "Arm PMUv3, " + COUNTERS, what, fiq=False)
machine_is_sound(report, what, fiq=False)
told = [check["text"] for check in checks(report) if check["verdict"] == "error"]
equal(status, 1, "signatures that are wrong make something wrong")
for kernel, quantity, _ in (w.split(":") for w in WRONG):
    ok(any("kernel %s declares" % kernel in text and quantity in text for text in told),
       "stepping tells what is wrong with %s of %s" % (quantity, kernel), told)
wrong = [check for check in checks(report) if check["verdict"] == "wrong"]
ok(wrong and all(check.get("kernel") == "undefined" and check.get("event") == "INST_RETIRED" for check in wrong),
   "QEMU counts an undefined instruction as retired, and is told", [(check["name"], check.get("kernel")) for check in wrong])

# A page of memory outlasts a reset, under firmware and all that it does before it starts the image anew.
lines, report, status = boot("suite=control check=wrap*,access* inject=exception:control/wrap/PMEVCNTR0+hang:control/wrap/PMEVCNTR1+reset:control/accesses:5",
                             "cortex-a53", "gic-version=3,acpi=off", disk=True)
notes = [line for line in lines if line.startswith("# note: the last run (0001) ended in control/accesses #5; the register that was last written is ")]
errors = {check["name"]: check["text"] for check in checks(report) if check["verdict"] == "error"}
ok(len(notes) == 1, "the start after a reset tells where the run ended, and which register was last written", lines[-30:])
ok(status == 1 and [next((text for name, text in errors.items() if what in name), "") for what in ("PMEVCNTR0", "PMEVCNTR1", "access/")] ==
   [errors.get("wrap/PMEVCNTR0", "none"), "the watchdog", "reset the machine (run 0001)"] and "an undefined instruction" in errors.get("wrap/PMEVCNTR0", ""),
   "what raises an exception, hangs with interrupts held off, or resets the machine is an error of its own check, and nothing else is wrong", errors)
equal(len(errors), 3, "no other check is an error")


def own_program(source, *defines, icount=True, cpu="cortex-a57", machine="virt"):
    """The status of a program of a few lines, in which nothing is Assay's."""
    with tempfile.TemporaryDirectory() as tmp:
        program = tmp + "/own"
        subprocess.run(["aarch64-linux-gnu-gcc", "-nostdlib", "-static", "-Wl,-Ttext=0x40200000", *("-D" + d for d in defines), "-o", program,
                        ROOT / "tests/self/boot" / source], check=True)
        return subprocess.run([run.QEMU, "-M", machine, "-cpu", cpu, "-display", "none", "-semihosting-config", "enable=on,target=native",
                               *(("-icount", "shift=0") if icount else ()), "-smp", "2", "-kernel", program], check=False, timeout=60).returncode


# Besides: two ISBs and the write that starts; of each exception four instructions of the handler.
equal(own_program("aarch64_own.S", "INSN=nop"), 10 + 3, "a program of its own counts ten NOPs, with the write that starts the counter")
equal(own_program("aarch64_own.S", "INSN=udf #0"), 10 + 3 + 10 * 4, "and ten undefined instructions as if they had retired")
TURNS = 5000
equal(own_program("aarch64_late.S", "CYCLES", "TURNS=%d" % TURNS), 500 // 3 + 1, "in another one the cycle counter's overflow interrupts on time")
equal(own_program("aarch64_late.S", "TURNS=%d" % TURNS), TURNS % 256, "and an event counter's only when the PMU is written again, behind all turns")
equal([own_program("aarch64_asks.S", *how) for how in ((), ("LATE",))], [1, 0],
      "an overflow asks for its interrupt, but not if PMCR_EL0.E becomes 1 behind it")
equal([own_program("aarch64_asks.S", "RUNS", *how) for how in (("STOPPED",), ())], [1, 0],
      "PMOVSSET_EL0 tells that a counter overflowed once that is stopped, but not while it runs")
equal(own_program("aarch64_asks.S", "RUNS", "CLEARED", "STOPPED"), 1, "and tells so although PMOVSCLR_EL0 has cleared it behind the overflow")
equal(own_program("aarch64_asks.S", "LISTED"), 1, "with -icount PMCEID0_EL0 lists an event of instructions")
equal(own_program("aarch64_asks.S", "LISTED", icount=False), 0, "and without it none")
equal(own_program("aarch64_two.S", "ALONE"), 0, "in a third one a processor alone counts fewer than 1024 instructions")
equal(own_program("aarch64_two.S"), 20000 // 1024, "and those of another processor beside it as its own")
lines, text, status = run.boot("suite=control check=clock* cpus=all inject=processor:1:faults", cpus="2", timeout=60)
faulty = [c for s in json.loads(text)["suites"] for c in s["checks"] if c["verdict"] == "error"] if text else []
ok(status == 1 and len(faulty) == 1 and faulty[0]["name"] == "processor 1" and "an undefined instruction" in faulty[0]["text"] and
   any(line.startswith("# processor 0 is judged") or "ladder on processor 0" in line for line in lines),
   "a processor that faults where it is handed the run is told, and the other one is judged", faulty)
lines, text, status = run.boot("suite=control check=clock*,state*,overflow?long* cpus=all", cpus="2", timeout=60)
ok(any(line.startswith("# watchdog: ") and line.endswith(", late, as time is the host's") for line in lines),
   "where the host may let the emulator wait, the watchdog is patient, and that is told", [line for line in lines if "watchdog" in line])
ok(status == 0 and any("clock rate: counters of cycles count the emulator's own time: " in line for line in lines),
   "where instructions are not counted, cycles are the emulator's time: that is a fact, and nothing is wrong", lines[-30:])
equal([p["number"] for p in json.loads(text)["processors"] if p["judged"]] if text else None, [0, 1], "both processors are judged")
LONG_AGO, BESIDE = "overflow long ago/PMEVCNTR0", "counts beside others/PMEVCNTR0"
equal([c["verdict"] for c in checks(json.loads(text)) if c["name"] == LONG_AGO] if text else None, ["exact"] * 2, "an overflow long ago is still told there")
lines, text, status = run.boot("suite=control check=overflow?long*,counts?beside*", cpus="2", icount=True, timeout=60)
found = sorted((c["name"], c["verdict"], c["text"].split(" 0x")[0]) for c in checks(json.loads(text)) if c["verdict"] not in JUDGED) if text else None
equal((status, found), (1, [(BESIDE, "wrong", "while other processors work it counts as many as alone"),
                            (LONG_AGO, "wrong", "it overflowed long before it was stopped: its status")]),
      "where instructions are counted, that overflow is lost, and another processor's instructions are counted: both are told")
# The checks of the watchdog take milliseconds, which an emulator that waits for its host does not keep.
lines, text, status = run.boot("suite=machine cpus=all", cpus="2", icount=True, timeout=60)
found = [c["verdict"] for c in checks(json.loads(text), "machine")] if text else []
ok(status == 0 and len(found) == 2 * MACHINE_CHECKS and found.count("exact") > MACHINE_CHECKS, "the machine of both is sound", lines[-30:])
lines, text, status = run.boot("suite=control check=required*", timeout=60)
found = [c["name"] for s in json.loads(text)["suites"] for c in s["checks"] if c["verdict"] == "wrong"] if text else None
equal((status, found), (1, ["required events/PMCEID0_EL0"]), "where instructions are not counted, an event is missing that PMUv3 must have, and is told")
lines, text, status = run.boot("suite=none", machine="secure=on", image=str(ROOT / "build/aarch64/direct.elf"), timeout=60)
ok(status == 2 and any("it was started at EL3" in line for line in lines), "started at EL3 it refuses, and says why", lines)


def behind(source, options):
    """Assay, started by a program that has changed EL2 before."""
    with tempfile.TemporaryDirectory() as tmp:
        subprocess.run(["aarch64-linux-gnu-gcc", "-nostdlib", "-static", "-Wl,-Ttext=0x48000000,--build-id=none", "-DNEXT=0x40200000", "-o", tmp + "/first",
                        ROOT / "tests/self/boot" / source], check=True)
        return run.boot(options, "max", machine="virtualization=on", icount=True, timeout=60, image=tmp + "/first",
                        extra=["-device", "loader,addr=0x40200000,force-raw=on,file=" + str(ROOT / "build/aarch64/direct.bin")])


lines, text, status = behind("aarch64_kept.S", "suite=control check=clock*,counters?of*")
found = [(check["name"], check["verdict"]) for check in checks(json.loads(text)) if check["verdict"] not in JUDGED] if text else None
ok(any("2 general and 1 fixed counters" in line for line in lines), "where EL2 keeps all event counters but two, these are judged", lines[:20])
equal((status, found), (1, [("counters of EL1/registers of bits", "wrong")]), "registers of bits reach those that EL2 keeps, and that is told")
VIRTUAL = {"cpu": "max", "machine": "virt,virtualization=on"}
equal([own_program("aarch64_kept.S", *how, **VIRTUAL) for how in ((), ("RANGE",), ("HELD",), ("RESET",))], [2, 0x3f, 5, 0],
      "a program of its own: PMCR_EL0.N is what EL2 leaves, PMCNTENSET_EL0 and PMCR_EL0.P reach beyond it")
lines, text, status = behind("aarch64_host.S", "suite=control check=clock*")
ok(status == 0 and {check["verdict"] for check in checks(json.loads(text))} == JUDGED, "started at EL2 as a host it leaves EL2, and judges", lines)
with tempfile.TemporaryDirectory() as tmp:
    image = run.emulators.copy_image(tmp + "/disk.img")
    run.emulators.put_files(image, {"/EFI/BOOT/BOOTAA64.EFI": (ROOT / "build/aarch64/HOSTAA64.EFI").read_bytes()})
    run.emulators.write_file(image, "/assay/assay.cfg", "exit=shutdown suite=none\n")
    r = run.boot_disk("", "max", machine="virtualization=on", icount=True, timeout=60, image=image)
ok(r.status == 2 and len([line for line in r.lines if "could not run: firmware runs at EL2 as a host (HCR_EL2.E2H)" in line]) == 1,
   "firmware at EL2 that is a host is refused in one line, and the machine goes off", r.lines[-8:])
# A run may take as long as it likes while it says something new.
lines, text, status = run.boot("suite=events", timeout=60, patience=0)
equal((status, text), (2, None), "a machine that says nothing new for as long as one waits is ended")
for arguments, why in ((["-t", "0", "suite=events"], "no verdict, and nothing new for 0 s; be more patient with -t, or look at it with -v"),
                       (["-c", "nonsense"], "qemu-system-aarch64: unable to find CPU model 'nonsense'")):
    r = subprocess.run([ROOT / "scripts/run-aarch64", "-b", "direct", *arguments], capture_output=True, text=True, check=False, timeout=60)
    equal((r.returncode, r.stdout.splitlines()[-1:]), (2, ["assay: could not run: " + why]), "one line says why: " + why)
lines, text, status = run.boot("suite=nonsense", timeout=60)
equal(status, 2, "with options that are none it could not run")
lines, text, status = run.boot("suite=none hpet=0 hpat=0", timeout=60)
ok(status == 2 and any('token 4: no option "hpat"' in line for line in lines), "nor with one that no instruction set has", lines)
lines, text, status = run.boot("suite=none fiq=0", timeout=60)
ok(status == 0 and any(line.startswith("# watchdog: IRQ from the physical timer") for line in lines), "with fiq=0 no interrupt is an FIQ", lines)
done()
