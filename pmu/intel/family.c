/*
 * The Intel family in one struct, for pmu/families.def.
 */
#include "pmu/intel/errata/errata.h"
#include "pmu/intel/intel.h"

static const struct model_profile *const profiles[] = {
	&intel_yonah,
	&intel_core2,
	&intel_nehalem,
	&intel_westmere,
	&intel_sandybridge,
	&intel_ivybridge,
	&intel_haswell,
	&intel_broadwell,
	&intel_skylake,
	&intel_icelake,
	&intel_icelake_guest,
	&intel_tigerlake,
	&intel_alderlake_p,
	&intel_sapphirerapids,
	&intel_graniterapids,
	&intel_meteorlake_p,
	&intel_lunarlake_p,
	&intel_pantherlake_p,
	&intel_version6,
	&intel_silvermont,
	&intel_goldmont,
	&intel_goldmontplus,
	&intel_tremont,
	&intel_alderlake_e,
	&intel_meteorlake_e,
	&intel_lunarlake_e,
	&intel_pantherlake_e,
	&intel_ivybridge_8,
	&intel_broadwell_8,
	&intel_skylake_8,
	NULL,
};

static const struct model_hybrid hybrids[] = {
	{"intel-alderlake", {&intel_alderlake_p, &intel_alderlake_e}},
	{"intel-meteorlake", {&intel_meteorlake_p, &intel_meteorlake_e}},
	{"intel-lunarlake", {&intel_lunarlake_p, &intel_lunarlake_e}},
	{"intel-pantherlake", {&intel_pantherlake_p, &intel_pantherlake_e}},
	{NULL, {NULL, NULL}},
};

static const char *const vendors[] = {"GenuineIntel", NULL};

const struct pmu_family intel_family = {
	.driver = &intel_driver,
	.profiles = profiles,
	.hybrids = hybrids,
	.vendors = vendors,
	.errata = &intel_known_errata,
	.files_have_periods = true,
	.default_profile = "intel-core2",
	.faults = &intel_faults,
};
