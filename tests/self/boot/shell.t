#!/usr/bin/python3
"""Three runs in a row in one boot, from the UEFI shell, the second on the other processor where there is one, with the firmware's
timers and processors used in between; then with a processor that firmware calls unhealthy, and has disabled. In Bochs in x2APIC mode, which then
also stays on for the firmware."""
import re

from boottest import BUILD, boot, done, emulators, equal, few, ok, tail
from monitor import Monitor

SCRIPT = """@echo -off
fs0:
\\EFI\\assay.efi exit=return pmu=virtual suite=control report=\\first
\\EFI\\services.efi
\\EFI\\assay.efi exit=return pmu=virtual suite=control cpus=@ report=\\second
echo the second is over
stall 400000
\\EFI\\services.efi
\\EFI\\assay.efi exit=return pmu=virtual suite=control report=\\third
\\EFI\\services.efi ill
\\EFI\\assay.efi exit=return pmu=virtual suite=none cpus=all report=none
\\EFI\\services.efi off
\\EFI\\assay.efi exit=return pmu=virtual suite=none cpus=@ report=none
reset -s
"""


def prepare(image, config, processor):
    emulators.mtools("mdel", image, "::/EFI/BOOT/BOOTX64.EFI")
    emulators.mtools("mcopy", image, BUILD + "/BOOTX64.EFI", "::/EFI/assay.efi")
    emulators.mtools("mcopy", image, BUILD + "/services_app.efi", "::/EFI/services.efi")
    emulators.write_file(image, "/startup.nsh", SCRIPT.replace("@ ", "%d " % processor).replace("\n", "\r\n"))
    emulators.write_file(image, "/assay/assay.cfg", config)


runs = []


def inspect(image):
    for name in ("first", "second", "third"):
        found = emulators.runs(image, "/" + name)
        runs.append(len(found) == 1 and emulators.read_report(image, found[0], "txt"))


def told(r, text):
    return [line for line in r.text if text in line]


for emulator, cpus, options in few((("qemu", 2, ""),), (("qemu", 2, ""), ("bochs", 1, "x2apic=1\n"))):
    runs.clear()
    seen = []
    with Monitor() as monitor:

        def look(line):
            if "the second is over" in line and cpus > 1 and not seen:
                seen.extend(re.findall(r"HLT=(\d).*?CR0=([0-9a-f]+)", monitor.do("info registers -a"), re.S))

        r = boot("disk", emulator=emulator, cpus=cpus, prepare=lambda image: prepare(image, options, cpus - 1), inspect=inspect, until_exit=True, timeout=300,
                 on_line=look, extra=monitor.options if emulator == "qemu" else ())
    verdicts = [line for line in r.lines if emulators.VERDICT.match(line) and re.search(r"\b[1-9]\d* checks: ", line)]
    equal(len(verdicts), 3, emulator + ": three verdicts in one boot")
    equal(len(set(verdicts)), 1, "all the same")
    ok(verdicts and not re.search(r"could not run|[1-9]\d* (biased|noisy|dead|wrong|erratum|error)\b", verdicts[0]), "and sound", tail(r))
    equal(sum("services_app: timer services work" in line for line in r.lines), 4, "the firmware's timers work after each")
    equal(sum("services_app: the other processors come" in line for line in r.lines), 4 * (cpus - 1), "so do its other processors")
    equal(sum("processor 1 is judged" in line for line in r.text), cpus - 1, "one of which was judged")
    if emulator == "qemu":
        equal([(halted, int(cr0, 16) >> 31) for halted, cr0 in seen[1:]], [("1", 1)], "and went through firmware's set-up afterwards, to where that lets it halt, with paging on")
        equal(len(told(r, "called unhealthy by its MP services: 1, the first with APIC ID 1; not used")), 1, "one that firmware calls unhealthy is not used, which is said")
        equal(len(told(r, "disabled by its MP services: 1, the first with APIC ID 1; not used")), 1, "nor one that it has disabled")
        equal([line for line in r.text if "could not run" in line],
              ["assay: could not run: processor 1 (APIC ID 1) did not start: firmware has not enabled it"], "and if no other is asked for, nothing is run")
        equal(r.exit_status, 0, "and the firmware switches the machine off")
    else:
        ok(sum("x2APIC mode is on" in line for line in r.text) >= 3, "in x2APIC mode", tail(r))
    ok(all(runs) and len(runs) == 3, "three reports were written")
done()
