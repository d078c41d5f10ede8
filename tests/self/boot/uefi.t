#!/usr/bin/python3
"""The image under real firmware, in QEMU and in Bochs, against the direct start."""
from boottest import boot, done, equal, ok, same_table, sound, valid

direct = boot(options="pmu=virtual")
sound(direct, "direct start")
valid(direct.report, "its report is valid")

r = boot("disk", config="exit=shutdown pmu=virtual\n", cpus=2, disk="virtio")
sound(r, "UEFI in QEMU, from disk")
equal(r.exit_status, 0, "it switches the machine off")
same_table(r, direct, "the same table as the direct start")
equal(r.report and r.report["machine"]["cpu"]["count"], 2, "two CPUs are counted")
ok(r.report and "EDK II" in r.report["machine"]["firmware"], "the firmware is named")

r = boot("disk", emulator="bochs", config="exit=shutdown pmu=virtual\n", cpu="corei7_haswell_4770", timeout=180)
sound(r, "UEFI in Bochs, from disk")
same_table(r, direct, "the same table again")
valid(r.report, "the report on its disk is valid")
done()
