/*
 * The AMD family in one struct, for pmu/families.def.
 */
#include "pmu/amd/errata/errata.h"
#include "pmu/amd/amd.h"

static const struct model_profile *const profiles[] = {
	&amd_k7,     &amd_k8,     &amd_fam10h,     &amd_fam11h, &amd_fam12h, &amd_fam14h,
	&amd_fam15h, &amd_fam16h, &amd_zen1,       &amd_zen2,   &amd_zen3,   &amd_zen3_epyc,
	&amd_zen4,   &amd_zen5,   &amd_zen4_guest, NULL,
};

static const char *const vendors[] = {"AuthenticAMD", "HygonGenuine", NULL};

const struct pmu_family amd_family = {
	.driver = &amd_driver,
	.profiles = profiles,
	.vendors = vendors,
	.faults = &amd_faults,
	.errata = &amd_known_errata,
};
