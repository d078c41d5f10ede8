/*
 * AVX-512. Every kernel leaves the upper parts clean.
 */
#include "tests/kernels/x86/vector.h"

/* What a CPU without AVX-512 must have for it to be emulated: arch/x86/emulated/emulated.h. */
#define F  KERNEL_NEEDS_AVX|KERNEL_NEEDS_FMA|KERNEL_NEEDS_AVX512F
#define VL F|KERNEL_NEEDS_AVX512VL

.macro ARITHMETIC kind
	vadd\kind %zmm0, %zmm1, %zmm1
	vsub\kind %zmm0, %zmm1, %zmm1
	vmul\kind %zmm0, %zmm0, %zmm1
	vdiv\kind %zmm0, %zmm1, %zmm1
	vmin\kind %zmm0, %zmm1, %zmm1
	vmax\kind %zmm0, %zmm1, %zmm1
	vsqrt\kind %zmm0, %zmm1
	vrcp14\kind %zmm0, %zmm1
	vfmadd213\kind %zmm0, %zmm0, %zmm1
	vmovaps %zmm0, %zmm1
.endm
#define ARITHMETIC_COUNT 10
#define ARITHMETIC_WEIGHT (8 + 2)

KERNEL avx512_ps, "N times 512-bit single precision arithmetic", needs=F
	mov $0x3f800000, %eax
	vpbroadcastd %eax, %zmm0
	vmovaps %zmm0, %zmm1
1:	ARITHMETIC ps
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, ARITHMETIC_COUNT + 2, 3 + 1
SIG INSN_AVX512, ARITHMETIC_COUNT, 2
SIG INSN_512, ARITHMETIC_COUNT, 2
SIG INSN_AVX, 0, 1
SIG FP_512_SP, ARITHMETIC_WEIGHT, 0
SIG FLOPS_SP, ARITHMETIC_WEIGHT*16, 0
SIG_KINDS SP, 16, 2, 1, 2
SIG FLOPS_SP_MAC, 2*16, 0
SIG FP_DIV, 2, 0
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL avx512_pd, "N times 512-bit double precision arithmetic", needs=F
	mov $0x3ff0000000000000, %rax
	vpbroadcastq %rax, %zmm0
	vmovaps %zmm0, %zmm1
1:	ARITHMETIC pd
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, ARITHMETIC_COUNT + 2, 3 + 1
SIG INSN_AVX512, ARITHMETIC_COUNT, 2
SIG INSN_512, ARITHMETIC_COUNT, 2
SIG INSN_AVX, 0, 1
SIG FP_512_DP, ARITHMETIC_WEIGHT, 0
SIG FLOPS_DP, ARITHMETIC_WEIGHT*8, 0
SIG_KINDS DP, 8, 2, 1, 2
SIG FLOPS_DP_MAC, 2*8, 0
SIG FP_DIV, 2, 0
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL avx512_scalar, "N times EVEX-encoded scalar arithmetic, with rounding in the instruction", needs=F
	VONES_SP %xmm0
	VONES_DP %xmm1
1:	vaddss {rn-sae}, %xmm0, %xmm0, %xmm16
	vmulsd {rz-sae}, %xmm1, %xmm1, %xmm17
	vfmadd231ss %xmm0, %xmm0, %xmm16
	vrsqrt14sd %xmm1, %xmm1, %xmm17
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 2*ONES
SIG INSN_AVX512, 4, 0
SIG INSN_AVX, 0, 2*ONES_SSE
SIG FP_SCALAR_SP, 1 + 2, 0
SIG FP_SCALAR_DP, 2, 0
SIG FLOPS_SP, 1 + 2, 0
SIG FLOPS_SP_ADD, 1, 0
SIG FLOPS_SP_MAC, 2, 0
SIG FLOPS_DP, 2, 0
SIG FLOPS_DP_MUL, 1, 0
SIG_LOOP
SIGNATURE_END

KERNEL avx512_short, "N times EVEX-encoded arithmetic on 128 and 256 bits", needs=VL
	VONES_SP %xmm0
	vinsertf128 $1, %xmm0, %ymm0, %ymm0
1:	vaddps %xmm0, %xmm0, %xmm16
	vmulps %ymm0, %ymm0, %ymm17
	vmulpd %xmm0, %xmm0, %xmm16
	vaddpd %ymm0, %ymm0, %ymm17
	dec %rdi
	jnz 1b
	vpxord %xmm16, %xmm16, %xmm16
	vpxord %ymm17, %ymm17, %ymm17
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, ONES + 1 + 3
SIG INSN_AVX512, 4, 2
SIG INSN_256, 2, 1 + 1
SIG INSN_AVX, 0, ONES_SSE + 1 + 1
SIG FP_128_SP, 1, 0
SIG FP_256_SP, 1, 0
SIG FP_128_DP, 1, 0
SIG FP_256_DP, 1, 0
SIG FLOPS_SP, 4 + 8, 0
SIG FLOPS_SP_ADD, 4, 0
SIG FLOPS_SP_MUL, 8, 0
SIG FLOPS_DP, 2 + 4, 0
SIG FLOPS_DP_MUL, 2, 0
SIG FLOPS_DP_ADD, 4, 0
SIG_LOOP
SIGNATURE_END

