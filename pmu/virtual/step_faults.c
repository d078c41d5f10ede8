#include "pmu/virtual/step_faults.h"

#include <string.h>

#define LOST_EVERY 5

static bool has(const struct step_breaker *b, enum step_fault f)
{
	return b->faults >> f & 1;
}

/* What this instruction contributes is held back until the next one. */
static void make_late(struct step_breaker *b, struct step *step, struct qterm *terms)
{
	struct qterm now[RECORDED_TERMS];
	unsigned n = step->n_terms;

	memcpy(now, terms, n * sizeof now[0]);
	memcpy(terms, b->held, b->n_held * sizeof terms[0]);
	step->n_terms = b->n_held;
	memcpy(b->held, now, n * sizeof now[0]);
	b->n_held = n;
}

void step_own_details(struct step *step, struct step_copies *details)
{
	details->registers = *step->registers;
	step->registers = &details->registers;
	memcpy(details->access, step->access, step->n_access * sizeof details->access[0]);
	step->access = details->access;
	if (!step->vectors)
		return;
	memcpy(details->vectors, step->vectors, sizeof details->vectors);
	step->vectors = details->vectors;
}

void step_break(struct step_breaker *b, struct step *step, struct step_copies *details,
		struct qterm terms[RECORDED_TERMS])
{
	struct step_registers after = details->registers;

	if (has(b, STEP_LATE))
		make_late(b, step, terms);
	if (step->transfer != TRANSFER_NONE) {
		if (has(b, STEP_BRANCH_LOST) && ++b->branches % LOST_EVERY == 0)
			step->transfer = TRANSFER_NONE;
		if (has(b, STEP_TARGET_OFF))
			step->next++;
	}
	for (unsigned i = 0; i < step->n_access; i++) {
		details->access[i].address += has(b, STEP_ADDRESS_OFF);
		details->access[i].store ^= has(b, STEP_KIND_MIXED);
	}
	if (has(b, STEP_STALE_REGISTERS))
		details->registers = b->before;
	b->before = after;
	if (step->vectors) {
		uint8_t vectors[VECTORS_BOTH];

		memcpy(vectors, details->vectors, sizeof vectors);
		if (has(b, STEP_STALE_REGISTERS))
			memcpy(details->vectors, b->vectors_before, sizeof vectors);
		memcpy(b->vectors_before, vectors, sizeof vectors);
	}
	if (has(b, STEP_TIME_STANDS))
		step->clock = 1;
}
