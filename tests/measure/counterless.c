#include "tests/measure/counterless.h"

static bool asked;

void counterless_begin(void)
{
	asked = true;
}

void counterless_apply(struct pmu *pmu)
{
	if (asked)
		pmu->n_counters = pmu->n_general = pmu->n_fixed = pmu->n_events = pmu->n_unexplained = 0;
}
