#!/usr/bin/python3
"""The image under real firmware, in QEMU and in Bochs, against the direct start."""
from boottest import boot, done, equal, few, ok, same_table, sound, valid

direct = boot(options="pmu=virtual")
sound(direct, "direct start")
valid(direct.report, "its report is valid")

r = boot("disk", config="exit=shutdown pmu=virtual\n", cpus=2, disk="virtio")
sound(r, "UEFI in QEMU, from disk")
equal(r.exit_status, 0, "it switches the machine off")
same_table(r, direct, "the same table as the direct start")
equal(r.report and r.report["machine"]["processor_count"], 2, "two CPUs are counted")
ok(r.report and "EDK II" in r.report["machine"]["firmware"], "the firmware is named")

FEW = "pmu=virtual suite=control,events reps=2 kernel=nop_loop,calls" + few(" check=*PMC0*,access/*,power-up/*", ",loads,cpuid")
r = boot("disk", emulator="bochs", config="exit=shutdown %s\n" % FEW.replace("=control", "=machine,control"), cpu="p4_prescott_celeron_336", timeout=180)
sound(r, "UEFI in Bochs, without ACPI tables, from disk")
same_table(r, boot(options=FEW), "the same table as a direct start in QEMU")
machine = [c["verdict"] for s in (r.report or {"suites": []})["suites"] if s["name"] == "machine" for c in s["checks"]]
ok(machine.count("exact") > 80 and machine.count("skipped") <= 6, "the machine under our own tables: at most 6 checks are skipped, of what a Pentium 4 has not", machine)
valid(r.report, "the report on its disk is valid")
done()
