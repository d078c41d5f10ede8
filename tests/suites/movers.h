/*
 * Which kernels should have made an event tick. A counter that stays at 0 on each of them is not one kernel's
 * matter: the event is dead, and all these kernels say so.
 */
#ifndef TESTS_SUITES_MOVERS_H
#define TESTS_SUITES_MOVERS_H

#include "tests/suites/suites.h"

struct movers {
	bool ticked;      /* some kernel made it count */
	bool cut;         /* there was no room for all names */
	unsigned kernels; /* that had to, and did not */
	const struct kernel *last;
	char names[80];
};

/** Note what came of one check of the event on a kernel: whether anything was counted, and the verdict. */
void movers_note(struct movers *m, const struct kernel *k, bool counted, const struct judgement *j);

/** Report each of the PMU's events that was dead wherever it had to tick, and counted nowhere. */
void movers_report(struct run *run, const struct movers *by_event);

#endif
