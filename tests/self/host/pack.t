#!/usr/bin/env python3
"""TAP test: what scripts/pack takes apart the carrier's C code puts together again, whatever the code and wherever it begins and ends."""
import importlib.machinery
import importlib.util
import pathlib
import random
import struct
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
# Mostly opcodes that something follows, ModRM bytes of operands relative to RIP, and bytes of near and far displacements.
BYTES = [*[0x00] * 16, 0xE8, 0xE9, *[0x05] * 6, 0x0D, 0x3D, *[0x0F] * 6, 0x48, 0x66, 0xC4, 0xC5, 0x62, 0xF6, 0xF7, 0x00, 0xFF, 0x90, 0x8B, 0x8D]
IMAGES = 3000
SHIFT = 0x1000, 0x2400


def drawn(chance):
    """(image, and what else taken_apart() asks): any bytes as code, and pointers behind it with their table."""
    size = chance.randrange(20, 400)
    image = bytearray(chance.choices(BYTES, k=size) if chance.randrange(2) else b"".join(
        bytes([chance.choice(BYTES) if chance.randrange(3) else chance.randrange(256)]) for _ in range(size)))
    begin = chance.randrange(size)
    end = chance.randrange(begin, size + 1)
    if chance.randrange(2):
        return bytes(image), begin, end
    offset, addresses, second = end, [], SHIFT[1] + end + chance.randrange(200)
    for _ in range(chance.randrange(30)):
        offset += chance.choice((0, 8, 16, 300, 5000))
        address = offset + SHIFT[0] if offset + SHIFT[0] < second else offset + SHIFT[1]
        addresses.append(address)
        image = image[:offset].ljust(offset, b"\5") + struct.pack("<Q", chance.choice((7, 0x1234, 0x12345678, chance.randrange(1 << 20))))
        offset += 8
    table = len(image) + chance.randrange(3)
    image = image.ljust(table, b"\6") + PACK.relocation_table(addresses) + bytes(chance.randrange(4))
    return bytes(image), begin, end, table, addresses, second, SHIFT


chance = random.Random(1)
taken = bytearray()
python = True
filled = [0] * len(PACK.STREAMS)
for _ in range(IMAGES):
    image, *rest = drawn(chance)
    content, numbers = PACK.taken_apart(image, *rest)
    python &= PACK.put_together(content, len(image), numbers) == image
    filled = [n + bool(part) for n, part in zip(filled, PACK.cut(content, numbers))]
    taken += PACK.HEAD.pack(len(image), 0, *numbers) + content + image
ok(min(filled) > IMAGES / 20, "each stream has something in one in twenty of %d images" % IMAGES, str(dict(zip(PACK.STREAMS, filled))))
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
