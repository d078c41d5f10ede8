/*
 * Kernels of REP-prefixed string instructions over a grid of operand size, count, direction and alignment.
 *
 * Each is called INSTRUCTION_cCOUNT_DIRECTION_aALIGNMENT (rep_movsb_c64_up_a3) and makes N turns of:
 * set up RSI, RDI and RCX (3 instructions), the string instruction, and the closing DEC and JNZ.
 */
#ifndef TESTS_KERNELS_X86_STRING_GRID_H
#define TESTS_KERNELS_X86_STRING_GRID_H

#include "tests/kernels/x86/kernel.h"

/* clang-format off */

#define SOURCE	    KERNEL_SCRATCH
#define DESTINATION (KERNEL_SCRATCH + 0x1000)

/*
 * .Lsplits = how many of \count elements of \bytes, packed from an address \align bytes above a line's start, lie across
 * two lines. The direction does not matter: the elements are the same.
 */
.macro COUNT_SPLITS bytes, count, align
	.set .Lsplits, 0
	.set .Lat, \align
	.rept \count
	.if .Lat % 64 + \bytes > 64
	.set .Lsplits, .Lsplits + 1
	.endif
	.set .Lat, .Lat + \bytes
	.endr
.endm

/* What is done to memory by \loads and \stores (per iteration) of one REP instruction per turn. */
.macro SIG_REP bytes, count, align, loads, stores
	SIG INSN_STRING, 1, 0
	.if \count
	SIG REP_ITERATIONS, \count, 0
	COUNT_SPLITS \bytes, \count, \align
	.if \loads
	SIG INSN_LOAD, 1, 0
	SIG LOADS, (\loads)*(\count), 0
	SIG LOAD_BYTES, (\loads)*(\count)*(\bytes), 0
	.if .Lsplits
	SIG LOADS_SPLIT_LINE, (\loads)*.Lsplits, 0
	.endif
	.endif
	.if \stores
	SIG INSN_STORE, 1, 0
	SIG STORES, \count, 0
	SIG STORE_BYTES, (\count)*(\bytes), 0
	.if .Lsplits
	SIG STORES_SPLIT_LINE, .Lsplits, 0
	.endif
	.endif
	.endif
.endm

/*
 * One kernel. \insn is the instruction as it is written, \name what its name begins with; RSI starts in \source and RDI in
 * \destination, at the first element or, for direction "down", at the last one. RAX is \value.
 */
.macro REP_KERNEL name, insn, bytes, count, direction, align, source, destination, loads, stores, value=0, flags=0
KERNEL \name\()_c\count\()_\direction\()_a\align, "N times \insn with the count (c), direction and bytes off a line (a) of its name", flags=\flags
	.set .Lfirst, \align
	.ifc \direction, down
	.if \count
	.set .Lfirst, \align + (\count - 1)*(\bytes)
	.endif
	std
	.else
	cld
	.endif
	lea \source + .Lfirst(%rsi), %r9
	lea \destination + .Lfirst(%rsi), %r10
	mov $\value, %eax
	mov %rdi, %rdx
1:	mov %r9, %rsi
	mov %r10, %rdi
	mov $\count, %ecx
	\insn
	dec %rdx
	jnz 1b
	cld
KERNEL_END
SIG INSTRUCTIONS, 3 + 1 + 2, 5 + 1
SIG_REP \bytes, \count, \align, \loads, \stores
SIG_LOOP
SIGNATURE_END
.endm

#endif
