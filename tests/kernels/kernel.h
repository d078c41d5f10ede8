/*
 * Kernels: microbenchmarks in assembly, each with its signature beside it.
 *
 * In assembly (a kernel is one block like this; tests/kernels/README in docs/adding-a-kernel.md explains it):
 *
 *	KERNEL nop_loop, "N times ten NOPs in a counted loop", features=0
 *	1:	.rept 10 ; nop ; .endr
 *		dec %rdi
 *		jnz 1b
 *	KERNEL_END
 *	SIG INSTRUCTIONS,   12, 0
 *	SIG INSN_NOP,       10, 0
 *	SIG BRANCHES,        1, 0
 *	SIG BR_COND,         1, 0
 *	SIG BR_COND_TAKEN,   1, -1
 *	SIG BR_COND_NTAKEN,  0, 1
 *	SIGNATURE_END
 *
 * Entry: RDI = N (at least 1), RSI = data area (KERNEL_DATA_SIZE bytes, page aligned, zero-filled once and touched), RSP = a
 * stack with 4 KiB to spare. Exit: by falling off the end, RSP as at entry, DF = 0. R12 to R15 must be kept; everything else
 * may change. Position independent, no reference outside the block: it is copied before it runs. Control enters at its
 * first byte and leaves only at its end.
 *
 * SIG quantity, a, b: produces exactly a*N + b. An architectural quantity that is not listed is produced exactly 0 times.
 * SIG_RANGE quantity, a_low, b_low, a_high, b_high, "reason": between a_low*N + b_low and a_high*N + b_high.
 * A micro-architectural quantity that is not listed is not defined by this kernel.
 */
#ifndef TESTS_KERNELS_KERNEL_H
#define TESTS_KERNELS_KERNEL_H

#define KERNEL_RING0_ONLY 1 /* uses privileged instructions */
#define KERNEL_CORE	  2 /* part of the default selection: quick and portable */
#define KERNEL_CLOBBERS_CR 4

#define KERNEL_DATA_SIZE 0x10000

#ifdef __ASSEMBLER__

#define QUANTITY_ENUM_ASM
/* Q_* numbers for the assembler: made from pmu/quantity.def at build time. */
#include "quantity_asm.h"

.macro KERNEL name, purpose, needs=0, flags=0
	.section .text.kernels, "ax", @progbits
	.p2align 6
	.globl kernel_\name
kernel_\name:
	.set kernel_open, 1
	.pushsection .rodata.kernel_strings, "a", @progbits
10010:	.asciz "\name"
10011:	.asciz "\purpose"
	.popsection
	.pushsection kernels, "aw", @progbits
	.p2align 3
	.quad 10010b, 10011b, 10020f, 10021f, 10030f, 10031f
	.quad \needs
	.quad \flags
	.popsection
10020:
.endm

.macro KERNEL_END
10021:	nop
	.section .rodata.kernel_signatures, "a", @progbits
	.p2align 3
10030:
.endm

.macro SIG q, a, b
	.quad Q_\q, \a, \b, \a, \b, 0
.endm

.macro SIG_RANGE q, a_low, b_low, a_high, b_high, reason
	.pushsection .rodata.kernel_strings, "a", @progbits
10040:	.asciz "\reason"
	.popsection
	.quad Q_\q, \a_low, \b_low, \a_high, \b_high, 10040b
.endm

.macro SIGNATURE_END
10031:
	.text
.endm

#else

#include "pmu/quantity.h"

#include <stdbool.h>
#include <stdint.h>

/** One line of a signature: low <= amount <= high, each linear in N. low == high when exact. */
struct signature_line {
	int64_t quantity;
	int64_t a_low, b_low, a_high, b_high;
	const char *reason; /* of an interval; NULL when exact */
};

struct kernel {
	const char *name;
	const char *purpose;
	const uint8_t *code, *code_end;
	const struct signature_line *signature, *signature_end;
	uint64_t needs; /* bit set of KERNEL_NEEDS_*: CPU features, see kernel_needs[] */
	uint64_t flags; /* KERNEL_RING0_ONLY ... */
};

/** All kernels of the image, in link order (a linker set: adding a kernel needs no other edit). */
extern const struct kernel kernels_begin[], kernels_end[];

/** An amount that a kernel produces for a given N. */
struct amount {
	bool defined;  /* false: a micro-architectural quantity that the signature does not list */
	bool overflow; /* a*N + b does not fit 64 bits; low and high mean nothing */
	int64_t low, high;
	const char *reason; /* of an interval; NULL when exact */
};

/** How much of quantity q kernel k produces with N = n. */
struct amount kernel_amount(const struct kernel *k, enum quantity q, uint64_t n);

/**
 * Falsify a signature for the rest of the run, for tests of the harness: from now on kernel_amount() adds delta_a*N + delta_b to
 * quantity q of kernel k. The signature itself stays as it is.
 * @return false if too many are falsified already
 */
bool kernel_falsify(const struct kernel *k, enum quantity q, int64_t delta_a, int64_t delta_b);

/** Take all falsifications back. */
void kernel_restore(void);

/** The kernel called `name` (as it is written), NULL if there is none. */
const struct kernel *kernel_by_name(const char *name);

/**
 * Whether the option kernel=GLOBS selects a kernel. NULL, "" and the word "core" stand for those flagged KERNEL_CORE, the
 * word "all" for every one.
 */
bool kernel_selected(const struct kernel *k, const char *globs);

#endif
#endif
