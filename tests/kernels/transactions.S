/*
 * Restricted transactional memory: SDM vol. 1, 16.3. A transaction may abort for reasons of the CPU's own, and then goes to the end
 * of its turn; whether what an aborted one did counts as retired, no manual says. So these are intervals. A trap by TF aborts
 * every transaction: they cannot be stepped.
 */
#include "tests/kernels/kernel.h"

#define ABORTS "a transaction may abort at any point; what it did by then may be counted or not"

/* \inside: instructions of the attempt with XBEGIN; \loads and \stores: of eight bytes, in it. */
.macro SIG_TRANSACTION inside, loads, stores
	SIG_RANGE INSTRUCTIONS, 2, 0, \inside + 2, 0, ABORTS
	.if \loads
	SIG_RANGE INSN_LOAD, 0, 0, \loads, 0, ABORTS
	SIG_RANGE LOADS, 0, 0, \loads, 0, ABORTS
	SIG_RANGE LOAD_BYTES, 0, 0, \loads*8, 0, ABORTS
	.endif
	.if \stores
	SIG_RANGE INSN_STORE, 0, 0, \stores, 0, ABORTS
	SIG_RANGE STORES, 0, 0, \stores, 0, ABORTS
	SIG_RANGE STORE_BYTES, 0, 0, \stores*8, 0, ABORTS
	.endif
	SIG_LOOP
.endm

KERNEL rtm_commit, "N times a transaction with a load and a store, which commits", needs=KERNEL_NEEDS_RTM, flags=KERNEL_UNSTEPPED
	add $KERNEL_SCRATCH, %rsi
1:	xbegin 2f
	addq $1, (%rsi)
	xend
2:	dec %rdi
	jnz 1b
KERNEL_END
SIG_RANGE INSTRUCTIONS, 2, 1, 3 + 2, 1, ABORTS
SIG_RANGE INSN_LOAD, 0, 0, 1, 0, ABORTS
SIG_RANGE LOADS, 0, 0, 1, 0, ABORTS
SIG_RANGE LOAD_BYTES, 0, 0, 8, 0, ABORTS
SIG_RANGE INSN_STORE, 0, 0, 1, 0, ABORTS
SIG_RANGE STORES, 0, 0, 1, 0, ABORTS
SIG_RANGE STORE_BYTES, 0, 0, 8, 0, ABORTS
SIG_LOOP
SIGNATURE_END

KERNEL rtm_nested, "N times a transaction within a transaction", needs=KERNEL_NEEDS_RTM, flags=KERNEL_UNSTEPPED
1:	xbegin 2f
	xbegin 2f
	mov KERNEL_SCRATCH(%rsi), %rax
	xend
	xend
2:	dec %rdi
	jnz 1b
KERNEL_END
SIG_TRANSACTION 5, 1, 0
SIGNATURE_END

KERNEL rtm_abort, "N times a transaction that gives up by XABORT, with a store that never happens", needs=KERNEL_NEEDS_RTM, flags=KERNEL_UNSTEPPED
1:	xbegin 2f
	mov %rdi, KERNEL_SCRATCH(%rsi)
	xabort $0x5a
2:	dec %rdi
	jnz 1b
KERNEL_END
SIG_TRANSACTION 3, 0, 1
SIGNATURE_END

KERNEL rtm_abort_cpuid, "N times a transaction that CPUID aborts", needs=KERNEL_NEEDS_RTM, flags=KERNEL_UNSTEPPED
1:	xor %eax, %eax
	xbegin 2f
	cpuid
	xend
2:	dec %rdi
	jnz 1b
KERNEL_END
SIG_RANGE INSTRUCTIONS, 1 + 2, 0, 1 + 2 + 2, 0, ABORTS
SIG_RANGE INSN_CPUID, 0, 0, 1, 0, ABORTS
SIG_RANGE INSN_SERIALIZING, 0, 0, 1, 0, ABORTS
SIG_LOOP
SIGNATURE_END

KERNEL rtm_abort_fault, "N times a transaction that an invalid opcode aborts: no exception is delivered", needs=KERNEL_NEEDS_RTM, flags=KERNEL_UNSTEPPED
1:	xbegin 2f
	ud2
2:	dec %rdi
	jnz 1b
KERNEL_END
SIG_TRANSACTION 2, 0, 0
SIGNATURE_END
