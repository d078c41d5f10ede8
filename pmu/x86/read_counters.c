#include "pmu/x86/read_counters.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/contract/counter_values.h"

bool read_counters(const struct pmu *pmu, uint64_t mask,
		   uint32_t (*address)(const struct pmu *pmu, unsigned c), uint64_t out[PMU_COUNTERS_MAX])
{
	uint32_t registers[PMU_COUNTERS_MAX];
	uint64_t value[PMU_COUNTERS_MAX];
	unsigned n = 0, i = 0;

	for (uint64_t left = mask; left; left &= left - 1)
		registers[n++] = address(pmu, (unsigned)__builtin_ctzll(left));
	if (n && !msr_read_list(registers, n, value))
		return false;
	for (uint64_t left = mask; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctzll(left);

		out[c] = value[i++] & counter_ones(&pmu->counter[c]);
	}
	return true;
}
