/*
 * The core's other logical processor: registers of its own, and counters of the first one that count what it
 * does (SDM 18.2.3, AnyThread).
 */
#include "pmu/intel/errata/hooks.h"

bool intel_has_other(const void *state)
{
	const struct intel_state *s = state;

	return s->threads > 1;
}

void intel_join(void *first, void *second)
{
	struct intel_state *s = first, *other = second;

	s->other = other;
	other->other = s;
	other->thread = 1;
}

/* Clocks are those of the core: a clock in which both are active is one. */
bool intel_advance_other(struct intel_state *s, const struct step *step)
{
	for (unsigned i = 0; i < s->n_running; i++) {
		unsigned c = s->run_list[i];
		struct intel_counter *k = &s->counter[c];
		int64_t value = 0;

		if (!intel_hook_any_thread(s, k->any) || !intel_ring_selected(s, k, step->level))
			continue;
		for (unsigned t = 0; t < step->n_terms; t++)
			value += k->weight[step->terms[t].quantity] * (int64_t)step->terms[t].amount;
		if (k->simple && value)
			intel_add(s, c, (uint64_t)value);
		else
			k->theirs += (uint64_t)value;
	}
	return intel_conclude(s);
}
