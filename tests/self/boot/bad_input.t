#!/usr/bin/python3
"""What nobody should give a machine: little memory, a line that nobody reads, a stick that goes, a configuration without an end, a terminal where
firmware has none, a key held down."""
import fcntl
import os
import re
import tempfile
import time

from boottest import boot, complains, done, emulators, equal, ok, sound, tail
from menu_screens import OPTIONS, complete
from monitor import Monitor
from terminal import Terminal

SMALL = "pmu=virtual suite=control check=wrap*"
sound(boot(options=SMALL, memory=64), "64 MiB of memory")
complains(boot(options=SMALL, memory=16), "too little memory below 4 GiB for page tables and stacks: give the machine at least 64 MiB more", "4 MiB that are free")
complains(boot(config="# " + "x" * (4 << 20), options="suite=none list=no-such", memory=64, timeout=60), r"list=no-such", "4 MiB of comment are read, and what is wrong is told")
r = boot(config="n=1 " * (1 << 20) + "\n", options=SMALL, timeout=60)
sound(r, "a million options")
complains(boot(config="x" * (4 << 20), options=SMALL, timeout=60), r"assay\.cfg:1:1: ", "one word of 4 MiB")
complains(boot(config="[experiment a]\nkernel=nop_loop events=A\n" * 5000, options=SMALL, timeout=60), r"assay\.cfg:\d+:\d+: ", "experiments without an end")

# Nobody takes what comes out of the serial port: it is ready for as much as a pipe has room for, and then never again.
with tempfile.TemporaryDirectory() as folder:
    os.mkfifo(folder + "/line")
    held = os.open(folder + "/line", os.O_RDWR | os.O_NONBLOCK)
    fcntl.fcntl(held, fcntl.F_SETPIPE_SZ, 4096)
    r = boot(options="pmu=virtual suite=control", serial=False, timeout=60,
             extra=("-chardev", "pipe,id=line,path=%s/line" % folder, "-serial", "chardev:line"))
    came = len(os.read(held, 1 << 20))
    os.close(held)
ok(r.exit_status == 33 and r.report and r.report["complete"] and 0 < came <= 4096, "a serial port that is not ready any more: the run comes to its end, with a report",
   ["%d bytes" % came] + tail(r))

# The stick is pulled out when the first check has been judged. Firmware asks for it until its time is over: the machine's time, which runs faster here.
gone = []
with Monitor() as monitor:

    def pull(line):
        if line.startswith("ok ") and not gone:
            gone.append(monitor.do("device_del plug"))

    r = boot("disk", disk="usb", config="exit=shutdown %s\n" % SMALL, extra=(*monitor.options, "-icount", "shift=6,sleep=off"), on_line=pull, timeout=180)
sound(r, "a stick that is pulled out: the run comes to its end")
equal((len(gone), r.report and r.report["complete"], r.counts and r.counts["exact"]), (1, False, 10), "with all results on the serial line, and on the stick what came before")
ok(any(re.search(r"^report: not all of it could be written|^report: cannot write", line) for line in r.text), "it says that the report is not whole", tail(r))

# A key held down on the keyboard from before the menu to the end, one that means nothing: nobody is there. The VT100 is on COM3, which this firmware
# does not know: what speaks it is Assay's own.
size = []
with Monitor() as monitor:

    def script(terminal):
        yield complete("Esc goes back", "Runs as configured in")
        monitor.do("sendkey x 60000")
        yield complete("Enter opens", "21 checks:", "the worst first")
        size.append(monitor.screen_size())
        terminal.press("b")
        yield complete("Enter opens", "bad ones, the worst first")

    terminal = Terminal(script)
    r = boot("disk", config="exit=halt menu=2 serial=0x3e8 " + OPTIONS + "\n", serial=False, on_data=terminal.on_data, until_exit=True, timeout=180,
             extra=("-vga", "none", "-device", "VGA,xres=640,yres=480", "-chardev", "stdio,id=line",
                    "-device", "isa-serial,chardev=line,index=2,iobase=0x3e8,irq=4", *monitor.options))
ok(terminal.over and not terminal.missed and r.status == 1, "a key held down ends no countdown, and the results come to a serial line that firmware does not know, whose keys are heard",
   [repr(terminal.missed)] + terminal.lines + tail(r))
ok(size == [(640, 480)] and r.report and r.report["complete"], "on 640 by 480 pixels: %s" % r.verdict, [repr(size)] + tail(r))

# A mistake in assay.cfg, and nobody there: the screen was cleared, the line stays until a key is pressed, and then firmware goes on.
WAITS = 4  # seconds
told = {"since": None, "all": b"", "before": None, "after": b""}


def watch(data, send):
    told["all"] += data
    if told["since"] is None and b"press a key to leave" in told["all"]:
        told["since"] = time.monotonic()
    elif told["before"] is None and told["since"] and time.monotonic() > told["since"] + WAITS:
        told["before"] = told["all"]
        send(b"x")
    elif told["before"] is not None:
        told["after"] += data
        return b"BdsDxe" in told["after"] or b"Shell" in told["after"] or b"Boot" in told["after"]
    return False


r = boot("disk", config="pmu=virtual\nsuit=control\n", on_data=watch, until_exit=True, timeout=90)
lines = [line.strip() for line in emulators.ESCAPES.sub("", (told["before"] or b"").decode("latin-1")).splitlines() if line.strip()]
ok(any("could not run: assay.cfg:2:1: " in line for line in lines) and lines[-1].endswith("press a key to leave"),
   "a mistake in assay.cfg, started by no shell: %d s later nothing has come behind it" % WAITS, lines[-6:])
ok(any(line.startswith("report: none was written") for line in lines), "it says that there is no report", lines[-6:])
ok(told["after"], "then a key lets firmware go on", repr(told["after"]))
text = told["all"]
ok(text.rfind(b"\x1b[2J") > -1 and text.rfind(b"\x1b[2J", 0, text.find(b"could not run")) > text.rfind(b"BdsDxe: starting", 0, text.find(b"could not run")),
   "the screen was cleared before the first line", repr(text[:600]))
done()
