/*
 * The clock that other suites measure by, too.
 */
#include "tests/suites/overhead.h"

const struct pmu_event *overhead_clock(const struct run *run, enum rung rung, unsigned *counter)
{
	const struct pmu *pmu = run->pmu;

	for (unsigned i = 0; i < pmu->n_events; i++)
		for (unsigned c = 0; c < pmu->n_counters; c++) {
			*counter = c;
			if (pmu->events[i]->terms[0].quantity == Q_CYCLES &&
			    pmu->events[i]->terms[0].coefficient == 1 &&
			    pmu->driver->can_count(pmu, pmu->events[i], c) &&
			    ladder_allows(run->ladder, c, rung))
				return pmu->events[i];
		}
	return NULL;
}
