/*
 * The assembly macros that kernels of every instruction set are written with (tests/kernels/kernel.h says
 * what they mean): for 32 and 64 bits, either byte order. They contain no instruction, no `;` between
 * statements (on some targets it begins a comment), and no directive whose size depends on the target. The
 * instruction set's kernel.h, which sources include, includes this one and defines
 *
 *	KERNEL_BEHIND	what lies behind a kernel's last byte: an instruction that traps
 */
#ifndef TESTS_KERNELS_MACROS_H
#define TESTS_KERNELS_MACROS_H

#include "tests/kernels/kernel.h"

/* clang-format off */

.section .note.GNU-stack, "", %progbits

/* Numbers of quantities for the assembler, in the order of enum quantity. */
.set .Lquantity_next, 0
.macro QUANTITY_NUMBER id
	.set .LQ_\id, .Lquantity_next
	.set .Lquantity_next, .Lquantity_next + 1
.endm
.macro QUANTITY_OWN id, own
	.set .LQ_\own, .LQ_\id
.endm
#define QUANTITY(id, name, class, definition) QUANTITY_NUMBER id
#define QUANTITY_HERE(id, own, name)          QUANTITY_OWN id, own
#include "pmu/quantity/quantity.def"
#undef QUANTITY

/* The purpose is for those who read the source. */
.macro KERNEL name, purpose, needs=0, flags=0
	.ifeqs "\purpose", ""
	.error "kernel \name has no purpose"
	.endif
	.section .text.kernels, "ax", %progbits
	.globl kernel_\name
	.type kernel_\name, STT_FUNC
	.pushsection .rodata.kernel_strings, "aMS", %progbits, 1
.Lkernel_name_\name:
	.asciz "\name"
	.popsection
	.pushsection kernel_rows, "a", %progbits /* struct kernel_row */
	.p2align 3
	.4byte .Lkernel_name_\name - .
	.4byte 10020f - .
	.4byte 10030f - .
	.4byte 10032f - .
	.4byte 10021f - 10020f
	.2byte (10031f - 10030f) / SIGNATURE_ROW_SIZE
	.2byte (10033f - 10032f) / RANGE_ROW_SIZE
	.8byte \needs
	.8byte \flags
	.popsection
	.pushsection kernels, "aw", %nobits /* struct kernel */
	.p2align 3
	.skip KERNEL_STRUCT_SIZE
	.popsection
kernel_\name:
10020:
.endm

/* What lies behind the block keeps its end label inside the section and apart from the next kernel. */
.macro KERNEL_END
10021:	KERNEL_BEHIND
	.pushsection .rodata.kernel_range_rows, "a", %progbits
	.p2align 1
10032:
	.popsection
	.section .rodata.kernel_signatures, "a", %progbits
	.p2align 1
10030:
.endm

.macro SIG_QUANTITY quantity
	.ifndef .LQ_\quantity
	.error "signature names an unknown quantity: \quantity"
	.endif
	.2byte .LQ_\quantity
.endm

.macro SIG_AMOUNT quantity, amount
	.if ((\amount) < -0x80000000) || ((\amount) > 0x7fffffff)
	.error "signature has an amount beyond 32 bits: \quantity"
	.endif
	.4byte \amount
.endm

/* Memory for struct signature_exact, kernels_unpack() fills it in. */
.macro SIG_ROOM lines
	.pushsection kernel_exacts, "aw", %nobits
	.p2align 2
	.skip SIGNATURE_SIZE*\lines
	.popsection
.endm

/* And for struct signature_range. */
.macro SIG_RANGE_ROOM
	.pushsection kernel_ranges, "aw", %nobits
	.p2align 3
	.skip RANGE_SIZE
	.popsection
.endm

.macro SIG quantity, a, b=0 /* struct signature_row */
	SIG_QUANTITY \quantity
	SIG_AMOUNT \quantity, \a
	SIG_AMOUNT \quantity, \b
	SIG_ROOM 1
.endm

.macro SIG_RANGE quantity, a_low, b_low, a_high, b_high, reason
	.pushsection .rodata.kernel_strings, "aMS", %progbits, 1
.Lreason\@:
	.asciz "\reason"
	.popsection
	.pushsection .rodata.kernel_range_rows, "a", %progbits /* struct signature_range_row */
	SIG_QUANTITY \quantity
	SIG_AMOUNT \quantity, \a_low
	SIG_AMOUNT \quantity, \b_low
	SIG_AMOUNT \quantity, \a_high
	SIG_AMOUNT \quantity, \b_high
	.4byte .Lreason\@ - .
	.popsection
	SIG_RANGE_ROOM
.endm

/*
 * The branches of a kernel whose only branch is the one that closes its loop of N turns: BRANCHES, BR_COND, both 1, 0, BR_COND_TAKEN 1, -1,
 * BR_COND_NTAKEN 0, 1, and an interval for BR_MISPRED. Most kernels have these, so it is one row that kernels_unpack() spells out.
 */
.macro SIG_LOOP
	.2byte SIGNATURE_LOOP
	.4byte 0
	.4byte 0
	SIG_ROOM 4
	SIG_RANGE_ROOM
.endm

/* \count branches per turn, and \once in all, each of which goes one way only. Returns and branches that are not taken need no target. */
.macro SIG_ONE_WAY count, once=0
	SIG_RANGE BR_MISPRED, 0, 0, \count, \once, "each goes one way but at the end; where all share one place of a target buffer, each finds the target of the one before it"
.endm

/* \count instructions per turn that each make one access of \bytes. */
.macro SIG_LOADS count, bytes
	SIG INSN_LOAD, \count, 0
	SIG LOADS, \count, 0
	SIG LOAD_BYTES, (\count)*(\bytes), 0
.endm

.macro SIG_STORES count, bytes
	SIG INSN_STORE, \count, 0
	SIG STORES, \count, 0
	SIG STORE_BYTES, (\count)*(\bytes), 0
.endm

.macro SIGNATURE_END
10031:
	.pushsection .rodata.kernel_range_rows, "a", %progbits
10033:
	.popsection
	.text
.endm

#endif
