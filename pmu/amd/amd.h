/*
 * What the AMD family offers to the registry.
 */
#ifndef PMU_AMD_AMD_H
#define PMU_AMD_AMD_H

#include "pmu/contract/family.h"
#include "pmu/contract/model.h"
#include "pmu/contract/pmu.h"

extern const struct pmu_family amd_family;
extern const struct pmu_driver amd_driver;
extern const struct pmu_faults amd_faults;
extern const struct pmu_model amd_model;

extern const struct model_profile amd_k7, amd_k8, amd_fam10h, amd_fam11h, amd_fam12h, amd_fam14h, amd_fam15h,
	amd_fam16h, amd_zen1, amd_zen2, amd_zen3, amd_zen3_epyc, amd_zen4, amd_zen5, amd_zen4_guest;

#endif
