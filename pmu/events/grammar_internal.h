/*
 * What reading and writing event strings have in common.
 */
#ifndef PMU_EVENTS_GRAMMAR_INTERNAL_H
#define PMU_EVENTS_GRAMMAR_INTERNAL_H

#include "pmu/contract/bits.h"
#include "pmu/events/grammar.h"

#include <string.h>

/** What a configuration has in the modifier's field. */
static inline uint64_t field(const struct pmu_config *config, const struct event_modifier *m)
{
	const uint8_t *byte = (const uint8_t *)config + m->offset;
	uint64_t value = 0;

	for (unsigned i = 0; i < m->size; i++)
		value |= (uint64_t)byte[i] << 8 * i;
	return value >> m->shift & low_bits(m->width);
}

/** Whether row m is a further part of the field that the row before it begins. */
static inline bool continues(const struct event_grammar *g, const struct event_modifier *m)
{
	return m > g->modifiers && m->help && m->perf && m[-1].perf && !strcmp(m->perf, m[-1].perf);
}

/** Length of the part of a row's name that all unit masks of one event share: "L2_RQSTS". */
static inline size_t base_length(const char *name)
{
	return strcspn(name, ".:");
}

/** Whether rows a and b are one event with different unit masks, which a counter takes joined. */
static inline bool joins(const struct event_grammar *g, const struct pmu_event *a, const struct pmu_event *b)
{
	size_t n = base_length(a->name);

	return a->code & g->unit_mask && b->code & g->unit_mask && n == base_length(b->name) && a->name[n] &&
	       b->name[n] && !strncmp(a->name, b->name, n) && a->counters && b->counters &&
	       !a->extra_register && !b->extra_register && !((a->code ^ b->code) & ~g->unit_mask);
}

#endif
