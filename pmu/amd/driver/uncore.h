/*
 * Counters outside of the core that RDPMC reads by indices that follow each other; the driver programs none
 * of them. They are shared with other cores. APM vol. 3, RDPMC; 8000_0001H:ECX, 8000_0022H:EBX.
 */
#ifndef PMU_AMD_DRIVER_UNCORE_H
#define PMU_AMD_DRIVER_UNCORE_H

#include <stdbool.h>
#include <stdint.h>

struct amd_uncore_run {
	char name[4];    /* whose they are: "NB", "DF", "L2I", "L3" */
	uint8_t first;   /* number of the first one */
	uint8_t n;       /* 0: there are none */
	uint32_t rdpmc;  /* index of the first one */
	uint32_t select; /* MSR of its selector; the counter itself is the next, the next one two behind it */
};
#define AMD_UNCORE_RUNS 3
#define AMD_UNCORE_MAX  22 /* counters in all runs */

struct amd_uncore_runs {
	struct amd_uncore_run run[AMD_UNCORE_RUNS];
	bool untold; /* the leaf that tells their number makes no sense: there may be more than these */
};

/** Find them, by CPUID and the generation. @return how many CPUID declares beyond those that have registers
 */
unsigned amd_uncore_find(unsigned generation, struct amd_uncore_runs *out);

#endif
