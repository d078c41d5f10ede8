/*
 * What the driver does about errata of AMD's CPUs (pmu/contract/workaround.h).
 */
#ifndef PMU_AMD_DRIVER_WORKAROUNDS_H
#define PMU_AMD_DRIVER_WORKAROUNDS_H

#include "pmu/contract/workaround.h"

enum amd_work { AMD_WORK_420, AMD_WORK_1452, AMD_WORK_1292 };

extern const struct pmu_workaround amd_workarounds[];

/** 1292: whether a counter is to be told to count what it is programmed for by another way, which is right:
 * counter 2 alone knows it, and not if it interrupts. */
bool amd_retires_right(const struct pmu *pmu, unsigned c, const struct pmu_config *config);

#endif
