/*
 * Results that are wrong wait here until all counters have counted a kernel: one that counts right speaks
 * against the erratum that another one's count looks like.
 */
#ifndef TESTS_SUITES_HELD_RESULTS_H
#define TESTS_SUITES_HELD_RESULTS_H

#include "tests/judge/check.h"

struct held;

/** All zero: none are held. */
struct held_results {
	struct held *first, *last;
};

/** Keep a result, with its name, if it is wrong; report it at once if it is not. When memory is short all
 * that is held is reported first, so that results keep their order. */
void held_results_take(struct held_results *held, struct run *run, const struct result *r);

/** Report all that is held, in its order, and forget it. */
void held_results_report(struct held_results *held, struct run *run);

#endif
