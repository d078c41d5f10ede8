#!/usr/bin/python3
"""BOOTX64.EFI, and the image that it carries, as firmware with strict memory protection wants them: aligned, W^X, NX-compatible, no
stored zeros; and small, with the image whole inside."""
import importlib.machinery
import importlib.util
import os
import re
import struct
import zlib

import pefile

from boottest import BUILD, TOP, done, equal, ok

LONGEST_ZERO_RUN = 4096
SIZE_LIMIT = 512 * 1024

LOADER = importlib.machinery.SourceFileLoader("pack", os.path.join(TOP, "scripts/pack"))
PACK = importlib.util.module_from_spec(importlib.util.spec_from_loader("pack", LOADER))
LOADER.exec_module(PACK)

FLAGS = pefile.SECTION_CHARACTERISTICS


def read(name):
    with open(os.path.join(BUILD, name), "rb") as f:
        return f.read()


def check(file, data):
    pe = pefile.PE(data=data)
    head = pe.OPTIONAL_HEADER

    equal(pe.FILE_HEADER.Machine, pefile.MACHINE_TYPE["IMAGE_FILE_MACHINE_AMD64"], file + ": made for x86-64")
    equal(head.Subsystem, pefile.SUBSYSTEM_TYPE["IMAGE_SUBSYSTEM_EFI_APPLICATION"], "an EFI application")
    equal(head.SectionAlignment, 4096, "sections are page-aligned in memory")
    ok(head.DllCharacteristics & pefile.DLL_CHARACTERISTICS["IMAGE_DLLCHARACTERISTICS_NX_COMPAT"], "marked NX-compatible")
    equal(head.SizeOfImage % 4096, 0, "the image's size is whole pages")

    end = 0
    for s in pe.sections:
        name = s.Name.rstrip(b"\0").decode()
        equal(s.VirtualAddress % 4096, 0, name + " begins on a page")
        ok(s.VirtualAddress >= end, name + " overlaps nothing")
        end = s.VirtualAddress + s.Misc_VirtualSize
        ok(not (s.Characteristics & FLAGS["IMAGE_SCN_MEM_WRITE"] and s.Characteristics & FLAGS["IMAGE_SCN_MEM_EXECUTE"]),
           name + " is not writable and executable at once")
        ok(s.SizeOfRawData <= (s.Misc_VirtualSize + 511) // 512 * 512, name + " stores no more than it needs")

    text = [s for s in pe.sections if s.contains_rva(head.AddressOfEntryPoint)]
    ok(len(text) == 1 and text[0].Characteristics & FLAGS["IMAGE_SCN_MEM_EXECUTE"], "the entry lies in code")

    directory = head.DATA_DIRECTORY[pefile.DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_BASERELOC"]]
    ok(directory.Size and not pe.FILE_HEADER.IMAGE_FILE_RELOCS_STRIPPED, "may be loaded anywhere")
    relocations = [e for b in getattr(pe, "DIRECTORY_ENTRY_BASERELOC", []) for e in b.entries if e.type]
    ok(all(e.type == pefile.RELOCATION_TYPE["IMAGE_REL_BASED_DIR64"] for e in relocations), "what is relocated is 64 bits wide")
    code = [e for e in relocations if text and text[0].contains_rva(e.rva)]
    ok(not code, "and none of it is code", "%d in code" % len(code))

    longest = max((len(m.group()) for m in re.finditer(rb"\0+", data)), default=0)
    ok(longest <= LONGEST_ZERO_RUN, "no long run of zeros is stored (longest %d)" % longest)
    return relocations


outer, inner = read("BOOTX64.EFI"), read("assay.efi")
check("BOOTX64.EFI", outer)
ok(check("assay.efi", inner), "constants with addresses in them are left to the firmware to relocate")

ok(len(outer) <= SIZE_LIMIT, "BOOTX64.EFI has at most %d bytes (has %d, of an image of %d)" % (SIZE_LIMIT, len(outer), len(inner)))
header = struct.pack("<II", len(inner), zlib.crc32(inner))
at = outer.find(header)
size, _, *numbers = PACK.HEAD.unpack_from(outer, at)
content = PACK.unpacked(outer[at + PACK.HEAD.size:], numbers[2])
ok(at >= 0 and PACK.put_together(content, size, numbers) == inner, "assay.efi is in it, bit for bit")
done()
