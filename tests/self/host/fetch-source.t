#!/usr/bin/python3
"""Where no server has the source of the encoder of QR codes: scripts/fetch-source says so in one line and leaves what there is, and the image's code is
built without it."""
import io
import os
import subprocess
import sys
import tarfile
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from tap import done, equal, ok  # noqa: E402

# In apt's place: it fails where the server is to, and fetches what lies beside it otherwise.
APT = """#!/bin/sh
here=$(dirname "$0")
case "$*" in
*" update") [ ! -e "$here/no-server" ] || { echo "E: Could not connect to the server"; exit 100; } ;;
*" source "*) [ -e "$here/archive" ] || { echo "E: Unable to find a source package for encoder"; exit 100; }
	cp "$here/archive" encoder_1.orig.tar.gz ;;
esac
"""

with tempfile.TemporaryDirectory() as folder:
    target = folder + "/target"
    os.mkdir(folder + "/bin")
    with open(folder + "/bin/apt-get", "w", encoding="ascii") as f:
        f.write(APT)
    os.chmod(folder + "/bin/apt-get", 0o755)

    def fetch():
        """(exit status, what it says, the text of the fetched file or None)"""
        r = subprocess.run([TOP + "/scripts/fetch-source", "encoder", target], capture_output=True, text=True, check=False,
                           env={**os.environ, "PATH": folder + "/bin:" + os.environ["PATH"], "TMPDIR": folder})
        text = None
        if os.path.exists(target + "/c/encoder.c"):
            with open(target + "/c/encoder.c", encoding="ascii") as f:
                text = f.read()
        return r.returncode, r.stdout + r.stderr, text

    def archive(text):
        with tarfile.open(folder + "/bin/archive", "w:gz") as out:
            entry = tarfile.TarInfo("encoder-1/c/encoder.c")
            entry.size = len(text)
            out.addfile(entry, io.BytesIO(text))

    equal(fetch(), (1, "fetch-source: cannot fetch the source of encoder: E: Unable to find a source package for encoder\n", None), "no server has it: one line")
    archive(b"one\n")
    equal(fetch(), (0, "", "one\n"), "one that has it: it is there")
    archive(b"another\n")
    equal(fetch(), (0, "", "another\n"), "and takes the place of what was there")
    open(folder + "/bin/no-server", "w", encoding="ascii").close()
    equal(fetch(), (1, "fetch-source: cannot fetch the source of encoder: E: Could not connect to the server\n", "another\n"),
          "no server answers: one line, and what was there stays")
    equal(sorted(os.listdir(folder)), ["bin", "target"], "nothing else is left behind")

    # Without the library: the encoder has room for nothing, and makes nothing.
    with open(folder + "/main.c", "w", encoding="ascii") as f:
        f.write('#include "boot/sent/code_encoder.h"\nint main(void) { return code_capacity(40) || code_make("A", 40); }\n')
    built = subprocess.run(["cc", "-I", TOP, "-o", folder + "/without", folder + "/main.c", TOP + "/boot/sent/code_encoder.c"], capture_output=True, text=True, check=False)
    ok(built.returncode == 0, "the image's encoder is built without the library", [built.stderr])
    equal(subprocess.run([folder + "/without"], check=False).returncode if built.returncode == 0 else None, 0, "and says that it has room for nothing")
done()
