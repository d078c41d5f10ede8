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
