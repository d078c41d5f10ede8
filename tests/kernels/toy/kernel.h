/*
 * What kernels of the toy machine are written with: tests/kernels/kernel.h says what a kernel is, this what
 * it finds here, and arch/toy/encoding.h what the instructions do.
 *
 * Entry: R1 = N, R2 = data area. R4 and R5 must be kept; R1, R3, R6 and R7 may change. There is no stack:
 * what calls keeps R7 elsewhere.
 */
#ifndef TESTS_KERNELS_TOY_KERNEL_H
#define TESTS_KERNELS_TOY_KERNEL_H

#include "arch/toy/encoding.h"
#include "tests/kernels/kernel.h"

#ifdef __ASSEMBLER__

/* clang-format off */

.macro ADD d, a, b, imm=0
	.4byte TOY_INSN(TOY_ADD, \d, \a, \b, \imm)
.endm

.macro NOP
	ADD 0, 0, 0
.endm

.macro LOAD d, a, imm=0
	.4byte TOY_INSN(TOY_LOAD, \d, \a, 0, \imm)
.endm

.macro STORE b, a, imm=0
	.4byte TOY_INSN(TOY_STORE, 0, \a, \b, \imm)
.endm

.macro BRANCH a, target
	.4byte TOY_INSN(TOY_BRANCH, 0, \a, 0, \target - .)
.endm

.macro BRANCH_IF_ZERO a, target
	.4byte TOY_INSN(TOY_BRANCH, TOY_IF_ZERO, \a, 0, \target - .)
.endm

.macro JUMP target
	.4byte TOY_INSN(TOY_JUMP, 0, 0, 0, \target - .)
.endm

.macro CALL target
	.4byte TOY_INSN(TOY_JUMP, TOY_LINK, 0, 0, \target - .)
.endm

.macro JUMP_REGISTER a
	.4byte TOY_INSN(TOY_JUMPR, 0, \a, 0, 0)
.endm

.macro CALL_REGISTER a
	.4byte TOY_INSN(TOY_JUMPR, TOY_LINK, \a, 0, 0)
.endm

.macro RETURN
	.4byte TOY_INSN(TOY_JUMPR, 0, TOY_LINK, 0, 0)
.endm

.macro REG_WRITE number, b
	.4byte TOY_INSN(TOY_REG, 0, 0, \b, TOY_WRITE + \number)
.endm

.macro SYS what
	.4byte TOY_INSN(TOY_SYS, 0, 0, 0, \what)
.endm

/* The end of a loop of R1 turns that begins at 1: two instructions. */
.macro LOOP_END
	ADD 1, 1, 0, -1
	BRANCH 1, 1b
.endm

/* A stray jump ends at an address that is none. */
.macro KERNEL_BEHIND
	.4byte TOY_INSN(TOY_LOAD, 0, 0, 0, -8)
.endm

#include "tests/kernels/macros.h"

#endif
#endif
