#!/usr/bin/python3
"""QEMU's monitor is spoken to although its socket is there before QEMU listens; and a state of firmware that cannot be kept costs no test its boot."""
import os
import socket
import tempfile
import threading
import time

from boottest import done, equal, ok
import emulators
import started_firmware
from monitor import PROMPT, Monitor


def serve(path, listen):
    """A monitor that is bound for a while before it listens, and answers one command. listen: whether it ever does."""
    with socket.socket(socket.AF_UNIX) as server:
        time.sleep(0.05)
        server.bind(path)
        time.sleep(0.1)
        if not listen:
            return
        server.listen()
        connection, _ = server.accept()
        with connection:
            connection.sendall(b"QEMU\n" + PROMPT)
            command = connection.recv(100)
            connection.sendall(command + b"PCI\n" + PROMPT)


with Monitor() as m:
    thread = threading.Thread(target=serve, args=(m.path, True))
    thread.start()
    ok("PCI" in m.do("info pci"), "a command waits until QEMU listens")
    thread.join()
with Monitor() as m:
    m.patience = 0.5
    serve(m.path, False)
    try:
        m.do("info pci")
        ok(False, "a monitor that never listens is an error")
    except OSError:
        ok(m.socket is None, "a monitor that never listens is an error, and nothing is taken for a connection")

BUILD = emulators.BUILD
with tempfile.TemporaryDirectory() as folder:
    os.symlink(os.path.join(BUILD, "assay.img"), os.path.join(folder, "assay.img"))
    emulators.BUILD = folder
    started_firmware.keep = lambda monitor, path: (_ for _ in ()).throw(RuntimeError("firmware has read from the disk already"))
    began = time.monotonic()
    equal(started_firmware.state(), None, "no state where the moment was missed")
    ok(time.monotonic() - began < started_firmware.PATIENCE / 2, "the machine does not run on")
    equal([name for name in os.listdir(os.path.join(folder, "firmware")) if not name.endswith(".lock")], [], "and no file is left that would be taken for one")
emulators.BUILD = BUILD
done()
