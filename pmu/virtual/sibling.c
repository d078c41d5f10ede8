#include "pmu/virtual/sibling.h"

void sibling_power_up(struct sibling *s, void *state, void *first, const struct model_profile *profile,
		      const struct model_injected *injections)
{
	const struct pmu_model *model = profile->model;

	*s = (struct sibling){.model = model, .state = state, .first = first};
	s->exists = model->has_other && model->has_other(first);
	if (!s->exists)
		return;
	model->reset(state, profile, injections);
	model->join(first, state);
}

void sibling_begin(struct sibling *s, enum second_cpu_loop loop)
{
	s->turn = &second_cpu_turns[loop];
	s->at = 0;
	s->turns = 0;
	s->works = s->exists && s->turn->n;
}

/* One instruction of the loop, which both count as they do. */
static bool execute(struct sibling *s)
{
	const struct second_cpu_instruction *i = &s->turn->instruction[s->at];
	const struct step theirs = {
		.terms = i->terms, .n_terms = i->n_terms, .cycles = 1, .thread = 1, .sibling = true};
	bool changed = s->model->advance(s->first, &theirs);

	s->model->advance(s->state, &theirs);
	if (++s->at == s->turn->n) {
		s->at = 0;
		s->turns++;
	}
	while (s->model->take_pmi(s->state))
		s->interrupts++;
	return changed;
}

uint64_t sibling_end(struct sibling *s)
{
	while (s->works && s->at)
		execute(s);
	s->works = false;
	return s->turns;
}

bool sibling_counts(const struct sibling *s)
{
	return s->works && s->model->counting(s->state);
}

bool sibling_step(struct sibling *s, const struct step *ours)
{
	bool changed = execute(s);

	s->model->advance(s->state, ours);
	return changed;
}
