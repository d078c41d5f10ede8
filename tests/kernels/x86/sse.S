/*
 * SSE and SSE2: floating point, integers, moves. Operands are normal numbers, mostly one.
 */
#include "tests/kernels/x86/vector.h"

KERNEL sse_arithmetic, "N times scalar and packed SSE and SSE2 arithmetic", flags=KERNEL_CORE
	ONES_SP %xmm0
	ONES_DP %xmm1
	movaps %xmm0, %xmm2
1:	addss %xmm0, %xmm2
	mulss %xmm0, %xmm2
	addps %xmm0, %xmm2
	subps %xmm0, %xmm2
	addsd %xmm1, %xmm1
	divsd %xmm1, %xmm1
	mulpd %xmm1, %xmm1
	sqrtpd %xmm1, %xmm1
	movss %xmm0, %xmm3
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 9 + 2, 2*ONES + 1
SIG INSN_SSE, 9, 2*ONES_SSE + 1
SIG FP_SCALAR_SP, 2, 0
SIG FP_128_SP, 2, 0
SIG FP_SCALAR_DP, 2, 0
SIG FP_128_DP, 2, 0
SIG FLOPS_SP, 2 + 2*4, 0
SIG FLOPS_SP_ADD, 1 + 2*4, 0
SIG FLOPS_SP_MUL, 1, 0
SIG FLOPS_DP, 2 + 2*2, 0
SIG FLOPS_DP_ADD, 1, 0
SIG FLOPS_DP_MUL, 2, 0
SIG FLOPS_DP_DIV, 1 + 2, 0
SIG FP_DIV, 2, 0
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

/* All arithmetic instructions of one form: \kind ss, sd, ps, pd. */
.macro ARITHMETIC kind
	add\kind %xmm0, %xmm1
	sub\kind %xmm0, %xmm1
	mul\kind %xmm0, %xmm1
	div\kind %xmm0, %xmm1
	min\kind %xmm0, %xmm1
	max\kind %xmm0, %xmm1
	sqrt\kind %xmm0, %xmm1
.endm
#define ARITHMETIC_COUNT 7
#define ARITHMETIC_DIVIDES 2

.macro SSE_ARITHMETIC kind, ones, class, flops, lanes
KERNEL sse_\kind, "N times every SSE arithmetic instruction of form \kind"
	\ones %xmm0
	movaps %xmm0, %xmm1
1:	ARITHMETIC \kind
	movaps %xmm0, %xmm1
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, ARITHMETIC_COUNT + 1 + 2, ONES + 1
SIG INSN_SSE, ARITHMETIC_COUNT + 1, ONES_SSE + 1
SIG FP_\class, ARITHMETIC_COUNT, 0
SIG FLOPS_\flops, ARITHMETIC_COUNT*(\lanes), 0
SIG_KINDS \flops, \lanes, 2, 1, ARITHMETIC_DIVIDES
SIG FP_DIV, ARITHMETIC_DIVIDES, 0
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END
.endm

SSE_ARITHMETIC ss, ONES_SP, SCALAR_SP, SP, 1
SSE_ARITHMETIC sd, ONES_DP, SCALAR_DP, DP, 1
SSE_ARITHMETIC ps, ONES_SP, 128_SP, SP, 4
SSE_ARITHMETIC pd, ONES_DP, 128_DP, DP, 2

KERNEL sse_reciprocals, "N times the approximate reciprocals: arithmetic, but no divisions"
	ONES_SP %xmm0
1:	rcpss %xmm0, %xmm1
	rcpps %xmm0, %xmm2
	rsqrtss %xmm0, %xmm3
	rsqrtps %xmm0, %xmm4
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, ONES
SIG INSN_SSE, 4, ONES_SSE
SIG FP_SCALAR_SP, 2, 0
SIG FP_128_SP, 2, 0
SIG FLOPS_SP, 2 + 2*4, 0
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL sse_memory_operands, "N times SSE arithmetic with a source in memory"
	add $KERNEL_SCRATCH, %rsi
	ONES_SP %xmm0
	ONES_DP %xmm1
	movaps %xmm0, (%rsi)
	movapd %xmm1, 16(%rsi)
