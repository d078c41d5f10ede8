#!/usr/bin/python3
"""The screen while the machine is taken, read back from QEMU's: what is done, how far it is, and the dump of what went wrong. All other boots
under firmware are without a screen."""
import re

from boottest import boot, done, equal, ok, same_table, tail, valid
from monitor import Monitor

OPTIONS = "pmu=virtual suite=control check=access*,wrap*,LVT* inject=exception:control/accesses:17+hang:control/wrap/PMC1"
running, dumped, wanted, mapped = [], {}, [], []

with Monitor() as monitor:

    def look(line):
        if "ok " in line and "control: wrap/PMC0" in line and not running:  # the next one hangs: it is there for a while
            running.extend(monitor.screen())
            mapped.append((monitor.do("info pci"), monitor.do("info tlb")))
        if re.match("(not )?ok ", line):
            while wanted:
                dumped[wanted.pop()] = monitor.screen()
        for what in ("unexpected #UD (vector 6)", "watchdog: the deadline passed"):
            if what in line:
                wanted.append(what)

    r = boot("disk", config="exit=shutdown %s\n" % OPTIONS, extra=("-vga", "std", *monitor.options), on_line=look, timeout=240)

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
    dump, drawn = [line.rstrip() for line in r.text[start:end]], dumped.get(begin, [])
    ok(start and any("rip " in line for line in dump) and any("breadcrumbs_fail" in line for line in dump), what + " is dumped", dump + tail(r))
    ok(dump and all(line in drawn for line in dump), "all of it is on the screen", [line for line in dump if line not in drawn] + drawn)

valid(r.report, "the report is valid")
equal(r.counts and r.counts["error"], 2, "two checks could not be carried out: %s" % r.verdict)
# The machine's time runs sixteen times as fast as in other boots, so that the watchdog comes soon.
same_table(r, boot(options=OPTIONS, steady=False, extra=("-icount", "shift=8,sleep=off")), "the table is that of a direct start, which has no screen")
done()
