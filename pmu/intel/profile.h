/*
 * What the model needs to know of a CPU beyond its CPUID leaves.
 */
#ifndef PMU_INTEL_PROFILE_H
#define PMU_INTEL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

struct intel_profile {
	uint64_t perf_capabilities; /* IA32_PERF_CAPABILITIES; read only if CPUID.1:ECX[15] */
	uint64_t debugctl;          /* bits of IA32_DEBUGCTL that exist */
	unsigned slots;             /* pipeline slots per core cycle (topdown); 0 where nothing counts them */
	bool counts_smis;           /* MSR_SMI_COUNT exists: Nehalem and later */
	unsigned bus_ratio;         /* core cycles per tick of the reference-cycle event 3CH/01H */
};

#endif
