/*
 * Processors of other cores beside the virtual CPU, each with a PMU of its own: more states of the PMU model.
 * Like the sibling (pmu/virtual/sibling.h) they execute nothing that is anywhere in memory: one that works
 * goes on by an instruction of the loop SECOND_CPU_PATIENT with each step of the virtual CPU. None is told of
 * what another one does, but that others are active. Pure C.
 */
#ifndef PMU_VIRTUAL_PEERS_H
#define PMU_VIRTUAL_PEERS_H

#include "pmu/contract/model.h"

#include <stdbool.h>
#include <stdint.h>

#define PEERS_MAX 8

struct peers {
	const struct pmu_model *model;
	unsigned n;
	uint8_t *states;
	uint32_t works;            /* a bit each */
	bool others;               /* more than one processor is active */
	uint8_t at[PEERS_MAX];     /* the next instruction of the loop */
	uint64_t turns[PEERS_MAX]; /* that it has been through */
};

/** So many, PEERS_MAX at most, whose registers are as after power-up. @return how many there are: 0 without
 * memory */
unsigned peers_open(struct peers *p, const struct model_profile *profile,
		    const struct model_injected *injections, unsigned n);
void peers_close(struct peers *p);

/** Its state of the model. */
void *peers_state(const struct peers *p, unsigned i);

/** Let one go through the loop, or halt at the end of the turn that it is in. @return turns since it began */
void peers_begin(struct peers *p, unsigned i);
uint64_t peers_end(struct peers *p, unsigned i);

/** The virtual CPU has a step: those that work go on. */
void peers_step(struct peers *p);

#endif
