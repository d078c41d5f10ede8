/*
 * Sections of the SDM, which describes the counters that x86's families have in common.
 */
#ifndef PMU_X86_MANUAL_H
#define PMU_X86_MANUAL_H

#include "pmu/contract/manual.h"

extern const struct pmu_manual x86_manual[];

#endif
