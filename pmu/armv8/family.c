/*
 * The PMUv3 family in one struct, for pmu/families.def.
 */
#include "pmu/armv8/armv8.h"
#include "pmu/contract/family.h"

#include <stddef.h>

static const struct model_profile *const profiles[] = {NULL};
static const char *const vendors[] = {NULL};

extern const struct pmu_family armv8_family;
const struct pmu_family armv8_family = {
	.driver = &armv8_driver,
	.profiles = profiles,
	.vendors = vendors,
};
