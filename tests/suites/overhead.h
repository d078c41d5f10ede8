/*
 * The overhead suite's inside.
 */
#ifndef TESTS_SUITES_OVERHEAD_H
#define TESTS_SUITES_OVERHEAD_H

#include "tests/judge/check.h"
#include "tests/judge/ladder.h"

/** Measure what the instructions of brackets cost, counting with an event that is exact on the given counter.
 */
void overhead_costs(struct run *run, const struct pmu_event *e, unsigned counter);

/** Judge and measure windows while an interrupt is due: masked in the APIC, and held off by CLI. */
void overhead_pending(struct run *run, const struct pmu_event *e, unsigned counter);

/** The clock of core cycles, on the first counter that counts it and has climbed so far; NULL if none has. */
const struct pmu_event *overhead_clock(const struct run *run, enum rung rung, unsigned *counter);

#endif
