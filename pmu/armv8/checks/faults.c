/*
 * What each fault of PMUv3's virtual CPUs must be told by, for the suite selftest.
 */
#include "pmu/armv8/armv8.h"

/* Some checks of the suite control and nothing else. */
#define OWN(fault, some) .inject = fault, .only = some
#define NEWEST           .profile = "arm-pmuv3p9"
/* A counter stands for its kind: the suite control takes the others, of a PMU without faults. */
#define ONE "PMEVCNTR0"

/* A suite behind the ladder. */
#define IN(name, of, kernel, event) .inject = name, .suite = of, .kernels = kernel, .events = event

static const struct pmu_fault faults[] = {
	{.only = "overflow status/" ONE ",level filter*" ONE ",wrap/" ONE ",wrap/PMEVCNTR5,local enable/" ONE
		 ",clock rate/PMCCNTR,busy neighbours/" ONE ",chained pair/" ONE "*,state filter/" ONE
		 ",counters of EL1/*,asked while enabled/*,status meanwhile/" ONE ",cleared meanwhile/" ONE
		 ",required events/*"},
	{.only = "overflow status/" ONE ",wrap/" ONE ",wrap/PMICNTR,comparison/" ONE ",compared cycles/*,edges*,"
		 "linked*,snapshot/*,freeze*,counters of EL1/*,counters of EL0/" ONE ",zeroed*",
	 NEWEST},
	{OWN("lost-status", "overflow status/" ONE), .catches = {{"control/overflow status/*", TOLD_WRONG}}},
	{OWN("stuck-status", "overflow status/" ONE), .catches = {{"control/overflow status/*", TOLD_WRONG}}},
	{OWN("ring-leak", "level filter*" ONE ",state filter/" ONE),
	 .catches = {{"control/level filter*", TOLD_WRONG}, {"control/state filter/*", TOLD_WRONG}}},
	{OWN("short-width", "wrap/" ONE), .catches = {{"control/wrap/PMEVCNTR*", TOLD_WRONG}}},
	{OWN("dropped-carry", "wrap/" ONE), .catches = {{"control/wrap/PMEVCNTR*", TOLD_WRONG}}},
	{OWN("backwards", "wrap/PMEVCNTR5"), .catches = {{"control/wrap/PMEVCNTR5", TOLD_WRONG}}},
	{OWN("dead-counter", "wrap/PMEVCNTR5"), .catches = {{"control/wrap/PMEVCNTR5", TOLD_WRONG}}},
	{OWN("overcount-x16", "clock rate/PMCCNTR"), .catches = {{"control/clock rate/PMCCNTR", TOLD_WRONG}}},
	{OWN("enable-ignored", "local enable/" ONE), .catches = {{"control/local enable/*", TOLD_WRONG}}},
	{OWN("neighbour-coupling", "busy neighbours/" ONE),
	 .catches = {{"control/busy neighbours/PMEVCNTR0", TOLD_WRONG}}},
	{OWN("off-by-one", "local enable/" ONE), .catches = {{"control/local enable/PMEVCNTR*", TOLD_WRONG}}},
	{OWN("wrong-index", "access/*"), .catches = {{"control/access/write PMEVCNTR0_EL0*", TOLD_WRONG}}},
	{OWN("chain-lost", "chained pair/" ONE "*"), .catches = {{"control/chained pair/*", TOLD_WRONG}}},
	{OWN("range-leak", "counters of EL1/*"), NEWEST,
	 .catches = {{"control/counters of EL1/*", TOLD_WRONG}}},
	{OWN("user-all", "counters of EL0/" ONE), NEWEST,
	 .catches = {{"control/counters of EL0/*", TOLD_WRONG}}},
	{OWN("not-frozen", "freeze/*"), NEWEST, .catches = {{"control/freeze/*", TOLD_WRONG}}},
	{OWN("threshold-off", "comparison/" ONE ",compared cycles/*"), NEWEST,
	 .catches = {{"control/comparison/*", TOLD_WRONG}, {"control/compared cycles/*", TOLD_WRONG}}},
	{OWN("link-ignored", "linked comparison/*"), NEWEST,
	 .catches = {{"control/linked comparison/*", TOLD_WRONG}}},
	{OWN("capture-stale", "snapshot/*"), NEWEST, .catches = {{"control/snapshot/*", TOLD_WRONG}}},
	{OWN("capture-unguarded", "snapshot/*"), NEWEST, .catches = {{"control/snapshot/*", TOLD_WRONG}}},
	{OWN("zero-ignored", "zeroed*"), NEWEST, .catches = {{"control/zeroed*", TOLD_WRONG}}},
	{OWN("edge-level", "edges*"), NEWEST, .catches = {{"control/edges*", TOLD_WRONG}}},
	{OWN("instructions-dead", "wrap/PMICNTR"), NEWEST, .catches = {{"control/wrap/PMICNTR", TOLD_WRONG}}},
	{OWN("enable-unasked", "asked while enabled/*"),
	 .catches = {{"control/asked while enabled/*", TOLD_WRONG}}},
	{OWN("status-late", "status meanwhile/" ONE), .catches = {{"control/status meanwhile/*", TOLD_WRONG}}},
	{OWN("clear-late", "cleared meanwhile/" ONE), .catches = {{"control/cleared meanwhile/*", TOLD_WRONG}}},
	{OWN("unlisted-events", "required events/*"), .catches = {{"control/required events/*", TOLD_WRONG}}},
	{OWN("filters-apart", "state filter/" ONE), .catches = {{"control/state filter/*", TOLD_WRONG}}},
	{OWN("profiling-lost", "freeze by profiling/*"), NEWEST,
	 .catches = {{"control/freeze by profiling/*", TOLD_WRONG}}},
	{OWN("profiling-ignored", "freeze by profiling/*"), NEWEST,
	 .catches = {{"control/freeze by profiling/*", TOLD_WRONG}}},
	{IN("dead", "noise", "empty", "INST_RETIRED"), .catches = {{"ladder/all counters", TOLD_DEAD}}},
	{IN("noisy", "events", "empty", "INST_RETIRED"), .catches = {{"ladder/PMEVCNTR*", TOLD_NOISY}},
	 .unjudged = "events/INST_RETIRED*"},
	{IN("no-pmi", "events", "empty", "CPU_CYCLES"), .catches = {{"ladder/PM*", TOLD_WRONG}}},
	{IN("late-pmi", "skid", "nop_loop", "INST_RETIRED"), .catches = {{"skid/*", TOLD_WRONG}}},
	{IN("stores-as-loads", "events", "loads", "LD_RETIRED"), .profile = "cortex-a53",
	 .catches = {{"events/LD_RETIRED*", TOLD_DEAD}}},
	{IN("undefined-retired", "events", "undefined", "INST_RETIRED"),
	 .catches = {{"events/INST_RETIRED*/undefined/*", TOLD_WRONG}}},
};

/* Faults that are told by some of these checks and not by the others: each must pass for itself alone. */
#define CROSSED                                                                                              \
	.only = "wrap/PMEVCNTR0,level filter*PMEVCNTR0,chained pair/PMEVCNTR0*,overflow status/PMEVCNTR0"

static const struct pmu_fault crossed[] = {
	{CROSSED},
	{CROSSED, .inject = "ring-leak", .catches = {{"control/level filter*", TOLD_WRONG}}},
	{CROSSED, .inject = "chain-lost", .catches = {{"control/chained pair/*", TOLD_WRONG}}},
	{CROSSED, .inject = "lost-status",
	 .catches = {{"control/overflow status/*", TOLD_WRONG}, {"control/chained pair/*", TOLD_WRONG}}},
};

const struct pmu_faults armv8_faults = {
	.fault = faults,
	.n = sizeof faults / sizeof faults[0],
	.crossed = crossed,
	.n_crossed = sizeof crossed / sizeof crossed[0],
	.profile = "neoverse-n1",
};
