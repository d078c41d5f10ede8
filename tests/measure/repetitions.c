#include "tests/judge/check.h"

#include <stdio.h>

#define REPS_HARDWARE 100

unsigned run_repetitions(struct run *run, const char *suite, unsigned on_virtual, unsigned most)
{
	bool deterministic = run->pmu && run->pmu->deterministic;
	unsigned asked = run->options->reps;
	char value[16], unit[64];

	if (asked > most) {
		snprintf(value, sizeof(value), "%u", most);
		snprintf(unit, sizeof(unit), "the most that this suite takes; %u were asked for", asked);
		run->value(run, suite, "repetitions", value, unit);
		return most;
	}
	return asked ? asked : deterministic ? on_virtual : REPS_HARDWARE;
}
