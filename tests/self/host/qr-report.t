#!/usr/bin/python3
"""scripts/qr-report: what it makes of pictures of codes, and one line each for what is missing, damaged, or of two reports."""
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from tap import done, equal, ok, skip  # noqa: E402

SHOW = os.path.join(os.environ.get("ASSAY_BUILD", os.path.join(TOP, "build")), "host/test_codes")


def noise(n):
    """What test_codes packs."""
    x, data = 1, bytearray()
    for _ in range(n):
        x = (x * 1664525 + 1013904223) & 0xffffffff
        data.append((x >> 24 ^ x >> 13) & 255)
    return bytes(data)


with tempfile.TemporaryDirectory() as folder:

    def pictures(name, size, pixels):
        """What a screen shows of so many bytes: (status, pictures)."""
        at = os.path.join(folder, name)
        os.mkdir(at)
        status = subprocess.run([SHOW, at, str(size), str(pixels)], check=False).returncode
        return status, sorted(os.path.join(at, f) for f in os.listdir(at))

    def read(*files):
        """(status, the report or what was said)"""
        out = os.path.join(folder, "report")
        if os.path.exists(out):
            os.remove(out)
        r = subprocess.run([TOP + "/scripts/qr-report", "-o", out, *files], capture_output=True, text=True, check=False)
        if not os.path.exists(out):
            return r.returncode, r.stderr
        with open(out, "rb") as f:
            return r.returncode, f.read()

    status, small = pictures("small", 5000, 32)
    if status == 1:
        skip("the image is built without QR codes")
        done()
        sys.exit()
    report = noise(5000)
    def whole(name, *files):
        status, found = read(*files)
        ok((status, found) == (0, report), name, found if isinstance(found, str) else "another report")

    whole("pictures of a screen: %d, of two rounds with text between" % len(small), *small)
    whole("in any order", *reversed(small))
    _, planes = pictures("planes", 5000, 1)
    whole("VGA's 640 by 480 pixels", *planes)

    # What each picture says, as another reader would write it down.
    said = [subprocess.run(["zbarimg", "--quiet", "--raw", "--nodbus", p], capture_output=True, text=True, check=False).stdout for p in small]
    codes = sorted({line for line in said if line}, key=lambda code: int(code.split(":")[2]))
    n = len(codes)
    equal([code.split(":")[2:4] for code in codes], [[str(i), str(n)] for i in range(1, n + 1)], "each of them was shown")
    ok(n > 2, "there are several codes: %d" % n)

    def text(name, lines):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="ascii") as f:
            f.write("".join(lines))
        return path

    whole("a file with what another reader made of them", text("all", codes))

    def refused(name, pattern, *files):
        status, line = read(*files)
        ok(status == 2 and isinstance(line, str) and line.count("\n") == 1 and re.match("qr-report: " + pattern, line), "%s: %s" % (name, str(line).strip()), repr(line))

    hurt = codes[1][:60] + ("A" if codes[1][60] != "A" else "B") + codes[1][61:]
    refused("one is missing", "of %d codes number 2 is missing$" % n, text("missing", [codes[0]] + codes[2:]))
    refused("several are", "of %d codes number 2-%d is missing$" % (n, n), text("first", codes[:1]))
    refused("a wrong checksum", "of %d codes number 2 is missing, as read its checksum differs: number 2$" % n, text("hurt", [codes[0], hurt] + codes[2:]))
    whole("which does not matter if it comes whole elsewhere", text("both", [hurt] + codes))
    refused("none but a damaged one", "code 2 is damaged: its checksum differs$", text("alone", [hurt]))
    _, other = pictures("other", 4000, 32)
    refused("two runs mixed", r".*: the codes are of two reports, [0-9A-F]{8} and [0-9A-F]{8}: give those of one$", *small, *other)
    refused("no code", "there is no code of Assay's in them$", small[0])
    refused("no picture", ".*bad: no picture that zbarimg can read$", text("bad", ["nothing"]))
    refused("no file", ".*: No such file or directory$", folder + "/none")
    swapped = [code.replace(":%d:%d:" % (i + 1, n), ":%d:%d:" % (n - i, n), 1) for i, code in enumerate(codes)]
    refused("codes that do not fit together", "the codes do not fit together: the checksum of all differs$", text("swapped", swapped))
done()
