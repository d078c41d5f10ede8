/*
 * The toy family in one struct, for pmu/families.def.
 */
#include "pmu/contract/family.h"
#include "pmu/toy/toy.h"

#include <stddef.h>

static const struct model_profile *const profiles[] = {&toy_profile, NULL};
static const char *const vendors[] = {NULL};

extern const struct pmu_family toy_family;
const struct pmu_family toy_family = {
	.driver = &toy_driver,
	.profiles = profiles,
	.vendors = vendors,
	.default_profile = "toy",
};
