/*
 * Near branches that are no calls: taken, not taken, direct, indirect.
 */
#include "tests/kernels/x86/random.h"

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
SIG_RANGE BR_FORWARD, 1, 0, 1, 0, "once a turn: all but the closing one go forward"
SIG_ONE_WAY 4 + 1
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
SIG_RANGE BR_MISPRED, 0, 0, 0, 5*3 + 1, "none but the last needs a target; each is learnt once for each of the three histories that there are, and the end is wrong"
SIGNATURE_END

KERNEL jumps_indirect, "N times two jumps through a register and two through memory", flags=KERNEL_CORE
	lea NEAR(3f), %rax
	lea NEAR(4f), %rcx
	lea NEAR(5f), %rdx
	mov %rdx, KERNEL_SCRATCH(%rsi)
	lea NEAR(6f), %rdx
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
SIG_ONE_WAY 4 + 1
SIG INSN_LOAD, 2, 0
SIG LOADS, 2, 0
SIG LOAD_BYTES, 2*WORD, 0
SIG INSN_STORE, 0, 2
SIG STORES, 0, 2
SIG STORE_BYTES, 0, 2*WORD
SIGNATURE_END

KERNEL jumps_direct, "N times a short and a near direct jump"
1:	jmp 2f
	ud2
2:	jmp 3f
	.skip 200, 0xcc
3:	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 0
SIG BRANCHES, 2 + 1, 0
SIG BR_JMP_DIRECT, 2, 0
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_ONE_WAY 2 + 1
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL jumps_to_next, "N times branches whose target is the next instruction: a conditional one (taken), a direct jump"
1:	cmp %eax, %eax
	jz 2f
2:	jmp 3f
3:	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 0
SIG BRANCHES, 2 + 1, 0
SIG BR_JMP_DIRECT, 1, 0
SIG BR_COND, 1 + 1, 0
SIG BR_COND_TAKEN, 1 + 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_ONE_WAY 2 + 1
SIG_INTEGER_ONLY
SIGNATURE_END

/* Of each pair of opposite conditions exactly one holds, so eight are taken and eight are not, whatever the flags are. */
KERNEL conditions, "N times Jcc of all sixteen conditions"
1:	cmp %rdi, %rsi
	.irp cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
	j\cc 2f
2:
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 16 + 2, 0
SIG BRANCHES, 16 + 1, 0
SIG BR_COND, 16 + 1, 0
SIG BR_COND_TAKEN, 8 + 1, -1
SIG BR_COND_NTAKEN, 8, 1
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL conditions_near, "N times Jcc with a four-byte displacement, one taken, one not"
1:	xor %eax, %eax
	jnz 3f
	jz 2f
	.skip 200, 0xcc
2:	dec %rdi
	jnz 1b
3:
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 0
SIG BRANCHES, 2 + 1, 0
SIG BR_COND, 2 + 1, 0
SIG BR_COND_TAKEN, 1 + 1, -1
SIG BR_COND_NTAKEN, 1, 1
SIG_ONE_WAY 1 + 1
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL loop_instruction, "N turns of LOOP, with a LOOPE that leaves at once and a LOOPNE that turns once"
	mov %rdi, %rdx
1:	mov $2, %ecx
	test %rsp, %rsp
	loope 2f
2:	mov $2, %ecx
	test %rsp, %rsp
3:	loopne 3b
	mov %rdx, %rcx
	dec %rdx
	loop 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2 + 2 + 3, 1
SIG BRANCHES, 1 + 2 + 1, 0
SIG BR_COND, 1 + 2 + 1, 0
SIG BR_COND_TAKEN, 0 + 1 + 1, -1
SIG BR_COND_NTAKEN, 1 + 1, 1
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL jump_if_rcx_zero, "N times JRCXZ and JECXZ, each once taken and once not"
1:	xor %ecx, %ecx
	jrcxz 2f
	ud2
2:	jecxz 3f
	ud2
