/*
 * Conditional moves.
 */
#include "tests/kernels/x86/kernel.h"

KERNEL cmov_registers, "N times CMOVcc of all sixteen conditions between registers"
1:	.irp cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
	cmov\cc %rdx, %rax
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 16 + 2, 0
SIG INSN_CMOV, 16, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL cmov_memory, "N times two CMOVcc from memory, one moved, one not: both load"
1:	xor %eax, %eax
	cmovz KERNEL_SCRATCH(%rsi), %rdx
	cmovnz KERNEL_SCRATCH(%rsi), %rcx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 0
SIG INSN_CMOV, 2, 0
SIG_LOADS 2, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL cmov_memory_conditions, "N times CMOVcc of all sixteen conditions and each size from memory: all load"
	add $KERNEL_SCRATCH, %rsi
1:	.irp cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
	.irp r, ax, ecx, rdx
	cmov\cc (%rsi), %\r
	.endr
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 16*3 + 2, 1
SIG INSN_CMOV, 16*3, 0
SIG INSN_LOAD, 16*3, 0
SIG LOADS, 16*3, 0
SIG LOAD_BYTES, 16*(2 + 4 + WORD), 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
