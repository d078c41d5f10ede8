/*
 * Floating point, scalar and vector; integers in vectors; cryptography.
 */
#include "tests/kernels/aarch64/kernel.h"

.macro SCALAR name, r, quantity
KERNEL float_\name, "N times five scalar operations, one of them two in one"
1:	fadd	\r\()3, \r\()1, \r\()2
	fmul	\r\()4, \r\()1, \r\()2
	fsub	\r\()5, \r\()1, \r\()2
	fdiv	\r\()6, \r\()1, \r\()2
	fmadd	\r\()7, \r\()1, \r\()2, \r\()3
	fmov	\r\()16, \r\()7
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 6 + 2
SIG INSN_FP, 6
SIG \quantity, 4 + 2
SIG_LOOP
SIGNATURE_END
.endm

SCALAR single, s, FLOPS_SP
SCALAR double, d, FLOPS_DP

KERNEL float_half, "N times five scalar operations of half precision, one of them two in one", needs=KERNEL_NEEDS_FP16
	.arch	armv8.2-a+fp16
1:	fadd	h3, h1, h2
	fmul	h4, h1, h2
	fsub	h5, h1, h2
	fdiv	h6, h1, h2
	fmadd	h7, h1, h2, h3
	LOOP_END
	.arch	armv8-a
KERNEL_END
SIG INSTRUCTIONS, 5 + 2
SIG INSN_FP, 5
SIG_RANGE FP_HALF, 5, 0, 5, 0, "each is an operation of half precision"
SIG_LOOP
SIGNATURE_END

.macro VECTOR name, lanes, count, quantity
KERNEL vector_\name, "N times three vector operations of floating point, one of them two in one"
1:	fadd	v3.\lanes, v1.\lanes, v2.\lanes
	fmul	v4.\lanes, v1.\lanes, v2.\lanes
	fmla	v5.\lanes, v1.\lanes, v2.\lanes
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 3 + 2
SIG INSN_SIMD, 3
SIG \quantity, 4*\count
SIG_LOOP
SIGNATURE_END
.endm

VECTOR single_half, 2s, 2, FLOPS_SP
VECTOR single, 4s, 4, FLOPS_SP
VECTOR double, 2d, 2, FLOPS_DP

KERNEL vector_kept, "N times a vector register that still holds what was written"
1:	fmov	d0, x0
	fmov	x9, d0
	cmp	x9, x0
	b.ne	2f
	nop
2:	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 5 + 2
SIG INSN_FP, 2
SIG INSN_NOP, 1
SIG BRANCHES, 1 + 1
SIG BR_COND, 1 + 1
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 1, 1
SIGNATURE_END

KERNEL float_square_root, "N times square roots of both precisions"
1:	fsqrt	s3, s1
	fsqrt	d4, d1
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 2 + 2
SIG INSN_FP, 2
SIG FLOPS_SP, 1
SIG FLOPS_DP, 1
SIG_LOOP
SIGNATURE_END

KERNEL float_convert, "N times conversions and comparisons, which are no operations"
1:	scvtf	d3, x0
	fcvt	s4, d3
	fcvtzs	x5, d3
	fcmp	d3, d3
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 4 + 2
SIG INSN_FP, 4
SIG_LOOP
SIGNATURE_END

KERNEL vector_integer, "N times integer operations in vectors", flags=KERNEL_CORE
1:	add	v3.4s, v1.4s, v2.4s
	add	v16.2d, v1.2d, v2.2d
	mul	v4.8h, v1.8h, v2.8h
	eor	v5.16b, v1.16b, v2.16b
	addv	b6, v1.16b
	dup	v7.2d, x0
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 6 + 2
SIG INSN_SIMD, 6
SIG_RANGE SIMD_INT8, 1, 0, 1, 0, "ADDV adds bytes"
SIG_RANGE SIMD_INT16, 1, 0, 1, 0, "MUL multiplies halfwords"
SIG_RANGE SIMD_INT32, 1, 0, 1, 0, "one ADD adds words"
SIG_RANGE SIMD_INT64, 1, 0, 1, 0, "the other one adds doublewords"
SIG_LOOP
SIGNATURE_END

KERNEL vector_structures, "N times loads and stores of structures"
	add	x5, x1, #KERNEL_SCRATCH
1:	ld1	{v3.16b}, [x5]
	st1	{v3.16b}, [x5]
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG_LOADS 1, 16
SIG_STORES 1, 16
SIG_LOOP
SIGNATURE_END

KERNEL cryptography, "N times a round of AES", needs=KERNEL_NEEDS_AES
	.arch	armv8-a+crypto
1:	aese	v3.16b, v1.16b
	aesmc	v3.16b, v3.16b
	LOOP_END
	.arch	armv8-a
KERNEL_END
SIG INSTRUCTIONS, 2 + 2
SIG INSN_CRYPTO, 2
SIG_LOOP
SIGNATURE_END

	.arch	armv8.2-a+sve
KERNEL sve_integer, "N times five SVE operations on integers, under a predicate", needs=KERNEL_NEEDS_SVE
	ptrue	p0.s
1:	add	z3.s, z3.s, #7
	sub	z4.s, p0/m, z4.s, z3.s
	mul	z5.s, p0/m, z5.s, z4.s
	lsl	z6.s, z5.s, #3
	and	z7.d, z6.d, z5.d
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 5 + 2, 1
SIG INSN_SVE, 5, 1
SIG_RANGE SVE_FULL, 2, 0, 2, 0, "SUB and MUL are under a predicate of all lanes"
SIG_LOOP
SIGNATURE_END

KERNEL sve_float, "N times three SVE operations of floating point, one of them two in one", needs=KERNEL_NEEDS_SVE
	ptrue	p0.d
	fdup	z3.d, #1.0
1:	fadd	z4.d, z4.d, z3.d
	fmul	z5.d, z4.d, z3.d
	fmla	z6.d, p0/m, z5.d, z4.d
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 2
SIG INSN_SVE, 3, 2
SIG_RANGE SVE_FULL, 1, 0, 1, 0, "FMLA is under a predicate of all lanes"
SIG_RANGE SVE_FP, 3, 0, 3, 0, "each is an operation of floating point"
SIG_LOOP
SIGNATURE_END

KERNEL sve_lanes, "N times an operation on one lane of several, and one on none", needs=KERNEL_NEEDS_SVE
	ptrue	p1.s, vl1
	pfalse	p2.b
1:	add	z4.s, p1/m, z4.s, z3.s
	sub	z5.s, p2/m, z5.s, z3.s
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 2
SIG INSN_SVE, 2, 2
SIG_RANGE SVE_PARTIAL, 1, 0, 1, 0, "a vector has four words at least"
SIG_RANGE SVE_EMPTY, 1, 0, 1, 0, "PFALSE leaves no lane"
SIG_LOOP
SIGNATURE_END

KERNEL sve_predicates, "N times a predicate of as many lanes as X0 is large, their number, and the vector's length", needs=KERNEL_NEEDS_SVE
1:	whilelo	p1.s, xzr, x0
	cntp	x3, p1, p1.s
	cntw	x4
	rdvl	x5, #1
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 4 + 2
SIG INSN_SVE, 4
SIG_LOOP
SIGNATURE_END
	.arch	armv8-a
