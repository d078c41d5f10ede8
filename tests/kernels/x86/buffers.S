/*
 * Buffers that fill up, whatever their size and the core: behind square roots that wait for each other, which take six cycles each at
 * least (Intel, Optimization Reference Manual, latencies; Pentium 4 and AMD's cores take longer), comes more than the largest one holds, in the
 * proportion in which that one is full before all others. And what a decoder has to look at twice.
 */
#include "tests/kernels/x86/vector.h"

#define BEHIND "once a turn: more than it holds waits behind instructions that wait for each other"

/* So many square roots in a row, of one in double precision. */
.macro CHAIN count
	.rept \count
	sqrtsd %xmm1, %xmm1
	.endr
.endm

.macro SIG_CHAIN count
SIG FP_SCALAR_DP, \count, 0
SIG FLOPS_DP, \count, 0
SIG FLOPS_DP_DIV, \count, 0
SIG FP_DIV, \count, 0
SIG_LOOP
SIG_NO_DENORMALS
.endm

/* Up to 576 instructions are in flight, or pairs of NOPs; NOPs wait for nothing but their turn to retire. */
#define ROOTS 24
#define NOPS  1000

KERNEL full_reorder, "N times more NOPs than a reorder buffer holds, behind a chain of square roots"
	ONES_DP %xmm1
1:	CHAIN ROOTS
	.rept NOPS
	nop
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, ROOTS + NOPS + 2, ONES
SIG INSN_NOP, NOPS, 0
SIG INSN_SSE, ROOTS, ONES_SSE
SIG_CHAIN ROOTS
SIG_RANGE FULL_REORDER, 1, 0, 1, 0, BEHIND
SIGNATURE_END

/* Schedulers that one kind of operation fills hold up to 97, in fewer places than instructions are in flight. */
#undef ROOTS
#define ROOTS 8
#define WAITING 160

KERNEL full_scheduler, "N times more additions than a scheduler holds, which wait for a chain of square roots"
	ONES_DP %xmm1
	movapd %xmm1, %xmm2
1:	CHAIN ROOTS
	.rept WAITING
	addsd %xmm1, %xmm2
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, ROOTS + WAITING + 2, ONES + 1
SIG INSN_SSE, ROOTS + WAITING, ONES_SSE + 1
SIG FP_SCALAR_DP, ROOTS + WAITING, 0
SIG FLOPS_DP, ROOTS + WAITING, 0
SIG FLOPS_DP_ADD, WAITING, 0
SIG FLOPS_DP_DIV, ROOTS, 0
SIG FP_DIV, ROOTS, 0
SIG_LOOP
SIG_NO_DENORMALS
SIG_RANGE FULL_SCHEDULER, 1, 0, 1, 0, BEHIND
SIGNATURE_END

/* Up to 120 stores are in flight, a quarter of the instructions at most: of three instructions one is a store. */
#undef ROOTS
#define ROOTS 16
#define STORES 200

KERNEL full_stores, "N times more stores than a store buffer holds, behind a chain of square roots"
	ONES_DP %xmm1
1:	CHAIN ROOTS
	.rept STORES
	mov %rdi, KERNEL_SCRATCH(%rsi)
	nop
	nop
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, ROOTS + 3*STORES + 2, ONES
SIG INSN_NOP, 2*STORES, 0
SIG INSN_SSE, ROOTS, ONES_SSE
SIG_STORES STORES, WORD
SIG_CHAIN ROOTS
SIG_RANGE FULL_STORES, 1, 0, 1, 0, BEHIND
SIGNATURE_END

#undef ROOTS
#define ROOTS 8

KERNEL late_data, "N times a store of what a chain of square roots comes to, and a load of it by other registers"
	ONES_DP %xmm1
	lea KERNEL_SCRATCH(%rsi), %rdx
1:	CHAIN ROOTS
	movsd %xmm1, KERNEL_SCRATCH(%rsi)
	mov (%rdx), %rax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, ROOTS + 2 + 2, ONES + 1
SIG INSN_SSE, ROOTS + 1, ONES_SSE
SIG_LOADS 1, WORD
SIG_STORES 1, 8
SIG_CHAIN ROOTS
SIG_RANGE LATE_DATA, 1, 0, 1, 0, "once a turn: its address is known, and its data is not"
SIGNATURE_END

/* A cache of decoded instructions has no room for 64 bytes of NOPs (four dozen at most), and no loop buffer for all of these. */
#define AROUND 128

KERNEL length_changed, "N times an addition whose prefix changes its length, among NOPs that are decoded anew"
1:	.rept AROUND
	nop
	.endr
	addw $0x1234, %ax
	.rept AROUND
	nop
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2*AROUND + 1 + 2, 0
SIG INSN_NOP, 2*AROUND, 0
SIG_RANGE LENGTHS_CHANGED, 1, 0, 1, 0, "once a turn: the addition"
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
