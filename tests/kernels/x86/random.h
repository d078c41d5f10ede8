/*
 * What the kernels share whose branches nobody can foresee. A generator whose state is carried on from run to
 * run gives 64 bits per turn, in RDX; each bit, the highest first, decides where one branch goes.
 */
#ifndef TESTS_KERNELS_X86_RANDOM_H
#define TESTS_KERNELS_X86_RANDOM_H

#include "tests/kernels/x86/kernel.h"

/* clang-format off */

/* Their instructions: before and behind the loop of N turns, and in each turn. */
#define RANDOM_FIXED  (3 + 1)
#define RANDOM_TURN   (3 + 2)
#define RANDOM_CHOICE 4

/* The loop from its beginning to the first choice. */
.macro RANDOM_LOOP
	mov KERNEL_PARAM_RANDOM(%rsi), %rax
	mov $6364136223846793005, %r9
	mov $1442695040888963407, %r10
1:	imul %r9, %rax
	add %r10, %rax
	mov %rax, %rdx
.endm

.macro RANDOM_LOOP_END
	dec %rdi
	jnz 1b
	mov %rax, KERNEL_PARAM_RANDOM(%rsi)
.endm

/* RCX = the next label 2 or the next label 3. */
.macro RANDOM_TARGET
	lea 2f(%rip), %rcx
	lea 3f(%rip), %r11
	add %rdx, %rdx
	cmovc %r11, %rcx
.endm

/* The generator, its state, and \accesses loads and as many stores of eight bytes per turn besides. */
.macro SIG_RANDOM accesses=0
	SIG INSN_MUL, 1, 0
	SIG INSN_LOAD, \accesses, 1
	SIG LOADS, \accesses, 1
	SIG LOAD_BYTES, (\accesses)*8, 8
	SIG INSN_STORE, \accesses, 1
	SIG STORES, \accesses, 1
	SIG STORE_BYTES, (\accesses)*8, 8
	SIG_INTEGER_ONLY
.endm

/* The branches of \count choices per turn by RANDOM_TARGET, each of which takes \each branches, and of the loop. */
.macro SIG_RANDOM_TARGETS count, each
	SIG INSN_CMOV, \count, 0
	SIG BRANCHES, (\count)*(\each) + 1, 0
	SIG BR_JMP_DIRECT, \count, 0
	SIG BR_COND, 1, 0
	SIG BR_COND_TAKEN, 1, -1
	SIG BR_COND_NTAKEN, 0, 1
.endm

#endif
