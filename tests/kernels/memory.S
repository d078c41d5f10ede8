/*
 * Loads and stores of general registers, aligned, in one page.
 */
#include "tests/kernels/kernel.h"

KERNEL loads, "N times eight loads of eight bytes", flags=KERNEL_CORE
	add $KERNEL_SCRATCH, %rsi
1:	.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	mov 8*\i(%rsi), %rax
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 8 + 2, 1
SIG_LOADS 8, 8
SIG_LOOP
SIGNATURE_END

KERNEL stores, "N times eight stores of eight bytes", flags=KERNEL_CORE
	add $KERNEL_SCRATCH, %rsi
1:	.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	mov %rdi, 8*\i(%rsi)
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 8 + 2, 1
SIG_STORES 8, 8
SIG_LOOP
SIGNATURE_END

KERNEL load_op_store, "N times four read-modify-write instructions on memory", flags=KERNEL_CORE
	add $KERNEL_SCRATCH, %rsi
1:	addq $1, (%rsi)
	xor %rdi, 8(%rsi)
	incl 16(%rsi)
	negb 24(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 1
SIG INSN_LOAD, 4, 0
SIG LOADS, 4, 0
SIG LOAD_BYTES, 8 + 8 + 4 + 1, 0
SIG INSN_STORE, 4, 0
SIG STORES, 4, 0
SIG STORE_BYTES, 8 + 8 + 4 + 1, 0
SIG_LOOP
SIGNATURE_END
