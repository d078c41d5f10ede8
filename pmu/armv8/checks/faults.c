/*
 * What each fault of PMUv3's virtual CPUs must be told by, for the suite selftest.
 */
#include "pmu/armv8/armv8.h"

/* Some checks of the suite control and nothing else. */
#define OWN(fault, some) .inject = fault, .only = some

static const struct pmu_fault faults[] = {
	{.only = "overflow status/*,level filter*,wrap/*,local enable/*,clock rate/*,busy neighbours/*"},
	{.only = "overflow status/*,wrap/*,clock rate/*", .profile = "arm-pmuv3p9"},
	{OWN("lost-status", "overflow status/*"), .catches = {{"control/overflow status/*", TOLD_WRONG}}},
	{OWN("stuck-status", "overflow status/*"), .catches = {{"control/overflow status/*", TOLD_WRONG}}},
	{OWN("ring-leak", "level filter*"), .catches = {{"control/level filter*", TOLD_WRONG}}},
	{OWN("short-width", "wrap/*"), .catches = {{"control/wrap/PMEVCNTR*", TOLD_WRONG}}},
	{OWN("dropped-carry", "wrap/*"), .catches = {{"control/wrap/PMEVCNTR*", TOLD_WRONG}}},
	{OWN("backwards", "wrap/*"), .catches = {{"control/wrap/PMEVCNTR5", TOLD_WRONG}}},
	{OWN("dead-counter", "wrap/*"), .catches = {{"control/wrap/PMEVCNTR5", TOLD_WRONG}}},
	{OWN("overcount-x16", "clock rate/*"), .catches = {{"control/clock rate/PMCCNTR", TOLD_WRONG}}},
	{OWN("enable-ignored", "local enable/*"), .catches = {{"control/local enable/*", TOLD_WRONG}}},
	{OWN("neighbour-coupling", "busy neighbours/*"),
	 .catches = {{"control/busy neighbours/PMEVCNTR0", TOLD_WRONG}}},
};

const struct pmu_faults armv8_faults = {
	.fault = faults,
	.n = sizeof faults / sizeof faults[0],
	.profile = "neoverse-n1",
};
