/*
 * PMUv3: what its files give to each other, and to the family's struct.
 */
#ifndef PMU_ARMV8_ARMV8_H
#define PMU_ARMV8_ARMV8_H

#include "pmu/contract/faults.h"
#include "pmu/contract/model.h"
#include "pmu/contract/pmu.h"

#include <stdint.h>

extern const struct pmu_driver armv8_driver;

/** What a driver keeps of one PMU. */
struct armv8_pmu {
	unsigned version; /* ID_AA64DFR0_EL1.PMUVer */
	uint64_t ceid[2]; /* PMCEID0_EL0 and PMCEID1_EL0: events from 0, and from 20H, in the lower halves;
			     in the upper ones those 4000H higher */
	uint32_t core;    /* whose list of events it has besides: enum armv8_core */
	uint64_t pmmir;   /* PMMIR_EL1; 0 before PMUv3p4 */
};

extern const struct pmu_model armv8_model;
extern const struct pmu_faults armv8_faults;
extern const struct model_profile *const armv8_profiles[];

#endif
