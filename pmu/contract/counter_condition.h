/*
 * What filters of a counter make of a cycle's occurrences, for models: a threshold, its inversion, then an
 * edge detector. Vendors call them CMASK, INV and E, CntMask, Inv and Edge, or threshold, complement and
 * edge; what each has besides is its model's.
 *
 * Example: with at_least = 2 and .edge, cycles of 1, 2, 3, 0 and 2 occurrences count 0, 1, 0, 0 and 1.
 */
#ifndef PMU_CONTRACT_COUNTER_CONDITION_H
#define PMU_CONTRACT_COUNTER_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

struct counter_condition {
	uint16_t at_least; /* occurrences in a cycle */
	bool equal;        /* exactly so many */
	bool invert;       /* counts the other cycles */
	bool edge;         /* counts a cycle in which the condition begins to hold */
};

/** Whether the condition begins to hold. @param level whether it held in the last cycle; becomes met */
static inline bool counter_begins(bool *level, bool met)
{
	bool begins = met && !*level;

	*level = met;
	return begins;
}

/** What a cycle of v occurrences adds: 0 or 1. @param level see counter_begins() */
static inline unsigned counter_cycle(const struct counter_condition *c, uint64_t v, bool *level)
{
	bool met = (c->equal ? v == c->at_least : v >= c->at_least) != c->invert;
	bool begins = counter_begins(level, met);

	return c->edge ? begins : met;
}

#endif
