/*
 * Non-temporal stores and loads.
 */
#include "tests/kernels/x86/kernel.h"

KERNEL nontemporal_stores, "N times one line of non-temporal stores from general, MMX and XMM registers"
	add $KERNEL_SCRATCH, %rsi
	pxor %xmm0, %xmm0
	pxor %mm0, %mm0
1:	movnti %eax, (%rsi)
	movnti %rax, 8(%rsi)
	movntq %mm0, 16(%rsi)
	movntps %xmm0, 32(%rsi)
	movntpd %xmm0, 48(%rsi)
	movntdq %xmm0, 64(%rsi)
	dec %rdi
	jnz 1b
	sfence
	emms
KERNEL_END
SIG INSTRUCTIONS, 6 + 2, 3 + 2
SIG STORES_NT, 6, 0
SIG INSN_MMX, 1, 1 + 1
SIG INSN_EMMS, 0, 1
SIG INSN_SSE, 3, 1
SIG INSN_FENCE, 0, 1
SIG INSN_STORE, 6, 0
SIG STORES, 6, 0
SIG STORE_BYTES, 4 + WORD + 8 + 3*16, 0
SIG_LOOP
SIGNATURE_END

/* A buffer may join stores, but not past the fence. */
KERNEL nontemporal_fenced, "N times three lines of non-temporal stores, and SFENCE"
	add $KERNEL_SCRATCH, %rsi
1:	.irp line, 0, 64, 128
	.irp i, 0, 8, 16, 24, 32, 40, 48, 56
	movnti %rdi, \line + \i(%rsi)
	.endr
	.endr
	sfence
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3*8 + 1 + 2, 1
SIG STORES_NT, 3*8, 0
SIG INSN_FENCE, 1, 0
SIG_STORES 3*8, WORD
SIG_RANGE TRANSFERS_FORCED, 3, 0, 3*8, 0, "a fence empties the buffers: whole lines, or store by store"
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

/* A Pentium 4 has six such buffers, or eight (Intel, Optimization Reference Manual, write combining), and no core has half as many as there are
 * lines here, none of which is filled: one is emptied because all are taken. */
#define COMBINED 64

KERNEL nontemporal_many, "N times a non-temporal store to each of sixty-four lines, and SFENCE"
	add $KERNEL_SCRATCH, %rsi
1:	.set line, 0
	.rept COMBINED
	movnti %rdi, line(%rsi)
	.set line, line + 64
	.endr
	sfence
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, COMBINED + 1 + 2, 1
SIG STORES_NT, COMBINED, 0
SIG INSN_FENCE, 1, 0
SIG_STORES COMBINED, WORD
SIG_RANGE FULL_COMBINING, 1, 0, 1, 0, "once a turn: more lines are stored to than there are buffers"
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL masked_stores, "N times MASKMOVQ and MASKMOVDQU under an all-ones mask"
	mov %rdi, %rcx
	lea KERNEL_SCRATCH(%rsi), %rdi
	pcmpeqb %xmm0, %xmm0
	pcmpeqb %mm0, %mm0
1:	maskmovdqu %xmm0, %xmm1
	maskmovq %mm0, %mm1
	dec %rcx
	jnz 1b
	sfence
	emms
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 4 + 2
SIG STORES_NT, 2, 0
SIG INSN_SSE, 1, 1
SIG INSN_MMX, 1, 1 + 1
SIG INSN_MASKMOVQ, 1, 0
SIG INSN_EMMS, 0, 1
SIG INSN_FENCE, 0, 1
SIG INSN_STORE, 2, 0
SIG STORES, 2, 0
SIG STORE_BYTES, 16 + 8, 0
SIG_LOOP
SIGNATURE_END

KERNEL nontemporal_load, "N times MOVNTDQA from ordinary memory", needs=KERNEL_NEEDS_SSE41
1:	movntdqa KERNEL_SCRATCH(%rsi), %xmm0
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 0
SIG INSN_SSE, 1, 0
SIG_LOADS 1, 16
SIG_LOOP
SIGNATURE_END
