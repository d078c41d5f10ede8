/*
 * Equations between events of AMD's cores: one row each. Where a CPU lacks one of the events, the row is
 * skipped.
 */
#include "pmu/amd/driver.h"

#define FILTER "APM vol. 2, 13.2.1, OS and USR"
#define CMASK  "APM vol. 2, 13.2.1, CntMask and Inv"
#define BRANCH "BKDG/PPR, retired branch events"

const struct pmu_identity amd_identities[] = {
	{"instructions: rings add up",
	 FILTER,
	 IDENTITY_ZERO,
	 {{1, "RETIRED_INSTRUCTIONS:u"}, {1, "RETIRED_INSTRUCTIONS:k"}, {-1, "RETIRED_INSTRUCTIONS:u:k"}}},
	{"cycles: rings add up",
	 FILTER,
	 IDENTITY_ZERO,
	 {{1, "cycles:u"}, {1, "cycles:k"}, {-1, "cycles:u:k"}}},
	{"instructions: cycles with and without make all",
	 CMASK,
	 IDENTITY_ZERO,
	 {{1, "RETIRED_INSTRUCTIONS:c=1"}, {1, "RETIRED_INSTRUCTIONS:c=1:i"}, {-1, "cycles"}}},
	{"instructions: at most one edge per cycle with any",
	 CMASK,
	 IDENTITY_NOT_NEGATIVE,
	 {{1, "RETIRED_INSTRUCTIONS:c=1"}, {-1, "RETIRED_INSTRUCTIONS:c=1:e"}}},
	{"taken branches are branches",
	 BRANCH,
	 IDENTITY_NOT_NEGATIVE,
	 {{1, "RETIRED_BRANCH_INSTRUCTIONS"}, {-1, "RETIRED_TAKEN_BRANCH_INSTRUCTIONS"}}},
	{"mispredicted branches are branches",
	 BRANCH,
	 IDENTITY_NOT_NEGATIVE,
	 {{1, "RETIRED_BRANCH_INSTRUCTIONS"}, {-1, "branch-misses"}}},
	{"far transfers and near returns are taken",
	 BRANCH,
	 IDENTITY_NOT_NEGATIVE,
	 {{1, "RETIRED_TAKEN_BRANCH_INSTRUCTIONS"},
	  {-1, "RETIRED_FAR_CONTROL_TRANSFERS"},
	  {-1, "RETIRED_NEAR_RETURNS"}}},
	{0},
};
