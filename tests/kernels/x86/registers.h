/*
 * Names of registers for kernels that serve 64 and 32 bits: without 64-bit mode each name stands for the
 * register that there is. R8 to R11 share EBP and EBX: of R8, R10 and R11 a kernel uses one, or none whose
 * value matters. A kernel that needs more is left out there.
 *
 * MOVE_WORD is a move of an immediate to memory, NEAR(label) the memory at a label of the kernel: without RIP
 * to count from it counts from EBX, as it is at a kernel's entry. IRET within a ring takes IRET_WORDS.
 */
#ifndef TESTS_KERNELS_X86_REGISTERS_H
#define TESTS_KERNELS_X86_REGISTERS_H

/* clang-format off */

#include "arch/x86/word.h"

#ifdef __i386__
#define IRET_WORDS 3
#define NEAR(label) (label) - 10020b(%ebx)

#define MOVE_WORD movl
#define jrcxz  jecxz

#define r8  ebp
#define r8d ebp
#define r9  ebx
#define r9d ebx
#define r9w bx
#define r9b bl
#define r10b bl
#define r10  ebp
#define r10d ebp
#define r10w bp
#define r11  ebp
#define r11d ebp
#define r11w bp
#else
#define IRET_WORDS 5
#define MOVE_WORD movq
#define NEAR(label) label(%rip)
#endif

#endif
