/*
 * Privileged instructions that leave the machine as it was, and such as only CR4.UMIP makes so: the harness has it clear.
 */
#include "tests/kernels/x86/kernel.h"

#define ONE_WALK "the translation was dropped before, by an instruction that serialises; a walk that is given up and begun again counts twice"

KERNEL tlb_flush_page, "N times INVLPG of a page and a load from it: one page walk by construction", flags=KERNEL_PRIVILEGED
	add $KERNEL_SCRATCH, %rsi
1:	invlpg (%rsi)
	mov (%rsi), %rax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG INSN_SERIALIZING, 1, 0
SIG_LOADS 1, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE DTLB_LOAD_MISS, 1, 0, 2, 0, ONE_WALK
SIG_RANGE DTLB_LOAD_4K, 1, 0, 2, 0, ONE_WALK
SIGNATURE_END

/* The pages lie apart, as some TLBs hold neighbouring ones in one entry. */
KERNEL tlb_flush_all, "N times a reload of CR3 and loads from two pages: two page walks by construction", flags=KERNEL_PRIVILEGED|KERNEL_CLOBBERS_CR
	mov %cr3, %rax
	add $KERNEL_SCRATCH, %rsi
1:	mov %rax, %cr3
	mov (%rsi), %rcx
	mov 0x8000(%rsi), %rcx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 2
SIG INSN_SERIALIZING, 1, 0
SIG_LOADS 2, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE DTLB_LOAD_MISS, 2, 0, 4, 0, ONE_WALK
SIG_RANGE DTLB_LOAD_4K, 2, 0, 4, 0, ONE_WALK
SIGNATURE_END

#define CR4_PGE 0x80
KERNEL tlb_flush_global, "N times a change of CR4.PGE and back: all translations are dropped, global ones too", flags=KERNEL_PRIVILEGED|KERNEL_CLOBBERS_CR
	mov %cr4, %rax
1:	xor $CR4_PGE, %rax
	mov %rax, %cr4
	xor $CR4_PGE, %rax
	mov %rax, %cr4
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 1
SIG INSN_SERIALIZING, 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE FLUSHES_GLOBAL, 1, 0, 1, 0, "once a turn: a bit of CR4 is changed, and put back"
SIGNATURE_END

KERNEL tlb_flush_store, "N times INVLPG of a page and a store to it: one page walk by construction", flags=KERNEL_PRIVILEGED
	add $KERNEL_SCRATCH, %rsi
