/*
 * The scheduler: which events can be counted side by side, and in how few passes all of them.
 *
 * It knows resources only: a counter, an event selector, a shared register. An event has alternatives; each
 * takes a few resources, all at once. In one pass a resource serves one event, or several that want the same
 * value of it (a register that two events need set alike).
 */
#ifndef PMU_EVENTS_SCHEDULE_H
#define PMU_EVENTS_SCHEDULE_H

#include "pmu/events/grammar.h"
#include "pmu/contract/pmu.h"

#include <stdbool.h>
#include <stdint.h>

#define SCHEDULE_RESOURCES    128
#define SCHEDULE_USES         6
#define SCHEDULE_ALTERNATIVES 128 /* that a driver's alternatives() may give for one request */

/** One resource as an alternative takes it. */
struct sched_use {
	uint8_t resource; /* below SCHEDULE_RESOURCES */
	uint64_t value;   /* 0: for itself alone; else it is shared with others of the same value */
};

struct sched_alternative {
	uint8_t n_uses;                      /* at least 1 */
	struct sched_use use[SCHEDULE_USES]; /* of distinct resources; by convention of distinct kinds, the
						same kind at the same place */
	uint32_t choice; /* for the driver's program(), see pmu_config.choice; the scheduler does not
			    look at it */
};

struct sched_item {
	const struct sched_alternative *alternative;
	unsigned n_alternatives; /* at least 1 */
};

/** Where an item ended up. */
struct sched_place {
	uint16_t pass;
	uint16_t alternative;
	uint32_t choice; /* schedule_events(): for pmu_config.choice */
};

struct sched_result {
	unsigned passes;
	unsigned bound;    /* no schedule has fewer passes: proven */
	const char *proof; /* what proves it: "counters", "exhaustive search", ... */
	unsigned steps;    /* work done by the search */
};

/**
 * Place every item. Small and single-resource problems are solved exactly; else the result is the best that
 * the search has found within its budget, and passes > bound tells that it may not be the best there is.
 * @param budget looks at an alternative that the search may take for each number of passes it tries; 0: a
 * default
 * @return false if memory is short, or an item has no alternative
 */
bool schedule(const struct sched_item *items, unsigned n, unsigned budget, struct sched_place *places,
	      struct sched_result *result);

/**
 * Place event requests on the counters of a PMU; places[i].alternative becomes the counter's number and
 * places[i].choice what the driver has to know besides.
 * @return false with *why (one line, pmu_reason()) if a request fits on no counter, or memory is short
 */
bool schedule_events(const struct pmu *pmu, const struct event_request *requests, unsigned n,
		     struct sched_place *places, struct sched_result *result, const char **why);

/** What to program for a request that schedule_events() placed. */
struct pmu_config event_placed(const struct event_request *request, const struct sched_place *place);

/** Counters that counting event e on counter c takes, c among them, as a bit mask: another one may have to
 * help. */
uint64_t event_takes(const struct pmu *pmu, const struct pmu_event *e, unsigned c);

/** Counters that can count the request, as a bit mask; only the one that it asks for, if it does. */
uint64_t event_counters(const struct pmu *pmu, const struct event_request *request);

/**
 * Why requests do not fit into one pass: a smallest set of them that does not, and what these compete for.
 * "A and B can be counted by FIXED_CTR2 only". Empty if they do fit, or memory is short.
 */
void schedule_explain(const struct pmu *pmu, const struct event_request *requests, unsigned n, char *out,
		      size_t size);

#endif
