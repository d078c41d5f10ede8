/*
 * What the model needs to know of a CPU beyond its CPUID leaves.
 */
#ifndef PMU_NETBURST_MODEL_PROFILE_H
#define PMU_NETBURST_MODEL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

struct netburst_profile {
	uint8_t model;        /* of family 0FH */
	bool hyper_threading; /* two logical processors share the counters */
	bool ds_cpl;          /* CPUID.1:ECX[4]: BTS can be kept out of rings */
	bool dtes64;          /* CPUID.1:ECX[2]: the debug store has words of 64 bits in every mode */
	bool legacy_mode;     /* IA-32e mode is not active, in which it has them too */
	bool l3;              /* a Xeon MP with a third-level cache, and its counters */
	uint32_t misc_enable; /* MSR_MISC_ENABLE at reset */
};

#endif
