/*
 * Extreme machines: for each interval that signatures declare for what depends on the micro-architecture, the
 * machine that shows the least and the one that shows the most of all that the interval's reason allows. Each
 * runs a kernel's trace by a rule of a few lines; docs/machine-model.md explains them. So every number of an
 * interval is one that some machine attains.
 */
#ifndef TESTS_HOST_EXTREMES_H
#define TESTS_HOST_EXTREMES_H

#include "tests/self/host/support/extreme_machine.h"

/** The machines at both ends of an interval, by its quantity and its reason, word for word. */
struct extreme {
	quantity_number quantity;
	const char *reason;
	const struct extreme_machine *low, *high;
};

extern const struct extreme extremes[];
extern const unsigned n_extremes;

/** @param reason of the interval; NULL: the amount is exact, and every machine must show it
 * @return NULL if there is no row */
const struct extreme *extreme_of(enum quantity q, const char *reason);

#endif
