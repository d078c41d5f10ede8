/*
 * How a check's result gets its observations and its verdict.
 */
#include "tests/judge/check.h"

#include <string.h>

struct observation *result_observe(struct result *r, uint64_t n, int64_t low, int64_t high)
{
	struct observation *o;

	if (r->n_observations == RESULT_OBSERVATIONS)
		r->n_observations--;
	o = &r->observation[r->n_observations++];
	*o = (struct observation){.n = n, .low = low, .high = high};
	return o;
}

struct observation *result_observe_only(struct result *r, uint64_t n, int64_t low, int64_t high)
{
	r->n_observations = 0;
	return result_observe(r, n, low, high);
}

void result_take(struct result *r, const struct observation *o, unsigned count)
{
	r->n_observations = count < RESULT_OBSERVATIONS ? count : RESULT_OBSERVATIONS;
	memcpy(r->observation, o, r->n_observations * sizeof *o);
	r->n_more = count - r->n_observations;
	r->more = r->n_more ? o + r->n_observations : NULL;
}

void result_conclude(struct result *r)
{
	judge(r->observation, r->n_observations, &r->judgement);
}

void result_judge(struct result *r, uint64_t n, int64_t low, int64_t high, int64_t seen)
{
	histogram_add(&result_observe_only(r, n, low, high)->seen, seen);
	result_conclude(r);
}

void run_skip(struct run *run, const char *suite, const char *name, const char *manual, const char *why)
{
	struct result r = {
		.suite = suite, .name = name, .manual = manual, .virtual = run->pmu && run->pmu->virtual};

	judgement_set(&r.judgement, VERDICT_SKIPPED, "%s", why);
	run->report(run, &r);
}
