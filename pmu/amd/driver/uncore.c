/*
 * Counters outside of the core, as CPUID has them. Their events belong to a node or a cache, not to a core,
 * so nothing is counted with them.
 */
#include "arch/x86/cpu/cpuid.h"
#include "pmu/amd/driver/driver.h"
#include "pmu/amd/generation.h"
#include "pmu/amd/registers.h"

#include <string.h>

_Static_assert(AMD_UNCORE_MAX == AMD_NB_MAX + AMD_L3, "the runs together");

/* @return how many northbridge or data fabric counters there are: four, unless another number is told. APM
 * vol. 2, 13.2.2 */
static unsigned northbridge(uint32_t top)
{
	unsigned told = top >= 0x80000022 ? cpuid(0x80000022, 0).ebx >> 10 & 63 : 0;

	if (!(cpuid(0x80000001, 0).ecx >> 24 & 1))
		return 0;
	return told ? told : AMD_NB;
}

static struct amd_uncore_run found[AMD_UNCORE_RUNS];
static bool untold;

const struct amd_uncore_run *amd_uncore_runs(void)
{
	return found;
}

bool amd_uncore_untold(void)
{
	return untold;
}

unsigned amd_uncore_find(void)
{
	uint32_t top = cpuid(0x80000000, 0).eax;
	bool zen = amd_merges(amd_identified());
	unsigned declared = northbridge(top), nb = declared < AMD_NB_MAX ? declared : AMD_NB_MAX;

	struct cpuid_regs v2 = top >= 0x80000022 ? cpuid(0x80000022, 0) : (struct cpuid_regs){0};

	untold = v2.eax & 1 && !(v2.ebx & 15);
	memset(found, 0, sizeof found);
	if (top < 0x80000001)
		return 0;
	found[0] = (struct amd_uncore_run){
		.n = (uint8_t)(nb < AMD_NB ? nb : AMD_NB), .rdpmc = RDPMC_NB, .select = PERF_NB_CTL0};
	found[1] = (struct amd_uncore_run){.first = AMD_NB,
					   .n = (uint8_t)(nb - found[0].n),
					   .rdpmc = RDPMC_MORE,
					   .select = PERF_NB_CTL0 + 2 * AMD_NB};
	found[2] = (struct amd_uncore_run){.rdpmc = RDPMC_LLC, .select = PERF_LLC_CTL0};
	if (cpuid(0x80000001, 0).ecx >> 28 & 1)
		found[2].n = zen ? AMD_L3 : AMD_L2I;
	strcpy(found[0].name, zen ? "DF" : "NB");
	strcpy(found[1].name, "DF");
	strcpy(found[2].name, zen ? "L3" : "L2I");
	return declared - nb;
}
