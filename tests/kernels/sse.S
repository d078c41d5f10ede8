/*
 * SSE and SSE2 floating point.
 */
#include "tests/kernels/kernel.h"

KERNEL sse_arithmetic, "N times scalar and packed SSE and SSE2 arithmetic on normal numbers", flags=KERNEL_CORE
	mov $0x3f8000003f800000, %rax
	movq %rax, %xmm0
	movlhps %xmm0, %xmm0
	mov $0x3ff0000000000000, %rax
	movq %rax, %xmm1
	unpcklpd %xmm1, %xmm1
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
SIG INSTRUCTIONS, 9 + 2, 7
SIG INSN_SSE, 9, 5
SIG FP_SCALAR_SP, 2, 0
SIG FP_128_SP, 2, 0
SIG FP_SCALAR_DP, 2, 0
SIG FP_128_DP, 2, 0
SIG FLOPS_SP, 2 + 2*4, 0
SIG FLOPS_DP, 2 + 2*2, 0
SIG FP_DIV, 2, 0
SIG_LOOP
SIGNATURE_END
