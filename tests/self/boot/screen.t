#!/usr/bin/python3
"""The screen while the machine is taken, read back from QEMU's: what is done, how far it is, and the dump of what went wrong. On a framebuffer, and
on a BIOS's text screen. All other boots under firmware are without a screen."""
import os
import re
import struct
import subprocess
import tempfile
import time

from boottest import boot, done, emulators, equal, few, ok, same_table, tail, valid
from monitor import Monitor

OPTIONS = "pmu=virtual suite=control check=access*,wrap*,LVT* inject=exception:control/accesses:17+hang:control/wrap/PMC1"
running, dumped, wanted, dump, mapped = [], {}, [], [], []

with Monitor() as monitor:

    def look(line):
        if "ok " in line and "control: wrap/PMC0" in line and not running:  # the next one hangs: it is there for a while
            until = time.monotonic() + 2  # the line comes before the next check is drawn, which the machine does not wait for
            while not running or "PMC1" not in running[2] and time.monotonic() < until:
                running[:] = monitor.screen()
            mapped.append((monitor.do("info pci"), monitor.do("info tlb")))
        if wanted:
            dump.append(line.rstrip())
        if wanted and re.match("  backtrace:|(not )?ok ", line):  # twice: what comes behind it may have moved the first lines away
            drawn, until = dumped.setdefault(wanted[0], []), time.monotonic() + 5  # a line comes before it is drawn, which no line waits for
            while True:
                drawn.extend(monitor.screen())
                if all(line in drawn for line in dump[:-1]) or time.monotonic() > until:
                    break
            if "ok " in line:
                wanted.clear()
                dump.clear()
        for what in ("unexpected #UD (vector 6)", "watchdog: the deadline passed"):
            if what in line:
                wanted.append(what)
                dump.append(line.rstrip())

    # It halts at its end: this reader of its lines may be behind.
    r = boot("disk", config="exit=halt %s\n" % OPTIONS, extra=("-vga", "std", *monitor.options), on_line=look, timeout=240)

head, stage, check, progress, rule, *text = running or [""] * 6
ok(re.match(r" Assay \S+   \S+-\d+-[0-9A-F]+-[0-9A-F]+   \\assay\\runs\\0001-", head), "the first line says what runs, on which CPU, and where the report is", head)
equal(stage, " suite 1 of 1: control, on processor 0", "the second one has the suite")
ok(re.match(r" check \d+: wrap/PMC1, counter PMC1$", check), "the third one check and counter", check)
ok(re.match(r" [\u2588\u2592]{20} \d+ %  \d+ checks, 0 bad  0:\d\d:\d\d(, about \d:\d\d:\d\d left)?$", progress), "the fourth one how far it is", progress)
equal(set(rule), {"\u2500"}, "a rule is below them")
pci, tlb = mapped[0] if mapped else ("", "")
at = re.search(r"VGA controller.*?prefetchable memory at 0x([0-9a-f]+)", pci, re.S)
entry = at and re.search(r"^0*%s: \S+ (\S+)" % at[1].lstrip("0"), tlb, re.M)
# Of the table of memory types only PWT: the second entry, which is write-combining (arch/x86/machine/paging_internal.h).
ok(entry and entry[1][-4:] == "-T-W", "it is mapped write-combining, for the kernel alone", [repr(at), repr(entry)])
shown = [line for line in text if line]
said = [line.rstrip() for line in r.text if line.strip()]
ok(len(shown) > 5 and shown == said[:len(shown)], "then there is the text as it has been so far, and nothing else", shown)

for what, begin in (("an exception", "unexpected #UD (vector 6)"), ("what the watchdog ended", "watchdog: the deadline passed")):
    start = next((i for i, line in enumerate(r.text) if line.startswith(begin)), 0)
    backtrace = next((i for i, line in enumerate(r.text) if i > start and line == "  backtrace:"), start)
    end = next((i for i, line in enumerate(r.text) if i > backtrace and not line.startswith("    ")), start)
    told, drawn = [line.rstrip() for line in r.text[start:end]], dumped.get(begin, [])
    ok(start and any("rip " in line for line in told) and any("breadcrumbs_fail" in line for line in told), what + " is dumped", told + tail(r))
    ok(told and all(line in drawn for line in told), "all of it is on the screen", [line for line in told if line not in drawn] + drawn)

valid(r.report, "the report is valid")
equal(r.counts and r.counts["error"], 2, "two checks could not be carried out: %s" % r.verdict)


