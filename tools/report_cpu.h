/*
 * The CPU that a report is of, for the drivers: CPUID and registers as the report has them.
 */
#ifndef TOOLS_REPORT_CPU_H
#define TOOLS_REPORT_CPU_H

#include "pmu/contract/pmu.h"

#include <jansson.h>

/**
 * Let the driver that judged it identify this PMU again.
 * @param report the whole report: the registers of its snapshots
 * @param entry  of the report's pmus
 * @param out    gets it with its events; of what was found out while it ran (.virtual, .deterministic) what
 * the report says
 * @return NULL, or why not, in words that stay until the next call
 */
const char *report_cpu_identify(const json_t *report, const json_t *entry, struct pmu *out);

#endif
