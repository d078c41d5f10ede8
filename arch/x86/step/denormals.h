/*
 * Denormal numbers among the operands of an instruction that has retired, for the machine model. Pure C.
 */
#ifndef ARCH_X86_STEP_DENORMALS_H
#define ARCH_X86_STEP_DENORMALS_H

#include "arch/x86/step/retired.h"
#include "pmu/quantity/quantity.h"

#include <stdbool.h>
#include <stdint.h>

#define DENORMALS_FXSAVE 512 /* bytes of an FXSAVE image: MXCSR and the XMM registers of it are looked at */
#define DENORMALS_MEMORY 16  /* bytes of a memory operand */

/** Whether instructions of a class (insn.klass) could have any, as far as the class tells: where not,
 * denormals_possible() need not be asked. */
bool denormals_class(unsigned class);

/** Whether the instruction could have any: it is arithmetic or an x87 load. */
bool denormals_possible(const struct insn_retired *did, const uint8_t *code, const struct qterm *terms,
			unsigned n_terms);

/**
 * Whether it had one that a CPU may call microcode for: a source that is denormal and not taken for zero
 * (MXCSR.DAZ), or an SSE result that is denormal and not flushed to zero (MXCSR.FTZ). SDM vol.
 * 1, 4.8.3.2, 10.2.3. Only the lower 128 bits of vector registers are looked at, and of a source that the
 * result has replaced nothing is known.
 * @param fxsave the registers after it
 * @param memory what its memory operand holds, if it has one
 */
bool denormals_met(const struct insn_retired *did, const uint8_t *code, const struct qterm *terms,
		   unsigned n_terms, const uint8_t fxsave[DENORMALS_FXSAVE],
		   const uint8_t memory[DENORMALS_MEMORY]);

#endif
