/*
 * From what the step engine tells to the fields of a step (arch/step.h) that only records need: where control
 * went, registers, data accesses, time.
 */
#ifndef ARCH_X86_STEP_STEP_DETAILS_H
#define ARCH_X86_STEP_STEP_DETAILS_H

#include "arch/step.h"
#include "arch/x86/step/step_engine.h"

/** What a step with details points to. */
struct step_details {
	struct step_registers registers;
	struct step_access access[STEP_ACCESSES];
	uint8_t vectors[VECTORS_BOTH];
};

/** Of an instruction that has retired; the engine must have noted its addresses. */
void details_of_retired(struct step_details *d, struct step *step, const struct step_retired *r);

/** Of an event that was delivered. */
void details_of_delivered(struct step_details *d, struct step *step, const struct trap_frame *after,
			  enum step_event kind, unsigned vector);

/** The XMM and YMM registers besides, which are the stepped code's until the step engine returns to it. Upper
 * halves that the CPU lacks, or that are off in XCR0, are 0. */
void details_of_vectors(struct step_details *d, struct step *step);

#endif
