/*
 * Making a virtual CPU and finding its PMU, as a run does once and the self-test many times.
 */
#ifndef TESTS_MEASURE_VIRTUAL_H
#define TESTS_MEASURE_VIRTUAL_H

#include "pmu/contract/reason.h"
#include "tests/judge/check.h"

/**
 * Create the virtual CPU of a profile, let the drivers look for its PMU on it, and put it into *pmu.
 * @param run    its .pmu is set to pmu; the rest is as it was
 * @param inject the model's injections, separated by '+'
 * @return false with *why, one line
 */
bool virtual_pmu_create(struct run *run, struct pmu *pmu, const char *profile, const char *inject,
			struct reason *why);

#endif
