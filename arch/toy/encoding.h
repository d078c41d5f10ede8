/*
 * The toy machine's instructions: eight, of 32 bits each. For C and for the assembler.
 *
 * Eight general registers of 64 bits, R0 to R7; R0 is always 0. Two levels: 0 is the supervisor's, TOY_USER
 * the program's. Bits of an instruction:
 *
 *	31:29 operation   28:26 D   25:23 A   22:20 B   19:0 immediate, signed
 *
 *	ADD     D = A + B + immediate
 *	LOAD    D = eight bytes at A + immediate
 *	STORE   eight bytes at A + immediate = B
 *	BRANCH  to the instruction's address + immediate, if A is not 0; with D = 1: if A is 0
 *	JUMP    to the instruction's address + immediate; D = address of the next instruction
 *	JUMPR   to A; D = address of the next instruction
 *	REG     bit 19 = 1: register number 18:0 = B; else D = register number 18:0
 *	SYS     immediate: TOY_SYS_END, TOY_SYS_CALL, TOY_SYS_RETURN, TOY_SYS_BEGIN_MARK, TOY_SYS_END_MARK
 *
 * R7 holds return addresses by convention: JUMPR through it without a link is a return.
 */
#ifndef ARCH_TOY_ENCODING_H
#define ARCH_TOY_ENCODING_H

#define TOY_ADD    0
#define TOY_LOAD   1
#define TOY_STORE  2
#define TOY_BRANCH 3
#define TOY_JUMP   4
#define TOY_JUMPR  5
#define TOY_REG    6
#define TOY_SYS    7

#define TOY_REGISTERS 8
#define TOY_LINK      7 /* the register of return addresses */
#define TOY_ARGUMENTS 2
#define TOY_RESULT    6       /* the register of what the code gives back */
#define TOY_ARGUMENT  4       /* of the first argument word of a bracket; the others follow */
#define TOY_IF_ZERO   1       /* D of a BRANCH */
#define TOY_WRITE     0x80000 /* in the immediate of a REG */
#define TOY_USER      1       /* the program's level */

/* Registers of the machine itself; those below are a PMU's. */
#define TOY_REG_MACHINE 0x1000
/* Cycles until the timer interrupts, once; 0: it is stopped. A write unmasks it. */
#define TOY_REG_TIMER 0x1000
#define TOY_REG_OPEN  0x1001 /* 1: interrupts are let in */

#define TOY_SYS_END        0 /* the code that was called is at its end */
#define TOY_SYS_CALL       1 /* of the supervisor, at TOY_SUPERVISOR */
#define TOY_SYS_RETURN     2 /* from there */
#define TOY_SYS_BEGIN_MARK 3 /* nothing, but for who looks on */
#define TOY_SYS_END_MARK   4

#define TOY_INSN(op, d, a, b, imm) (((op) << 29) + ((d) << 26) + ((a) << 23) + ((b) << 20) + ((imm)&0xfffff))

#endif
