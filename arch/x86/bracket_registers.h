/*
 * The registers that hold a bracket's argument words (pmu/contract/pmu.h, struct pmu_bracket) on x86: R12 to
 * R15, which kernels keep. A bracket may change them, and RAX, RCX and RDX. What it counts itself is in RAX
 * at its end.
 *
 * Example, in assembly: mov ARG1_32, %eax
 */
#ifndef ARCH_X86_BRACKET_REGISTERS_H
#define ARCH_X86_BRACKET_REGISTERS_H

#ifdef __ASSEMBLER__
/* clang-format off */

#define ARG0    %r12
#define ARG1    %r13
#define ARG2    %r14
#define ARG3    %r15
#define ARG0_32 %r12d
#define ARG1_32 %r13d
#define ARG2_32 %r14d
#define ARG3_32 %r15d
/* clang-format on */

#else

#include "arch/x86/exceptions/user.h"

static inline void bracket_arguments(struct call_registers *registers, const uint64_t args[4])
{
	registers->r12 = args[0];
	registers->r13 = args[1];
	registers->r14 = args[2];
	registers->r15 = args[3];
}

#endif

#endif
