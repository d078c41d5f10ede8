/*
 * Branches that hardware samples in bursts: a counter of taken branches overflows, and so many of the next
 * ones are written down, of whatever ring (BRS).
 */
#ifndef TESTS_JUDGE_BRANCH_SAMPLING_H
#define TESTS_JUDGE_BRANCH_SAMPLING_H

#include "pmu/contract/pmu.h"
#include "tests/kernels/kernel.h"

#include <stdbool.h>
#include <stdint.h>

#define BRANCH_SAMPLING_WHY 96

/**
 * How many of a kernel's branches the counter counts that starts the burst, if which of them are recorded
 * follows from that: it counts what is recorded, and in the same order.
 * @param event    what the counter counts; NULL: that is not known
 * @param rings    enum pmu_levels: of the counter
 * @param ring     0 or 3: of the kernel, whose window is all that is counted
 * @param branches gets the number
 * @param why room for a reason
 * @return NULL, or in words why nothing follows: they stay as long as .why
 */
const char *branch_sampling_unforeseen(const struct pmu_event *event, uint8_t levels, const struct kernel *k,
				       uint8_t level, uint64_t n, int64_t *branches,
				       char why[BRANCH_SAMPLING_WHY]);

#endif
