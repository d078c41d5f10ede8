/*
 * What each fault of the virtual CPUs must be told by, for the suite selftest.
 */
#include "pmu/amd/amd.h"
#include "pmu/contract/faults.h"

/* Dear, and of a kind with others that are not, or told by whole boots of tests/self/boot: with kernel=full
 * alone. */
#define FULL .full = true

/* The other side of what is injected into a virtual CPU's control logic alone. (tests/self/boot judges every
 * virtual CPU there is without a fault.) */
#define SOUND(part) .profile = part, .control = true

#define RECORDS .records = "RETIRED_INSTRUCTIONS", .profile = "amd-zen4"

/* Checks that the family brings along (pmu/contract/control.h): some instances of one. */
#define OWN(part, fault, some) .profile = part, .inject = fault, .only = some

static const struct pmu_fault faults[] = {
	{RECORDS},
	{RECORDS, .inject = "ibs-physical+ibs-times+ibs-levels+ibs-source+ibs-filter",
	 .kernels = "clflush_reload",
	 .catches = {{"sampling/IBS * physical address/*", TOLD_WRONG},
		     {"sampling/IBS op by * cycles/*", TOLD_WRONG},
		     {"sampling/IBS * levels/*", TOLD_WRONG},
		     {"sampling/IBS op by * data source/*", TOLD_WRONG},
		     {"sampling/IBS * filter/*", TOLD_WRONG}}},
	{.records = "RETIRED_INSTRUCTIONS",
	 .profile = "amd-zen5",
	 .inject = "ibs-latency",
	 .kernels = "clflush_reload",
	 .catches = {{"sampling/IBS op by * filter above 256 cycles*", TOLD_WRONG}}},
	{FULL, RECORDS, .inject = "loads-as-stores",
	 .catches = {{"sampling/IBS op by * kind/*", TOLD_WRONG},
		     {"sampling/IBS op by * address/*", TOLD_WRONG}}},
	{RECORDS, .inject = "branch-target-off+address-off-by-one",
	 .catches = {{"trace/LBR*", TOLD_WRONG},
		     {"sampling/IBS op by * branch target/*", TOLD_WRONG},
		     {"sampling/IBS op by * address/*", TOLD_WRONG}}},
	{FULL, SOUND("amd-fam16h")},
	{FULL, SOUND("amd-zen1")},
	{FULL, SOUND("amd-zen3-epyc")},
	{OWN("amd-fam16h", "794", "cycles over a halt/*"),
	 .catches = {{"control/cycles over a halt/*", TOLD_WRONG}}},
	{OWN("amd-fam16h", "781", "RDPMC map/*"), .catches = {{"control/RDPMC map/NB*", TOLD_WRONG}}},
	{OWN("amd-fam16h", "795", "stop at a carry/*"),
	 .catches = {{"control/stop at a carry/*", TOLD_WRONG}}},
	{OWN("amd-zen1", "1023", "two counters interrupt/*"),
	 .catches = {{"control/two counters interrupt/*", TOLD_WRONG}}},
	{OWN("amd-zen3-epyc", "1267", "IRPERF/*,MPERF*"), .catches = {{"control/IRPERF/*", TOLD_WRONG}}},
};

const struct pmu_faults amd_faults = {
	.fault = faults,
	.n = sizeof faults / sizeof faults[0],
};
