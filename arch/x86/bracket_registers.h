/*
 * What holds a bracket's argument words (pmu/contract/pmu.h, struct pmu_bracket) on x86: R12 to R15, which
 * kernels keep. A bracket may change them, and RAX, RCX and RDX. What it counts itself is in RAX at its end.
 *
 * Without 64-bit mode there are no such registers: the words lie on the stack, above what kernels push. A
 * bracket's end has EDX and EAX for what it counts itself.
 *
 * Example, in assembly: mov ARG1_32, %eax
 */
#ifndef ARCH_X86_BRACKET_REGISTERS_H
#define ARCH_X86_BRACKET_REGISTERS_H

/* 32 bits: from the stack pointer at a kernel's entry. */
#define BRACKET_ARGUMENTS_AT 8

#ifdef __ASSEMBLER__
/* clang-format off */

#ifdef __i386__
#define ARG0_32    BRACKET_ARGUMENTS_AT(%esp)
#define ARG0_HIGH  BRACKET_ARGUMENTS_AT + 4(%esp)
#define ARG1_32    BRACKET_ARGUMENTS_AT + 8(%esp)
#define ARG1_HIGH  BRACKET_ARGUMENTS_AT + 12(%esp)
#define ARG2_32    BRACKET_ARGUMENTS_AT + 16(%esp)
#define ARG2_HIGH  BRACKET_ARGUMENTS_AT + 20(%esp)
#define ARG3_32    BRACKET_ARGUMENTS_AT + 24(%esp)
#define ARG3_HIGH  BRACKET_ARGUMENTS_AT + 28(%esp)
#else
#define ARG0    %r12
#define ARG1    %r13
#define ARG2    %r14
#define ARG3    %r15
#define ARG0_32 %r12d
#define ARG1_32 %r13d
#define ARG2_32 %r14d
#define ARG3_32 %r15d
#endif
/* clang-format on */

#else

#include "arch/x86/exceptions/user.h"

#include <string.h>

/** What a bracket's end that takes n halves of argument words adds to what it counts itself, for struct
 * pmu_bracket's .own. */
#ifdef __i386__
#define BRACKET_ARGUMENT_TERMS(n) {Q_INSN_LOAD, n}, {Q_LOADS, n}, {Q_LOAD_BYTES, 4 * (n)}
#else
#define BRACKET_ARGUMENT_TERMS(n) {Q_INSTRUCTIONS, 0}
#endif

#ifdef __i386__
/** @param stack as at a kernel's entry */
static inline void bracket_arguments(uint8_t *stack, const uint64_t args[4])
{
	memcpy(stack + BRACKET_ARGUMENTS_AT, args, 4 * sizeof args[0]);
}
#else
static inline void bracket_arguments(struct call_registers *registers, const uint64_t args[4])
{
	registers->r12 = args[0];
	registers->r13 = args[1];
	registers->r14 = args[2];
	registers->r15 = args[3];
}
#endif

#endif

#endif
