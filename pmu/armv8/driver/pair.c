/*
 * Two event counters as one of 64 bits (Arm ARM, event CHAIN).
 */
#include "pmu/armv8/armv8.h"
#include "pmu/armv8/registers.h"

#include "arch/register.h"

bool armv8_has_pairs(const struct pmu *pmu)
{
	return pmu->n_general > 1 && armv8_found(pmu)->ceid[0] >> EVENT_CHAIN & 1;
}

/* From PMUv3p5 on the first one is long, and chains nothing, unless PMCR_EL0.LP is 0. */
static bool make_short(const struct pmu *pmu)
{
	uint64_t pmcr;

	return armv8_found(pmu)->version < PMUVER_3_5 ||
	       (register_read(SPACE_SYSTEM, PMCR_EL0, &pmcr) &&
		register_write(SPACE_SYSTEM, PMCR_EL0, pmcr & ~(uint64_t)PMCR_LP));
}

bool armv8_pair_program(const struct pmu *pmu, unsigned c, const struct pmu_config *config)
{
	struct pmu_config upper = *config;

	upper.code = EVENT_CHAIN;
	return c % 2 == 0 && c + 1 < pmu->n_general && armv8_has_pairs(pmu) && make_short(pmu) &&
	       pmu->driver->program(pmu, c, config) && pmu->driver->program(pmu, c + 1, &upper);
}

bool armv8_pair_write(const struct pmu *pmu, unsigned c, uint64_t value)
{
	return pmu->driver->write(pmu, c, value & UINT32_MAX) && pmu->driver->write(pmu, c + 1, value >> 32);
}

/* While it counts, the lower half may wrap between two readings: then the upper one has moved. */
bool armv8_pair_read(const struct pmu *pmu, unsigned c, uint64_t *value)
{
	uint64_t lower, upper, again;

	do {
		if (!pmu->driver->read(pmu, c + 1, &upper) || !pmu->driver->read(pmu, c, &lower) ||
		    !pmu->driver->read(pmu, c + 1, &again))
			return false;
	} while (again != upper);
	*value = upper << 32 | (lower & UINT32_MAX);
	return true;
}
