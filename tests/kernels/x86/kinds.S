/*
 * Arithmetic of x87, MMX, SSE and AVX by its kind, each kernel of one width: so many instructions of each kind that no two kinds that events
 * have side by side are the same number.
 *
 * No instruction of these does two things, none reads memory, none is one that a renamer may finish by itself.
 */
#include "tests/kernels/x86/vector.h"

#define BY_OPCODE "as many as there are instructions of this kind"

.macro SIG_OPS kind, a, b=0
SIG_RANGE OPS_\kind, \a, \b, \a, \b, BY_OPCODE
.endm

.macro TIMES count, insn:vararg
	.rept \count
	\insn
	.endr
.endm

#define INT_ADD     6
#define INT_SUB     5
#define INT_MUL     4
#define INT_MAC     3
#define INT_CMP     2
#define INT_SHIFT   4
#define INT_SHUFFLE 3
#define INT_LOGICAL 5
#define INT_COUNT   (INT_ADD + INT_SUB + INT_MUL + INT_MAC + INT_CMP + INT_SHIFT + INT_SHUFFLE + INT_LOGICAL)

.macro SIG_INT
SIG_OPS ADD, INT_ADD
SIG_OPS SUB, INT_SUB
SIG_OPS MUL, INT_MUL
SIG_OPS MAC, INT_MAC
SIG_OPS CMP, INT_CMP
SIG_OPS SHIFT, INT_SHIFT
SIG_OPS SHUFFLE, INT_SHUFFLE
SIG_OPS LOGICAL, INT_LOGICAL
.endm

.macro INTEGERS register, shuffle
	TIMES INT_ADD, paddb %\register\()0, %\register\()1
	TIMES INT_SUB, psubb %\register\()0, %\register\()2
	TIMES INT_MUL, pmullw %\register\()0, %\register\()3
	TIMES INT_MAC, pmaddwd %\register\()0, %\register\()4
	TIMES INT_CMP, pcmpeqb %\register\()0, %\register\()5
	TIMES INT_SHIFT, psllw $3, %\register\()6
	TIMES INT_SHUFFLE, \shuffle $0x1b, %\register\()0, %\register\()7
	TIMES INT_LOGICAL, pand %\register\()0, %\register\()5
.endm

KERNEL kinds_mmx, "N times MMX arithmetic, so many instructions of each kind"
1:	INTEGERS mm, pshufw
	dec %rdi
	jnz 1b
	emms
KERNEL_END
SIG INSTRUCTIONS, INT_COUNT + 2, 1
SIG INSN_MMX, INT_COUNT, 1
SIG INSN_EMMS, 0, 1
SIG_LOOP
SIG_INTEGER_ONLY
SIG_INT
SIGNATURE_END

KERNEL kinds_integer_128, "N times SSE2 integer arithmetic, so many instructions of each kind"
1:	INTEGERS xmm, pshufd
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, INT_COUNT + 2, 0
SIG INSN_SSE, INT_COUNT, 0
SIG_LOOP
SIG ASSISTS_FP, 0, 0
SIG_INT
SIGNATURE_END

KERNEL kinds_integer_256, "N times AVX2 integer arithmetic, so many instructions of each kind", needs=KERNEL_NEEDS_AVX2
1:	TIMES INT_ADD, vpaddb %ymm0, %ymm1, %ymm1
	TIMES INT_SUB, vpsubb %ymm0, %ymm2, %ymm2
	TIMES INT_MUL, vpmullw %ymm0, %ymm3, %ymm3
	TIMES INT_MAC, vpmaddwd %ymm0, %ymm4, %ymm4
	TIMES INT_CMP, vpcmpeqb %ymm0, %ymm5, %ymm5
	TIMES INT_SHIFT, vpsllw $3, %ymm6, %ymm6
	TIMES INT_SHUFFLE, vpshufd $0x1b, %ymm0, %ymm7
	TIMES INT_LOGICAL, vpand %ymm0, %ymm5, %ymm5
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, INT_COUNT + 2, 1
SIG INSN_AVX, INT_COUNT, 1
SIG INSN_256, INT_COUNT, 0
SIG_LOOP
SIG ASSISTS_FP, 0, 0
SIG AVX_SSE_TRANSITIONS, 0, 0
SIG_INT
SIGNATURE_END

/* Half of each kernel's vector instructions are arithmetic, half are not. */
#define FP_ADD     6
#define FP_SUB     5
#define FP_MUL     4
#define FP_DIVIDE  2
#define FP_SQRT    1
#define FP_CMP     3
#define FP_CVT     4
#define FP_SHUFFLE 5
#define FP_LOGICAL 6
#define SCALAR_CMP 8
#define SCALAR_CVT 10
#define FP_ARITHMETIC (FP_ADD + FP_SUB + FP_MUL + FP_DIVIDE + FP_SQRT)
#define FP_SCALAR     (FP_ARITHMETIC + SCALAR_CMP + SCALAR_CVT)
#define FP_COUNT      (FP_ARITHMETIC + FP_CMP + FP_CVT + FP_SHUFFLE + FP_LOGICAL)

