/*
 * The overhead suite's inside.
 */
#ifndef TESTS_SUITES_OVERHEAD_H
#define TESTS_SUITES_OVERHEAD_H

#include "tests/check.h"

/** Measure what the instructions of brackets cost, counting with an event that is exact on the given counter.
 */
void overhead_costs(struct run *run, const struct pmu_event *e, unsigned counter);

#endif
