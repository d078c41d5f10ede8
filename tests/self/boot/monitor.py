"""QEMU's monitor, for a machine that boot() runs: a socket that commands go to while it runs."""
import os
import re
import socket
import tempfile
import time

import screendump

PROMPT = b"(qemu) "


class Monitor:
    """With `as m`: boot(..., extra=m.options), and m.do("system_reset") from on_line or stop_when."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "monitor")
        self.options = ("-monitor", "unix:%s,server=on,wait=off" % self.path)
        self.socket = None
        self.patience = 30  # seconds until QEMU listens
        return self

    def __exit__(self, *_):
        if self.socket:
            self.socket.close()
        self.folder.cleanup()

    def do(self, command):
        """Give a command; what the monitor says to it. It has been carried out then."""
        if not self.socket:
            self.socket = self.connected()
            self.answer()
        self.socket.sendall(command.encode() + b"\n")
        return self.answer()

    def connected(self):
        """A socket that QEMU listens to. Its file is there some time before that. @raise OSError if it is not in time"""
        until = time.monotonic() + self.patience
        while True:
            one = socket.socket(socket.AF_UNIX)
            one.settimeout(30)
            try:
                one.connect(self.path)
                return one
            except (FileNotFoundError, ConnectionRefusedError):
                one.close()
                if time.monotonic() > until:
                    raise
                time.sleep(0.01)

    def triple_fault(self):
        """A table of segments of zeros: the next interrupt has no code to go to, nor have the faults that follow. By QEMU's gdbserver, which is
        spoken to in its own words, as there is no command of the monitor that writes to memory."""
        base, limit = (int(n, 16) for n in re.search(r"GDT= *([0-9a-f]+) ([0-9a-f]+)", self.do("info registers")).groups())
        path = os.path.join(self.folder.name, "gdb")
        self.do("gdbserver unix:%s,server=on,wait=off" % path)
        with socket.socket(socket.AF_UNIX) as gdb:
            gdb.settimeout(30)
            gdb.connect(path)
            for packet in ("?", "M%x,%x:%s" % (base, limit + 1, "00" * (limit + 1)), "D"):
                gdb.sendall(b"+$%s#%02x" % (packet.encode(), sum(packet.encode()) % 256))
                data = b""
                while not re.search(rb"\$[^#]*#..", data):
                    data += gdb.recv(4096)
        self.do("gdbserver none")
        self.do("cont")

    def screen(self, path=None):
        """What is on the screen, as lines of text (screendump.py), while nothing is being drawn; path: where the picture stays."""
        path = path or os.path.join(self.folder.name, "screen.ppm")
        for _ in range(10):
            self.do("stop")
            self.do("screendump " + path)
            lines = screendump.text(path)
            self.do("cont")
            if not any(screendump.UNKNOWN in line for line in lines):
                break
            time.sleep(0.05)
        return lines

    def cells(self):
        """What VGA's text mode shows: 25 rows of 80 characters without blanks at their ends, and the colours that each row begins with."""
        cells = [int(cell, 16) for line in self.do("xp /2000hx 0xb8000").splitlines() for cell in re.findall(r" 0x([0-9a-f]{4})\b", line.partition(":")[2])]
        rows = [cells[at:at + 80] for at in range(0, 2000, 80)]
        return [bytes(cell & 255 for cell in row).decode("cp437").rstrip() for row in rows], [row[0] >> 8 for row in rows]

    def screen_size(self):
        """Of the screen as it is now, in pixels."""
        path = os.path.join(self.folder.name, "size.ppm")
        self.do("screendump " + path)
        return screendump.read_ppm(path)[:2]

    def answer(self):
        data, until = b"", time.monotonic() + 30
        while not data.endswith(PROMPT) and time.monotonic() < until:
            data += self.socket.recv(65536)
        return data.decode("latin-1")
