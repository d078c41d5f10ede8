/*
 * A machine at the end of an interval, and what it is run on (extremes.h).
 */
#ifndef TESTS_HOST_EXTREME_MACHINE_H
#define TESTS_HOST_EXTREME_MACHINE_H

#include "tests/self/host/support/trace.h"

/** A kernel's run. */
struct extreme_run {
	struct trace *trace;
	struct trace *warm; /* a run before it, with the largest N */
	enum quantity quantity;
};

struct extreme_machine {
	const char *name;
	const char *what; /* and who says so */
	uint64_t (*count)(const struct extreme_run *r);
};

#define TURNS_TO_KNOW 128
/** Of a machine that counts nothing before so many turns: none of the runs has as many, so the end of its
 * interval lies below 0. */
uint64_t count_not_yet(const struct extreme_run *r);

/** Amount of an architectural quantity in a run. */
static inline uint64_t extreme_total(const struct extreme_run *r, enum quantity q)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->trace->count; i++)
		sum += trace_amount(&r->trace->step[i], q);
	return sum;
}

#endif
