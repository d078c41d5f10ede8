/*
 * What is counted of a kernel where counters see the ring alone in which it runs.
 */
#ifndef TESTS_JUDGE_EXPECTATION_LEVEL_H
#define TESTS_JUDGE_EXPECTATION_LEVEL_H

#include "tests/judge/attribution.h"
#include "tests/judge/expectation.h"

/**
 * As expectation() for a window in ring 0. In ring 3 without what handlers execute in ring 0
 * (tests/kernels/handled.h): the same for kernels that have none; for the others only what the
 * architecture alone defines has an expectation.
 * @param a what deliveries and returns were measured to count; NULL: what the manual has
 */
enum expectation_status expectation_at_level(const struct pmu_event *e, const struct kernel *k, uint8_t level,
					     uint64_t n, const struct attribution *a,
					     struct expectation *out);

#endif
