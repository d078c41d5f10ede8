/*
 * What round trips into a handler and back counted, from a report: worked out again from the raw counts.
 */
#ifndef TOOLS_REPORT_ATTRIBUTION_H
#define TOOLS_REPORT_ATTRIBUTION_H

#include "tests/judge/attribution.h"

#include <jansson.h>

/**
 * Work out the attribution of a PMU by today's rules.
 * @param report the whole report
 * @param entry  of the report's pmus
 * @param pmu    it, as today's driver identifies it
 * @param out    gets the table: all zero if the report has none
 * @param tell   gets a line for each entry that comes out otherwise than the report says, or cannot be worked
 * out today
 * @return NULL, or why the report cannot be read
 */
const char *report_attribution(const json_t *report, const json_t *entry, const struct pmu *pmu,
			       struct attribution *out, void (*tell)(const char *what));

#endif