3:	inc %ecx
	jrcxz 3b
	jecxz 3b
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 6 + 2, 0
SIG BRANCHES, 4 + 1, 0
SIG BR_COND, 4 + 1, 0
SIG BR_COND_TAKEN, 2 + 1, -1
SIG BR_COND_NTAKEN, 2, 1
SIG_INTEGER_ONLY
SIGNATURE_END

#define INNER 5
KERNEL loops_nested, "N turns around an inner loop of five turns"
1:	mov $INNER, %ecx
2:	dec %ecx
	jnz 2b
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2*INNER + 2, 0
SIG BRANCHES, INNER + 1, 0
SIG BR_COND, INNER + 1, 0
SIG BR_COND_TAKEN, (INNER-1) + 1, -1
SIG BR_COND_NTAKEN, 1, 1
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL branches_alternating, "N times a branch that is taken and not taken in turns: a pattern that history predicts"
1:	xor $1, %eax
	test $1, %al
	jz 2f
2:	xor $1, %eax
	test $1, %al
	jz 3f
3:	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2*3 + 2, 0
SIG BRANCHES, 2 + 1, 0
SIG BR_COND, 2 + 1, 0
SIG BR_COND_TAKEN, 1 + 1, -1
SIG BR_COND_NTAKEN, 1, 1
SIG_INTEGER_ONLY
SIGNATURE_END

/*
 * Mispredictions by construction: random bits decide. The same bit then decides the branch's opposite, so that one of the two is taken
 * and both ways execute the same number of instructions.
 */
#define PAIRS 16
KERNEL branches_random, "N times sixteen pairs of branches on random bits: half of the first ones cannot be foreseen"
	RANDOM_LOOP
	.rept PAIRS
	add %rdx, %rdx
	jc 2f
	nop
	jmp 3f
2:	nop
	jmp 3f
3:	jnc 4f
	nop
	jmp 5f
4:	nop
	jmp 5f
5:
	.endr
	RANDOM_LOOP_END
KERNEL_END
SIG INSTRUCTIONS, RANDOM_TURN + PAIRS*(1 + 3 + 3), RANDOM_FIXED
SIG INSN_NOP, 2*PAIRS, 0
SIG BRANCHES, PAIRS*4 + 1, 0
SIG BR_JMP_DIRECT, PAIRS*2, 0
SIG BR_COND, PAIRS*2 + 1, 0
SIG BR_COND_TAKEN, PAIRS + 1, -1
SIG BR_COND_NTAKEN, PAIRS, 1
SIG_RANDOM
/* Of 16N guesses 8N are wrong, 8*sqrt(N) more or less: not below 4N - 4, nor, for both of each pair, above 24N + 8; and the closing branch. */
SIG_RANGE BR_MISPRED, PAIRS/4, -4, PAIRS*3/2, 8 + 1, "a guess at a random bit is right half of the time, four standard deviations more or less; of each pair one may be known, or both wrong"
SIGNATURE_END

KERNEL jumps_random, "N times sixteen indirect jumps, each to one of two random targets"
	RANDOM_LOOP
	.rept 16
	RANDOM_TARGET
	jmp *%rcx
	.p2align 5, 0xcc
2:	jmp 4f
	.p2align 5, 0xcc
3:	jmp 4f
	.p2align 5, 0xcc
4:
	.endr
	RANDOM_LOOP_END
KERNEL_END
SIG INSTRUCTIONS, RANDOM_TURN + 16*(RANDOM_CHOICE + 2), RANDOM_FIXED
SIG BR_JMP_INDIRECT, 16, 0
SIG_RANDOM_TARGETS 16, 2
SIG_RANDOM
/* Of 16N guesses 8N are wrong, 8*sqrt(N) more or less: not below 6N - 8, nor, with twelve of the closing branch, above 10N + 15. */
SIG_RANGE BR_MISPRED, 6, -8, 10, 15, "a guess at one of two random targets is right half of the time, four standard deviations more or less; the closing branch is learnt"
SIGNATURE_END
