/* Equations between events of PMUv3 (Arm ARM, D7.10). */
#include "pmu/armv8/armv8.h"

#include <stddef.h>

const struct pmu_identity armv8_identities[] = {
	/* Not those of immediate branches: some count ISB as one. */
	{"branches that are retired include returns",
	 "Arm ARM D7.10.3",
	 IDENTITY_NOT_NEGATIVE | IDENTITY_OF_SOME,
	 {{1, "BR_RETIRED"}, {-1, "BR_RETURN_RETIRED"}}},
	{"instructions include loads",
	 "Arm ARM D7.10.3",
	 IDENTITY_NOT_NEGATIVE | IDENTITY_OF_SOME,
	 {{1, "INST_RETIRED"}, {-1, "LD_RETIRED"}}},
	{"stalls are those of both ends",
	 "Arm ARM D7.10.3, STALL",
	 IDENTITY_NOT_NEGATIVE | IDENTITY_OF_SOME,
	 {{1, "CPU_CYCLES"}, {-1, "STALL_FRONTEND"}, {-1, "STALL_BACKEND"}}},
	{NULL, NULL, 0, {{0, NULL}}},
};
