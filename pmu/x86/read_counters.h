/* Reading counters that are model-specific registers, several in few instructions. */
#ifndef PMU_X86_READ_COUNTERS_H
#define PMU_X86_READ_COUNTERS_H

#include "pmu/contract/pmu.h"

/** For a driver's read_all(): `address` gives the register of a counter. */
bool read_counters(const struct pmu *pmu, uint64_t mask,
		   uint32_t (*address)(const struct pmu *pmu, unsigned c), uint64_t out[PMU_COUNTERS_MAX]);

#endif
