/*
 * AVX, AVX2, FMA, F16C. Every kernel leaves the upper halves clean.
 */
#include "tests/kernels/x86/vector.h"

.macro ARITHMETIC kind, a, b
	vadd\kind \a, \b, \b
	vsub\kind \a, \b, \b
	vmul\kind \a, \a, \b
	vdiv\kind \a, \b, \b
	vmin\kind \a, \b, \b
	vmax\kind \a, \b, \b
.endm
#define ARITHMETIC_COUNT 6
#define ARITHMETIC_DIVIDES 1

.macro AVX_SCALAR kind, ones, class, flops
KERNEL avx_\kind, "N times AVX scalar arithmetic of form \kind", needs=KERNEL_NEEDS_AVX
	\ones %xmm0
	vmovaps %xmm0, %xmm1
1:	ARITHMETIC \kind, %xmm0, %xmm1
	vsqrt\kind %xmm0, %xmm0, %xmm1
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, ARITHMETIC_COUNT + 1 + 2, ONES + 1
SIG INSN_AVX, ARITHMETIC_COUNT + 1, ONES_SSE + 1
SIG FP_SCALAR_\class, ARITHMETIC_COUNT + 1, 0
SIG FLOPS_\class, ARITHMETIC_COUNT + 1, 0
SIG_KINDS \class, 1, 2, 1, ARITHMETIC_DIVIDES + 1
SIG FP_DIV, ARITHMETIC_DIVIDES + 1, 0
SIG_LOOP
SIG_NO_DENORMALS
SIG AVX_SSE_TRANSITIONS, 0, 0
SIGNATURE_END
.endm

.macro AVX_PACKED kind, ones, class, bits, lanes, register
KERNEL avx\bits\()_\kind, "N times AVX \bits-bit packed arithmetic of form \kind", needs=KERNEL_NEEDS_AVX
	\ones %xmm0
	vinsertf128 $1, %xmm0, %ymm0, %ymm0
	vmovaps %ymm0, %ymm1
1:	ARITHMETIC \kind, %\register\()0, %\register\()1
	vsqrt\kind %\register\()0, %\register\()1
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, ARITHMETIC_COUNT + 1 + 2, ONES + 2 + 1
SIG INSN_AVX, ARITHMETIC_COUNT + 1, ONES_SSE + 2 + 1
	.ifc \register, ymm
SIG INSN_256, ARITHMETIC_COUNT + 1, 2
	.else
SIG INSN_256, 0, 2
	.endif
SIG FP_\bits\()_\class, ARITHMETIC_COUNT + 1, 0
SIG FLOPS_\class, (ARITHMETIC_COUNT + 1)*(\lanes), 0
SIG_KINDS \class, \lanes, 2, 1, ARITHMETIC_DIVIDES + 1
SIG FP_DIV, ARITHMETIC_DIVIDES + 1, 0
SIG_LOOP
SIG_NO_DENORMALS
SIG AVX_SSE_TRANSITIONS, 0, 0
SIGNATURE_END
.endm

AVX_SCALAR ss, VONES_SP, SP
AVX_SCALAR sd, VONES_DP, DP
AVX_PACKED ps, VONES_SP, SP, 128, 4, xmm
AVX_PACKED pd, VONES_DP, DP, 128, 2, xmm
AVX_PACKED ps, VONES_SP, SP, 256, 8, ymm
AVX_PACKED pd, VONES_DP, DP, 256, 4, ymm

KERNEL avx_horizontal, "N times AVX horizontal and mixed arithmetic, and VDPPS", needs=KERNEL_NEEDS_AVX
	VONES_SP %xmm0
	vinsertf128 $1, %xmm0, %ymm0, %ymm0
1:	vaddsubps %ymm0, %ymm0, %ymm1
	vhaddps %ymm0, %ymm0, %ymm1
	vhsubps %xmm0, %xmm0, %xmm1
	vdpps $0xff, %ymm0, %ymm0, %ymm1
	vrcpps %ymm0, %ymm1
	vrsqrtps %xmm0, %xmm1
	dec %rdi
	jnz 1b
	vzeroall