1:	addss (%rsi), %xmm0
	subss 4(%rsi), %xmm0
	mulps (%rsi), %xmm0
	addsd 16(%rsi), %xmm1
	subsd 16(%rsi), %xmm1
	mulpd 16(%rsi), %xmm1
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 6 + 2, 1 + 2*ONES + 2
SIG INSN_SSE, 6, 2*ONES_SSE + 2
SIG FP_SCALAR_SP, 2, 0
SIG FP_128_SP, 1, 0
SIG FP_SCALAR_DP, 2, 0
SIG FP_128_DP, 1, 0
SIG FLOPS_SP, 2 + 4, 0
SIG FLOPS_SP_ADD, 2, 0
SIG FLOPS_SP_MUL, 4, 0
SIG FLOPS_DP, 2 + 2, 0
SIG FLOPS_DP_ADD, 2, 0
SIG FLOPS_DP_MUL, 2, 0
SIG INSN_LOAD, 6, 0
SIG LOADS, 6, 0
SIG LOAD_BYTES, 2*4 + 16 + 2*8 + 16, 0
SIG INSN_STORE, 0, 2
SIG STORES, 0, 2
SIG STORE_BYTES, 0, 2*16
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL sse_compare, "N times SSE comparisons, which are no arithmetic"
	ONES_SP %xmm0
	ONES_DP %xmm1
1:	cmpltss %xmm0, %xmm2
	cmpleps %xmm0, %xmm2
	cmpneqsd %xmm1, %xmm3
	cmpordpd %xmm1, %xmm3
	comiss %xmm0, %xmm0
	ucomiss %xmm0, %xmm0
	comisd %xmm1, %xmm1
	ucomisd %xmm1, %xmm1
	movmskps %xmm2, %eax
	movmskpd %xmm3, %eax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 10 + 2, 2*ONES
SIG INSN_SSE, 10, 2*ONES_SSE
SIG_LOOP
SIGNATURE_END

KERNEL sse_logic_shuffle, "N times SSE floating-point logic and shuffles"
	ONES_SP %xmm0
1:	.irp op, andps, andnps, orps, xorps, andpd, orpd, xorpd, unpcklps, unpckhps, unpcklpd, unpckhpd
	\op %xmm0, %xmm1
	.endr
	shufps $0x1b, %xmm0, %xmm1
	shufpd $1, %xmm0, %xmm1
	movhlps %xmm0, %xmm1
	movlhps %xmm0, %xmm1
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 11 + 4 + 2, ONES
SIG INSN_SSE, 11 + 4, ONES_SSE
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL sse_convert, "N times SSE conversions between integers, single and double"
	ONES_SP %xmm0
	ONES_DP %xmm1
	xor %eax, %eax
	pxor %mm0, %mm0
1:	cvtsi2ss %eax, %xmm2
	cvtsi2sd %rax, %xmm3
	cvtss2si %xmm0, %ecx
	cvttss2si %xmm0, %rcx
	cvtsd2si %xmm1, %ecx
	cvttsd2si %xmm1, %rcx
	cvtss2sd %xmm0, %xmm4
	cvtsd2ss %xmm1, %xmm5
	cvtps2pd %xmm0, %xmm4
	cvtpd2ps %xmm1, %xmm5
	cvtdq2ps %xmm6, %xmm7
	cvtps2dq %xmm0, %xmm7
	cvttps2dq %xmm0, %xmm7
	cvtdq2pd %xmm7, %xmm6
	cvtpd2dq %xmm1, %xmm7
	cvttpd2dq %xmm1, %xmm7
	dec %rdi
	jnz 1b
	emms
KERNEL_END
SIG INSTRUCTIONS, 16 + 2, 2*ONES + 2 + 1
SIG INSN_SSE, 16, 2*ONES_SSE
SIG INSN_MMX, 0, 1 + 1
SIG INSN_EMMS, 0, 1
SIG_LOOP
SIGNATURE_END

KERNEL sse_convert_mmx, "N times conversions between MMX and XMM registers: instructions of both kinds"
	ONES_SP %xmm0
	ONES_DP %xmm1
	pxor %mm0, %mm0
1:	cvtpi2ps %mm0, %xmm0
	cvtpi2pd %mm0, %xmm1
	cvtps2pi %xmm0, %mm1
	cvttps2pi %xmm0, %mm1
	cvtpd2pi %xmm1, %mm1
	cvttpd2pi %xmm1, %mm1
	movq2dq %mm0, %xmm2
	movdq2q %xmm2, %mm2
	dec %rdi
	jnz 1b
	emms
KERNEL_END
SIG INSTRUCTIONS, 8 + 2, 2*ONES + 1 + 1
SIG INSN_SSE, 8, 2*ONES_SSE
SIG INSN_MMX, 8, 1 + 1
SIG INSN_EMMS, 0, 1
SIG_LOOP
SIGNATURE_END

