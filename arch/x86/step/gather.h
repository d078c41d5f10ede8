/*
 * Gathers and scatters about to run: how many elements their mask register selects.
 */
#ifndef ARCH_X86_STEP_GATHER_H
#define ARCH_X86_STEP_GATHER_H

#include "arch/x86/step/insn.h"

/**
 * Elements that the gather or scatter (INSN_MASKMOV) at `code` is about to access: reads the mask register as
 * it is now and changes nothing. Of opmask registers that are not enabled, those that are emulated
 * (emulated.h). 0 if other register state that it needs is not enabled; then the instruction raises #UD.
 */
unsigned gather_elements(const uint8_t *code, const struct insn *in);

#endif
