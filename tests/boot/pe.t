#!/usr/bin/python3
"""BOOTX64.EFI as firmware with strict memory protection wants it: aligned, W^X, NX-compatible, small, no stored zeros."""
import re

import pefile

from boottest import BUILD, done, equal, ok

LONGEST_ZERO_RUN = 4096
SIZE_LIMIT = 512 * 1024

path = BUILD + "/BOOTX64.EFI"
pe = pefile.PE(path)
with open(path, "rb") as f:
    data = f.read()
flags = pefile.SECTION_CHARACTERISTICS
head = pe.OPTIONAL_HEADER

equal(pe.FILE_HEADER.Machine, pefile.MACHINE_TYPE["IMAGE_FILE_MACHINE_AMD64"], "made for x86-64")
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
    ok(not (s.Characteristics & flags["IMAGE_SCN_MEM_WRITE"] and s.Characteristics & flags["IMAGE_SCN_MEM_EXECUTE"]),
       name + " is not writable and executable at once")
    ok(s.SizeOfRawData <= (s.Misc_VirtualSize + 511) // 512 * 512, name + " stores no more than it needs")

text = [s for s in pe.sections if s.contains_rva(head.AddressOfEntryPoint)]
ok(len(text) == 1 and text[0].Characteristics & flags["IMAGE_SCN_MEM_EXECUTE"], "the entry lies in code")

relocations = [e for b in getattr(pe, "DIRECTORY_ENTRY_BASERELOC", []) for e in b.entries if e.type]
ok(relocations, "has base relocations")
ok(all(e.type == pefile.RELOCATION_TYPE["IMAGE_REL_BASED_DIR64"] for e in relocations), "all of them 64 bits wide")
code = [e for e in relocations if text and text[0].contains_rva(e.rva)]
ok(not code, "none of them in code", "%d in code" % len(code))

ok(len(data) <= SIZE_LIMIT, "at most %d bytes (has %d)" % (SIZE_LIMIT, len(data)))
longest = max((len(m.group()) for m in re.finditer(rb"\0+", data)), default=0)
ok(longest <= LONGEST_ZERO_RUN, "no long run of zeros is stored (longest %d)" % longest)
done()
