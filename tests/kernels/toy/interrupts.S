/*
 * Interrupts on the toy machine.
 */
#include "tests/kernels/toy/kernel.h"

#define DUE 4 /* cycles: of what comes behind the write of the timer */

KERNEL timer, "N interrupts of the timer, each a few instructions after it was started", flags=KERNEL_PRIVILEGED | KERNEL_SERVICE_TIMER | KERNEL_CORE
	ADD 3, 0, 0, 1
	REG_WRITE TOY_REG_OPEN, 3
	ADD 3, 0, 0, DUE
1:	REG_WRITE TOY_REG_TIMER, 3
	.rept DUE
	NOP
	.endr
	LOOP_END
	REG_WRITE TOY_REG_OPEN, 0
KERNEL_END
SIG INSTRUCTIONS, 1 + DUE + 2, 4
SIG INSN_NOP, DUE
SIG INSN_REG, 1, 2
SIG INSN_WRMSR, 1, 2
SIG INTERRUPTS_HW, 1
SIG CYCLES, 1 + DUE + 2 + 1, 4
SIG_LOOP
SIGNATURE_END
