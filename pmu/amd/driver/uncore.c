/*
 * Counters outside of the core, as CPUID has them. Their events belong to a node or a cache, not to a core,
 * so nothing is counted with them.
 */
#include "pmu/amd/driver/uncore.h"

#include "arch/x86/cpu/cpuid.h"
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

unsigned amd_uncore_find(unsigned generation, struct amd_uncore_runs *out)
{
	uint32_t top = cpuid(0x80000000, 0).eax;
	bool zen = amd_merges(generation);
	unsigned declared = northbridge(top), nb = declared < AMD_NB_MAX ? declared : AMD_NB_MAX;
	struct amd_uncore_run *run = out->run;

	struct cpuid_regs v2 = top >= 0x80000022 ? cpuid(0x80000022, 0) : (struct cpuid_regs){0};

	memset(out, 0, sizeof *out);
	out->untold = v2.eax & 1 && !(v2.ebx & 15);
	if (top < 0x80000001)
		return 0;
	run[0] = (struct amd_uncore_run){
		.n = (uint8_t)(nb < AMD_NB ? nb : AMD_NB), .rdpmc = RDPMC_NB, .select = PERF_NB_CTL0};
	run[1] = (struct amd_uncore_run){.first = AMD_NB,
					 .n = (uint8_t)(nb - run[0].n),
					 .rdpmc = RDPMC_MORE,
					 .select = PERF_NB_CTL0 + 2 * AMD_NB};
	run[2] = (struct amd_uncore_run){.rdpmc = RDPMC_LLC, .select = PERF_LLC_CTL0};
	if (cpuid(0x80000001, 0).ecx >> 28 & 1)
		run[2].n = zen ? AMD_L3 : AMD_L2I;
	strcpy(run[0].name, zen ? "DF" : "NB");
	strcpy(run[1].name, "DF");
	strcpy(run[2].name, zen ? "L3" : "L2I");
	return declared - nb;
}
