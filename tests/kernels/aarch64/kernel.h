/*
 * What kernels of AArch64 are written with: tests/kernels/kernel.h says what a kernel is, this what it finds
 * here.
 *
 * Entry: X0 = N, X1 = data area, X2 = offset from the copy that runs to its writable alias, SP = the stack;
 * FPCR as reset leaves it, vector registers zero but for V8 to V15; of SVE's more than that nothing is known.
 *
 * Exit: X19 to X22 and SP must be kept, and FPCR; everything else may change.
 */
#ifndef TESTS_KERNELS_AARCH64_KERNEL_H
#define TESTS_KERNELS_AARCH64_KERNEL_H

#include "tests/kernels/kernel.h"

/* clang-format off */

/* Flags: services of AArch64 alone (services.c). */
#define KERNEL_SERVICE_RESUME 0x0100 /* SVC #KERNEL_CALL returns at once, and so does what faults, to the instruction behind */
#define KERNEL_SERVICE_PMU    0x0200 /* PMUSERENR_EL0 lets EL0 use the PMU's registers */
#define KERNEL_SERVICE_WAKE   0x0400 /* the virtual timer is the kernel's, and its interrupt wakes the processor */

#define KERNEL_SERVICE_SELF 0x100000000 /* params: an interrupt to itself, by a register; X9 and X10 are the handler's */
#define KERNEL_SERVICE_SELF_MAPPED 0x200000000 /* the same by a store */

/* Offsets in the data area of what services tell: struct gic_self. */
#define KERNEL_PARAM_ADDRESS 0
#define KERNEL_PARAM_VALUE   8

/* Offset in the data area of what tells the ring (chains.h): struct ring. */
#define KERNEL_PARAM_CHAIN   16

#define KERNEL_CALL 0x123 /* immediate of the system call that kernels make */

/* Instructions of the handlers (arch/aarch64/vectors.S): part of what such a kernel causes. */
#define KERNEL_CALL_INSTRUCTIONS  6
#define KERNEL_FAULT_INSTRUCTIONS 8
#define KERNEL_SELF_INSTRUCTIONS  8
#define KERNEL_SELF_MAPPED_INSTRUCTIONS 13

/* Features of the CPU: bits of needs (services.c). */
#define KERNEL_NEEDS_LSE    0x01
#define KERNEL_NEEDS_CRC    0x02
#define KERNEL_NEEDS_AES    0x04
#define KERNEL_NEEDS_RCPC   0x08
#define KERNEL_NEEDS_PMU    0x10 /* PMUv3 */
#define KERNEL_NEEDS_SVE    0x20
#define KERNEL_NEEDS_FP16   0x40 /* arithmetic of half precision */
#define KERNEL_NEEDS_IC     0x80 /* instruction caches that must be told of written code, so that IC empties them: CTR_EL0.DIC */

#ifdef __ASSEMBLER__

.macro KERNEL_BEHIND
	brk	#0xdead
.endm

/* Six instructions: X4 and X5 are the multiplier and the summand of a linear congruential generator of 64 bits, whose
 * highest bits nothing foresees. */
.macro RANDOM_FACTORS
	movz	x4, #0x7f2d
	movk	x4, #0x4c95, lsl #16
	movk	x4, #0xf42d, lsl #32
	movk	x4, #0x5851, lsl #48
	movz	x5, #0x814f
	movk	x5, #0xf767, lsl #16
.endm

/* The end of a loop of N turns that begins at 1: two instructions. */
.macro LOOP_END
	sub	x0, x0, #1
	cbnz	x0, 1b
.endm
#define LOOP_INSTRUCTIONS 2

#include "tests/kernels/macros.h"

#endif
#endif
