/*
 * Control logic of Intel's PMUs that other families have not (pmu/contract/control.h).
 */
#ifndef PMU_INTEL_CHECKS_CONTROL_H
#define PMU_INTEL_CHECKS_CONTROL_H

#include "pmu/contract/control.h"

/** NULL name ends. */
extern const struct pmu_control_check intel_control[];

#endif