/* Those to general and MMX registers have no XMM operand then, and those from MMX registers no MMX operand. */
#ifndef __i386__
KERNEL sse_convert_memory, "N times conversions with a source in memory"
	add $KERNEL_SCRATCH, %rsi
	MOVE_WORD $0, (%rsi)
	MOVE_WORD $0, 8(%rsi)
1:	cvtsi2ssl (%rsi), %xmm2
	cvtsi2sdq (%rsi), %xmm3
	cvtss2si (%rsi), %ecx
	cvttss2si (%rsi), %rcx
	cvtsd2si (%rsi), %ecx
	cvttsd2si (%rsi), %rcx
	cvtss2sd (%rsi), %xmm4
	cvtsd2ss (%rsi), %xmm5
	.irp op, cvtps2pd, cvtdq2pd, cvtpi2ps, cvtpi2pd
	\op (%rsi), %xmm4
	.endr
	.irp op, cvtpd2ps, cvtdq2ps, cvtps2dq, cvttps2dq, cvtpd2dq, cvttpd2dq
	\op (%rsi), %xmm5
	.endr
	cvtps2pi (%rsi), %mm1
	cvttps2pi (%rsi), %mm1
	cvtpd2pi (%rsi), %mm1
	cvttpd2pi (%rsi), %mm1
	dec %rdi
	jnz 1b
	emms
KERNEL_END
SIG INSTRUCTIONS, 8 + 4 + 6 + 4 + 2, 3 + 1
SIG INSN_SSE, 4 + 4 + 6, 0
SIG INSN_MMX, 4, 1
SIG INSN_CVTPD2PI, 2, 0
SIG INSN_EMMS, 0, 1
SIG INSN_LOAD, 8 + 4 + 6 + 4, 0
SIG LOADS, 8 + 4 + 6 + 4, 0
SIG LOAD_BYTES, (4 + 8) + (4 + 4 + 8 + 8) + (4 + 8) + 4*8 + 6*16 + 2*8 + 2*16, 0
SIG INSN_STORE, 0, 2
SIG STORES, 0, 2
SIG STORE_BYTES, 0, 2*8
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END
#endif

KERNEL sse_loads, "N times SSE loads of every kind, aligned and not"
	add $KERNEL_SCRATCH, %rsi
1:	movaps (%rsi), %xmm0
	movapd (%rsi), %xmm1
	movdqa (%rsi), %xmm2
	movups 1(%rsi), %xmm3
	movupd 2(%rsi), %xmm4
	movdqu 3(%rsi), %xmm5
	movss (%rsi), %xmm6
	movsd (%rsi), %xmm7
	movlps (%rsi), %xmm0
	movhps (%rsi), %xmm0
	movlpd (%rsi), %xmm1
	movhpd (%rsi), %xmm1
	movd (%rsi), %xmm2
	movq (%rsi), %xmm3
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 14 + 2, 1
SIG INSN_SSE, 14, 0
SIG INSN_LOAD, 14, 0
SIG LOADS, 14, 0
SIG LOAD_BYTES, 6*16 + 4 + 8 + 4*8 + 4 + 8, 0
SIG_LOOP
SIGNATURE_END

KERNEL sse_stores, "N times SSE stores of every kind, aligned and not"
	add $KERNEL_SCRATCH, %rsi
