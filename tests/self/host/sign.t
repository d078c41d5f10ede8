#!/usr/bin/python3
"""Signing for Secure Boot: what is signed verifies, with its own certificate alone; a key that is none, or another's, is refused in one line."""
import os
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BUILD = os.environ.get("ASSAY_BUILD", os.path.join(TOP, "build"))
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from tap import done, equal, ok  # noqa: E402


def run(*command, **named):
    r = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **named)
    return r.returncode, r.stdout + r.stderr


with tempfile.TemporaryDirectory() as folder:
    def file(name):
        return os.path.join(folder, name)

    for name in "ours", "theirs":
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=" + name, "-days", "2", "-keyout", file(name + ".key"), "-out", file(name + ".pem"))
    run("openssl", "rsa", "-aes256", "-passout", "pass:secret", "-in", file("ours.key"), "-out", file("locked.key"))
    with open(file("text"), "w", encoding="ascii") as f:
        f.write("no key\n")

    def sign(key, certificate, application=BUILD + "/BOOTX64.EFI"):
        status, said = run(TOP + "/scripts/sign", key and file(key), certificate and file(certificate), application, file("signed.efi"))
        return status, said.replace(folder + "/", "")

    for application in "BOOTX64.EFI", "assay.efi", "aarch64/BOOTAA64.EFI":
        equal(sign("ours.key", "ours.pem", os.path.join(BUILD, application)), (0, ""), application + " is signed")
        equal(run("sbverify", "--cert", file("ours.pem"), file("signed.efi")), (0, "Signature verification OK\n"), "the signature verifies")
    ok(run("sbverify", "--cert", file("theirs.pem"), file("signed.efi"))[0] != 0, "with another's certificate it does not")
    with open(file("signed.efi"), "r+b") as f:
        f.seek(0x2000)
        byte = f.read(1)
        f.seek(0x2000)
        f.write(bytes([byte[0] ^ 1]))
    ok(run("sbverify", "--cert", file("ours.pem"), file("signed.efi"))[0] != 0, "nor with a bit changed")

    for key, certificate, why in (("theirs.key", "ours.pem", "theirs.key and ours.pem are no key "), ("text", "ours.pem", "text and ours.pem are no key "),
                                  ("locked.key", "ours.pem", "locked.key and ours.pem are no key "), ("ours.key", "text", "ours.key and text are no key "),
                                  ("none", "ours.pem", "none cannot be read"), ("ours.key", "none", "none cannot be read"), ("", "ours.pem", "SIGN_KEY= is missing: "),
                                  ("ours.key", "", "SIGN_CERT= is missing: ")):
        status, said = sign(key, certificate)
        ok(status == 1 and said.startswith("sign: " + why) and said.count("\n") == 1 and not os.path.exists(file("signed.efi")),
           "%s, %s: refused: %s" % (key or "no key", certificate or "no certificate", said.strip()), [why])

    # What the stick is then made of: all its applications, and the image that one of them carries.
    status, said = run("make", "-n", "image", "SIGN_KEY=" + file("ours.key"), "SIGN_CERT=" + file("ours.pem"), cwd=TOP,
                       env={k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "MFLAGS"})
    made = [line for line in said.splitlines() if "scripts/mkimage" in line or "scripts/sign" in line]
    ok(status == 0 and made and all(word in made[-1] for word in ("signed/BOOTX64.EFI", "signed/BOOTAA64.EFI")) and
       any(line.split()[-1].endswith("signed/assay.efi") for line in made), "make image: all of it is signed", made or [said[-500:]])
done()
