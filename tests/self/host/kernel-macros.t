#!/usr/bin/env python3
"""TAP test: the macros of tests/kernels/macros.h give the same rows for 32 and 64 bits and in either byte order, and refuse what does not fit."""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
from tap import done, equal, ok  # noqa: E402

CROSS = "powerpc-linux-gnu-"
#          name                          binutils  assembler            linker                 byte order  pointer
TARGETS = [("32 bits, big-endian", CROSS, ["-a32", "-mbig"], ["-m", "elf32ppclinux"], ">", 4),
           ("64 bits, big-endian", CROSS, ["-a64", "-mbig"], ["-m", "elf64ppc"], ">", 8),
           ("32 bits, little-endian", CROSS, ["-a32", "-mlittle"], ["-m", "elf32lppc"], "<", 4),
           ("64 bits, little-endian", "", ["--64"], ["-m", "elf_x86_64"], "<", 8)]
SIZES = dict(re.findall(r"^#define ((?:SIGNATURE|RANGE|KERNEL)_\w*SIZE)\s+(.*?) /\* struct", (ROOT / "tests/kernels/kernel.h").read_text(encoding="utf-8"),
                        flags=re.M))
# The list's own numbers come after the common ones.
COMMON = re.findall(r"^QUANTITY\((\w+)", (ROOT / "pmu/quantity/common.def").read_text(encoding="utf-8"), flags=re.M)
LOOP, HELD, CORE, NO_PATH = 0xffff, 0x8000000000, 2, 0x10000000000


def number(name):
    return COMMON.index(name) if name in COMMON else len(COMMON) + int(name[5:])


EXPECTED = [
    ("first", bytes(range(1, 13)), 0x123456789a, CORE | NO_PATH,
     [(number("INSTRUCTIONS"), 12, -1), (number("BRANCHES"), 0x7fffffff, -0x80000000), (number("WIDE_299"), 1, 0), (LOOP, 0, 0),
      (number("INSN_LOAD"), 3, 0), (number("LOADS"), 3, 0), (number("LOAD_BYTES"), 24, 0)],
     [(number("CYCLES"), 1, -2, 3, 0x12345678, "a reason")]),
    ("empty", b"", 0, 0, [], []),
    ("last", bytes(300), 0, HELD, [(number("STORES"), 0, 7)] + 299 * [(number("LOADS"), 1, 1)],
     [(number("WIDE_299"), 0, 0, 0, 1, "first"), (number("BR_MISPRED"), 0, 0, 5, 0, "each goes one way but")])]


def run(*command, **more):
    return subprocess.run([str(c) for c in command], cwd=ROOT, capture_output=True, text=True, check=False, **more)


def build(d, target, source, include=()):
    """Assemble and link. (path of the program or None, what was said)"""
    _, tools, assembler, linker, _, pointer = target
    cpp = run("gcc", "-E", "-x", "assembler-with-cpp", "-U__SIZEOF_POINTER__", "-D__SIZEOF_POINTER__=%d" % pointer, "-DQUANTITY_LIST=\"wide.def\"",
              *["-I%s" % i for i in include], "-I", d, "-I", ".", source)
    if cpp.returncode:
        return None, cpp.stderr
    r = run(tools + "as", "--fatal-warnings", *assembler, "-o", d / "k.o", "-", input=cpp.stdout)
    if r.returncode:
        return None, r.stderr
    r = run(tools + "ld", *linker, "-e", "0", "-Ttext=0x100000", "-o", d / "k", d / "k.o")
    return (None if r.returncode else d / "k"), r.stderr


def sections(path):
    """name -> (address, bytes or None, size)"""
    out, data = {}, path.read_bytes()
    for m in re.finditer(r"\] (\S+) +(\w+) +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+) ", run("readelf", "-SW", path).stdout):
        address, offset, size = (int(m[i], 16) for i in (3, 4, 5))
        out[m[1]] = (address, None if m[2] == "NOBITS" else data[offset:offset + size], size)
    return out


class Image:
    def __init__(self, path, order):
        self.sections, self.order = sections(path), order

    def at(self, address, size):
        for start, data, length in self.sections.values():
            if start and data is not None and start <= address and address + size <= start + length:
                return data[address - start:address - start + size]
        raise ValueError("nothing at %#x" % address)

    def get(self, form, address):
        return struct.unpack(self.order + form, self.at(address, struct.calcsize(self.order + form)))

    def string(self, address):
        text = b""
        while not text.endswith(b"\0"):
            text += self.at(address + len(text), 1)
        return text[:-1].decode()

    def distance(self, address):
        return address + self.get("i", address)[0]

    def kernels(self):
        """As tests/kernels/kernel_rows.c reads them."""
        start, _, size = self.sections["kernel_rows"]
        for row in range(start, start + size, 40):
            code_size, n_exact, n_range, needs, flags = self.get("IHHQQ", row + 16)
            name, code, exact, ranges = (self.distance(row + 4 * i) for i in range(4))
            yield (self.string(name), self.at(code, code_size) if code_size else b"", needs, flags,
                   [self.get("Hii", exact + 10 * i) for i in range(n_exact)],
                   [self.get("Hiiii", ranges + 22 * i) + (self.string(self.distance(ranges + 22 * i + 18)),) for i in range(n_range)])


