#!/usr/bin/env python3
"""TAP test: what scripts/pack takes apart the carrier's C code puts together again, whatever the code and wherever it begins and ends."""
import importlib.machinery
import importlib.util
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
from tap import done, equal, ok  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("pack", str(ROOT / "scripts/pack"))
PACK = importlib.util.module_from_spec(importlib.util.spec_from_loader("pack", LOADER))
LOADER.exec_module(PACK)
PROGRAM = ROOT / "build/host/test_displacements"
# Little but opcodes that have a displacement, ModRM bytes that say so, and bytes of near and far displacements.
BYTES = [*[0x00] * 16, 0xE8, 0xE9, 0x0F, 0xB6, 0xB7, 0xBE, 0xBF, 0x05, 0x0D, 0x3D, 0x00, 0xFF, 0x90, *PACK.IMMEDIATES]
IMAGES = 3000


def drawn(chance):
    """(image, begin and end of its code); opcodes of each kind stand at the last places where a displacement may begin, too."""
    size = chance.randrange(20, 120)
    image = bytearray(chance.choices(BYTES, k=size))
    begin = chance.randrange(size)
    end = chance.randrange(begin, size + 1)
    for at in range(max(0, end - 9), max(0, end - 4)):
        if chance.randrange(2):
            image[at:at + 3] = chance.choice((b"\xe8\x01\x00", b"\x8b\x05\x01", b"\x0f\xb6\x05", b"\x83\x3d\x00"))
    return bytes(image[:size]), begin, end


chance = random.Random(1)
taken = bytearray()
moved = kept = 0
python = True
for _ in range(IMAGES):
    image, begin, end = drawn(chance)
    content, places, fields = PACK.taken_apart(image, begin, end)
    python &= PACK.put_together(content, len(image), begin, end, places, fields) == image
    moved += len(content) < len(image) + 2 * sum(fields) + 4 * sum(places)
    kept += sum(fields) > 0
    taken += PACK.HEAD.pack(len(image), 0, begin, end, len(content), *places, *fields) + content + image
ok(moved > IMAGES / 4 and kept > IMAGES / 2, "of %d images %d have displacements, %d some that move" % (IMAGES, kept, moved))
ok(python, "pack puts each together itself")
with tempfile.NamedTemporaryFile() as file:
    file.write(taken)
    file.flush()
    r = subprocess.run([PROGRAM, file.name], capture_output=True, text=True, check=False)
equal((r.returncode, r.stdout), (0, "0 of %d images differ\n" % IMAGES), "so does the carrier's code" + r.stderr[:500])
with tempfile.NamedTemporaryFile() as file:
    file.write(taken[:-1] + bytes([taken[-1] ^ 1]))
    file.flush()
    r = subprocess.run([PROGRAM, file.name], capture_output=True, text=True, check=False)
equal((r.returncode, r.stdout), (1, "1 of %d images differ\n" % IMAGES), "one that does not is told")
done()