/* ONES has a shuffle. */
.macro SIG_FP class, lanes
SIG FP_\class, FP_ARITHMETIC, 0
SIG FLOPS_SP, FP_ARITHMETIC*(\lanes), 0
SIG_KINDS SP, \lanes, FP_ADD + FP_SUB, FP_MUL, FP_DIVIDE + FP_SQRT
SIG FP_DIV, FP_DIVIDE + FP_SQRT, 0
SIG_LOOP
SIG_NO_DENORMALS
SIG_OPS ADD, FP_ADD
SIG_OPS SUB, FP_SUB
SIG_OPS MUL, FP_MUL
SIG_OPS DIV, FP_DIVIDE
SIG_OPS SQRT, FP_SQRT
.endm

.macro SIG_FP_PACKED class, lanes
SIG_FP \class, \lanes
SIG_OPS CMP, FP_CMP
SIG_OPS CVT, FP_CVT
SIG_OPS SHUFFLE, FP_SHUFFLE, 1
SIG_OPS LOGICAL, FP_LOGICAL
.endm

KERNEL kinds_scalar, "N times scalar SSE arithmetic, so many instructions of each kind"
	ONES_SP %xmm0
	movaps %xmm0, %xmm1
1:	TIMES FP_ADD, addss %xmm0, %xmm1
	TIMES FP_SUB, subss %xmm0, %xmm1
	TIMES FP_MUL, mulss %xmm0, %xmm1
	TIMES FP_DIVIDE, divss %xmm0, %xmm1
	TIMES FP_SQRT, sqrtss %xmm0, %xmm2
	TIMES SCALAR_CMP, cmpeqss %xmm0, %xmm3
	TIMES SCALAR_CVT, cvtss2sd %xmm0, %xmm4
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, FP_SCALAR + 2, ONES + 1
SIG INSN_SSE, FP_SCALAR, ONES_SSE + 1
SIG_FP SCALAR_SP, 1
SIG_OPS CMP, SCALAR_CMP
SIG_OPS CVT, SCALAR_CVT
SIG_OPS SHUFFLE, 0, 1
SIGNATURE_END

KERNEL kinds_packed_128, "N times packed SSE arithmetic, so many instructions of each kind"
	ONES_SP %xmm0
	movaps %xmm0, %xmm1
1:	TIMES FP_ADD, addps %xmm0, %xmm1
	TIMES FP_SUB, subps %xmm0, %xmm1
	TIMES FP_MUL, mulps %xmm0, %xmm1
	TIMES FP_DIVIDE, divps %xmm0, %xmm1
	TIMES FP_SQRT, sqrtps %xmm0, %xmm2
	TIMES FP_CMP, cmpeqps %xmm0, %xmm3
	TIMES FP_CVT, cvtdq2ps %xmm0, %xmm4
	TIMES FP_SHUFFLE, shufps $0x1b, %xmm0, %xmm5
	TIMES FP_LOGICAL, andps %xmm0, %xmm6
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, FP_COUNT + 2, ONES + 1
SIG INSN_SSE, FP_COUNT, ONES_SSE + 1
SIG_FP_PACKED 128_SP, 4
SIGNATURE_END

KERNEL kinds_packed_256, "N times packed AVX arithmetic, so many instructions of each kind", needs=KERNEL_NEEDS_AVX
	VONES_SP %xmm0
	vinsertf128 $1, %xmm0, %ymm0, %ymm0
	vmovaps %ymm0, %ymm1
1:	TIMES FP_ADD, vaddps %ymm0, %ymm1, %ymm1
	TIMES FP_SUB, vsubps %ymm0, %ymm1, %ymm1
	TIMES FP_MUL, vmulps %ymm0, %ymm1, %ymm1
	TIMES FP_DIVIDE, vdivps %ymm0, %ymm1, %ymm1
	TIMES FP_SQRT, vsqrtps %ymm0, %ymm2
	TIMES FP_CMP, vcmpeqps %ymm0, %ymm1, %ymm3
	TIMES FP_CVT, vcvtdq2ps %ymm0, %ymm4
	TIMES FP_SHUFFLE, vshufps $0x1b, %ymm0, %ymm1, %ymm5
	TIMES FP_LOGICAL, vandps %ymm0, %ymm1, %ymm6
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, FP_COUNT + 2, ONES + 2 + 1
SIG INSN_AVX, FP_COUNT, ONES_SSE + 2 + 1
SIG INSN_256, FP_COUNT, 2
SIG_FP_PACKED 256_SP, 8
SIG AVX_SSE_TRANSITIONS, 0, 0
SIGNATURE_END

#define X87_ADD 4
#define X87_SUB 3
#define X87_MUL 5
#define X87_DIV 2
#define X87_COUNT (X87_ADD + X87_SUB + X87_MUL + X87_DIV)

/* The product stays: it is by one. */
KERNEL kinds_x87, "N times x87 arithmetic, so many instructions of each kind"
	fld1
	fldpi
1:	TIMES X87_ADD, fadd %st(1), %st
	TIMES X87_SUB, fsub %st(1), %st
	TIMES X87_MUL, fmul %st(1), %st
	TIMES X87_DIV, fdiv %st(1), %st
	dec %rdi
	jnz 1b
	fstp %st(0)
	fstp %st(0)
KERNEL_END
SIG INSTRUCTIONS, X87_COUNT + 2, 2 + 2
SIG INSN_X87, X87_COUNT, 2 + 2
SIG X87_OPS, X87_COUNT, 0
SIG FP_DIV, X87_DIV, 0
SIG_LOOP
SIG_NO_DENORMALS
SIG_OPS ADD, X87_ADD
SIG_OPS SUB, X87_SUB
SIG_OPS MUL, X87_MUL
SIG_OPS DIV, X87_DIV
SIGNATURE_END
