/*
 * Loads and stores: by width, in pairs, exclusive, atomic, ordered.
 */
#include "tests/kernels/aarch64/kernel.h"

#define AT [x5]

.macro SCRATCH
	add	x5, x1, #KERNEL_SCRATCH
.endm

.macro WIDTH name, bytes, load, store, r
KERNEL loads_\name, "N times four loads of \bytes bytes"
	SCRATCH
1:	.rept 4
	\load	\r, AT
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 1
SIG_LOADS 4, \bytes
SIG_LOOP
SIGNATURE_END

KERNEL stores_\name, "N times four stores of \bytes bytes"
	SCRATCH
1:	.rept 4
	\store	\r, AT
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 1
SIG_STORES 4, \bytes
SIG_LOOP
SIGNATURE_END
.endm

WIDTH 1, 1, ldrb, strb, w3
WIDTH 2, 2, ldrh, strh, w3
WIDTH 4, 4, ldr, str, w3
WIDTH 8, 8, ldr, str, x3
WIDTH s, 4, ldr, str, s3
WIDTH d, 8, ldr, str, d3
WIDTH q, 16, ldr, str, q3

KERNEL loads, "N times eight loads of eight bytes", flags=KERNEL_CORE
	SCRATCH
1:	.rept 8
	ldr	x3, AT
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 8 + 2, 1
SIG_LOADS 8, 8
SIG_LOOP
SIGNATURE_END

KERNEL stores, "N times eight stores of eight bytes", flags=KERNEL_CORE
	SCRATCH
1:	.rept 8
	str	x3, AT
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 8 + 2, 1
SIG_STORES 8, 8
SIG_LOOP
SIGNATURE_END

KERNEL copy, "N times eight bytes from one place to another", flags=KERNEL_CORE
	SCRATCH