1:	movaps %xmm0, (%rsi)
	movapd %xmm1, (%rsi)
	movdqa %xmm2, (%rsi)
	movups %xmm3, 1(%rsi)
	movupd %xmm4, 2(%rsi)
	movdqu %xmm5, 3(%rsi)
	movss %xmm6, (%rsi)
	movsd %xmm7, (%rsi)
	movlps %xmm0, (%rsi)
	movhps %xmm0, (%rsi)
	movlpd %xmm1, (%rsi)
	movhpd %xmm1, (%rsi)
	movd %xmm2, (%rsi)
	movq %xmm3, (%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 14 + 2, 1
SIG INSN_SSE, 14, 0
SIG INSN_STORE, 14, 0
SIG STORES, 14, 0
SIG STORE_BYTES, 6*16 + 4 + 8 + 4*8 + 4 + 8, 0
SIG_LOOP
SIGNATURE_END

KERNEL sse_integer, "N times SSE2 integer arithmetic, logic, shifts and shuffles"
	pcmpeqb %xmm0, %xmm0
	pxor %xmm1, %xmm1
1:	.irp op, paddb, paddw, paddd, paddq, psubb, psubq, pmullw, pmuludq, pmaddwd, psadbw, pavgb, pmaxub
	\op %xmm0, %xmm1
	.endr
	.irp op, pand, pandn, por, pxor, pcmpeqd, pcmpgtb, packuswb, punpcklqdq, punpckhbw
	\op %xmm0, %xmm1
	.endr
	pslld $3, %xmm1
	psrlw %xmm0, %xmm1
	pslldq $2, %xmm1
	psrldq $1, %xmm1
	pshufd $0x1b, %xmm0, %xmm1
	pshuflw $0x1b, %xmm0, %xmm1
	pshufhw $0x1b, %xmm0, %xmm1
	pmovmskb %xmm1, %eax
	pextrw $1, %xmm1, %ecx
	pinsrw $1, %ecx, %xmm1
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 12 + 9 + 10 + 2, 2
SIG INSN_SSE, 12 + 9 + 10, 2
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL sse_integer_memory, "N times SSE2 integer arithmetic with a source in memory"
	add $KERNEL_SCRATCH, %rsi
1:	.irp op, paddb, paddw, paddd, paddq, paddsb, paddsw, paddusb, paddusw
	\op (%rsi), %xmm0
	.endr
	.irp op, psubb, psubw, psubd, psubq, psubsb, psubsw, psubusb, psubusw
	\op (%rsi), %xmm0
	.endr
	.irp op, pmullw, pmulhw, pmulhuw, pmaddwd, pmuludq, psadbw, pavgb, pavgw, pmaxsw, pmaxub, pminsw, pminub
	\op (%rsi), %xmm0
	.endr
	.irp op, pand, pandn, por, pxor, pcmpeqb, pcmpeqw, pcmpeqd, pcmpgtb, pcmpgtw, pcmpgtd, packssdw, packsswb, packuswb
	\op (%rsi), %xmm0
	.endr
	.irp op, psllw, pslld, psllq, psraw, psrad, psrlw, psrld, psrlq
	\op (%rsi), %xmm0
	.endr
	.irp op, pshufd, pshuflw, pshufhw
	\op $0x1b, (%rsi), %xmm0
	.endr
	pinsrw $2, 16(%rsi), %xmm0
	dec %rdi
	jnz 1b
KERNEL_END
#define OF_SIXTEEN (8 + 8 + 12 + 13 + 8 + 3)
SIG INSTRUCTIONS, OF_SIXTEEN + 1 + 2, 1
SIG INSN_SSE, OF_SIXTEEN + 1, 0
SIG INSN_LOAD, OF_SIXTEEN + 1, 0
SIG LOADS, OF_SIXTEEN + 1, 0
SIG LOAD_BYTES, OF_SIXTEEN*16 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL sse_control, "N times a load and a store of MXCSR: no XMM register takes part"
	add $KERNEL_SCRATCH, %rsi
1:	stmxcsr (%rsi)
	ldmxcsr (%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG INSN_MXCSR, 2, 0
SIG_STORES 1, 4
SIG_LOADS 1, 4
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

/* No flag is set in either value. */
KERNEL sse_mask_change, "N times LDMXCSR that unmasks the exception of inexact results, and back, eight times each"
	add $KERNEL_SCRATCH, %rsi
	movl $0x0f80, (%rsi)
	movl $0x1f80, 4(%rsi)
1:	.rept 8
	ldmxcsr (%rsi)
	ldmxcsr 4(%rsi)
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 16 + 2, 3
SIG INSN_MXCSR, 16, 0
SIG_LOADS 16, 4
SIG INSN_STORE, 0, 2
SIG STORES, 0, 2
SIG STORE_BYTES, 0, 2*4
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

#define XSAVE_X87_SSE 3

KERNEL xsave, "N times XSAVE and XRSTOR of x87 and SSE state: one access each of what all such images begin with", needs=KERNEL_NEEDS_XSAVE
	add $KERNEL_SCRATCH, %rsi
	mov $XSAVE_X87_SSE, %eax
	xor %edx, %edx
1:	xsave (%rsi)
	xrstor (%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 3
SIG_STORES 1, 576
SIG STORES_SPLIT_LINE, 1, 0
SIG_LOADS 1, 576
SIG LOADS_SPLIT_LINE, 1, 0
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL fxsave, "N times FXSAVE and FXRSTOR: one access of 512 bytes each"
	add $KERNEL_SCRATCH, %rsi
1:	fxsave (%rsi)
	fxrstor (%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG_STORES 1, 512
SIG STORES_SPLIT_LINE, 1, 0
SIG_LOADS 1, 512
SIG LOADS_SPLIT_LINE, 1, 0
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END
