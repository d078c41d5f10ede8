/*
 * What the Intel driver keeps of one PMU (pmu/contract/state.h).
 */
#ifndef PMU_INTEL_DRIVER_STATE_H
#define PMU_INTEL_DRIVER_STATE_H

#include "pmu/contract/state.h"
#include "pmu/intel/events/extra.h"
#include "pmu/intel/leaf0a.h"
#include "pmu/intel/records/lbr.h"
#include "pmu/intel/records/pebs.h"

#define INTEL_ACCESS_NAME 40

/** What identify() found: for those that are asked about the CPU where CPUID and registers are not its. */
struct intel_found {
	uint64_t capabilities;
	struct intel_leaf0a leaf;
	bool records_branches; /* a last-branch stack that answers */
	struct intel_lbr lbr;
	bool traces_branches;   /* a branch trace */
	const char *no_freeze;  /* the hypervisor does not let counters freeze on an interrupt: what to call
				   it; NULL: they do */
	bool samples;           /* PEBS that answers */
	struct intel_pebs pebs; /* of that kind */
	int core;               /* intel_core() of it */
	bool genuine;           /* Intel's own: other vendors number their models as they like */
	bool counts_clocks, counts_productive; /* IA32_MPERF and IA32_APERF; MSR_PPERF */
	bool modulates;                        /* the core's clock can be */
	bool counts_smis;                      /* MSR_SMI_COUNT */
	bool processor_trace;                  /* one that writes to tables of pages: CPUID.14H */
};

#define INTEL_KEPT 4 /* registers that one check changes, at most */

struct intel_pmu {
	struct intel_found found;
	/* What each counter held when it was last written: version 1 has no overflow status, so an overflow
	 * shows only as a counter that is now below that value. */
	uint64_t written[PMU_COUNTERS_MAX];
	/* Registers of single events go by the model, and a hypervisor may do without them: those that keep
	 * no bit. */
	unsigned n_missing;
	uint32_t missing[INTEL_EXTRAS];
	char extra_name[INTEL_EXTRAS]
		       [INTEL_ACCESS_NAME]; /* names of accesses to registers of single events */
	/* Registers that are not the PMU's, which a check has changed: what they held. */
	unsigned n_kept;
	struct {
		uint32_t address;
		uint64_t value;
	} kept[INTEL_KEPT];
};

static inline struct intel_pmu *intel_pmu(const struct pmu *pmu)
{
	return pmu->state->family;
}

static inline const struct intel_found *intel_found(const struct pmu *pmu)
{
	return &intel_pmu(pmu)->found;
}

#endif