1:	invlpg (%rsi)
	mov %rax, (%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG INSN_SERIALIZING, 1, 0
SIG_STORES 1, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE DTLB_STORE_MISS, 1, 0, 2, 0, ONE_WALK
SIG_RANGE DTLB_STORE_4K, 1, 0, 2, 0, ONE_WALK
SIGNATURE_END

KERNEL control_registers, "N times reads of the control registers, and a write of CR2", flags=KERNEL_PRIVILEGED|KERNEL_CLOBBERS_CR
1:	mov %cr0, %rax
	mov %cr2, %rcx
	mov %cr3, %rdx
	mov %cr4, %rax
#ifndef __i386__
	mov %cr8, %rax
#endif
	mov %rcx, %cr2
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 5 + WORD/8 + 2, 0
SIG INSN_SERIALIZING, 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL system_stores, "N times the stores of system registers to memory and to registers"
	add $KERNEL_SCRATCH, %rsi
1:	sgdt (%rsi)
	sidt 16(%rsi)
	sldt 32(%rsi)
	str 34(%rsi)
	smsw 36(%rsi)
	str %eax
	sldt %eax
	smsw %rax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 8 + 2, 1
SIG INSN_STORE, 5, 0
SIG STORES, 5, 0
SIG STORE_BYTES, 2*(2 + WORD) + 3*2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

#define TIME_STAMP_COUNTER 0x10
KERNEL rdmsr, "N times RDMSR of the time-stamp counter", flags=KERNEL_PRIVILEGED
	mov $TIME_STAMP_COUNTER, %ecx
1:	rdmsr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 1
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

#define TSC_AUX 0xc0000103
KERNEL wrmsr, "N times WRMSR of TSC_AUX: it serialises", needs=KERNEL_NEEDS_RDTSCP, flags=KERNEL_PRIVILEGED
	mov $TSC_AUX, %ecx
	xor %eax, %eax
	xor %edx, %edx
1:	wrmsr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 3
SIG INSN_SERIALIZING, 1, 0
SIG INSN_WRMSR, 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

#ifndef __i386__
KERNEL swapgs, "N times SWAPGS, there and back", flags=KERNEL_PRIVILEGED
1:	swapgs
	swapgs
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

/* The port that shows firmware's progress: nobody minds what is written there. */
#define PORT 0x80
KERNEL ports, "N times OUT, OUTSB and REP OUTSB to a port: string output loads, plain output does not", flags=KERNEL_PRIVILEGED
	lea KERNEL_SCRATCH(%rsi), %r9
	mov $PORT, %edx
	xor %eax, %eax
1:	mov %r9, %rsi
	mov $4, %ecx
	out %al, $PORT
	out %al, %dx
	outsb
	rep outsb
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 6 + 2, 3
SIG INSN_STRING, 2, 0
SIG INSN_IO, 4, 0
SIG REP_ITERATIONS, 4, 0
SIG INSN_LOAD, 2, 0
SIG LOADS, 1 + 4, 0
SIG LOAD_BYTES, 1 + 4, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL port_reads, "N times IN, INSB and REP INSB from a port: string input stores, plain input does not", flags=KERNEL_PRIVILEGED
	mov %rdi, %r9
	lea KERNEL_SCRATCH(%rsi), %r10
	mov $PORT, %edx
1:	mov %r10, %rdi
	mov $4, %ecx
	in $PORT, %al
	in %dx, %al
	insb
	rep insb
	dec %r9
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 6 + 2, 3
SIG INSN_STRING, 2, 0
SIG INSN_IO, 4, 0
SIG REP_ITERATIONS, 4, 0
SIG INSN_STORE, 2, 0
SIG STORES, 1 + 4, 0
SIG STORE_BYTES, 1 + 4, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

/*
 * A walk to a large page. The memory is that of the chains, of which nothing else is asked for.
 */
.macro SIG_LARGE_WALK
SIG INSTRUCTIONS, 2 + 2, 1
SIG INSN_SERIALIZING, 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
.endm

#define ONE_CODE_WALK "the translation of the code was dropped before; a walk that is given up and begun again counts twice"
#define LARGE_ALONE "its memory is in large pages; others may take eight translations in a run"

.macro LARGE_WALKS size, id, flag
KERNEL walk_load_\size, "N times INVLPG of a page of \size and a load from it: one walk to such a page by construction", flags=KERNEL_PRIVILEGED|\flag
	mov KERNEL_PARAM_CHAIN(%rsi), %rdx
1:	invlpg (%rdx)
	mov (%rdx), %rax
	dec %rdi
	jnz 1b
KERNEL_END
SIG_LARGE_WALK
SIG INSN_LOAD, 1, 1
SIG LOADS, 1, 1
SIG LOAD_BYTES, WORD, WORD
SIG_RANGE DTLB_LOAD_MISS, 1, 0, 2, 0, ONE_WALK
SIG_RANGE DTLB_LOAD_\id, 1, 0, 2, 0, ONE_WALK
SIG_RANGE DTLB_LOAD_4K, 0, 0, 0, 8, LARGE_ALONE
SIGNATURE_END

KERNEL walk_store_\size, "N times INVLPG of a page of \size and a store to it: one walk to such a page by construction", flags=KERNEL_PRIVILEGED|\flag
	mov KERNEL_PARAM_CHAIN(%rsi), %rdx
1:	invlpg (%rdx)
	mov %rax, 8(%rdx)
	dec %rdi
	jnz 1b
KERNEL_END
SIG_LARGE_WALK
SIG INSN_LOAD, 0, 1
SIG LOADS, 0, 1
SIG LOAD_BYTES, 0, WORD
SIG_STORES 1, WORD
SIG_RANGE DTLB_STORE_MISS, 1, 0, 2, 0, ONE_WALK
SIG_RANGE DTLB_STORE_\id, 1, 0, 2, 0, ONE_WALK
SIG_RANGE DTLB_STORE_4K, 0, 0, 0, 8, LARGE_ALONE
SIGNATURE_END

/* The page has a return there. */
KERNEL walk_code_\size, "N times INVLPG of a page of \size and a call into it: one walk to such a page for code by construction", flags=KERNEL_PRIVILEGED|\flag
	mov KERNEL_PARAM_CODE(%rsi), %rdx
1:	invlpg (%rdx)
	call *%rdx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 1
SIG INSN_SERIALIZING, 1, 0
SIG INSN_LOAD, 1, 1
SIG LOADS, 1, 1
SIG LOAD_BYTES, WORD, WORD
SIG INSN_STORE, 1, 0
SIG STORES, 1, 0
SIG STORE_BYTES, WORD, 0
SIG BRANCHES, 2 + 1, 0
SIG BR_CALL_INDIRECT, 1, 0
SIG BR_RET, 1, 0
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_ONE_WAY 2
SIG_INTEGER_ONLY
SIG_RANGE ITLB_MISS, 1, 0, 2, 0, ONE_CODE_WALK
SIG_RANGE ITLB_\id, 1, 0, 2, 0, ONE_CODE_WALK
SIGNATURE_END
.endm

LARGE_WALKS 2m, 2M, KERNEL_SERVICE_CHAIN_2M
LARGE_WALKS 1g, 1G, KERNEL_SERVICE_CHAIN_1G
