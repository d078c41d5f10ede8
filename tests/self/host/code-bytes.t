#!/usr/bin/python3
"""scripts/code-bytes: what it prints is what the assembler made, and bad input is one line."""
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from tap import done, equal, ok  # noqa: E402


def assemble(source, *arguments):
    r = subprocess.run([os.path.join(TOP, "scripts/code-bytes"), *(arguments or ("-",))], input=source, capture_output=True, text=True, check=False)
    return r.returncode, r.stdout, r.stderr


with open(os.path.join(TOP, "docs/examples/own-code.cfg"), encoding="ascii") as f:
    example = f.read().split("\n")
source = "\n".join(line[1:] for line in example if line.startswith("#  ") or line.startswith("# 1:")) + "\n"
equal(assemble(source), (0, next(line for line in example if line.startswith("bytes=")) + "\n", ""), "the example's source gives the example's bytes")
equal(assemble("ret\n"), (0, "bytes=c3\n", ""), "one instruction")
status, text, _ = assemble(".rept 64\nnop\n.endr\n")
equal((status, text), (0, "bytes=%s\nbytes=%s\n" % ("90" * 63, "90")), "more than one word takes")
status, text, _ = assemble(".rept %d\nnop\n.endr\n" % (63 * 16))
equal((status, text.count("bytes=")), (0, 16), "as much as a section takes")
for source, arguments, why in ((".rept %d\nnop\n.endr\n" % (63 * 16 + 1), (), "1009 bytes are too many for a section"),
                               ("call somewhere\n", (), "refers to something outside of itself"),
                               ("mov table(%rip),%rax\n.data\ntable: .quad 1\n", (), "refers to something outside of itself"),
                               ("no instruction\n", (), "Error: no such instruction"),
                               (".data\n.quad 1\n", (), "there is no code in it"),
                               ("", ("/no/such.S",), "No such file")):
    status, text, error = assemble(source, *arguments)
    ok(status == 2 and not text and error.startswith("code-bytes: ") and why in error and error.count("\n") == 1, "refused: " + why, [status, text, error])
done()
