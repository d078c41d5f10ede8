/*
 * Locked read-modify-writes.
 */
#include "tests/kernels/x86/kernel.h"

KERNEL locked, "N times locked instructions of each kind, and XCHG, which is locked without saying so"
	add $KERNEL_SCRATCH, %rsi
1:	.irp op, add, or, and, sub, xor
	lock \op %rax, (%rsi)
	.endr
	lock incl 8(%rsi)
	lock notl 8(%rsi)
	lock btsl $3, 12(%rsi)
	lock xadd %rcx, 16(%rsi)
	lock cmpxchg %rdx, 24(%rsi)
	xchg %rcx, 32(%rsi)
	xchg %cl, 40(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 5 + 7 + 2, 1
SIG INSN_LOCKED, 5 + 7, 0
SIG INSN_LOAD, 5 + 7, 0
SIG LOADS, 5 + 7, 0
SIG LOAD_BYTES, 5*WORD + 3*4 + 3*WORD + 1, 0
SIG INSN_STORE, 5 + 7, 0
SIG STORES, 5 + 7, 0
SIG STORE_BYTES, 5*WORD + 3*4 + 3*WORD + 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL locked_add, "N times one locked addition: nothing but the loop's branch is conditional"
	add $KERNEL_SCRATCH, %rsi
1:	lock addq $1, (%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 1
SIG INSN_LOCKED, 1, 0
SIG_LOADS 1, WORD
SIG_STORES 1, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL compare_exchange_8, "N times CMPXCHG8B, with and without LOCK"
	add $KERNEL_SCRATCH, %rsi
1:	cmpxchg8b (%rsi)
	lock cmpxchg8b 8(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG INSN_LOCKED, 1, 0
SIG_LOADS 2, 8
SIG_STORES 2, 8
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

#ifndef __i386__
KERNEL compare_exchange_16, "N times LOCK CMPXCHG16B", needs=KERNEL_NEEDS_CX16
	add $KERNEL_SCRATCH, %rsi
1:	lock cmpxchg16b (%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 1
SIG INSN_LOCKED, 1, 0
SIG_LOADS 1, 16
SIG_STORES 1, 16
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

/* On some CPUs firmware may have made this a fault (SDM vol. 3, 9.1.2.3). */
KERNEL locked_split, "N times a locked addition across two lines: it locks the bus", flags=KERNEL_SERVICE_SPLIT_LOCK
1:	lock addq $1, KERNEL_SCRATCH + 64 - WORD/2(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 0
SIG INSN_LOCKED, 1, 0
SIG INSN_LOCKED_SPLIT, 1, 0
SIG_LOADS 1, WORD
SIG LOADS_SPLIT_LINE, 1, 0
SIG_STORES 1, WORD
SIG STORES_SPLIT_LINE, 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
