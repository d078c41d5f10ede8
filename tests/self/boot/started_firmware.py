"""The machine of most tests that start by firmware, kept from the moment when firmware has given out addresses and has not read from the disk: it
is the same for every disk, and takes three quarters of the time of such a start. Each goes on from there, with a disk of its own."""
import fcntl
import hashlib
import os
import re
import subprocess
import threading
import time

import emulators
from monitor import Monitor

PATIENCE = 300  # seconds
AS_KEPT = {"config", "options", "prepare", "inspect", "files", "on_line", "on_data", "stop_when", "until_exit", "timeout", "patience"}
# The state does not say that the machine was stopped: who takes it up runs.
SAVING = ("-global", "migration.store-global-state=off")


def fits(how, named):
    """Whether a start is of that machine, by the arguments of emulators.boot()."""
    return how == "disk" and set(named) <= AS_KEPT


def known_by():
    """What another state has another name for: the emulator, firmware, and how large the disk is."""
    version = subprocess.run(["qemu-system-x86_64", "--version"], capture_output=True, text=True, check=True).stdout
    parts = [version, repr(emulators.DISKS["ide"])] + ["%s %d %d" % (path, os.stat(path).st_size, os.stat(path).st_mtime_ns)
                                                       for path in emulators.SMALL_OVMF]
    parts.append("%d" % os.path.getsize(os.path.join(emulators.BUILD, "assay.img")))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def has_addresses(said):
    """`info pci`: what has none has all ones."""
    return bool(re.search(r"BAR\d: \d+ bit memory at 0x(?!f{16})[0-9a-f]+", said))


def keep(monitor, path):
    """Wait for the moment, and write the machine to a file. @raise RuntimeError if it was missed"""
    end = time.monotonic() + PATIENCE
    while not has_addresses(monitor.do("info pci")):
        if time.monotonic() > end:
            raise RuntimeError("firmware gives out no addresses")
        time.sleep(0.02)
    monitor.do("stop")
    if not re.search(r"stick: rd_bytes=0 ", monitor.do("info blockstats")):
        raise RuntimeError("firmware has read from the disk already")
    said = monitor.do("migrate \"exec:cat > '%s'\"" % path)
    if "rror" in said:
        raise RuntimeError(said)


def make(path):
    """The machine is killed as soon as the state is kept, or cannot be. @raise OSError, RuntimeError: it cannot"""
    problem, over = [], threading.Event()
    with Monitor() as monitor:
        def work():
            try:
                keep(monitor, path + ".new")
            except (OSError, RuntimeError) as e:
                problem.append(e)
            finally:
                over.set()

        thread = threading.Thread(target=work)
        thread.start()
        emulators.boot("disk", options=None, firmware=emulators.SMALL_OVMF, extra=(*monitor.options, *SAVING), until_exit=True, timeout=PATIENCE,
                       on_data=lambda *_: over.is_set())
        thread.join()
    if problem:
        raise problem[0]
    os.rename(path + ".new", path)


def state():
    """The file, made by whoever comes first. None if the moment was missed, which a busy computer may: firmware then starts from the beginning."""
    folder = os.path.join(emulators.BUILD, "firmware")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, known_by())
    with open(path + ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(path):
            for other in os.listdir(folder):
                if not other.startswith(os.path.basename(path)):
                    os.remove(os.path.join(folder, other))
            try:
                make(path)
            except (OSError, RuntimeError) as e:
                print("# no state of firmware is kept: %s" % e, flush=True)
                return None
    return path
