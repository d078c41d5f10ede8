/*
 * Kernels at full speed where the CPU lacks one of their instructions: the handler of #UD carries it out.
 * Some it lacks without raising #UD (an emulator does something else): an opcode that 64-bit mode does not
 * have takes the place of their first byte, in the copy of the kernel that runs. So it does with instructions
 * that raise an exception which the CPU lacks (tests/kernels/x86/exceptions.h): those whose encodings begin
 * as those that kernels use, and of operands in memory those that are misaligned by their displacement. They
 * must raise it each time.
 */
#ifndef TESTS_KERNELS_X86_EMULATION_H
#define TESTS_KERNELS_X86_EMULATION_H

/* SDM vol. 2, each under its name: #UD in 64-bit mode. */
#define STAND_IN_0F 0x06 /* PUSH ES: for RDMSR and WRMSR */
#define STAND_IN_C7 0x07 /* POP ES: for XBEGIN */
#define STAND_IN_F1 0xce /* INTO: for INT1 */
#define STAND_IN_F3 0x16 /* PUSH SS: for a scalar instruction that may raise #XM */
#define STAND_IN_8B 0x1e /* PUSH DS: for a load that may raise #AC */

/* What emulation_carry_out() has done. */
#define EMULATION_NONE       0 /* it is none that is emulated */
#define EMULATION_RETIRED    1
#define EMULATION_FAULT      2 /* it has raised an exception without an error code */
#define EMULATION_FAULT_CODE 3 /* ... with one, which is 0 */

#ifndef __ASSEMBLER__

#include "arch/x86/exceptions/trap.h"
#include "tests/kernels/x86/kernel.h"

#include <stdbool.h>
#include <stdint.h>

/** Whether the kernel has an instruction that a stand-in takes the place of. */
bool emulation_replaces(const struct kernel *k);

/**
 * Carry out the instruction, or the stand-in for one, at f->rip, which raised #UD. An event that it causes is
 * not delivered: *then is where it arrives, with the frame as the CPU would push it; NULL if the kernel just
 * goes on.
 * @return EMULATION_RETIRED: registers are as after it, RIP included; else as before it, and of
 * EMULATION_FAULT and EMULATION_FAULT_CODE the exception is the event
 */
uint8_t emulation_carry_out(struct trap_frame *f, const void **then);

#endif
#endif
