/*
 * Near branches that are no calls: taken, not taken, direct, indirect.
 */
#include "tests/kernels/kernel.h"

KERNEL branches_taken, "N times four conditional branches that are always taken", flags=KERNEL_CORE
	xor %eax, %eax
1:	test %eax, %eax
	.rept 4
	jz 2f
	ud2
2:
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 4 + 2, 1
SIG BRANCHES, 4 + 1, 0
SIG BR_COND, 4 + 1, 0
SIG BR_COND_TAKEN, 4 + 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIGNATURE_END

KERNEL branches_not_taken, "N times four conditional branches that are never taken", flags=KERNEL_CORE
	xor %eax, %eax
1:	test %eax, %eax
	.rept 4
	jnz 2f
	.endr
2:	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 4 + 2, 1
SIG BRANCHES, 4 + 1, 0
SIG BR_COND, 4 + 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 4, 1
SIGNATURE_END

KERNEL jumps_indirect, "N times two jumps through a register and two through memory", flags=KERNEL_CORE
	lea 3f(%rip), %rax
	lea 4f(%rip), %rcx
	lea 5f(%rip), %rdx
	mov %rdx, KERNEL_SCRATCH(%rsi)
	lea 6f(%rip), %rdx
	mov %rdx, KERNEL_SCRATCH + 8(%rsi)
1:	jmp *%rax
	ud2
3:	jmp *%rcx
	ud2
4:	jmp *KERNEL_SCRATCH(%rsi)
	ud2
5:	jmp *KERNEL_SCRATCH + 8(%rsi)
	ud2
6:	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 6
SIG BRANCHES, 4 + 1, 0
SIG BR_JMP_INDIRECT, 4, 0
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG INSN_LOAD, 2, 0
SIG LOADS, 2, 0
SIG LOAD_BYTES, 2*8, 0
SIG INSN_STORE, 0, 2
SIG STORES, 0, 2
SIG STORE_BYTES, 0, 2*8
SIGNATURE_END
