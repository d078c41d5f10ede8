/*
 * The NetBurst family in one struct, for pmu/families.def.
 */
#include "pmu/netburst/errata/errata.h"
#include "pmu/netburst/netburst.h"

static const struct model_profile *const profiles[] = {
	&netburst_willamette,     &netburst_northwood, &netburst_northwood_ht, &netburst_prescott,
	&netburst_prescott_guest, &netburst_presler,   &netburst_potomac,      NULL,
};

static const char *const vendors[] = {"GenuineIntel", NULL};

const struct pmu_family netburst_family = {
	.driver = &netburst_driver,
	.profiles = profiles,
	.vendors = vendors,
	.errata = &netburst_known_errata,
	.files_have_periods = true,
	.faults = &netburst_faults,
};
