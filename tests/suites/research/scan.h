/*
 * The suite `scan`, as boot/ has to know it.
 */
#ifndef TESTS_SUITES_RESEARCH_SCAN_H
#define TESTS_SUITES_RESEARCH_SCAN_H

#include "pmu/contract/pmu.h"

#include <stdbool.h>

/** The ends of this PMU's event selects and unit masks, the latter 0 if its encodings are none. */
unsigned scan_most_select(const struct pmu *pmu);
unsigned scan_most_mask(const struct pmu *pmu);

/** Whether all of scan=RANGES are encodings of this PMU; of one whose encodings are no event select and unit
 * mask, whatever they are: the suite is skipped there. */
bool scan_fits(const struct pmu *pmu, const char *ranges);

#endif
