/*
 * Ways in which a recording model can be shown something wrong on purpose, to prove that checks of records
 * notice: pmu/virtual/step_faults.def.
 */
#ifndef PMU_VIRTUAL_STEP_FAULTS_H
#define PMU_VIRTUAL_STEP_FAULTS_H

#include "arch/x86/step/account.h"
#include "pmu/virtual/machine_model.h"
#include "pmu/contract/model.h"
#include "arch/x86/step/step_details.h"

enum step_fault {
#define STEP_FAULT(id, name, summary) STEP_##id,
#include "pmu/virtual/step_faults.def"
#undef STEP_FAULT
	STEP_FAULTS
};

extern const struct uarch_fault_info step_faults[STEP_FAULTS];

#define STEP_TERMS (ACCOUNT_TERMS + MACHINE_TERMS)

/** What there is to remember from step to step. All zero: nothing is wrong. */
struct step_breaker {
	uint32_t faults; /* bit per enum step_fault */
	uint32_t branches;
	unsigned n_held;
	struct qterm held[STEP_TERMS];
	struct step_registers before;
	uint8_t vectors_before[VECTORS_BOTH];
};

/** Make a step of a retired instruction wrong. *details is what it points to; its terms may be changed,
 * STEP_TERMS of them at most. */
void step_break(struct step_breaker *b, struct step *step, struct step_details *details,
		struct qterm terms[STEP_TERMS]);

#endif
