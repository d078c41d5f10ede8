/*
 * Code around a kernel that starts and stops counters, or a trace. It is made for the occasion: it stays
 * until the next such bracket of the same PMU is asked for.
 */
#ifndef PMU_NETBURST_DRIVER_BRACKET_H
#define PMU_NETBURST_DRIVER_BRACKET_H

#include "pmu/contract/pmu.h"

/** Members of struct pmu_driver. */
bool netburst_bracket_enable(const struct pmu *pmu, uint64_t mask, struct pmu_bracket *out);
bool netburst_bracket_read(const struct pmu *pmu, unsigned c, struct pmu_bracket *out);
bool netburst_bracket_mixed(const struct pmu *pmu, unsigned c, enum pmu_switch start, enum pmu_switch stop,
			    struct pmu_bracket *out);

/** A bracket that sets bits of MSR_DEBUGCTLA, out of those of a mask, and clears the mask at its end. */
bool netburst_bracket_debugctl(const struct pmu *pmu, uint32_t mask, uint32_t set, struct pmu_bracket *out);

#endif
