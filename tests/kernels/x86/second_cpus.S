/*
 * What it takes a second processor for: stores of another CPU to lines that a load has run ahead to, and a sibling that shares the core.
 * What the other processor executes (arch/x86/processors/second_cpu.S) is counted there and not here: all architectural quantities are the kernel's own.
 */
#include "tests/kernels/x86/kernel.h"

/* A load whose address takes \late multiplications, and one behind it that is ready long before: a CPU lets it run ahead, many turns far. */
.macro LOADS_OUT_OF_ORDER early
	xor %ecx, %ecx
1:	.rept 8
	imul $1, %rcx, %rcx
	.endr
	mov KERNEL_SCRATCH(%rsi, %rcx), %rax
	mov \early(%rsi), %edx
	dec %rdi
	jnz 1b
.endm

.macro SIG_LOADS_OUT_OF_ORDER
	SIG INSTRUCTIONS, 8 + 2 + 2, 1
	SIG INSN_MUL, 8, 0
	SIG INSN_LOAD, 2, 0
	SIG LOADS, 2, 0
	SIG LOAD_BYTES, WORD + 4, 0
	SIG_LOOP
	SIG_INTEGER_ONLY
.endm

KERNEL rival_stores, "N times a late load, and an early one of a line that another processor stores to", flags=KERNEL_SERVICE_RIVAL
	LOADS_OUT_OF_ORDER KERNEL_SPECIAL
KERNEL_END
SIG_LOADS_OUT_OF_ORDER
SIG_RANGE CLEARS_MO, 0, 0, 2, 0, "a load that ran ahead is done again, and may be once more, if the line was taken away meanwhile; whether it was is a race, and a CPU may hold loads back"
SIGNATURE_END

/* The other side: the same work of both processors, on lines of their own. */
KERNEL rival_elsewhere, "N times a late load, and an early one of a line that no other processor stores to", flags=KERNEL_SERVICE_RIVAL
	LOADS_OUT_OF_ORDER KERNEL_SCRATCH + 64
KERNEL_END
SIG_LOADS_OUT_OF_ORDER
SIG CLEARS_MO, 0, 0
SIGNATURE_END

KERNEL sibling_works, "N times a multiplication, a load, a store and a branch, while the core's other logical processor does the like", flags=KERNEL_SERVICE_SIBLING
1:	mov %edi, KERNEL_SCRATCH(%rsi)
	mov KERNEL_SCRATCH + 4(%rsi), %eax
	imul %edi, %eax
	test %eax, %eax
	js 1b
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 5 + 2, 0
SIG INSN_MUL, 1, 0
SIG_LOADS 1, 4
SIG_STORES 1, 4
SIG BRANCHES, 1 + 1, 0
SIG BR_COND, 1 + 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 1, 1
SIG_RANGE BR_MISPRED, 0, 0, 1, 12, "never taken, and the closing branch; what the sibling learns may stand in their place"
SIG_INTEGER_ONLY
SIGNATURE_END