KERNEL_END
SIG INSTRUCTIONS, 6 + 2, ONES + 1 + 1
SIG INSN_AVX, 6, ONES_SSE + 1 + 1
SIG INSN_256, 4, 1
SIG FP_256_SP, 1 + 1 + 2 + 1, 0
SIG FP_128_SP, 1 + 1, 0
SIG FLOPS_SP, (1 + 1 + 2 + 1)*8 + (1 + 1)*4, 0
SIG FLOPS_SP_ADD, (1 + 1)*8 + 4, 0
SIG_LOOP
SIG AVX_SSE_TRANSITIONS, 0, 0
SIGNATURE_END

KERNEL avx_moves, "N times AVX loads, stores, broadcasts, permutations: 32 bytes at once", needs=KERNEL_NEEDS_AVX
	add $KERNEL_SCRATCH, %rsi
1:	vmovaps (%rsi), %ymm0
	vmovups 1(%rsi), %ymm1
	vmovdqu 16(%rsi), %ymm2
	vmovaps %ymm0, 64(%rsi)
	vmovups %ymm1, 65(%rsi)
	vbroadcastss (%rsi), %ymm3
	vbroadcastsd (%rsi), %ymm3
	vbroadcastf128 (%rsi), %ymm3
	vperm2f128 $1, %ymm0, %ymm1, %ymm4
	vextractf128 $1, %ymm4, 128(%rsi)
	vinsertf128 $1, 16(%rsi), %ymm4, %ymm4
	vmovss (%rsi), %xmm5
	vmovsd %xmm5, 144(%rsi)
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, 13 + 2, 1 + 1
SIG INSN_AVX, 13, 1
SIG INSN_256, (13 - 2), 0
SIG INSN_LOAD, 8, 0
SIG LOADS, 8, 0
SIG LOAD_BYTES, 3*32 + 4 + 8 + 16 + 16 + 4, 0
SIG INSN_STORE, 4, 0
SIG STORES, 4, 0
SIG STORE_BYTES, 2*32 + 16 + 8, 0
SIG_LOOP
SIG AVX_SSE_TRANSITIONS, 0, 0
SIGNATURE_END

KERNEL avx_split, "N times 32-byte loads and stores across a line and across a page", needs=KERNEL_NEEDS_AVX
	add $KERNEL_SCRATCH, %rsi
1:	vmovups 48(%rsi), %ymm0
	vmovups %ymm0, 48(%rsi)
	vmovups 0x1000 - 16(%rsi), %ymm1
	vmovups %ymm1, 0x1000 - 16(%rsi)
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 1 + 1
SIG INSN_AVX, 4, 1
SIG INSN_256, 4, 0
SIG_LOADS 2, 32
SIG LOADS_SPLIT_LINE, 2, 0
SIG LOADS_SPLIT_PAGE, 1, 0
SIG_STORES 2, 32
SIG STORES_SPLIT_LINE, 2, 0
SIG STORES_SPLIT_PAGE, 1, 0
SIG_LOOP
SIG AVX_SSE_TRANSITIONS, 0, 0
SIGNATURE_END

KERNEL avx_masked, "N times VMASKMOV under a mask of all, half and none: one access each", needs=KERNEL_NEEDS_AVX
	add $KERNEL_SCRATCH, %rsi
	vcmptrueps %ymm0, %ymm0, %ymm0
	vxorps %xmm2, %xmm2, %xmm2
	vblendps $0x55, %ymm0, %ymm2, %ymm1
1:	.irp mask, 0, 1, 2
	vmaskmovps (%rsi), %ymm\mask, %ymm3
	vmaskmovpd %ymm3, %ymm\mask, 32(%rsi)
	.endr
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, 3*2 + 2, 4 + 1
SIG INSN_AVX, 3*2, 3 + 1
SIG INSN_VMASKMOV, 3*2, 0
SIG INSN_256, 3*2, 2
SIG_LOADS 3, 32
SIG_STORES 3, 32
SIG_LOOP
SIG AVX_SSE_TRANSITIONS, 0, 0
SIGNATURE_END

KERNEL avx_nontemporal, "N times non-temporal stores of 32 bytes", needs=KERNEL_NEEDS_AVX
	add $KERNEL_SCRATCH, %rsi
1:	vmovntps %ymm0, (%rsi)
	vmovntdq %ymm0, 32(%rsi)
	dec %rdi
	jnz 1b
	sfence
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1 + 2
SIG INSN_AVX, 2, 1
SIG INSN_256, 2, 0
SIG INSN_FENCE, 0, 1
SIG STORES_NT, 2, 0
SIG_STORES 2, 32
SIG_LOOP
SIG AVX_SSE_TRANSITIONS, 0, 0
SIGNATURE_END

