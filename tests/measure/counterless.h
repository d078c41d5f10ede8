/*
 * inject=no-counters: virtual PMUs lose their counters and keep what they record, so that this kind of PMU is
 * tried where no family has one.
 */
#ifndef TESTS_MEASURE_COUNTERLESS_H
#define TESTS_MEASURE_COUNTERLESS_H

#include "pmu/contract/pmu.h"

/** From now on every virtual PMU has none. */
void counterless_begin(void);

/** Take the counters and events away, if that is asked for. */
void counterless_apply(struct pmu *pmu);

#endif
