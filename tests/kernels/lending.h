/*
 * Kernels at full speed where the CPU lacks one of their instructions: the handler of #UD carries it out. Some
 * it lacks without raising #UD (an emulator does something else): an opcode that 64-bit mode does not have takes
 * the place of their first byte, in the copy of the kernel that runs.
 */
#ifndef TESTS_KERNELS_LENDING_H
#define TESTS_KERNELS_LENDING_H

/* SDM vol. 2, each under its name: #UD in 64-bit mode. */
#define STAND_IN_0F 0x06 /* PUSH ES: for RDMSR and WRMSR */
#define STAND_IN_C7 0x07 /* POP ES: for XBEGIN */
#define STAND_IN_F1 0xce /* INTO: for INT1 */

#ifndef __ASSEMBLER__

#include "arch/x86/trap.h"
#include "tests/kernels/kernel.h"

#include <stdbool.h>
#include <stdint.h>

/** Whether the kernel has an instruction that the CPU lacks without raising #UD. */
bool lending_replaces(const struct kernel *k);

/** Put stand-ins into a copy of a kernel that is to run at full speed. */
void lending_replace(const struct kernel *k, uint8_t *copy);

/**
 * Carry out the instruction, or the stand-in for one, at f->rip, which raised #UD. An event that it causes is
 * not delivered: *then is where it arrives, with the frame as the CPU would push it; NULL if the kernel just
 * goes on.
 * @return false if it is none that is lent; else registers are as after it, RIP included
 */
bool lending_carry_out(struct trap_frame *f, const void **then);

#endif
#endif