KERNEL avx2_integer, "N times AVX2 integers, 256 bits", needs=KERNEL_NEEDS_AVX2
1:	.irp op, vpaddb, vpaddd, vpsubq, vpmulld, vpmaddwd, vpand, vpxor, vpcmpeqb, vpshufb, vpunpcklbw, vpsllvd
	\op %ymm0, %ymm1, %ymm2
	.endr
	vpslld $3, %ymm1, %ymm2
	vpermq $0x1b, %ymm1, %ymm2
	vpermd %ymm0, %ymm1, %ymm2
	vpbroadcastd %xmm0, %ymm2
	vpblendd $5, %ymm0, %ymm1, %ymm2
	vpmovmskb %ymm2, %eax
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, 11 + 6 + 2, 1
SIG INSN_AVX, 11 + 6, 1
SIG INSN_256, 11 + 6, 0
SIG_LOOP
SIG ASSISTS_FP, 0, 0
SIG AVX_SSE_TRANSITIONS, 0, 0
SIGNATURE_END

/* A gather clears its mask, so the mask is made anew each time. */
KERNEL avx2_gather, "N times gathers of eight, four and (half masked) four elements", needs=KERNEL_NEEDS_AVX2
	add $KERNEL_SCRATCH, %rsi
	vpxor %xmm0, %xmm0, %xmm0
1:	vpcmpeqb %ymm1, %ymm1, %ymm1
	vpgatherdd %ymm1, (%rsi, %ymm0, 4), %ymm2
	vpcmpeqb %ymm1, %ymm1, %ymm1
	vgatherdpd %ymm1, (%rsi, %xmm0, 8), %ymm2
	vpcmpeqb %xmm1, %xmm1, %xmm1
	vpgatherqq %ymm1, (%rsi, %ymm0, 8), %ymm2
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, 6 + 2, 2 + 1
SIG INSN_AVX, 6, 1 + 1
SIG INSN_256, (6 - 1), 0
SIG INSN_LOAD, 3, 0
SIG LOADS, 8 + 4 + 2, 0
SIG LOAD_BYTES, 8*4 + 4*8 + 2*8, 0
SIG_LOOP
SIG AVX_SSE_TRANSITIONS, 0, 0
SIGNATURE_END

KERNEL avx2_masked, "N times VPMASKMOV", needs=KERNEL_NEEDS_AVX2
	add $KERNEL_SCRATCH, %rsi
	vpcmpeqb %ymm0, %ymm0, %ymm0
1:	vpmaskmovd (%rsi), %ymm0, %ymm1
	vpmaskmovq %ymm1, %ymm0, 32(%rsi)
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 2 + 1
SIG INSN_AVX, 2, 1 + 1
SIG INSN_VMASKMOV, 2, 0
SIG INSN_256, 2, 1
SIG_LOADS 1, 32
SIG_STORES 1, 32
SIG_LOOP
SIG AVX_SSE_TRANSITIONS, 0, 0
SIGNATURE_END

KERNEL fma, "N times fused multiply-add of every width and precision: each counts twice", needs=KERNEL_NEEDS_FMA
	VONES_SP %xmm0
	vinsertf128 $1, %xmm0, %ymm0, %ymm0
	VONES_DP %xmm1
	vinsertf128 $1, %xmm1, %ymm1, %ymm1
1:	vfmadd213ss %xmm0, %xmm0, %xmm2
	vfmsub231ss %xmm0, %xmm0, %xmm2
	vfnmadd132sd %xmm1, %xmm1, %xmm3
	vfmadd213ps %xmm0, %xmm0, %xmm2
	vfnmsub213pd %xmm1, %xmm1, %xmm3
	vfmadd231ps %ymm0, %ymm0, %ymm2
	vfmaddsub213ps %ymm0, %ymm0, %ymm2
	vfmsubadd213pd %ymm1, %ymm1, %ymm3
	vmovaps %ymm0, %ymm2
	vmovapd %ymm1, %ymm3
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, 8 + 2 + 2, 2*(ONES + 1) + 1
SIG INSN_AVX, 8 + 2, 2*(ONES_SSE + 1) + 1
SIG INSN_256, 3 + 2, 2
SIG FP_SCALAR_SP, 2*2, 0
SIG FP_SCALAR_DP, 2, 0
SIG FP_128_SP, 2, 0
SIG FP_128_DP, 2, 0
SIG FP_256_SP, 2*2, 0
SIG FP_256_DP, 2, 0
SIG FLOPS_SP, 2*2 + 2*4 + 2*2*8, 0
SIG FLOPS_DP, 2 + 2*2 + 2*4, 0
SIG FLOPS_SP_MAC, 2*2 + 2*4 + 2*2*8, 0
SIG FLOPS_DP_MAC, 2 + 2*2 + 2*4, 0
SIG_LOOP
SIG AVX_SSE_TRANSITIONS, 0, 0
SIGNATURE_END

