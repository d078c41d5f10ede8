#!/usr/bin/python3
"""No word of x86 in the code and the strings of what serves every instruction set (comments may give it as an example).

Files that still have such words are listed in data/words.txt: a word, why it is still there, and who has it. The list only
shrinks: a word that is not in it fails, and so does an entry that is no longer needed.
"""
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(TOP, "tests/self"))
from house import FREE, owned_by, parse, read, sources  # noqa: E402
from tap import done, ok  # noqa: E402

# Instructions, registers, tables and devices of x86, and the names of its manuals.
WORDS = set("""
    rdpmc rdmsr wrmsr msr msrs rdtsc rdtscp cpuid iret iretq sysret sysexit syscall sysenter int3 hlt mwait lfence mfence sfence
    clflush invlpg cli sti ud2 vmrun vmcall
    eax ebx ecx edx esi edi ebp esp rax rbx rcx rdx rsi rdi rbp rsp rip eip r8 r9 r10 r11 r12 r13 r14 r15 gpr gprs
    xmm ymm zmm x87 mmx sse sse2 avx avx2 avx512 mxcsr eflags rflags cr0 cr2 cr3 cr4 cr8 dr6 dr7 xcr0 efer
    idt gdt ldt tss lvt lvtpc apic apics lapic xapic x2apic tsc hpet cpl iopl ring rings ring0 ring1 ring2 ring3
    ia32 sdm apm smi smis smm pebs ibs lbr lbrs bts brs
""".split())
# Names that say nothing to a newcomer, and the field's word for each.
PRIVATE = {
    "lent": "emulated", "companion": "second CPU", "corner": "extreme", "corners": "extremes", "quiet": "masked", "deeds": "what is done",
    "burst": "a number of them", "rest_step": "step", "step_rest": "step", "pmu_hands": "driver", "as_silicon": "by the rules of silicon",
}
INSTRUCTION_SETS = {e.name for e in os.scandir(os.path.join(TOP, "arch")) if e.is_dir()}
# What a list of one instruction set's own, beside neutral ones, is called.
OWN_LISTS = tuple("pmu/quantity/%s.def" % isa for isa in INSTRUCTION_SETS)

COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
MACHINE_CODE = re.compile(r'\b(?:__asm__|asm)\b[^;"]*"[^"]+"|\.byte\b')
# An object's name for the linker is no code, though GCC writes it as such.
LINKER_NAME = re.compile(r'\bextern\b[^;{}"]*\b__asm__\("\w+"\);')


def without_comments(text):
    return COMMENT_OR_STRING.sub(lambda m: " " if m.group().startswith("/") else m.group(), text)


def words(text):
    """The words of x86 in a source: parts of names as well, between underscores."""
    code = without_comments(text)
    found = {w.lower() for w in re.findall(r"[A-Za-z0-9]+", code)} & WORDS
    return found | ({"asm"} if MACHINE_CODE.search(LINKER_NAME.sub("", code)) else set())


def private(text):
    """Private words in a source's code: names, or parts of names between underscores."""
    code = re.sub(r"[^A-Za-z0-9_]+", " ", without_comments(text)).lower()
    return {w for w in PRIVATE if re.search(r"(?<![a-z0-9])%s(?![a-z0-9])" % w, code)}


def neutral(name):
    return not FREE.match(name) and name not in OWN_LISTS and not owned_by(name) & INSTRUCTION_SETS


def lines(pairs):
    return ["%s says %s" % p for p in sorted(pairs)]


def main():
    files = {f: text for f, text in sources().items() if neutral(f)}
    said = {(f, w) for f, text in files.items() for w in words(text)}
    listed, complaints = parse(read("tests/self/host/data/words.txt"))
    ok(len(files) > 200, "neutral sources are found")
    ok(not complaints, "the list of exceptions is well formed, each with a reason", complaints)
    ok(not said - listed, "nothing neutral says a word of x86, but for what is listed", lines(said - listed))
    ok(not listed - said, "every exception is still needed", lines(listed - said))

    private_names = [(f, w) for f, text in sources().items() for w in private(text)]
    ok(not private_names, "no name needs a glossary where the field has a word", ["%s says %s: %s" % (f, w, PRIVATE[w]) for f, w in sorted(private_names)])
    ok(private("int X2APIC_LENT; bool quiet;") == {"lent", "quiet"} and not private("silently netburst /* lent */ cornered"), "such a name is told, as part of a name too")

    # The other side: what is planted is told.
    ok(words('const char *s = "in ring 3 alone";') == {"ring"} and words("uint8_t its_rdpmc;") == {"rdpmc"} and
       words("#define LVT_MASK 1") == {"lvt"} and words("r.level = SPACE_MSR;") == {"msr"},
       "a word in a string, a field, a macro or a constant is told")
    ok(words('__asm__ volatile("call 1f" ::: "memory");') == {"asm"} and words("\t.byte 0x90\n") == {"asm"},
       "so is machine code")
    ok(words('extern void f(void) __asm__("nop; nop");') == {"asm"} and words('extern int a; void f(void) { __asm__("nop"); }') == {"asm"} and
       not words('extern const int rows[] __asm__("__start_rows");'), "what the linker calls an object is none, and nothing else passes for that")
    ok(not words('__asm__ volatile("");') and not words("string(bring, during);") and not words("/* x86: RDPMC */ int a; // ring 3\n"),
       "a barrier, another word and a comment are not")
    ok(words('a = "/* ring */";') == {"ring"} and words("'\"'; /* MSR */ x; \"LVT\"") == {"lvt"}, "a string is no comment, nor the other way round")
    ok(all(neutral(f) for f in ("tests/judge/shares.c", "boot/options.c", "boot/uefi/uefi.c", "arch/step.h", "pmu/contract/pmu.h", "pmu/virtual/premises.def", "tools/coverage.c")) and
       not any(neutral(f) for f in ("arch/x86/cpu/msr.c", "pmu/intel/driver/driver.c", "tests/suites/x86/step.c", "boot/direct/direct.c",
                                    "tests/self/host/test_pass.c", "pmu/quantity/x86.def")), "neutral files are told from x86's")
    done()


main()
