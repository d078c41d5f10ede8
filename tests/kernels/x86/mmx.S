/*
 * MMX. Every kernel ends with EMMS, so that the x87 stack is empty again.
 */
#include "tests/kernels/x86/kernel.h"

KERNEL mmx_arithmetic, "N times MMX integer arithmetic, logic, comparison, packing and shifts"
	pcmpeqb %mm0, %mm0
	pxor %mm1, %mm1
1:	.irp op, paddb, paddw, paddd, paddsb, paddusw, psubb, psubd, pmullw, pmulhw, pmaddwd
	\op %mm0, %mm1
	.endr
	.irp op, pand, pandn, por, pxor, pcmpeqb, pcmpgtw, packssdw, punpcklbw, punpckhdq
	\op %mm0, %mm1
	.endr
	psllw $3, %mm1
	psrad $2, %mm1
	psrlq %mm0, %mm1
	dec %rdi
	jnz 1b
	emms
KERNEL_END
SIG INSTRUCTIONS, 10 + 9 + 3 + 2, 2 + 1
SIG INSN_MMX, 10 + 9 + 3, 2 + 1
SIG INSN_EMMS, 0, 1
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL simd_kinds, "N times an integer operation of each of seven kinds, on MMX and on XMM registers"
	pcmpeqb %mm0, %mm0
	pcmpeqb %xmm0, %xmm0
1:	.irp op, packsswb, paddd, pand, pmullw, psllw, punpcklbw
	\op %mm0, %mm1
	\op %xmm0, %xmm1
	.endr
	pshufw $0x1b, %mm0, %mm1
	pshufd $0x1b, %xmm0, %xmm1
	dec %rdi
	jnz 1b
	emms
KERNEL_END
SIG INSTRUCTIONS, 7 + 7 + 2, 2 + 1
SIG INSN_MMX, 7, 1 + 1
SIG INSN_EMMS, 0, 1
SIG INSN_SSE, 7, 1
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE FORCED, 1, 0, 1, 0, "once a turn: one of each"
SIGNATURE_END

KERNEL mmx_sse, "N times the integer instructions that SSE added to MMX"
	pcmpeqb %mm0, %mm0
	pxor %mm1, %mm1
1:	.irp op, pavgb, pmaxsw, pmaxub, pminsw, pminub, pmulhuw, psadbw, pmuludq, paddq
	\op %mm0, %mm1
	.endr
	pshufw $0x1b, %mm0, %mm1
	pinsrw $2, %eax, %mm1
	pextrw $3, %mm1, %ecx
	pmovmskb %mm1, %edx
	dec %rdi
	jnz 1b
	emms
KERNEL_END
SIG INSTRUCTIONS, 9 + 4 + 2, 2 + 1
SIG INSN_MMX, 9 + 4, 2 + 1
SIG INSN_EMMS, 0, 1
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL mmx_memory_operands, "N times MMX arithmetic with a source in memory"
	add $KERNEL_SCRATCH, %rsi
1:	.irp op, paddb, paddw, paddd, paddq, paddsb, paddsw, paddusb, paddusw
	\op (%rsi), %mm0
	.endr
	.irp op, psubb, psubw, psubd, psubq, psubsb, psubsw, psubusb, psubusw
	\op (%rsi), %mm0
	.endr
	.irp op, pmullw, pmulhw, pmulhuw, pmaddwd, pmuludq, psadbw, pavgb, pavgw, pmaxsw, pmaxub, pminsw, pminub
	\op (%rsi), %mm0
	.endr
	.irp op, pand, pandn, por, pxor, pcmpeqb, pcmpeqw, pcmpeqd, pcmpgtb, pcmpgtw, pcmpgtd, packssdw, packsswb, packuswb
	\op (%rsi), %mm0
	.endr
	.irp op, psllw, pslld, psllq, psraw, psrad, psrlw, psrld, psrlq
	\op (%rsi), %mm0
	.endr
	pshufw $0x1b, (%rsi), %mm0
	pinsrw $2, 8(%rsi), %mm0
	dec %rdi
	jnz 1b
	emms
KERNEL_END
#define OF_EIGHT (8 + 8 + 12 + 13 + 8 + 1)
SIG INSTRUCTIONS, OF_EIGHT + 1 + 2, 1 + 1
SIG INSN_MMX, OF_EIGHT + 1, 1
SIG INSN_EMMS, 0, 1
SIG INSN_LOAD, OF_EIGHT + 1, 0
SIG LOADS, OF_EIGHT + 1, 0
SIG LOAD_BYTES, OF_EIGHT*8 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

#ifndef __i386__
KERNEL mmx_moves, "N times MMX moves to and from general registers and memory"
	add $KERNEL_SCRATCH, %rsi
1:	movd %eax, %mm0
	movq %rax, %mm1
	movd %mm0, %ecx
	movq %mm1, %rdx
	movq (%rsi), %mm2
	movq %mm2, 8(%rsi)
	movd 16(%rsi), %mm3
	movd %mm3, 20(%rsi)
	paddb (%rsi), %mm2
	dec %rdi
	jnz 1b
	emms
KERNEL_END
SIG INSTRUCTIONS, 9 + 2, 1 + 1
SIG INSN_MMX, 9, 1
SIG INSN_EMMS, 0, 1
SIG INSN_LOAD, 3, 0
SIG LOADS, 3, 0
SIG LOAD_BYTES, 8 + 4 + 8, 0
SIG INSN_STORE, 2, 0
SIG STORES, 2, 0
SIG STORE_BYTES, 8 + 4, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

KERNEL mmx_x87_switch, "N times a change from MMX to x87 and back"
1:	movd %eax, %mm0
	emms
	fld1
	fstp %st(0)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 0
SIG INSN_MMX, 2, 0
SIG INSN_EMMS, 1, 0
SIG INSN_X87, 2, 0
SIG_LOOP
SIGNATURE_END