KERNEL fma_memory, "N times fused multiply-add with a source in memory", needs=KERNEL_NEEDS_FMA
	add $KERNEL_SCRATCH, %rsi
1:	vfmadd213ss (%rsi), %xmm0, %xmm2
	vfmadd213pd (%rsi), %ymm1, %ymm3
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1 + 1
SIG INSN_AVX, 2, 1
SIG INSN_256, 1, 0
SIG FP_SCALAR_SP, 2, 0
SIG FP_256_DP, 2, 0
SIG FLOPS_SP, 2, 0
SIG FLOPS_DP, 2*4, 0
SIG FLOPS_SP_MAC, 2, 0
SIG FLOPS_DP_MAC, 2*4, 0
SIG INSN_LOAD, 2, 0
SIG LOADS, 2, 0
SIG LOAD_BYTES, 4 + 32, 0
SIG_LOOP
SIG AVX_SSE_TRANSITIONS, 0, 0
SIGNATURE_END

KERNEL f16c, "N times conversions between half and single precision", needs=KERNEL_NEEDS_F16C
	add $KERNEL_SCRATCH, %rsi
	MOVE_WORD $0, (%rsi)
	MOVE_WORD $0, 8(%rsi)
1:	vcvtph2ps (%rsi), %ymm0
	vcvtps2ph $0, %ymm0, 16(%rsi)
	vcvtph2ps %xmm0, %xmm1
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 3 + 1
SIG INSN_AVX, 3, 1
SIG INSN_256, 2, 0
SIG INSN_STORE, 1, 2
SIG STORES, 1, 2
SIG STORE_BYTES, 16, 2*8
SIG_LOADS 1, 16
SIG_LOOP
SIG AVX_SSE_TRANSITIONS, 0, 0
SIGNATURE_END

/* Where upper halves are saved and restored (Sandy Bridge to Broadwell; Intel, Avoiding AVX-SSE Transition Penalties), each turn does both. Of
 * later cores, which merge, no manual says when that takes an assist. */
#define TRANSITION "CPUs of some generations save and restore the upper halves, others only merge, which is no transition"

KERNEL avx_sse_transition, "N times SSE between 256-bit instructions, with upper halves in use", needs=KERNEL_NEEDS_AVX
	vcmptrueps %ymm0, %ymm0, %ymm0
1:	vorps %ymm0, %ymm0, %ymm1
	orps %xmm0, %xmm2
	vorps %ymm0, %ymm0, %ymm1
	dec %rdi
	jnz 1b
	vzeroupper
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 1 + 1
SIG INSN_AVX, 2, 1 + 1
SIG INSN_256, 2, 1
SIG INSN_SSE, 1, 0
SIG_LOOP
SIG AVX_TO_SSE, 1, 0
SIG SSE_TO_AVX, 1, 0
SIG_RANGE AVX_SSE_TRANSITIONS, 0, 0, 2, 0, TRANSITION
SIGNATURE_END

KERNEL avx_sse_clean, "N times the same with VZEROUPPER in between: no transition", needs=KERNEL_NEEDS_AVX
1:	vorps %ymm0, %ymm0, %ymm1
	vzeroupper
	orps %xmm0, %xmm2
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 0
SIG INSN_AVX, 2, 0
SIG INSN_256, 1, 0
SIG INSN_SSE, 1, 0
SIG_LOOP
SIG AVX_TO_SSE, 0, 0
SIG SSE_TO_AVX, 0, 0
SIG AVX_SSE_TRANSITIONS, 0, 0
SIGNATURE_END
