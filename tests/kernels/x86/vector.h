/*
 * What the kernels of vector instructions share.
 */
#ifndef TESTS_KERNELS_X86_VECTOR_H
#define TESTS_KERNELS_X86_VECTOR_H

#include "tests/kernels/x86/kernel.h"

/* clang-format off */

/* Fill an XMM register with ones, single or double precision: ONES instructions, ONES_SSE of which are SSE. */
#define ONES	 3
#define ONES_SSE 2

.macro ONES_SP register
	mov $0x3f800000, %eax
	movd %eax, \register
	shufps $0, \register, \register
.endm

.macro ONES_DP register
#ifdef __i386__
	mov $0x3ff00000, %eax
	movd %eax, \register
	shufps $0x11, \register, \register
#else
	mov $0x3ff0000000000000, %rax
	movq %rax, \register
	unpcklpd \register, \register
#endif
.endm

/* A double-precision number at \offset from RSI, \high its upper 32 bits, the lower ones 0: two instructions,
 * DOUBLE_STORES of which store. */
.macro DOUBLE_AT high, offset
#ifdef __i386__
	movl $0, \offset(%rsi)
	movl $\high, \offset + 4(%rsi)
#else
	mov $\high<<32, %rax
	mov %rax, \offset(%rsi)
#endif
.endm
#ifdef __i386__
#define DOUBLE_STORES 2
#else
#define DOUBLE_STORES 1
#endif

/* ONES_SP and ONES_DP with VEX-encoded instructions: ONES instructions, ONES_SSE of which are AVX. */
.macro VONES_SP register
	mov $0x3f800000, %eax
	vmovd %eax, \register
	vshufps $0, \register, \register, \register
.endm

.macro VONES_DP register
	mov $0x3ff0000000000000, %rax
	vmovq %rax, \register
	vunpcklpd \register, \register, \register
.endm

/* Of the operations in one turn: additions, multiplications, divisions; class SP or DP, lanes of each. */
.macro SIG_KINDS class, lanes, adds, muls, divs
	SIG FLOPS_\class\()_ADD, (\adds)*(\lanes), 0
	SIG FLOPS_\class\()_MUL, (\muls)*(\lanes), 0
	SIG FLOPS_\class\()_DIV, (\divs)*(\lanes), 0
.endm

.macro SIG_NO_DENORMALS
	SIG_RANGE ASSISTS_FP, 0, 0, 0, 0, "no operand is denormal"
.endm

#endif
