/*
 * Workarounds of errata that a driver can program. A CPU takes those of the errata that its signature is
 * known for, or those that the table's `due` says it takes: Linux applies some on more CPUs than any row
 * names. workaround=off leaves all of them out, so that the errata show.
 *
 * Example: a driver's table, and its use.
 *
 *     enum { WORK_420 };
 *     static const struct pmu_workaround workarounds[] = {
 *             [WORK_420] = {"AMD-420", "a pending IBS sample is thrown away before a new one", NULL},
 *             {NULL, NULL, NULL},
 *     };
 *     ...
 *     if (pmu_works_around(pmu, WORK_420))
 */
#ifndef PMU_CONTRACT_WORKAROUND_H
#define PMU_CONTRACT_WORKAROUND_H

#include "pmu/contract/pmu.h"

#include <stdbool.h>

#define PMU_WORKAROUNDS_MAX 32

struct pmu_workaround {
	const char *number; /* of the erratum, as the family's rows have it; NULL ends a table */
	const char *what;   /* what the driver does, in a few words */
	/** Whether this CPU takes it; pmu->processor is known by then. It must ask neither CPUID nor
	 * registers. NULL: if the row documents the erratum for the processor. */
	bool (*due)(const struct pmu *pmu);
};

/** From now on PMUs that are found get their workarounds, or none. They do by default. */
void pmu_allow_workarounds(bool on);
bool pmu_workarounds_allowed(void);

/** Work out which workarounds a PMU takes that pmu_find() has found. Asks the CPU nothing. */
void pmu_choose_workarounds(struct pmu *pmu);

/** Whether the driver is to carry out its i-th workaround. */
static inline bool pmu_works_around(const struct pmu *pmu, unsigned i)
{
	return pmu->works_around >> i & 1;
}

#endif
