/*
 * The other logical processor of the virtual CPU's core, where it has counters of its own: a second state of
 * the PMU model. It executes nothing that is anywhere in memory: while it works, it goes on by one
 * instruction of a loop (arch/second_cpu.h) with each step of the first one, and each of the two is told of
 * the other's steps. Pure C.
 */
#ifndef PMU_VIRTUAL_SIBLING_H
#define PMU_VIRTUAL_SIBLING_H

#include "arch/second_cpu.h"
#include "pmu/contract/model.h"

#include <stdbool.h>
#include <stdint.h>

struct sibling {
	const struct pmu_model *model;
	void *state, *first; /* of the model; first: the state of the first logical processor */
	bool exists, works;
	const struct second_cpu_turn *turn; /* of the loop that it executes */
	unsigned at;                        /* the next instruction of it */
	uint64_t turns;                     /* that it has been through */
	unsigned interrupts;                /* overflow interrupts that it asked for */
};

/**
 * From here on its registers are as after power-up. The first one's state has been reset.
 * @param state room for its own, model->state_size bytes
 */
void sibling_power_up(struct sibling *s, void *state, void *first, const struct model_profile *profile,
		      const struct model_injected *injections);

/** Let it go through a loop, or halt at the end of the turn that it is in. @return turns since it began */
void sibling_begin(struct sibling *s, enum second_cpu_loop loop);
uint64_t sibling_end(struct sibling *s);

/** Whether anything that it counts, or the first one does, goes on while it works. */
bool sibling_counts(const struct sibling *s);

/** The first one has a step. @return whether more has changed in the first one's state than counters */
bool sibling_step(struct sibling *s, const struct step *ours);

#endif
