/*
 * Where a family's manuals say what a check of every family rests on: the check's name, and the section.
 *
 * Example: a family whose manual has all of it on one page, but for the width of counters.
 *
 *     const struct pmu_manual example_manual[] = {{"wrap", "page 7"}, {NULL, "page 5"}};
 *     ...
 *     .manual = example_manual,
 */
#ifndef PMU_CONTRACT_MANUAL_H
#define PMU_CONTRACT_MANUAL_H

#include "pmu/contract/pmu.h"

struct pmu_manual {
	const char *check; /* as reports name it, without what it is of; NULL: all others, and the last row */
	const char *section; /* NULL: the manual does not say */
};

/** The section that a check rests on. @return NULL if there is no PMU, or none that the family knows */
const char *pmu_manual(const struct pmu *pmu, const char *check);

#endif
