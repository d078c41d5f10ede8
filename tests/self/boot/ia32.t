#!/usr/bin/python3
"""The image for CPUs without 64-bit mode, without firmware in QEMU and in Bochs, beside the image of 64 bits, and from the stick."""
from boottest import boot, done, equal, ok, sound, tail, valid

OPTIONS = ("pmu=virtual:netburst-willamette suite=control,events kernel=nop_loop,calls,branches_taken,forward_blocked event=instr_retired:*,branch_retired:* "
           "check=wrap*,PEBS*,branch?trace*,ground*,RDPMC*,replay*,instr*,branch_r* reps=1")
# Bochs is slow: few counters, and one kernel.
FEW = "pmu=virtual:intel-core2 suite=events kernel=nop_loop event=INST_RETIRED.*,BR_INST_RETIRED.* reps=1"
NO_SSE2 = "this CPU has no SSE2; use a Pentium 4, a Core or later"


def verdicts(report):
    """{suite/check: verdict} of what is judged."""
    return {(suite["name"], check["name"]): check["verdict"] for suite in (report or {"suites": []})["suites"] for check in suite["checks"]}


r, wide = boot(options=OPTIONS, cpu="coreduo", direct="direct32.bin"), boot(options=OPTIONS)
sound(r, "QEMU's Core Duo")
valid(r.report, "its report keeps to the schema of IA-32")
equal(r.report and r.report["isa"], "ia32", "it says for which instruction set it was made")
here, there = verdicts(r.report), verdicts(wide.report)
both = [name for name in there if name in here]
ok(len(both) > 60 and len(both) * 10 >= len(there) * 9, "it judges nearly all that the image of 64 bits does",
   ["%d of %d" % (len(both), len(there)), *map(str, sorted(set(there) - set(here))[:10])])
equal({name: here[name] for name in both if here[name] != there[name]}, {}, "with the same verdicts")

r = boot(options=FEW, emulator="bochs", cpu="p4_willamette", direct="direct32.bin")
sound(r, "Bochs's Willamette")
equal(r.report and r.report["isa"], "ia32", "its report has come")

r = boot("bios", options=FEW, cpu="coreduo")
sound(r, "the stick under a BIOS, with Core Duo")
equal((r.report and r.report["isa"], r.text[-1:]), ("ia32", ["report: in \\assay\\bios.txt; scripts/serial-report takes it from there"]),
      "which writes the report to the stick")

r = boot(options=OPTIONS, cpu="pentium3", direct="direct32.bin", timeout=30)
equal((r.verdict, r.status), ("could not run: " + NO_SSE2, 2), "a CPU without SSE2 is refused in one line")
ok(len([line for line in r.lines if "could not run" in line]) == 1, "which is the only one", tail(r))
done()
