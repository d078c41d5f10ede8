/*
 * What the Intel family offers to the registry.
 */
#ifndef PMU_INTEL_INTEL_H
#define PMU_INTEL_INTEL_H

#include "pmu/model.h"
#include "pmu/pmu.h"

extern const struct pmu_driver intel_driver;
extern const struct pmu_model intel_model;

extern const struct model_profile intel_yonah, intel_core2, intel_nehalem, intel_skylake, intel_icelake;

#endif
