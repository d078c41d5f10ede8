/*
 * Parts of the scheduler. Bounds come first (schedule_bound.c); a wiring of selectors to counters is then
 * solved exactly (schedule_wiring.c), anything else by search (schedule_search.c).
 */
#ifndef PMU_EVENTS_SCHEDULE_INTERNAL_H
#define PMU_EVENTS_SCHEDULE_INTERNAL_H

#include "pmu/events/schedule.h"

/** Items that have to do with each other, and room to work. */
struct problem {
	const struct sched_item *items;
	unsigned n, budget;
	bool *skip;       /* n */
	unsigned *member; /* n */
	int16_t *chosen;  /* n: resource of each item in the last matching */
	uint16_t *taker;  /* SCHEDULE_RESOURCES * n */
};

/** Whether two alternatives fit into one pass. */
bool sched_compatible(const struct sched_alternative *a, const struct sched_alternative *b);

/**
 * Fewest passes that offer enough resources at one place of the alternatives, by a matching of items to
 * resources; chosen[] is that matching. Of items that may share a resource only one counts, items that can do
 * without one do not.
 */
unsigned sched_matching_bound(struct problem *p, unsigned place);

/** Passes in which there is room for all that the items take for themselves alone. */
unsigned sched_room_bound(const struct problem *p);

/** Items of which no two fit into one pass, collected greedily from each start. */
unsigned sched_clique_bound(const struct problem *p);

/**
 * Problems where every alternative takes a counter (place 0), for itself alone, and a selector (place 1).
 * @param known  passes that are needed: proven already
 * @param places if *solved, a schedule in as many passes as `known` and what is returned prove to be needed
 * @return fewest passes that the wiring allows, a lower bound; 0 if selectors may be shared, the problem is
 * of another kind, or memory is short
 */
unsigned sched_wiring(const struct problem *p, unsigned known, struct sched_place *places, bool *solved);

enum search_outcome { FOUND, IMPOSSIBLE, GAVE_UP };

/** Look for a schedule of so many passes. IMPOSSIBLE is proven, GAVE_UP means that the budget is used up. */
enum search_outcome sched_search(struct problem *p, unsigned passes, struct sched_place *places,
				 unsigned *steps);

/** Each item into the first pass where one of its alternatives fits: needs no search. @return passes */
unsigned sched_first_fit(const struct problem *p, struct sched_place *places);

#endif
