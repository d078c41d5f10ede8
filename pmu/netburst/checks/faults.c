/*
 * What each fault of the virtual CPUs must be told by, for the suite selftest.
 */
#include "pmu/netburst/netburst.h"
#include "pmu/contract/faults.h"

/* Dear, and of a kind with others that are not, or told by whole boots of tests/self/boot: with kernel=full
 * alone. */
#define FULL .full = true

/* The other side of what is injected into a virtual CPU's control logic alone. (tests/self/boot judges every
 * virtual CPU there is without a fault.) */
#define SOUND(part) .profile = part, .control = true

#define RECORDS .records = "memory_loads", .profile = "netburst-prescott"

/* Checks that the family brings along (pmu/contract/control.h): some instances of one, and those that tell.
 */
#define OWN(fault, some, tell)                                                                               \
	.profile = "netburst-northwood-ht", .inject = fault, .only = some,                                   \
	.catches = {{"control/" tell, TOLD_WRONG}}

static const struct pmu_fault faults[] = {
	{FULL, SOUND("netburst-northwood-ht")},
	{OWN("miswired", "wire/FIRM_ESCR* to FLAME_COUNTER1", "wire/FIRM_ESCR0 to FLAME_COUNTER1")},
	{OWN("threshold-reached", "filter/*COUNTER0", "filter/*")},
	{OWN("edge-ignored", "filter/BPU_COUNTER1", "filter/*")},
	{OWN("compare-value", "thresholds add up/*", "thresholds add up/*")},
	{OWN("ring-leak", "rings and threads/*", "rings and threads/*")},
	{OWN("threads-alike", "rings and threads/*", "rings and threads/thread-specific events")},
	{OWN("threads-alike", "the processor?s own bits/*", "the processor?s own bits/processor 1")},
	{OWN("active-ignored", "active threads/*COUNTER1", "active threads/*")},
	{OWN("pmi-swapped", "interrupt? which processor/*COUNTER1", "interrupt? which processor/*")},
	{OWN("force-ignored", "forced overflow/*COUNTER1", "forced overflow/*")},
	{OWN("force-cascade", "forced overflow/*COUNTER1", "forced overflow/*")},
	{OWN("cascade-any", "no cascade/*COUNTER2", "no cascade/*")},
	{OWN("fast-wide", "RDPMC? full and fast/*,RDPMC/*", "RDPMC? full and fast/*")},
	{OWN("n15", "write while running/*COUNTER1,write rules/*COUNTER1", "write while running/*")},
	{OWN("torn-read", "read around the carry/*COUNTER1,RDPMC/*COUNTER1", "read around the carry/*")},
	{OWN("one-colour", "tag colours/1 and 1,tag colours/1 and 2,tag colours/4 and 8", "tag colours/*")},
	{OWN("tags-unasked", "tagging/*", "tagging/*")},
	{OWN("front-end-untagged", "front-end tags/*", "front-end tags/*")},
	{OWN("replay-always", "replay tags/DTLB*,front-end tags/*", "replay tags/*")},
	{RECORDS},
	{RECORDS, .inject = "records-late",
	 .catches = {{"sampling/memory_loads/PEBS instruction/*", TOLD_WRONG},
		     {"sampling/memory_loads/PEBS period/*", TOLD_WRONG},
		     {"sampling/memory_loads/PEBS buffer full/*", TOLD_WRONG},
		     {"sampling/memory_loads/PEBS emptied on interrupts/*", TOLD_WRONG}}},
	{FULL, RECORDS, .inject = "branch-lost",
	 .catches = {{"trace/BTS*", TOLD_WRONG}, {"trace/LBR*", TOLD_WRONG}}},
	{RECORDS, .inject = "branch-target-off+registers-stale",
	 .catches = {{"trace/BTS*", TOLD_WRONG},
		     {"trace/LBR*", TOLD_WRONG},
		     {"sampling/memory_loads/PEBS registers/*", TOLD_WRONG}}},
};

const struct pmu_faults netburst_faults = {
	.fault = faults,
	.n = sizeof faults / sizeof faults[0],
};