1:	ldr	x3, AT
	str	x3, [x5, #8]
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG_LOADS 1, 8
SIG_STORES 1, 8
SIG_LOOP
SIGNATURE_END

KERNEL loads_signed, "N times loads that extend the sign"
	SCRATCH
1:	ldrsb	x3, AT
	ldrsh	w4, AT
	ldrsw	x6, AT
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 1
SIG INSN_LOAD, 3
SIG LOADS, 3
SIG LOAD_BYTES, 1 + 2 + 4
SIG_LOOP
SIGNATURE_END

KERNEL pairs, "N times a load and a store of a pair", flags=KERNEL_CORE
	SCRATCH
1:	ldp	x3, x4, [x5]
	stp	x3, x4, [x5, #16]
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG INSN_PAIR, 2
SIG INSN_LOAD, 1
SIG LOADS, 2
SIG LOAD_BYTES, 16
SIG INSN_STORE, 1
SIG STORES, 2
SIG STORE_BYTES, 16
SIG_LOOP
SIGNATURE_END

KERNEL pairs_vector, "N times a load and a store of a pair of vector registers"
	SCRATCH
1:	ldp	q3, q4, [x5]
	stp	q3, q4, [x5, #32]
	ldnp	w3, w4, [x5]
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 1
SIG INSN_PAIR, 3
SIG INSN_LOAD, 2
SIG LOADS, 4
SIG LOAD_BYTES, 32 + 8
SIG INSN_STORE, 1
SIG STORES, 2
SIG STORE_BYTES, 32
SIG_LOOP
SIGNATURE_END

KERNEL writeback, "N times loads and stores that change their address"
	SCRATCH
1:	ldr	x3, [x5], #16
	str	x3, [x5, #-8]!
	sub	x5, x5, #8
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 1
SIG_LOADS 1, 8
SIG_STORES 1, 8
SIG_LOOP
SIGNATURE_END

KERNEL loads_literal, "N times a load of what lies beside the code"
1:	ldr	w3, 2f
	LOOP_END
	b	3f
2:	.4byte	0x1234
3:
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 1
SIG_LOADS 1, 4
SIG BRANCHES, 1, 1
SIG BR_JMP_DIRECT, 0, 1
SIG BR_COND, 1
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIGNATURE_END

KERNEL unaligned, "N times a load and a store of eight bytes at an odd address"
	SCRATCH
	add	x5, x5, #1
1:	ldr	x3, [x5]
	str	x3, [x5]
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 2
SIG_LOADS 1, 8
SIG_STORES 1, 8
SIG UNALIGNED, 2
SIG_LOOP
SIGNATURE_END

KERNEL exclusives, "N times a load exclusive and the store exclusive that goes with it, until it passes", flags=KERNEL_CORE
	SCRATCH
1:	ldxr	x3, [x5]
	stxr	w4, x3, [x5]
	cbnz	w4, 1b
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 1
SIG_LOADS 1, 8
SIG_STORES 1, 8
SIG INSN_LDX, 1
SIG INSN_STX, 1
SIG BRANCHES, 1 + 1
SIG BR_COND, 1 + 1
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 1, 1
SIG_RANGE EXCLUSIVES_PASSED, 1, 0, 1, 0, "it goes round until the store passes"
SIGNATURE_END

KERNEL exclusives_ordered, "N times the same with acquire and release, of a pair too"
	SCRATCH
1:	ldaxr	w3, [x5]
	stlxr	w4, w3, [x5]
	ldxp	x3, x6, [x5]
	stxp	w4, x3, x6, [x5]
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 1
SIG INSN_LOAD, 2
SIG LOADS, 1 + 2
SIG LOAD_BYTES, 4 + 16
SIG INSN_STORE, 2
SIG STORES, 1 + 2
SIG STORE_BYTES, 4 + 16
SIG INSN_LDX, 2
SIG INSN_STX, 2
SIG INSN_ACQUIRE, 1
SIG INSN_RELEASE, 1
SIG_LOOP
SIGNATURE_END

KERNEL exclusives_failed, "N times a store exclusive that fails, as CLREX has ended what a load began"
	SCRATCH
1:	ldxr	x3, [x5]
	clrex
	stxr	w4, x3, [x5]
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 1
SIG_LOADS 1, 8
SIG INSN_LDX, 1
SIG INSN_STX, 1
SIG_LOOP
SIGNATURE_END

KERNEL acquire_release, "N times a load-acquire and a store-release", flags=KERNEL_CORE
	SCRATCH
1:	ldar	x3, [x5]
	stlr	x3, [x5]
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG_LOADS 1, 8
SIG_STORES 1, 8
SIG INSN_ACQUIRE, 1
SIG INSN_RELEASE, 1
SIG_LOOP
SIGNATURE_END

KERNEL acquire_weaker, "N times LDAPR, a load-acquire that orders less", needs=KERNEL_NEEDS_RCPC
	.arch	armv8.3-a
	SCRATCH
1:	ldapr	x3, [x5]
	ldaprb	w4, [x5]
	LOOP_END
	.arch	armv8-a
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG INSN_LOAD, 2
SIG LOADS, 2
SIG LOAD_BYTES, 8 + 1
SIG INSN_ACQUIRE, 2
SIG_LOOP
SIGNATURE_END

KERNEL atomics, "N times an addition, a swap and a compare-and-swap in memory", needs=KERNEL_NEEDS_LSE
	.arch	armv8-a+lse
	SCRATCH
1:	ldadd	x0, x3, [x5]
	swp	x0, x4, [x5]
	mov	x6, x0
	cas	x6, x0, [x5]
	LOOP_END
	.arch	armv8-a
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 1
SIG_LOADS 3, 8
SIG_STORES 3, 8
SIG INSN_LOCKED, 3
SIG_LOOP
SIGNATURE_END

KERNEL prefetches, "N times two prefetches", flags=KERNEL_CORE
	SCRATCH
1:	prfm	pldl1keep, [x5]
	prfm	pstl2strm, [x5, #64]
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG PREFETCHES, 2
SIG_LOOP
SIGNATURE_END

KERNEL stack, "N times a pair that is pushed and popped"
1:	stp	x3, x4, [sp, #-16]!
	ldp	x3, x4, [sp], #16
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 2 + 2
SIG INSN_PAIR, 2
SIG INSN_LOAD, 1
SIG LOADS, 2
SIG LOAD_BYTES, 16
SIG INSN_STORE, 1
SIG STORES, 2
SIG STORE_BYTES, 16
SIG_LOOP
SIGNATURE_END

KERNEL zero_line, "N times DC ZVA, which sets a block of memory to zero"
	SCRATCH
1:	dc	zva, x5
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 1
SIG INSN_MAINTENANCE, 1
SIG INSN_ZERO, 1
SIG_LOOP
SIGNATURE_END
