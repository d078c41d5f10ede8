/*
 * What the kernels share whose branches nobody can foresee. A generator whose state is carried on from run to
 * run gives as many bits per turn as RDX has; each bit, the highest first, decides where one branch goes.
 */
#ifndef TESTS_KERNELS_X86_RANDOM_H
#define TESTS_KERNELS_X86_RANDOM_H

#include "tests/kernels/x86/kernel.h"

/* clang-format off */

/* Their instructions: before and behind the loop of N turns, and in each turn. */
#ifdef __i386__
#define RANDOM_FIXED  (1 + 1)
#else
#define RANDOM_FIXED  (3 + 1)
#endif
#define RANDOM_TURN   (3 + 2)
#define RANDOM_CHOICE 4

/* The loop from its beginning to the first choice. */
.macro RANDOM_LOOP
	mov KERNEL_PARAM_RANDOM(%rsi), %rax
#ifdef __i386__
1:	imul $1664525, %eax, %eax
	add $1013904223, %eax
#else
	mov $6364136223846793005, %r9
	mov $1442695040888963407, %r10
1:	imul %r9, %rax
	add %r10, %rax
#endif
	mov %rax, %rdx
.endm

.macro RANDOM_LOOP_END
	dec %rdi
	jnz 1b
	mov %rax, KERNEL_PARAM_RANDOM(%rsi)
.endm

/* RCX = the next label 2 or the next label 3. */
.macro RANDOM_TARGET
	lea NEAR(2f), %rcx
	lea NEAR(3f), %r11
	add %rdx, %rdx
	cmovc %r11, %rcx
.endm

/* The generator, its state, and \accesses loads and as many stores of a word per turn besides. */
.macro SIG_RANDOM accesses=0
	SIG INSN_MUL, 1, 0
	SIG INSN_LOAD, \accesses, 1
	SIG LOADS, \accesses, 1
	SIG LOAD_BYTES, (\accesses)*WORD, WORD
	SIG INSN_STORE, \accesses, 1
	SIG STORES, \accesses, 1
	SIG STORE_BYTES, (\accesses)*WORD, WORD
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
