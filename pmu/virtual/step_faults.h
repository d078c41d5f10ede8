/*
 * Ways in which a recording model can be shown something wrong on purpose, to prove that checks of records
 * notice: pmu/virtual/step_faults.def.
 */
#ifndef PMU_VIRTUAL_STEP_FAULTS_H
#define PMU_VIRTUAL_STEP_FAULTS_H

#include "arch/step.h"
#include "pmu/virtual/machine_model.h"
#include "pmu/contract/model.h"

enum step_fault {
#define STEP_FAULT(id, name, summary) STEP_##id,
#include "pmu/virtual/step_faults.def"
#undef STEP_FAULT
	STEP_FAULTS
};

/** Of an instruction and of what the machine model makes of it. */
#define RECORDED_TERMS (STEP_TERMS + MACHINE_TERMS)

/** What there is to remember from step to step. All zero: nothing is wrong. */
struct step_breaker {
	uint32_t faults; /* bit per enum step_fault */
	uint32_t branches;
	unsigned n_held;
	struct qterm held[RECORDED_TERMS];
	struct step_registers before;
	uint8_t vectors_before[VECTORS_BOTH];
};

/** What a step points to. */
struct step_copies {
	struct step_registers registers;
	struct step_access access[STEP_ACCESSES];
	uint8_t vectors[VECTORS_BOTH];
};

/** Have a step point to a copy of it that may be changed. */
void step_own_details(struct step *step, struct step_copies *details);

/** Make a step of a retired instruction wrong. *details is what it points to; its terms may be changed,
 * RECORDED_TERMS of them at most. */
void step_break(struct step_breaker *b, struct step *step, struct step_copies *details,
		struct qterm terms[RECORDED_TERMS]);

#endif
