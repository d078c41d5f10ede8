/*
 * What filters of a counter make of cycles, for models: a threshold, its inversion, then an edge detector.
 * Vendors call them CMASK, INV and E, CntMask, Inv and Edge, or threshold, complement and edge; which bits
 * set them, and what a threshold of 0 means, is each model's.
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
	bool whole;        /* without .edge: adds a cycle's occurrences in place of 1, as broken filters do */
};

/** A clock whose ticks a counter counts: each cycle of the core, or one of several. */
struct counter_clock {
	uint64_t since; /* cycles since the last tick */
	uint32_t every; /* cycles from one tick to the next; 0: no clock is counted */
	uint8_t each;   /* what a tick adds */
};

/** Occurrences of an event in the cycles of a step. */
struct counter_flow {
	uint64_t left; /* still to come; they come as early as they can */
	uint64_t most; /* in one cycle; FLOW_AT_ONCE: all fall into the first one */
};

#define FLOW_AT_ONCE UINT64_MAX

/** What a number of cycles add to a counter of a clock. */
static inline uint64_t counter_ticks(struct counter_clock *clock, uint32_t cycles)
{
	uint64_t sum = clock->since + cycles;

	if (clock->every <= 1)
		return clock->every ? (uint64_t)cycles * clock->each : 0;
	clock->since = sum % clock->every;
	return sum / clock->every * clock->each;
}

/** Whether the condition begins to hold. @param level whether it held in the last cycle; becomes met */
static inline bool counter_begins(bool *level, bool met)
{
	bool begins = met && !*level;

	*level = met;
	return begins;
}

/** What a cycle of v occurrences adds: 0 or 1, but for .whole. @param level see counter_begins() */
static inline uint64_t counter_cycle(const struct counter_condition *c, uint64_t v, bool *level)
{
	bool met = (c->equal ? v == c->at_least : v >= c->at_least) != c->invert;
	bool begins = counter_begins(level, met);

	if (c->edge)
		return begins;
	return c->whole && met ? v : met;
}

/**
 * What a step adds, cycle by cycle.
 * @param clock ticks are occurrences as well; NULL: there are none
 * @param level see counter_begins()
 */
static inline uint64_t counter_cycles(const struct counter_condition *c, struct counter_flow flow,
				      struct counter_clock *clock, uint32_t cycles, bool *level)
{
	uint64_t amount = 0;

	for (; cycles; cycles--) {
		uint64_t v = flow.left < flow.most ? flow.left : flow.most;

		flow.left -= v;
		amount += counter_cycle(c, v + (clock ? counter_ticks(clock, 1) : 0), level);
	}
	return amount;
}

#endif
