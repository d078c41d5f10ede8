/*
 * What the Intel family offers to the registry.
 */
#ifndef PMU_INTEL_INTEL_H
#define PMU_INTEL_INTEL_H

#include "pmu/contract/family.h"
#include "pmu/contract/model.h"
#include "pmu/contract/pmu.h"

extern const struct pmu_family intel_family;
extern const struct pmu_driver intel_driver;
extern const struct pmu_faults intel_faults;
extern const struct pmu_model intel_model;

extern const struct model_profile intel_yonah, intel_core2, intel_nehalem, intel_westmere, intel_sandybridge,
	intel_ivybridge, intel_haswell, intel_broadwell, intel_skylake, intel_icelake, intel_icelake_guest,
	intel_alderlake_p, intel_sapphirerapids, intel_lunarlake_p, intel_tigerlake, intel_meteorlake_p,
	intel_graniterapids, intel_pantherlake_p, intel_version6;
extern const struct model_profile intel_silvermont, intel_goldmont, intel_goldmontplus, intel_tremont,
	intel_ivybridge_8, intel_broadwell_8, intel_skylake_8, intel_alderlake_e, intel_meteorlake_e,
	intel_lunarlake_e, intel_pantherlake_e;

#endif
