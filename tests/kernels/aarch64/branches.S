/*
 * Branches of each kind.
 */
#include "tests/kernels/aarch64/kernel.h"

KERNEL branches_taken, "N times four conditional branches that are taken", flags=KERNEL_CORE
1:	cmp	x0, #0
	b.ne	2f
	nop
2:	cbnz	x0, 3f
	nop
3:	cbz	xzr, 4f
	nop
4:	tbz	wzr, #3, 5f
	nop
5:	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 5 + 2
SIG BRANCHES, 4 + 1
SIG BR_COND, 4 + 1
SIG BR_COND_TAKEN, 4 + 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_ONE_WAY 4 + 1
SIGNATURE_END

KERNEL branches_not_taken, "N times four conditional branches that are not taken", flags=KERNEL_CORE
1:	cmp	x0, #0
	b.eq	2f
	cbz	x0, 2f
	cbnz	xzr, 2f
	tbnz	wzr, #3, 2f
2:	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 5 + 2
SIG BRANCHES, 4 + 1
SIG BR_COND, 4 + 1
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 4, 1
SIGNATURE_END

KERNEL jumps, "N times three jumps to places that they name"
1:	b	2f
	nop
2:	b	3f
	nop
3:	b	4f
	nop
4:	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 3 + 2
SIG BRANCHES, 3 + 1
SIG BR_JMP_DIRECT, 3
SIG BR_COND, 1
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIGNATURE_END

KERNEL jumps_indirect, "N times two jumps to places that a register gives"
	adr	x3, 2f
	adr	x4, 3f
1:	br	x3
	nop
2:	br	x4
	nop
3:	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 2
SIG BRANCHES, 2 + 1
SIG BR_JMP_INDIRECT, 2
SIG BR_COND, 1
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIGNATURE_END

KERNEL calls, "N times two calls and their returns", flags=KERNEL_CORE
1:	bl	3f
	bl	3f
	LOOP_END
	b	4f
3:	ret
4:
KERNEL_END
SIG INSTRUCTIONS, 2 + 2 + 2, 1
SIG BRANCHES, 2 + 2 + 1, 1
SIG BR_CALL_DIRECT, 2
SIG BR_RET, 2
SIG BR_JMP_DIRECT, 0, 1
SIG BR_COND, 1
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIGNATURE_END

KERNEL calls_indirect, "N times a call of a place that a register gives, and its return"
	adr	x3, 3f
1:	blr	x3
	LOOP_END
	b	4f
3:	ret
4:
KERNEL_END
SIG INSTRUCTIONS, 1 + 1 + 2, 2
SIG BRANCHES, 1 + 1 + 1, 1
SIG BR_CALL_INDIRECT, 1
SIG BR_RET, 1
SIG BR_JMP_DIRECT, 0, 1
SIG BR_COND, 1
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIGNATURE_END

KERNEL returns, "N times a return through another register than X30, with a jump behind it"
	adr	x3, 2f
1:	ret	x3
	nop
2:	b	3f
	nop
3:	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG BRANCHES, 2 + 1
SIG BR_RET, 1
SIG BR_JMP_DIRECT, 1
SIG BR_COND, 1
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIGNATURE_END

/*
 * Mispredictions by construction: random bits decide, the highest first, of a number that is carried on from run
 * to run. The same bit then decides the branch's opposite, so that one of the two is taken and both ways execute
 * the same number of instructions.
 */
#define PAIRS 16
#define RANDOM_STATE (KERNEL_SCRATCH + 0x700)

KERNEL branches_random, "N times sixteen pairs of branches on random bits: half of the first ones cannot be foreseen"
	ldr	x3, [x1, #RANDOM_STATE]
	RANDOM_FACTORS
1:	madd	x3, x3, x4, x5
	mov	x6, x3
	.rept PAIRS
	tbnz	x6, #63, 2f
	nop
	b	3f
2:	nop
	b	3f
3:	tbz	x6, #63, 4f
	nop
	b	5f
4:	nop
	b	5f
5:	add	x6, x6, x6
	.endr
	LOOP_END
	str	x3, [x1, #RANDOM_STATE]
KERNEL_END
SIG INSTRUCTIONS, 2 + 2 + PAIRS*(3 + 3 + 1), 7 + 1
SIG INSN_NOP, 2*PAIRS
SIG INSN_MUL, 1
SIG INSN_LOAD, 0, 1
SIG LOADS, 0, 1
SIG LOAD_BYTES, 0, 8
SIG INSN_STORE, 0, 1
SIG STORES, 0, 1
SIG STORE_BYTES, 0, 8
SIG BRANCHES, PAIRS*4 + 1
SIG BR_JMP_DIRECT, PAIRS*2
SIG BR_COND, PAIRS*2 + 1
SIG BR_COND_TAKEN, PAIRS + 1, -1
SIG BR_COND_NTAKEN, PAIRS, 1
SIG_RANGE BR_MISPRED, 0, 0, PAIRS*4 + 1, 0, "any branch may be mispredicted"
SIG_RANGE BRANCHES_RANDOM, PAIRS, -PAIRS, PAIRS, 0, "each bit is as good as random to a predictor"
SIGNATURE_END

KERNEL system_calls, "N times a system call, which returns at once", flags=KERNEL_USER_ONLY | KERNEL_SERVICE_RESUME | KERNEL_FROM_ZERO
	b	2f
1:	svc	#KERNEL_CALL
	sub	x0, x0, #1
2:	cbnz	x0, 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2 + KERNEL_CALL_INSTRUCTIONS, 2
SIG BRANCHES, 1 + 1 + 3, 2
SIG BR_FAR, 1 + 1
SIG BR_JMP_DIRECT, 0, 1
SIG BR_COND, 1 + 2, 1
SIG BR_COND_TAKEN, 1
SIG BR_COND_NTAKEN, 2, 1
SIG INSN_REGISTER_WRITE, 1
SIG INSN_MRS, 2
SIG INSN_SERIALIZING, 1
SIG EXCEPTIONS, 1
SIG EXC_SVC, 1
SIG EXC_RETURNS, 1
SIG LEVEL_TO_SYSTEM, 1
SIG LEVEL_TO_USER, 1
SIGNATURE_END
