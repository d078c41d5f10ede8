/*
 * Equations between events of AMD's cores: one row each. Where a CPU lacks one of the events, the row is
 * skipped.
 */
#include "pmu/amd/driver/parts.h"

#define FILTER "APM vol. 2, 13.2.1, OS and USR"
#define CMASK  "APM vol. 2, 13.2.1, CntMask and Inv"
#define FLOPS  "BKDG/PPR, PMCx003"
#define BRANCH "BKDG/PPR, retired branch events"
#define MASKS  "BKDG of family 10H, 3.12, UnitMask; the event's own"
#define FILLS  "PPR, PMCx043, PMCx044, PMCx059, PMCx05A; AMD's event list in Linux"

#define PER_CYCLE 32

/* A unit mask of several bits counts what each of them does: of lines in one state, from one source, hits and
 * misses of one look-up nothing is both. */
#define UNION(name, ...)                                                                                     \
	{                                                                                                    \
		name, MASKS, IDENTITY_ZERO | IDENTITY_OF_SOME | IDENTITY_UNION, __VA_ARGS__                  \
	}
/* Who asked for a line: a fill is of one of them at most, and any. */
#define ASKED(name, source)                                                                                  \
	{                                                                                                    \
		name, FILLS, IDENTITY_NOT_NEGATIVE | IDENTITY_OF_SOME,                                       \
		{                                                                                            \
			{1, "ANY_DATA_CACHE_FILLS_FROM_SYSTEM." source},                                     \
				{-1, "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM." source},                         \
				{-1, "SOFTWARE_PREFETCH_DATA_CACHE_FILLS." source},                          \
			{                                                                                    \
				-1, "HARDWARE_PREFETCH_DATA_CACHE_FILLS." source                             \
			}                                                                                    \
		}                                                                                            \
	}

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
	/* The ladder of counter masks, held from below and from above (pmu/intel/checks/identities.c):
	 * PER_CYCLE is far beyond what retires at once. */
	{"instructions: no fewer than three rungs of counter masks",
	 CMASK,
	 IDENTITY_NOT_NEGATIVE,
	 {{1, "RETIRED_INSTRUCTIONS"},
	  {-1, "RETIRED_INSTRUCTIONS:c=1"},
	  {-1, "RETIRED_INSTRUCTIONS:c=2"},
	  {-1, "RETIRED_INSTRUCTIONS:c=3"}}},
	{"instructions: no more than three rungs of counter masks hold",
	 CMASK,
	 IDENTITY_NOT_NEGATIVE,
	 {{1, "RETIRED_INSTRUCTIONS:c=1"},
	  {1, "RETIRED_INSTRUCTIONS:c=2"},
	  {PER_CYCLE - 2, "RETIRED_INSTRUCTIONS:c=3"},
	  {-1, "RETIRED_INSTRUCTIONS"}}},
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
	{"conditional branches are branches",
	 BRANCH,
	 IDENTITY_NOT_NEGATIVE | IDENTITY_OF_SOME,
	 {{1, "RETIRED_BRANCH_INSTRUCTIONS"}, {-1, "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS"}}},
	{"branches that are not taken are conditional",
	 BRANCH,
	 IDENTITY_NOT_NEGATIVE | IDENTITY_OF_SOME,
	 {{1, "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS"},
	  {-1, "RETIRED_BRANCH_INSTRUCTIONS"},
	  {1, "RETIRED_TAKEN_BRANCH_INSTRUCTIONS"}}},
	/* Near returns may be among the indirect ones. */
	{"indirect branches and far transfers are taken",
	 BRANCH,
	 IDENTITY_NOT_NEGATIVE | IDENTITY_OF_SOME,
	 {{1, "RETIRED_TAKEN_BRANCH_INSTRUCTIONS"},
	  {-1, "RETIRED_INDIRECT_BRANCH_INSTRUCTIONS"},
	  {-1, "RETIRED_FAR_CONTROL_TRANSFERS"}}},
	{"kinds of floating-point operations are some of all",
	 FLOPS,
	 IDENTITY_NOT_NEGATIVE | IDENTITY_OF_SOME,
	 {{1, "RETIRED_SSE_AVX_FLOPS.ANY"},
	  {-1, "RETIRED_SSE_AVX_FLOPS.ADD_SUB_FLOPS"},
	  {-1, "RETIRED_SSE_AVX_FLOPS.MULT_FLOPS"},
	  {-1, "RETIRED_SSE_AVX_FLOPS.DIV_FLOPS"},
	  {-1, "RETIRED_SSE_AVX_FLOPS.MAC_FLOPS"}}},
	{"floating-point operations are of one precision and kind each",
	 FLOPS,
	 IDENTITY_ZERO | IDENTITY_OF_SOME,
	 {{1, "RETIRED_SSE_OPS.ALL"},
	  {-1, "RETIRED_SSE_OPS.SINGLE_ADD_SUB_OPS"},
	  {-1, "RETIRED_SSE_OPS.SINGLE_MUL_OPS"},
	  {-1, "RETIRED_SSE_OPS.SINGLE_DIV_OPS"},
	  {-1, "RETIRED_SSE_OPS.SINGLE_MUL_ADD_OPS"},
	  {-1, "RETIRED_SSE_OPS.DOUBLE_ADD_SUB_OPS"},
	  {-1, "RETIRED_SSE_OPS.DOUBLE_MUL_OPS"},
	  {-1, "RETIRED_SSE_OPS.DOUBLE_DIV_OPS"},
	  {-1, "RETIRED_SSE_OPS.DOUBLE_MUL_ADD_OPS"}}},
	{"near returns are at least those mispredicted",
	 BRANCH,
	 IDENTITY_NOT_NEGATIVE | IDENTITY_OF_SOME,
	 {{1, "RETIRED_NEAR_RETURNS"}, {-1, "RETIRED_NEAR_RETURNS_MISPREDICTED"}}},
	{"mispredicted taken branches are mispredicted",
	 BRANCH,
	 IDENTITY_NOT_NEGATIVE | IDENTITY_OF_SOME,
	 {{1, "branch-misses"}, {-1, "RETIRED_TAKEN_BRANCH_INSTRUCTIONS_MISPREDICTED"}}},
	/* There is no event of hits: up to 16H, where both exist, misses leave repeated ones of a line out.
	 */
	{"data-cache misses are accesses",
	 "BKDG, PMCx040 and PMCx041",
	 IDENTITY_NOT_NEGATIVE | IDENTITY_OF_SOME,
	 {{1, "DATA_CACHE_ACCESSES"}, {-1, "DATA_CACHE_MISSES"}}},
	UNION("look-ups of the instruction cache hit or miss", {{1, "IC_TAG_HIT_MISS.ALL_IC_ACCESS"},
								{-1, "IC_TAG_HIT_MISS.IC_HIT"},
								{-1, "IC_TAG_HIT_MISS.IC_MISS"}}),
	UNION("look-ups of the operation cache hit or miss", {{1, "OP_CACHE_HIT_MISS.ALL_OC_ACCESS"},
							      {-1, "OP_CACHE_HIT_MISS.OC_HIT"},
							      {-1, "OP_CACHE_HIT_MISS.OC_MISS"}}),
	UNION("misses are of loads and stores or of prefetchers", {{1, "MAB_ALLOCATION_BY_TYPE.ALL"},
								   {-1, "MAB_ALLOCATION_BY_TYPE.LS"},
								   {-1, "MAB_ALLOCATION_BY_TYPE.HW_PF"}}),
	UNION("refills come from the second level in one state, or from the system",
	      {{1, "DATA_CACHE_REFILLS.ALL"},
	       {-1, "DATA_CACHE_REFILLS.SYSTEM"},
	       {-1, "DATA_CACHE_REFILLS.L2_SHARED"},
	       {-1, "DATA_CACHE_REFILLS.L2_EXCLUSIVE"},
	       {-1, "DATA_CACHE_REFILLS.L2_OWNED"},
	       {-1, "DATA_CACHE_REFILLS.L2_MODIFIED"}}),
	UNION("refills from the system are in one state", {{1, "DATA_CACHE_REFILLS_FROM_SYSTEM.ALL"},
							   {-1, "DATA_CACHE_REFILLS_FROM_SYSTEM.INVALID"},
							   {-1, "DATA_CACHE_REFILLS_FROM_SYSTEM.SHARED"},
							   {-1, "DATA_CACHE_REFILLS_FROM_SYSTEM.EXCLUSIVE"},
							   {-1, "DATA_CACHE_REFILLS_FROM_SYSTEM.OWNED"},
							   {-1, "DATA_CACHE_REFILLS_FROM_SYSTEM.MODIFIED"}}),
	UNION("evicted lines are in one state", {{1, "DATA_CACHE_LINES_EVICTED.ALL"},
						 {-1, "DATA_CACHE_LINES_EVICTED.INVALID"},
						 {-1, "DATA_CACHE_LINES_EVICTED.SHARED"},
						 {-1, "DATA_CACHE_LINES_EVICTED.EXCLUSIVE"},
						 {-1, "DATA_CACHE_LINES_EVICTED.OWNED"},
						 {-1, "DATA_CACHE_LINES_EVICTED.MODIFIED"}}),
	UNION("prefetches that hit the second level are of one prefetcher",
	      {{1, "L2_PREFETCH_HIT_L2.L1_DC_L2_HW_PF"},
	       {-1, "L2_PREFETCH_HIT_L2.L2_HW_PF"},
	       {-1, "L2_PREFETCH_HIT_L2.L1_DC_HW_PF"}}),
	UNION("prefetches that hit the third level are of one prefetcher",
	      {{1, "L2_PREFETCH_HIT_L3.L1_DC_L2_HW_PF"},
	       {-1, "L2_PREFETCH_HIT_L3.L2_HW_PF"},
	       {-1, "L2_PREFETCH_HIT_L3.L1_DC_HW_PF"}}),
	UNION("prefetches that miss the third level are of one prefetcher",
	      {{1, "L2_FILL_RESPONSE_SRC.L1_DC_L2_HW_PF"},
	       {-1, "L2_FILL_RESPONSE_SRC.L2_HW_PF"},
	       {-1, "L2_FILL_RESPONSE_SRC.L1_DC_HW_PF"}}),
	ASKED("lines of the second level are asked for by one", "LCL_L2"),
	ASKED("lines of the third level are asked for by one, Zen 3", "INT_CACHE"),
	ASKED("lines of the third level are asked for by one", "LOCAL_CCX"),
	ASKED("lines of memory are asked for by one, Zen 3", "MEM_IO_LCL"),
	ASKED("lines of memory are asked for by one", "DRAM_IO_NEAR"),
	{0},
};
