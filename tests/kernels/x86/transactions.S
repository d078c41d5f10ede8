/*
 * Restricted transactional memory: SDM vol. 1, 16.3. A transaction may abort for reasons of the CPU's own, at any point, and then
 * goes to the end of its turn. What it had retired by then has been counted (SDM vol. 3, 19.3.6.5: unless IN_TXCP is set), so these are
 * intervals. XBEGIN itself retires, whatever follows. The low ends are what happens if all transactions abort at once, the high ones
 * if none does before it must; whether the XABORT or CPUID that ends one is counted, no manual says: the high end has it.
 */
#include "tests/kernels/x86/kernel.h"

#define ABORTS "a transaction may abort at any point; what it had retired by then is counted"

/* \inside: instructions of the attempt behind XBEGIN; \loads and \stores: of eight bytes, in it; \nested: XBEGIN in it. */
.macro SIG_TRANSACTION inside, loads, stores, nested=0
	SIG_RANGE INSTRUCTIONS, 1 + 2, 0, 1 + \inside + 2, 0, ABORTS
	.if \nested
	SIG_RANGE INSN_XBEGIN, 1, 0, 1 + \nested, 0, ABORTS
	.else
	SIG INSN_XBEGIN, 1, 0
	.endif
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

KERNEL rtm_commit, "N times a transaction with a load and a store, which commits", needs=KERNEL_NEEDS_RTM, flags=KERNEL_TRANSACTS
1:	xbegin 2f
	addq $1, KERNEL_SCRATCH(%rsi)
	xend
2:	dec %rdi
	jnz 1b
KERNEL_END
SIG_TRANSACTION 2, 1, 1
SIGNATURE_END

KERNEL rtm_nested, "N times a transaction within a transaction", needs=KERNEL_NEEDS_RTM, flags=KERNEL_TRANSACTS
1:	xbegin 2f
	xbegin 2f
	mov KERNEL_SCRATCH(%rsi), %rax
	xend
	xend
2:	dec %rdi
	jnz 1b
KERNEL_END
SIG_TRANSACTION 4, 1, 0, 1
SIGNATURE_END

KERNEL rtm_abort, "N times a transaction that gives up by XABORT: its decrement of RDI and its store never happen", needs=KERNEL_NEEDS_RTM, flags=KERNEL_TRANSACTS
	MOVE_WORD $0, KERNEL_SCRATCH(%rsi)
1:	xbegin 2f
	dec %rdi
	mov %rdi, KERNEL_SCRATCH(%rsi)
	xabort $0x5a
2:	add KERNEL_SCRATCH(%rsi), %rdi
	dec %rdi
	jnz 1b
KERNEL_END
SIG_RANGE INSTRUCTIONS, 1 + 1 + 2, 1, 1 + 3 + 1 + 2, 1, ABORTS
SIG INSN_XBEGIN, 1, 0
SIG_RANGE INSN_STORE, 0, 1, 1, 1, ABORTS
SIG_RANGE STORES, 0, 1, 1, 1, ABORTS
SIG_RANGE STORE_BYTES, 0, 8, 8, 8, ABORTS
SIG_LOADS 1, 8
SIG_LOOP
SIGNATURE_END

KERNEL rtm_abort_cpuid, "N times a transaction that CPUID aborts", needs=KERNEL_NEEDS_RTM, flags=KERNEL_TRANSACTS
1:	xor %eax, %eax
	xbegin 2f
	cpuid
	xend
2:	dec %rdi
	jnz 1b
KERNEL_END
SIG_RANGE INSTRUCTIONS, 1 + 1 + 2, 0, 1 + 1 + 1 + 2, 0, ABORTS
SIG INSN_XBEGIN, 1, 0
SIG_RANGE INSN_CPUID, 0, 0, 1, 0, ABORTS
SIG_RANGE INSN_SERIALIZING, 0, 0, 1, 0, ABORTS
SIG_LOOP
SIGNATURE_END

KERNEL rtm_abort_fault, "N times a transaction that an invalid opcode aborts: no exception is delivered", needs=KERNEL_NEEDS_RTM, flags=KERNEL_TRANSACTS
1:	xbegin 2f
	ud2
2:	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 0
SIG INSN_XBEGIN, 1, 0
SIG_LOOP
SIGNATURE_END

KERNEL rtm_test, "N times XTEST in a transaction, and a branch that is not taken as it is one", needs=KERNEL_NEEDS_RTM, flags=KERNEL_TRANSACTS
1:	xbegin 2f
	xtest
	jz 3f
	xend
2:	dec %rdi
	jnz 1b
3:
KERNEL_END
SIG_RANGE INSTRUCTIONS, 1 + 2, 0, 1 + 3 + 2, 0, ABORTS
SIG INSN_XBEGIN, 1, 0
SIG_RANGE BRANCHES, 1, 0, 1 + 1, 0, ABORTS
SIG_RANGE BR_COND, 1, 0, 1 + 1, 0, ABORTS
SIG BR_COND_TAKEN, 1, -1
SIG_RANGE BR_COND_NTAKEN, 0, 1, 1, 1, ABORTS
SIGNATURE_END
