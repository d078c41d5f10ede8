/*
 * What the NetBurst family offers to the registry.
 */
#ifndef PMU_NETBURST_NETBURST_H
#define PMU_NETBURST_NETBURST_H

#include "pmu/contract/family.h"
#include "pmu/contract/model.h"
#include "pmu/contract/pmu.h"

extern const struct pmu_family netburst_family;
extern const struct pmu_driver netburst_driver;
extern const struct pmu_faults netburst_faults;
extern const struct pmu_model netburst_model;

extern const struct model_profile netburst_willamette, netburst_northwood, netburst_northwood_ht,
	netburst_prescott, netburst_prescott_guest, netburst_presler, netburst_potomac;

#endif