# A start by a BIOS, which has left the screen in its text mode.
def header(rows, after):
    """The lines at the top of a screen of text, of which the first one is told by the CPU, as nothing is kept."""
    ok(re.match(r" Assay \S+   \S+-\d+-[0-9A-F]+-[0-9A-F]+$", rows[0]) and rows[1] == " suite 1 of 1: control, on processor 0" and
       re.match(r" check \d+: wrap/PMC([01]), counter PMC\1$", rows[2]) and re.match(r" [\u2588\u2592]{20} \d+ %  \d+ checks, 0 bad  0:\d\d:\d\d", rows[3]) and
       set(rows[4]) == {"\u2500"} and len(rows[4]) in (80, 128), after + ": the lines at the top say what is done", rows[:5])


during, at_end = [], []
with Monitor() as monitor:

    def look(line):
        if "ok " in line and "control: wrap/PMC0" in line and not during:
            during.extend((*monitor.cells(), monitor.do("info tlb")))

    def drawn(line):
        """The run is over when the last line is on the screen."""
        until = time.monotonic() + 20
        while line.startswith("# assay: ") and "checks" in line and time.monotonic() < until and not at_end:
            rows, colours = monitor.cells()
            if any(row.startswith("assay: ") for row in rows):
                at_end.extend((rows, colours))
            time.sleep(0.05)
        return bool(at_end)

    # The machine's time runs sixteen times as fast as in other boots, so that the watchdog comes soon.
    b = boot(options="exit=halt " + OPTIONS, steady=False, extra=("-icount", "shift=8,sleep=off", "-vga", "std", *monitor.options), on_line=look, stop_when=drawn)
same_table(r, b, "the table is that of a direct start")
rows, colours, tlb = during or ([""] * 25, [0] * 25, "")
header(rows, "a BIOS's text screen")
equal(colours[:5], [0x1f, 7, 7, 7, 8], "in their colours")
entry = re.search(r"^0*b8000: \S+ (\S+)", tlb, re.M)
ok(entry and entry[1][-4:] == "-T-W", "it is mapped write-combining, too", [repr(entry)])
shown, said = [row for row in rows[5:] if row], [line.rstrip() for line in b.text if line.strip()]
ok(len(shown) > 5 and "".join(shown) in "".join(said), "below them is the text as it goes by", shown)
rows, colours = at_end or ([""] * 25, [0] * 25)
ok("#UD in ring 0 at breadcrumbs_fail" in "".join(rows) and "".join(rows[-3:]).startswith("assay: 21 checks: ") and colours[3] == 0x4f,
   "at the end what was wrong stays on the screen", rows)


# A loader that tells of a framebuffer: GRUB, if the image's header asks for one, as it does not by itself (QEMU's own loader knows of none).
def by_grub():
    with open(os.path.join(emulators.BUILD, "direct.bin"), "rb") as f:
        image = bytearray(f.read())
    magic, flags = struct.unpack("<2I", image[:8])
    flags |= 4
    struct.pack_into("<3I", image, 0, magic, flags, -(magic + flags) & 0xffffffff)
    struct.pack_into("<4I", image, 32, 0, 1024, 768, 32)
    with tempfile.TemporaryDirectory() as folder, Monitor() as monitor:
        os.makedirs(folder + "/tree/boot/grub")
        with open(folder + "/tree/direct.bin", "wb") as f:
            f.write(image)
        with open(folder + "/tree/boot/grub/grub.cfg", "w", encoding="ascii") as f:
            f.write("insmod vbe\ninsmod video\nset timeout=0\nmultiboot /direct.bin direct.bin pmu=virtual suite=control check=wrap* "
                    "inject=hang:control/wrap/PMC1\nboot\n")
        iso = folder + "/direct.iso"
        subprocess.run(["grub-mkrescue", "-d", "/usr/lib/grub/i386-pc", "-o", iso, folder + "/tree", "--locales=", "--themes=", "--fonts=",
                        "--install-modules=multiboot biosdisk iso9660 normal vbe video"], check=True, capture_output=True)
        with subprocess.Popen(["qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-m", "256", "-nodefaults", "-display", "none", "-vga", "std",
                               "-serial", "stdio", "-cdrom", iso, *monitor.options], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
            found = next((monitor.screen() for line in process.stdout if b"control: wrap/PMC0" in line), [])
            process.kill()
    return found


for start in few([], [by_grub]):
    header(start() or [""] * 5, "a framebuffer that a loader tells of")
done()
