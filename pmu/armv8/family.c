/*
 * The PMUv3 family in one struct, for pmu/families.def.
 */
#include "pmu/armv8/armv8.h"
#include "pmu/contract/family.h"

#include <stddef.h>

static const char *const vendors[] = {NULL};

extern const struct pmu_family armv8_family;
const struct pmu_family armv8_family = {
	.driver = &armv8_driver,
	.profiles = armv8_profiles,
	.vendors = vendors,
	.default_profile = "neoverse-n1",
	.faults = &armv8_faults,
};
