/*
 * What came after SSE2: SSE3, SSSE3, SSE4.1, SSE4.2, and the instructions for AES, carry-less products and SHA.
 */
#include "tests/kernels/x86/vector.h"

KERNEL sse3, "N times SSE3: horizontal and mixed arithmetic, duplicating moves", needs=KERNEL_NEEDS_SSE3
	add $KERNEL_SCRATCH, %rsi
	ONES_SP %xmm0
	ONES_DP %xmm1
1:	addsubps %xmm0, %xmm0
	haddps %xmm0, %xmm0
	hsubps %xmm0, %xmm0
	addsubpd %xmm1, %xmm1
	haddpd %xmm1, %xmm1
	hsubpd %xmm1, %xmm1
	movshdup %xmm0, %xmm2
	movsldup %xmm0, %xmm2
	movddup %xmm1, %xmm3
	lddqu 1(%rsi), %xmm4
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 10 + 2, 1 + 2*ONES
SIG INSN_SSE, 10, 2*ONES_SSE
SIG FP_128_SP, 3, 0
SIG FP_128_DP, 3, 0
SIG FLOPS_SP, 3*4, 0
SIG FLOPS_DP, 3*2, 0
SIG FLOPS_SP_ADD, 3*4, 0
SIG FLOPS_DP_ADD, 3*2, 0
SIG_LOADS 1, 16
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL ssse3, "N times SSSE3 on XMM and MMX registers", needs=KERNEL_NEEDS_SSSE3
	pcmpeqb %xmm0, %xmm0
	pcmpeqb %mm0, %mm0
1:	.irp op, pabsb, pabsw, pabsd, phaddw, phaddd, phsubw, pmaddubsw, pmulhrsw, pshufb, psignb, psignd
	\op %xmm0, %xmm1
	\op %mm0, %mm1
	.endr
	palignr $3, %xmm0, %xmm1
	palignr $3, %mm0, %mm1
	dec %rdi
	jnz 1b
	emms
KERNEL_END
SIG INSTRUCTIONS, 2*11 + 2 + 2, 2 + 1
SIG INSN_SSE, 11 + 1, 1
SIG INSN_MMX, 11 + 1, 1 + 1
SIG INSN_EMMS, 0, 1
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

#ifndef __i386__
KERNEL sse41, "N times SSE4.1 integers, blends, rounding, insertion and extraction", needs=KERNEL_NEEDS_SSE41
	add $KERNEL_SCRATCH, %rsi
	pcmpeqb %xmm0, %xmm0
	ONES_SP %xmm2
1:	.irp op, pmulld, pmuldq, pminsb, pmaxud, packusdw, pcmpeqq, ptest, phminposuw, pmovsxbw, pmovzxdq
	\op %xmm0, %xmm1
	.endr
	blendps $5, %xmm2, %xmm3
	blendvps %xmm0, %xmm2, %xmm3
	pblendw $5, %xmm0, %xmm1
	pblendvb %xmm0, %xmm0, %xmm1
	roundps $1, %xmm2, %xmm3
	roundsd $1, %xmm0, %xmm4
	mpsadbw $1, %xmm0, %xmm1
	insertps $0x10, %xmm2, %xmm3
	extractps $1, %xmm2, %eax
	pinsrd $1, %eax, %xmm1
	pextrq $1, %xmm1, %rax
	pextrb $1, %xmm1, (%rsi)
	pinsrq $0, 8(%rsi), %xmm1
	pmovsxbd 16(%rsi), %xmm1
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 10 + 14 + 2, 2 + ONES
SIG INSN_SSE, 10 + 14, 1 + ONES_SSE
SIG_STORES 1, 1
SIG INSN_LOAD, 2, 0
SIG LOADS, 2, 0
SIG LOAD_BYTES, 8 + 4, 0
SIG_LOOP
SIGNATURE_END
#endif

KERNEL dot_products, "N times DPPS and DPPD, which count twice", needs=KERNEL_NEEDS_SSE41
	ONES_SP %xmm0
	ONES_DP %xmm1
1:	dpps $0xff, %xmm0, %xmm2
	dppd $0x33, %xmm1, %xmm3
	movaps %xmm0, %xmm2
	movapd %xmm1, %xmm3
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 2*ONES
SIG INSN_SSE, 4, 2*ONES_SSE
SIG FP_128_SP, 2, 0
SIG FP_128_DP, 2, 0
SIG FLOPS_SP, 2*4, 0
SIG FLOPS_DP, 2*2, 0
SIG_LOOP
SIGNATURE_END

#ifndef __i386__
KERNEL sse42, "N times SSE4.2: string comparison, greater-than, CRC32", needs=KERNEL_NEEDS_SSE42
	add $KERNEL_SCRATCH, %rsi
	mov $8, %eax
	mov $8, %edx
1:	pcmpestri $0x0c, %xmm0, %xmm1
	pcmpestrm $0x40, %xmm0, %xmm1
	pcmpistri $0x0c, %xmm0, %xmm1
	pcmpistrm $0x08, %xmm0, %xmm1
	pcmpgtq %xmm0, %xmm1
	crc32b %al, %r9d
	crc32q %rax, %r9
	crc32l (%rsi), %r9d
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 8 + 2, 3
SIG INSN_SSE, 5, 0
SIG_LOADS 1, 4
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

KERNEL aes, "N times the six AES instructions", needs=KERNEL_NEEDS_AES
1:	aesenc %xmm0, %xmm1
	aesenclast %xmm0, %xmm1
	aesdec %xmm0, %xmm1
	aesdeclast %xmm0, %xmm1
	aesimc %xmm0, %xmm2
	aeskeygenassist $1, %xmm0, %xmm3
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 6 + 2, 0
SIG INSN_SSE, 6, 0
SIG INSN_AES, 6, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL aes_avx, "N times AES and carry-less products in VEX encoding", needs=KERNEL_NEEDS_AES|KERNEL_NEEDS_AVX|KERNEL_NEEDS_PCLMUL
1:	vaesenc %xmm0, %xmm1, %xmm2
	vaesdeclast %xmm0, %xmm1, %xmm2
	vpclmulqdq $0x10, %xmm0, %xmm1, %xmm2
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 0
SIG INSN_AVX, 3, 0
SIG INSN_AES, 3, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL carryless_products, "N times PCLMULQDQ", needs=KERNEL_NEEDS_PCLMUL
1:	.irp i, 0x00, 0x01, 0x10, 0x11
	pclmulqdq $\i, %xmm0, %xmm1
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 0
SIG INSN_SSE, 4, 0
SIG INSN_AES, 4, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

#ifndef __i386__
KERNEL sha, "N times the seven SHA instructions", needs=KERNEL_NEEDS_SHA
1:	sha1rnds4 $1, %xmm0, %xmm1
	sha1nexte %xmm0, %xmm1
	sha1msg1 %xmm0, %xmm1
	sha1msg2 %xmm0, %xmm1
	sha256rnds2 %xmm0, %xmm2, %xmm1
	sha256msg1 %xmm0, %xmm1
	sha256msg2 %xmm0, %xmm1
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 7 + 2, 0
SIG INSN_SSE, 7, 0
SIG INSN_SHA, 7, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
#endif
