/* Rules of extreme machines (extremes.h): stores and the loads behind them, and what is forced. */
#include "tests/self/host/support/extremes_rules.h"

#include <math.h>

#define SIGMAS 4

uint64_t count_turns(const struct extreme_run *r)
{
	return r->trace->n;
}

uint64_t count_turns_twice(const struct extreme_run *r)
{
	return 2 * r->trace->n;
}

/* A load and a store meet in every other turn, by chance. */
uint64_t count_meetings(const struct extreme_run *r)
{
	double most = floor(extreme_guesses((double)r->trace->n, SIGMAS));

	return most < (double)r->trace->n ? (uint64_t)most : r->trace->n;
}

/* A load tries once, and once more as each of the turn's stores before it leaves. */
uint64_t count_tries(const struct extreme_run *r)
{
	uint64_t stores = 0, tries = 0;

	for (size_t i = 0; i < r->trace->count; i++) {
		struct trace_step *s = &r->trace->step[i];

		if (stores && trace_amount(s, Q_LOADS))
			tries += 1 + stores;
		stores = trace_amount(s, Q_BRANCHES) ? 0 : stores + trace_amount(s, Q_STORES);
	}
	return tries;
}

uint64_t count_segments(const struct extreme_run *r)
{
	return extreme_total(r, Q_INSN_SEGMENT);
}

uint64_t count_locked(const struct extreme_run *r)
{
	return extreme_total(r, Q_INSN_LOCKED);
}

uint64_t count_accesses(const struct extreme_run *r)
{
	return extreme_total(r, Q_LOADS) + extreme_total(r, Q_STORES);
}

uint64_t count_stores(const struct extreme_run *r)
{
	return extreme_total(r, Q_STORES);
}

/* Eight bytes each. */
uint64_t count_stored_lines(const struct extreme_run *r)
{
	return count_stores(r) / 8;
}
