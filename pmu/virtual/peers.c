#include "pmu/virtual/peers.h"

#include "arch/second_cpu.h"

#include <stdlib.h>

unsigned peers_open(struct peers *p, const struct model_profile *profile,
		    const struct model_injected *injections, unsigned n)
{
	*p = (struct peers){.model = profile->model, .n = n < PEERS_MAX ? n : PEERS_MAX};
	if (!second_cpu_turns[SECOND_CPU_PATIENT].n || !(p->states = calloc(p->n, p->model->state_size)))
		p->n = 0;
	for (unsigned i = 0; i < p->n; i++)
		p->model->reset(peers_state(p, i), profile, injections);
	return p->n;
}

void peers_close(struct peers *p)
{
	free(p->states);
	*p = (struct peers){0};
}

void *peers_state(const struct peers *p, unsigned i)
{
	return p->states + i * p->model->state_size;
}

void peers_begin(struct peers *p, unsigned i)
{
	p->at[i] = 0;
	p->turns[i] = 0;
	p->works |= 1u << i;
}

static void execute(struct peers *p, unsigned i)
{
	const struct second_cpu_turn *turn = &second_cpu_turns[SECOND_CPU_PATIENT];
	const struct second_cpu_instruction *in = &turn->instruction[p->at[i]];
	const struct step step = {
		.terms = in->terms, .n_terms = in->n_terms, .cycles = 1, .others = p->others};
	void *state = peers_state(p, i);

	p->model->advance(state, &step);
	while (p->model->take_pmi && p->model->take_pmi(state))
		;
	if (++p->at[i] == turn->n) {
		p->at[i] = 0;
		p->turns[i]++;
	}
}

uint64_t peers_end(struct peers *p, unsigned i)
{
	while (p->at[i])
		execute(p, i);
	p->works &= ~(1u << i);
	return p->turns[i];
}

void peers_step(struct peers *p)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->works >> i & 1)
			execute(p, i);
}
