/*
 * What the model needs to know of a CPU beyond its CPUID leaves.
 */
#ifndef PMU_NETBURST_PROFILE_H
#define PMU_NETBURST_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

struct netburst_profile {
	uint8_t model;        /* of family 0FH */
	bool hyper_threading; /* two logical processors share the counters */
	bool ds_cpl;          /* CPUID.1:ECX[4]: BTS can be kept out of rings */
	bool ds_32;           /* debug store of 32 bits: no DTES64, and IA-32e mode is not active */
	uint32_t misc_enable; /* MSR_MISC_ENABLE at reset */
};

#endif
