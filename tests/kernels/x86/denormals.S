/*
 * Operands for which some CPUs call microcode: denormal numbers.
 */
#include "tests/kernels/x86/kernel.h"

#define DENORMAL "once a turn, on a CPU that takes an assist for such numbers at all"
#define ASSIST "a CPU may handle denormal numbers in hardware, or with one assist per instruction that meets one"

KERNEL x87_denormal, "N times an x87 load of a denormal number and arithmetic on it"
	add $KERNEL_SCRATCH, %rsi
	MOVE_WORD $1, (%rsi)
	movl $0x3f800000, 8(%rsi)
	fld1
1:	fldl (%rsi)
	fmul %st(1), %st
	fadds 8(%rsi)
	fstpl 16(%rsi)
	dec %rdi
	jnz 1b
	fstp %st(0)
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 4 + 1
SIG INSN_X87, 4, 1 + 1
SIG X87_OPS, 2, 0
SIG INSN_LOAD, 2, 0
SIG LOADS, 2, 0
SIG LOAD_BYTES, 8 + 4, 0
SIG INSN_STORE, 1, 2
SIG STORES, 1, 2
SIG STORE_BYTES, 8, WORD + 4
SIG_LOOP
SIG_RANGE ASSISTS_FP, 0, 0, 1, 0, ASSIST
SIG_RANGE ASSISTS_FORCED, 1, 0, 1, 0, DENORMAL
SIGNATURE_END

KERNEL sse_denormal_operand, "N times SSE arithmetic on denormal operands, normal results"
	mov $1, %eax
	movd %eax, %xmm0
	pshufd $0, %xmm0, %xmm0
	mov $0x3f800000, %eax
	movd %eax, %xmm1
	pshufd $0, %xmm1, %xmm1
1:	movaps %xmm1, %xmm2
	addps %xmm0, %xmm2
	addss %xmm0, %xmm2
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 6
SIG INSN_SSE, 3, 4
SIG FP_128_SP, 1, 0
SIG FP_SCALAR_SP, 1, 0
SIG FLOPS_SP, 4 + 1, 0
SIG FLOPS_SP_ADD, 4 + 1, 0
SIG_LOOP
SIG_RANGE ASSISTS_FP, 0, 0, 2, 0, ASSIST
SIG_RANGE ASSISTS_FORCED, 1, 0, 1, 0, DENORMAL
SIGNATURE_END

KERNEL sse_denormal_result, "N times SSE multiplications of normal numbers whose product is denormal"
	mov $0x00800000, %eax
	movd %eax, %xmm0
	mov $0x3f000000, %eax
	movd %eax, %xmm1
1:	movaps %xmm0, %xmm2
	mulss %xmm1, %xmm2
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 4
SIG INSN_SSE, 2, 2
SIG FP_SCALAR_SP, 1, 0
SIG FLOPS_SP, 1, 0
SIG FLOPS_SP_MUL, 1, 0
SIG_LOOP
SIG_RANGE ASSISTS_FP, 0, 0, 1, 0, ASSIST
SIGNATURE_END

KERNEL sse_denormal_zero, "N times the same with flush-to-zero and denormals-are-zero: no assist"
	lea KERNEL_SCRATCH(%rsi), %rdx
	movl $0x9fc0, (%rdx)
	movl $0x1f80, 4(%rdx)
	ldmxcsr (%rdx)
	mov $0x00400000, %eax
	movd %eax, %xmm0
	mov $0x3f000000, %eax
	movd %eax, %xmm1
1:	movaps %xmm0, %xmm2
	mulss %xmm1, %xmm2
	dec %rdi
	jnz 1b
	ldmxcsr 4(%rdx)
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 8 + 1
SIG INSN_SSE, 2, 2
SIG INSN_MXCSR, 0, 2
SIG FP_SCALAR_SP, 1, 0
SIG FLOPS_SP, 1, 0
SIG FLOPS_SP_MUL, 1, 0
SIG INSN_STORE, 0, 2
SIG STORES, 0, 2
SIG STORE_BYTES, 0, 2*4
SIG INSN_LOAD, 0, 2
SIG LOADS, 0, 2
SIG LOAD_BYTES, 0, 2*4
SIG_LOOP
SIG_RANGE ASSISTS_FP, 0, 0, 0, 0, "denormal operands and results count as zero"
SIGNATURE_END
