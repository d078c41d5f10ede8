#!/usr/bin/python3
"""A BOOTX64.EFI whose image cannot be unpacked or loaded says so in one line: damage, no memory, no application, no signature."""
import importlib.machinery
import importlib.util
import lzma
import os
import re
import shutil
import struct
import subprocess
import zlib

from boottest import BUILD, TOP, boot, done, emulators, equal, ok, skip, tail

with open(BUILD + "/BOOTX64.EFI", "rb") as f:
    outer = f.read()
with open(BUILD + "/assay.efi", "rb") as f:
    inner = f.read()

LOADER = importlib.machinery.SourceFileLoader("pack", os.path.join(TOP, "scripts/pack"))
PACK = importlib.util.module_from_spec(importlib.util.spec_from_loader("pack", LOADER))
LOADER.exec_module(PACK)
at = outer.find(struct.pack("<II", len(inner), zlib.crc32(inner)))
stream = at + PACK.HEAD.size  # the first .lzma stream
# UEFI specification 2.10, appendix D, without the bit that marks errors: the shell drops it.
LOAD_ERROR, UNSUPPORTED, OUT_OF_RESOURCES, COMPROMISED = 1, 3, 9, 33
FAREWELL = "assay: could not run: "


def packed(image):
    return lzma.compress(image, format=lzma.FORMAT_ALONE)


def patched(offset, new):
    return outer[:offset] + new + outer[offset + len(new):]


def flipped(offset):
    return patched(offset, bytes([outer[offset] ^ 1]))


def carrying(image):
    """With another image, which must not need more room. It has no code."""
    content, numbers = PACK.taken_apart(image, 0, 0)
    return patched(at, PACK.HEAD.pack(len(image), zlib.crc32(image), *numbers) + packed(content))


def damaged(image):
    """A file beside a disk image: BOOTX64.EFI with a flipped bit."""
    with open(image + ".efi", "wb") as file:
        file.write(flipped(stream + 1000))
    return image + ".efi"


DAMAGED = "the file is damaged (its checksum differs); write it anew"
GOOD_OPTIONS = "exit=return pmu=virtual suite=control"
# Started one after the other from the UEFI shell: file, options, its one line (None: the image is started), status.
CASES = (
    (outer, GOOD_OPTIONS, None, 0),
    (flipped(stream + len(packed(inner)) // 2), "", DAMAGED, COMPROMISED),
    (flipped(stream), "", DAMAGED, COMPROMISED),
    (flipped(at + 4), "", DAMAGED, COMPROMISED),
    (flipped(at), "", DAMAGED, COMPROMISED),
    (flipped(at + 16), "", DAMAGED, COMPROMISED),
    (patched(at, struct.pack("<I", 0x7ffff000)), "", "the firmware has not enough memory to unpack the image", OUT_OF_RESOURCES),
    (carrying(b"MZ" + bytes(4094)), "",
     "the firmware does not accept the image as an application; write the file anew", UNSUPPORTED),
    (outer, GOOD_OPTIONS + " kernel=none", None, LOAD_ERROR),
    (outer, GOOD_OPTIONS, None, 0),
)


def prepare(image):
    script = "@echo -off\r\nfs0:\r\n"
    for i, (data, options, _, _) in enumerate(CASES):
        with open(image + ".efi", "wb") as file:
            file.write(data)
        emulators.mtools("mcopy", image, "-o", image + ".efi", "::/case%d.efi" % i)
        script += "\\case%d.efi %s\r\necho case %d ends with %%lasterror%%\r\n" % (i, options, i)
    emulators.mtools("mdel", image, "::/EFI/BOOT/BOOTX64.EFI")
    emulators.write_file(image, "/startup.nsh", script + "reset -s\r\n")
    emulators.write_file(image, "/assay/assay.cfg", "")


ok(at > 0, "the image is found in the file")
r = boot("disk", prepare=prepare, until_exit=True)
lines = iter(r.lines)
for i, (_, _, why, status) in enumerate(CASES):
    said = []
    for line in lines:
        match = re.search("case %d ends with 0x([0-9A-Fa-f]+)" % i, line)
        if match:
            equal(int(match.group(1), 16), status, "case %d: the status is handed on" % i)
            break
        said.append(line)
    else:
        ok(False, "case %d ends" % i, tail(r))
    if why:
        equal([line for line in said if line.startswith("assay: ")], [FAREWELL + why], why)
    else:
        verdicts = [m.group(1) for m in map(emulators.VERDICT.match, said) if m]
        ok(len(verdicts) == 1 and verdicts[0].startswith("could not run") == bool(status), "the image is started: %r" % verdicts, tail(r))

r = boot("disk", config="exit=shutdown\n", prepare=lambda image: emulators.mtools("mcopy", image, "-o", damaged(image), "::/EFI/BOOT/BOOTX64.EFI"),
         stop_when=lambda line: line.startswith(FAREWELL))
equal(r.lines[-1:], [FAREWELL + DAMAGED], "the same line without a shell")

# With Secure Boot on the firmware does not even start BOOTX64.EFI: somebody must have signed that, but not what it carries.
SECURE = "/usr/share/OVMF/OVMF_CODE_4M.secboot.fd", "/usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd"
KEY = "/usr/share/ovmf/PkKek-1-snakeoil.key"


def sign(image):
    signed = image + ".signed.efi"
    subprocess.run(["osslsigncode", "sign", "-certs", KEY.replace(".key", ".pem"), "-key", KEY, "-pass", "snakeoil",
                    "-in", BUILD + "/BOOTX64.EFI", "-out", signed], check=True, stdout=subprocess.DEVNULL)
    emulators.mtools("mcopy", image, "-o", signed, "::/EFI/BOOT/BOOTX64.EFI")


missing = [path for path in (*SECURE, KEY) if not os.path.exists(path)] + ([] if shutil.which("osslsigncode") else ["osslsigncode"])
if missing:
    skip("a signed BOOTX64.EFI under Secure Boot", "there is no " + missing[0])
else:
    r = boot("disk", config="exit=shutdown\n", prepare=sign, machine="q35,smm=on", firmware=SECURE,
             extra=["-global", "driver=cfi.pflash01,property=secure,value=on"], stop_when=lambda line: line.startswith(FAREWELL))
    equal(r.lines[-1:], [FAREWELL + "the firmware forbids to start what it has no signature of; switch Secure Boot off, or sign the image"],
          "a signed BOOTX64.EFI under Secure Boot says what to do")
done()
