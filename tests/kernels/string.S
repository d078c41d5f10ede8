/*
 * String instructions without a parameter grid: single steps, and one plain REP.
 */
#include "tests/kernels/kernel.h"

KERNEL movs_single, "N times one MOVS of each size", flags=KERNEL_CORE
	lea KERNEL_SCRATCH(%rsi), %r9
	lea KERNEL_SCRATCH + 0x1000(%rsi), %r10
	mov %rdi, %rdx
1:	mov %r9, %rsi
	mov %r10, %rdi
	movsb
	movsw
	movsl
	movsq
	dec %rdx
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 4 + 2, 3
SIG INSN_STRING, 4, 0
SIG INSN_LOAD, 4, 0
SIG LOADS, 4, 0
SIG LOAD_BYTES, 1 + 2 + 4 + 8, 0
SIG INSN_STORE, 4, 0
SIG STORES, 4, 0
SIG STORE_BYTES, 1 + 2 + 4 + 8, 0
SIG_LOOP
SIGNATURE_END

#define COUNT 16
KERNEL movs_rep, "N times REP MOVSB of sixteen bytes", flags=KERNEL_CORE
	lea KERNEL_SCRATCH(%rsi), %r9
	lea KERNEL_SCRATCH + 0x1000(%rsi), %r10
	mov %rdi, %rdx
1:	mov %r9, %rsi
	mov %r10, %rdi
	mov $COUNT, %ecx
	rep movsb
	dec %rdx
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 1 + 2, 3
SIG INSN_STRING, 1, 0
SIG REP_ITERATIONS, COUNT, 0
SIG INSN_LOAD, 1, 0
SIG LOADS, COUNT, 0
SIG LOAD_BYTES, COUNT, 0
SIG INSN_STORE, 1, 0
SIG STORES, COUNT, 0
SIG STORE_BYTES, COUNT, 0
SIG_LOOP
SIGNATURE_END
