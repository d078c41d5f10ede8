/*
 * Branches of the toy machine, of each kind.
 */
#include "tests/kernels/toy/kernel.h"

KERNEL branches_taken, "N times four conditional branches that are taken", flags=KERNEL_CORE
1:	.rept 4
	BRANCH 1, 2f
	NOP
2:
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 4 + 2
SIG BRANCHES, 4 + 1
SIG BR_COND, 4 + 1
SIG BR_COND_TAKEN, 4 + 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG CYCLES, 4 + 2
SIGNATURE_END

KERNEL branches_not_taken, "N times four conditional branches that are not taken"
1:	.rept 4
	BRANCH_IF_ZERO 1, 2f
	.endr
2:	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 4 + 2
SIG BRANCHES, 4 + 1
SIG BR_COND, 4 + 1
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 4, 1
SIG CYCLES, 4 + 2
SIGNATURE_END

KERNEL calls, "N times two calls and their returns", flags=KERNEL_CORE
1:	CALL 3f
	CALL 3f
	LOOP_END
	JUMP 4f
3:	RETURN
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
SIG CYCLES, 2 + 2 + 2, 1
SIGNATURE_END

/* CALL leaves the address behind it in R7, which tells where the code lies. */
KERNEL calls_indirect, "N times an indirect call and an indirect jump"
	CALL 2f
2:	ADD 3, TOY_LINK, 0, (3f-2b)
	ADD 6, TOY_LINK, 0, (5f-2b)
1:	CALL_REGISTER 3
	JUMP_REGISTER 6
	NOP
3:	RETURN
5:	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 3
SIG BRANCHES, 3 + 1, 1
SIG BR_CALL_DIRECT, 0, 1
SIG BR_CALL_INDIRECT, 1
SIG BR_RET, 1
SIG BR_JMP_INDIRECT, 1
SIG BR_COND, 1
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG CYCLES, 3 + 2, 3
SIGNATURE_END

KERNEL supervisor_calls, "N times a call of the supervisor, which returns at once", flags=KERNEL_PRIVILEGED
1:	SYS TOY_SYS_CALL
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 2 + 2
SIG BRANCHES, 2 + 1
SIG BR_FAR, 2
SIG SYS_CALLS, 1
SIG BR_COND, 1
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG CYCLES, 2 + 2
SIGNATURE_END
