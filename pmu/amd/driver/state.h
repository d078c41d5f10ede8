/*
 * What the AMD driver keeps of one PMU (pmu/contract/state.h).
 */
#ifndef PMU_AMD_DRIVER_STATE_H
#define PMU_AMD_DRIVER_STATE_H

#include "pmu/amd/driver/uncore.h"
#include "pmu/amd/registers.h"
#include "pmu/contract/state.h"

struct amd_pmu {
	unsigned generation;        /* enum amd_generation */
	bool one_node;              /* of memory and processors */
	bool has_irperf, has_aperf; /* IRPERF; MPERF and APERF */
	bool merges;                /* two counters can be merged into one */
	bool freezes;               /* it can freeze counters and branch records at an interrupt */
	bool stacks;                /* it has a stack of branch records */
	bool no_status_set; /* PerfMonV2 without the register that sets the overflow status: a hypervisor's */
	uint32_t ibs;       /* features of IBS (pmu/amd/records/ibs.h) */
	uint64_t pairs;     /* even counters that are merged with the one behind them */
	uint64_t written[PMU_COUNTERS_MAX]; /* what each counter held when it was last written */
	unsigned brs_given;                 /* branch samples that were taken out since sampling was set up */
	uint64_t own_from, own_to; /* the last branch as setting the recording up left it: one of our own */
	struct amd_uncore_runs uncore;
};

static inline struct amd_pmu *amd_pmu(const struct pmu *pmu)
{
	return pmu->state->family;
}

/** Of its uncore counters: the runs, AMD_UNCORE_RUNS of them. */
static inline const struct amd_uncore_run *amd_uncore_runs(const struct pmu *pmu)
{
	return amd_pmu(pmu)->uncore.run;
}

/** What to call the register that sets the overflow status, if a hypervisor has PerfMonV2 without it; NULL:
 * it is there, as far as there is PerfMonV2. */
static inline const char *amd_no_status_set(const struct pmu *pmu)
{
	return amd_pmu(pmu)->no_status_set ? "the register that sets the overflow status" : NULL;
}

/** Versions of the register layout (pmu.version). */
enum amd_layout { AMD_LAYOUT_LEGACY = 1, AMD_LAYOUT_EXTENDED, AMD_LAYOUT_PERFMON_V2 };

/** MSR of core counter c's selector and of the counter itself. */
static inline uint32_t amd_select_msr(const struct pmu *pmu, unsigned c)
{
	return pmu->version == AMD_LAYOUT_LEGACY ? PERF_LEGACY_CTL0 + c : PERF_CTL0 + 2 * c;
}

static inline uint32_t amd_counter_msr(const struct pmu *pmu, unsigned c)
{
	return pmu->version == AMD_LAYOUT_LEGACY ? PERF_LEGACY_CTR0 + c : PERF_CTR0 + 2 * c;
}

#endif
