/*
 * The events that were asked for, spread over passes: what suites count that want many events of one kernel.
 */
#ifndef TESTS_MEASURE_PASSES_H
#define TESTS_MEASURE_PASSES_H

#include "pmu/events/grammar.h"
#include "pmu/events/schedule.h"
#include "tests/measure/pass.h"

struct passes {
	const struct pmu *pmu;
	unsigned n_requests, n_passes;
	struct event_request *request;
	struct sched_place *place;
};

/**
 * Choose the events of option event= that a counter can count; on the virtual PMU those of a machine model
 * (clocks, caches) only if they are named or the run is verbose: of a model they tell nothing.
 * @return NULL, or why there is nothing to count; passes_end() is called either way
 */
const char *passes_begin(struct passes *s, const struct run *run);

/** Put what is counted in pass `number` (0 to n_passes - 1) into p's slots, counting in `rings` (enum
 * pmu_levels). */
void passes_fill(const struct passes *s, unsigned number, uint8_t levels, struct pass *p);

/** Give the memory back. */
void passes_end(struct passes *s);

#endif