KERNEL avx512_integer, "N times 512-bit integers", needs=F
1:	.irp op, vpaddd, vpsubq, vpmulld, vpandd, vpxorq, vpermd, vpunpckldq, vpsllvq, vpmaxsd, vpminuq
	\op %zmm0, %zmm1, %zmm2
	.endr
	vpternlogd $0x96, %zmm0, %zmm1, %zmm2
	vpslld $3, %zmm1, %zmm2
	vpermq $0x1b, %zmm1, %zmm2
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, 10 + 3 + 2, 1
SIG INSN_AVX512, 10 + 3, 0
SIG INSN_512, 10 + 3, 0
SIG INSN_AVX, 0, 1
SIG_LOOP
SIGNATURE_END

KERNEL avx512_moves, "N times 64-byte loads and stores, one of each across a line", needs=F
	add $KERNEL_SCRATCH, %rsi
1:	vmovaps (%rsi), %zmm0
	vmovups 1(%rsi), %zmm1
	vmovaps %zmm0, 128(%rsi)
	vmovups %zmm1, 129(%rsi)
	vaddps (%rsi), %zmm0, %zmm2
	vpaddd (%rsi){1to16}, %zmm0, %zmm2
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, 6 + 2, 1 + 1
SIG INSN_AVX512, 6, 0
SIG INSN_512, 6, 0
SIG INSN_AVX, 0, 1
SIG FP_512_SP, 1, 0
SIG FLOPS_SP, 16, 0
SIG FLOPS_SP_ADD, 16, 0
SIG INSN_LOAD, 4, 0
SIG LOADS, 4, 0
SIG LOAD_BYTES, 3*64 + 4, 0
SIG LOADS_SPLIT_LINE, 1, 0
SIG_STORES 2, 64
SIG STORES_SPLIT_LINE, 1, 0
SIG_LOOP
SIGNATURE_END

KERNEL avx512_masked, "N times loads and stores under a mask of half the elements and of none: one access each", needs=F
	add $KERNEL_SCRATCH, %rsi
	mov $0x5555, %eax
	kmovw %eax, %k1
	kxorw %k2, %k2, %k2
1:	vmovdqu32 (%rsi), %zmm0{%k1}{z}
	vmovdqu32 (%rsi), %zmm0{%k2}
	vmovdqu32 %zmm0, 64(%rsi){%k1}
	vmovdqu32 %zmm0, 64(%rsi){%k2}
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 4 + 1
SIG INSN_AVX512, 4, 2
SIG INSN_512, 4, 0
SIG INSN_AVX, 0, 1
SIG_LOADS 2, 64
SIG_STORES 2, 64
SIG_LOOP
SIGNATURE_END

KERNEL avx512_mask_registers, "N times comparisons into mask registers and arithmetic on them", needs=F
1:	vpcmpeqd %zmm0, %zmm1, %k1
	vpcmpud $1, %zmm0, %zmm1, %k2{%k1}
	kandw %k1, %k2, %k3
	korw %k1, %k2, %k3
	knotw %k3, %k4
	kshiftlw $2, %k4, %k4
	kortestw %k1, %k2
	kmovw %k4, %eax
	kunpckbw %k1, %k2, %k5
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, 9 + 2, 1
SIG INSN_AVX512, 9, 0
SIG INSN_512, 2, 0
SIG INSN_AVX, 0, 1
SIG_LOOP
SIGNATURE_END

/* Gathers and scatters clear their mask, so the mask is made anew each time. */
KERNEL avx512_gather_scatter, "N times a gather of 16 and one of 4 elements, and a scatter of 8", needs=F
	add $KERNEL_SCRATCH, %rsi
	vpxor %xmm0, %xmm0, %xmm0
	mov $0x1111, %eax
1:	kxnorw %k1, %k1, %k1
	vpgatherdd (%rsi, %zmm0, 4), %zmm1{%k1}
	kmovw %eax, %k1
	vpgatherdd (%rsi, %zmm0, 4), %zmm1{%k1}
	kxnorw %k1, %k1, %k1
	vpscatterqq %zmm1, (%rsi, %zmm0, 8){%k1}
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, 6 + 2, 3 + 1
SIG INSN_AVX512, 6, 0
SIG INSN_512, 3, 0
SIG INSN_AVX, 0, 1 + 1
SIG INSN_LOAD, 2, 0
SIG LOADS, 16 + 4, 0
SIG LOAD_BYTES, (16 + 4)*4, 0
SIG INSN_STORE, 1, 0
SIG STORES, 8, 0
SIG STORE_BYTES, 8*8, 0
SIG_LOOP
SIGNATURE_END
