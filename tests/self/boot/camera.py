"""Who films the screen of a machine in QEMU, as somebody with a phone does, and has scripts/qr-report read the pictures."""
import os
import subprocess
import tempfile
import threading
import time

from boottest import TOP
from monitor import Monitor


class Camera(Monitor):
    """With `as c`: boot(..., extra=c.options), and c.report() afterwards. Pictures are taken all the time; each that differs from the last is kept.
    With switch_off the machine is switched off as soon as the report is whole."""

    def __init__(self, switch_off=False):
        self.switch_off = switch_off

    def __enter__(self):
        super().__enter__()
        self.options = ("-vga", "std", *self.options)
        self.pictures, self.over = [], threading.Event()
        self.film = tempfile.TemporaryDirectory()
        self.thread = threading.Thread(target=self.shoot)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop()
        self.film.cleanup()
        super().__exit__()

    def stop(self):
        self.over.set()
        self.thread.join()

    def shoot(self):
        last, path = None, os.path.join(self.film.name, "now.ppm")
        while not self.over.is_set():
            try:
                for command in ("stop", "screendump " + path, "cont"):
                    self.do(command)
                with open(path, "rb") as f:
                    picture = f.read()
            except OSError:  # there is no machine yet, or none any more
                if self.socket and self.pictures:
                    return
                self.socket = None
                time.sleep(0.1)
                continue
            if picture != last:
                self.pictures.append(os.path.join(self.film.name, "%04d.ppm" % len(self.pictures)))
                os.link(path, self.pictures[-1])
                os.remove(path)
                last = picture
                if self.switch_off and self.read()[0]:
                    self.socket.sendall(b"quit\n")
                    return
            time.sleep(0.03)

    def report(self):
        """(the report as text, or None, and what the script said)"""
        self.stop()
        return self.read()

    def read(self):
        out = os.path.join(self.film.name, "report.json")
        r = subprocess.run([TOP + "/scripts/qr-report", "-o", out, *self.pictures], capture_output=True, text=True, check=False)
        if r.returncode:
            return None, r.stderr.strip()
        with open(out, encoding="utf-8") as f:
            return f.read(), r.stdout.strip()
