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

void result_judge(struct result *r, uint64_t n, int64_t low, int64_t high, int64_t seen)
{
	struct observation *o = &r->observation[0];

	*o = (struct observation){.n = n, .low = low, .high = high};
	histogram_add(&o->seen, seen);
	r->n_observations = 1;
	judge(o, 1, &r->judgement);
}

void run_skip(struct run *run, const char *suite, const char *name, const char *manual, const char *why)
{
	struct result r = {
		.suite = suite, .name = name, .manual = manual, .virtual = run->pmu && run->pmu->virtual};

	judgement_set(&r.judgement, VERDICT_SKIPPED, "%s", why);
	run->report(run, &r);
}