def readable(kernels):
    return [k[:5] + ([r[:5] + (r[5][:len(e[5])],) for r, e in zip(k[5], expected[5])] if len(k[5]) == len(expected[5]) else k[5],)
            for k, expected in zip(kernels, EXPECTED)]


def decoded(path, target):
    try:
        return readable(list(Image(path, target[4]).kernels()))
    except (KeyError, ValueError, struct.error) as e:
        return str(e)


def size_of(name, pointer):
    return eval(SIZES[name], {"__SIZEOF_POINTER__": pointer})  # pylint: disable=eval-used


with tempfile.TemporaryDirectory() as tmp:
    tmp = pathlib.Path(tmp)
    (tmp / "wide.def").write_text("".join('QUANTITY(WIDE_%d, "wide.%d", MICRO, "none")\n' % (i, i) for i in range(300)), encoding="utf-8")
    source = ROOT / "tests/self/host/kernel_macros.S"
    for target in TARGETS:
        program, said = build(tmp, target, source)
        if not ok(program, "%s: it assembles" % target[0], said):
            continue
        equal(decoded(program, target), EXPECTED, "%s: the rows are what the kernels declare" % target[0])
        rooms = {name: sections(program)[name][2] for name in ("kernels", "kernel_exacts", "kernel_ranges")}
        lines = sum(len(k[4]) for k in EXPECTED)
        equal(rooms, {"kernels": 3 * size_of("KERNEL_STRUCT_SIZE", target[5]), "kernel_exacts": (lines + 3) * size_of("SIGNATURE_SIZE", target[5]),
                      "kernel_ranges": (3 + 1) * size_of("RANGE_SIZE", target[5])}, "%s: and there is room for them in memory" % target[0])

    # The C side: its assertions hold for 32 bits, too.
    for flag in "-m64", "-m32":
        r = run("gcc", "-std=gnu11", flag, "-ffreestanding", "-nostdinc", "-isystem", run("gcc", "-print-file-name=include").stdout.strip(), "-isystem",
                "build/newlib/include", "-fsyntax-only", "-I.", "-I", tmp, "-DQUANTITY_LIST=\"wide.def\"", "tests/kernels/kernel_rows.c")
        ok(r.returncode == 0, "structures have the sizes that the macros take them to have: %s" % flag, r.stderr)

    # What would go unnoticed on x86-64 alone.
    macros = (ROOT / "tests/kernels/macros.h").read_text(encoding="utf-8")
    for what, old, new in (("a pointer in place of a distance", ".4byte .Lkernel_name_\\name - .", ".8byte .Lkernel_name_\\name"),
                           ("halves in one byte order", ".8byte \\flags", ".4byte \\flags & 0xffffffff, \\flags >> 32")):
        assert old in macros, old
        copy = tmp / "changed/tests/kernels/macros.h"
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(macros.replace(old, new), encoding="utf-8")
        program, said = build(tmp, TARGETS[0], source, [tmp / "changed"])
        ok(not program or decoded(program, TARGETS[0]) != EXPECTED, "%s is noticed" % what)
    shutil.rmtree(tmp / "changed")
    code = re.sub(r'/\*.*?\*/|"[^"]*"', "", macros, flags=re.S)
    equal(re.findall(r"(?<!\w)\.(?:word|long|int|quad|short|hword|value|align)\b|;|@progbits|@nobits|@function", code), [],
          "no directive, separator or type in them is one target's own")

    # What cannot be written down is refused, everywhere alike.
    for what, line, words in (("an unknown quantity", "SIG NO_SUCH, 1", "unknown quantity: NO_SUCH"),
                              ("an amount above 32 bits", "SIG LOADS, 0x80000000", "beyond 32 bits: LOADS"),
                              ("an amount below 32 bits", "SIG LOADS, 0, -0x80000001", "beyond 32 bits: LOADS")):
        bad = tmp / "bad.S"
        bad.write_text(source.read_text(encoding="utf-8").replace("SIG STORES, 0, 7", line), encoding="utf-8")
        said = [build(tmp, target, bad)[1] for target in TARGETS]
        ok(all(words in s for s in said), "%s is refused" % what, said)
    bad.write_text(source.read_text(encoding="utf-8").replace('KERNEL empty, "nothing"', 'KERNEL empty, ""'), encoding="utf-8")
    ok(all("has no purpose" in build(tmp, target, bad)[1] for target in TARGETS), "a kernel without a purpose is refused")
done()
