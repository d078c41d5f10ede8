/*
 * Interrupts on the toy machine.
 */
#include "tests/kernels/toy/kernel.h"

#define DUE 4 /* cycles: of what comes behind the write of the timer */

KERNEL timer, "N interrupts of the timer, each a few instructions after it was started", flags=KERNEL_FROM_ZERO | KERNEL_PRIVILEGED | KERNEL_SERVICE_TIMER | KERNEL_CORE
	ADD 3, 0, 0, 1
	REG_WRITE TOY_REG_OPEN, 3
	ADD 3, 0, 0, DUE
	JUMP 2f
1:	REG_WRITE TOY_REG_TIMER, 3
	.rept DUE
	NOP
	.endr
	ADD 1, 1, 0, -1
2:	BRANCH 1, 1b
	REG_WRITE TOY_REG_OPEN, 0
KERNEL_END
SIG INSTRUCTIONS, 1 + DUE + 2, 6
SIG INSN_NOP, DUE
SIG INSN_REG, 1, 2
SIG INSN_REGISTER_WRITE, 1, 2
SIG INTERRUPTS_HW, 1
SIG BRANCHES, 1, 2
SIG BR_JMP_DIRECT, 0, 1
SIG BR_COND, 1, 1
SIG BR_COND_TAKEN, 1
SIG BR_COND_NTAKEN, 0, 1
SIG CYCLES, 1 + DUE + 2 + 1, 6
SIGNATURE_END
