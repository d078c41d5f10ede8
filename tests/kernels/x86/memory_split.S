/*
 * Accesses that are not aligned: inside a line, across two lines, across two pages. Lines are 64 bytes, pages 4 KiB.
 */
#include "tests/kernels/x86/kernel.h"

/* By which a word may begin before a border. */
#ifdef __i386__
#define OFFSETS 1, 2, 3
#else
#define OFFSETS 1, 2, 3, 4, 5, 6, 7
#endif

#define NEXT_LINE (KERNEL_SCRATCH + 64)
#define NEXT_PAGE (KERNEL_SCRATCH + 0x1000)

KERNEL misaligned, "N times loads and stores of 8 bytes at all eight offsets, none of which leaves its line"
	add $KERNEL_SCRATCH, %rsi
1:	.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	mov \i(%rsi), %rax
	mov %rax, 32 + \i(%rsi)
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 8*2 + 2, 1
SIG_LOADS 8, WORD
SIG_STORES 8, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

.macro SPLIT_LOADS name, purpose, border
KERNEL \name, "\purpose"
	add $\border, %rsi
1:	mov -1(%rsi), %ax
	.irp i, 1, 2, 3
	mov -\i(%rsi), %eax
	.endr
	.irp i, OFFSETS
	mov -\i(%rsi), %rax
	.endr
	movups -8(%rsi), %xmm0
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 3 + (WORD-1) + 1 + 2, 1
SIG INSN_SSE, 1, 0
SIG INSN_LOAD, 1 + 3 + (WORD-1) + 1, 0
SIG LOADS, 1 + 3 + (WORD-1) + 1, 0
SIG LOAD_BYTES, 2 + 3*4 + (WORD-1)*WORD + 16, 0
SIG LOADS_SPLIT_LINE, 1 + 3 + (WORD-1) + 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
.endm

.macro SPLIT_STORES name, purpose, border
KERNEL \name, "\purpose"
	add $\border, %rsi
1:	mov %ax, -1(%rsi)
	.irp i, 1, 2, 3
	mov %eax, -\i(%rsi)
	.endr
	.irp i, OFFSETS
	mov %rax, -\i(%rsi)
	.endr
	movups %xmm0, -8(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 3 + (WORD-1) + 1 + 2, 1
SIG INSN_SSE, 1, 0
SIG INSN_STORE, 1 + 3 + (WORD-1) + 1, 0
SIG STORES, 1 + 3 + (WORD-1) + 1, 0
SIG STORE_BYTES, 2 + 3*4 + (WORD-1)*WORD + 16, 0
SIG STORES_SPLIT_LINE, 1 + 3 + (WORD-1) + 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
.endm

SPLIT_LOADS loads_split_line, "N times loads across two lines, of every size and offset", NEXT_LINE
SIGNATURE_END

SPLIT_LOADS loads_split_page, "N times loads across two pages, of every size and offset", NEXT_PAGE
SIG LOADS_SPLIT_PAGE, 1 + 3 + (WORD-1) + 1, 0
SIGNATURE_END

SPLIT_STORES stores_split_line, "N times stores across two lines, of every size and offset", NEXT_LINE
SIGNATURE_END

SPLIT_STORES stores_split_page, "N times stores across two pages, of every size and offset", NEXT_PAGE
SIG STORES_SPLIT_PAGE, 1 + 3 + (WORD-1) + 1, 0
SIGNATURE_END

KERNEL read_modify_write_split, "N times read-modify-write across two lines and across two pages"
1:	addq $1, NEXT_LINE - WORD/2(%rsi)
	addq $1, NEXT_PAGE - WORD/2(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 0
SIG_LOADS 2, WORD
SIG_STORES 2, WORD
SIG LOADS_SPLIT_LINE, 2, 0
SIG LOADS_SPLIT_PAGE, 1, 0
SIG STORES_SPLIT_LINE, 2, 0
SIG STORES_SPLIT_PAGE, 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
