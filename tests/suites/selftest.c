/*
 * The harness judged: each injected fault must be caught by the checks that are about it, and by no others; a
 * virtual CPU without a fault must raise none; a kernel with a wrong signature must judge nothing. On the
 * default virtual CPU all of that is done (with kernel=full what is dear, too), on another what is about that
 * one.
 */
#include "tests/suites/suites.h"
#include "tests/judge/ladder.h"
#include "tests/judge/shares.h"
#include "tests/measure/virtual.h"
#include "tests/kernels/kernel.h"

#include "pmu/virtual/vpmu.h"

#include <stdio.h>
#include <string.h>

#define CATCHES_MAX 10
#define KERNELS     "empty,nop_loop,calls,movs_rep"
#define PROFILE     "intel-nehalem"

/* Those that no single core defines. */
#define EVENTS "arch"

/* As many as show that counts differ from run to run. */
#define REPS 2

/* Kernels that force misses and mispredictions, or their absence. */
#define MACHINE_KERNELS "nop_loop,calls,branches_random,clflush_reload,chain_l1_fits,chain_l2"
#define MACHINE         .machine = true, .profile = "intel-core2"

/* Events that no glob but their own name selects. */
#define OFFCORE                                                                                              \
	.machine = true, .profile = "intel-skylake", .kernels = "nop_loop,clflush_reload,chain_l2",          \
	.events = "OFFCORE_RESPONSE.DEMAND_RFO.ANY_RESPONSE,OFFCORE_RESPONSE.DEMAND_DATA_RD.L3_HIT.*"

/* Records: of branches, loads and stores. */
#define RECORD_KERNELS "calls,loads"
#define NETBURST       .records = "memory_loads", .profile = "netburst-prescott"
#define INTEL          .records = "MEM_INST_RETIRED.ALL_LOADS", .profile = "intel-skylake"
#define APEBS          .records = "INST_RETIRED.ANY_P", .profile = "intel-pantherlake-p"
#define AMD            .records = "RETIRED_INSTRUCTIONS", .profile = "amd-zen4"

/* The other side of what is injected into a virtual CPU's control logic alone. (tests/self/boot judges every
 * virtual CPU there is without a fault.) */
#define SOUND(part) .profile = part, .control = true

/* Dear, and of a kind with others that are not, or told by whole boots of tests/self/boot: with kernel=full
 * alone. */
#define FULL .full = true

/** Checks, as a glob on "suite/name", and the bad verdict that they must give. */
struct catch
{
	const char *checks;
	enum verdict verdict;
	bool fact; /* no check, but a fact of this name */
	bool may;  /* chance decides whether any does: it is no stranger, and need not be there */
};

struct selftest_case {
	const char *inject; /* the model's injections, NULL: none */
	const char *kernel; /* whose signature is falsified by the next two; NULL: none */
	enum quantity quantity;
	int64_t delta_a, delta_b;
	struct catch catches[CATCHES_MAX]; /* each must happen; nothing else bad may. checks NULL ends */
	bool noise;                        /* run the suite noise, too */
	bool control;                      /* the suite control alone */
	bool full;                         /* with kernel=full alone */
	bool machine;                      /* about the machine model: its kernels, the suite events alone */
	const char *records;               /* about records: the event that is sampled, the suites trace and
					      sampling alone */
	const char *profile;               /* NULL: PROFILE */
	const char *kernels;               /* NULL: KERNELS */
	const char *events;                /* NULL: EVENTS */
	const char *unjudged;              /* checks that there must not be at all */
	const char *only;                  /* these checks of the suite control and nothing else; NULL: all */
};

#define ON_EVERY(check) "control/" check "/*"

/* Checks that a family brings along (pmu/contract/control.h): some instances of one, and those that tell. */
#define OWN(fault, some, tell)                                                                               \
	.profile = "netburst-northwood-ht", .inject = fault, .only = some,                                   \
	.catches = {{"control/" tell, VERDICT_WRONG}}

#define AMD_OWN(part, fault, some) .profile = part, .inject = fault, .only = some

static const struct selftest_case cases[] = {
	{.noise = true},
	{.inject = "dropped-carry",
	 .catches = {{"ladder/*", VERDICT_WRONG},
		     {ON_EVERY("wrap"), VERDICT_WRONG},
		     {ON_EVERY("overflow status"), VERDICT_WRONG},
		     {ON_EVERY("overflow point"), VERDICT_WRONG}}},
	{.inject = "off-by-one",
	 /* Of instructions it might be the start. But that is not in ring 3, and no branch. */
	 .catches = {{"shares/writes", .fact = true},
		     {"ladder/share/around ring 3/PMC*", VERDICT_BIASED},
		     {"ladder/share/around ring 3/FIXED_CTR0", VERDICT_BIASED},
		     {"events/share/enabling*/PMC*", VERDICT_BIASED},
		     {"events/share/around*/PMC*", VERDICT_BIASED},
		     {ON_EVERY("ring filter, ring 0"), VERDICT_WRONG},
		     {"control/*", VERDICT_WRONG},
		     {"identities/*", VERDICT_WRONG}}},
	{FULL, .inject = "stuck-status",
	 .catches = {{"ladder/*", VERDICT_WRONG},
		     {ON_EVERY("overflow status"), VERDICT_WRONG},
		     {ON_EVERY("overflow point"), VERDICT_WRONG}}},
	{.inject = "no-pmi", .catches = {{"ladder/*", VERDICT_WRONG}}},
	{FULL, .inject = "lost-status",
	 .catches = {{"ladder/*", VERDICT_WRONG},
		     {ON_EVERY("overflow status"), VERDICT_WRONG},
		     {ON_EVERY("overflow point"), VERDICT_WRONG}}},
	{.inject = "ring-leak",
	 .catches = {{ON_EVERY("ring filter, ring 0"), VERDICT_WRONG},
		     {ON_EVERY("ring filter, ring 3"), VERDICT_WRONG},
		     {ON_EVERY("ring filter, rings 1 and 2"), VERDICT_WRONG},
		     {"ladder/share/around ring 3/*", VERDICT_BIASED},
		     {"events/share/around ring 3/*", VERDICT_BIASED},
		     {"identities/*", VERDICT_WRONG},
		     {"attribution/*", .fact = true}}},
	{FULL, .inject = "neighbour-coupling",
	 .catches = {{"events/share/*/PMC0", VERDICT_WRONG},
		     {"control/global enable/PMC0", VERDICT_WRONG},
		     {"control/global enable/PMC1", VERDICT_WRONG},
		     {"control/busy neighbours/PMC0", VERDICT_WRONG},
		     {"control/counter exchange", VERDICT_WRONG},
		     {"control/threshold counts clocks/instructions", VERDICT_WRONG},
		     {"events/*/PMC0/empty/*", VERDICT_BIASED},
		     {"events/*/PMC0/*", VERDICT_WRONG},
		     {"identities/*", VERDICT_WRONG}}},
	{.inject = "overcount-x16",
	 /* Clocks have no number of their own to be missed, but bounds. */
	 .catches = {{"ladder/PMC*", VERDICT_WRONG},
		     {"ladder/FIXED_CTR0", VERDICT_WRONG},
		     {"control/clock rate/FIXED_CTR1", VERDICT_WRONG},
		     {"control/clock rate/FIXED_CTR2", VERDICT_WRONG}}},
	{FULL, .inject = "short-width",
	 .catches = {{ON_EVERY("wrap"), VERDICT_WRONG}, {ON_EVERY("overflow point"), VERDICT_WRONG}}},
	{.inject = "no-sign-extension",
	 .catches = {{"ladder/PMC*", VERDICT_WRONG},
		     {"control/write rules/PMC*", VERDICT_WRONG},
		     {"control/wrap/PMC*", VERDICT_WRONG},
		     {"control/overflow status/PMC*", VERDICT_WRONG},
		     {"control/overflow point/PMC*", VERDICT_WRONG},
		     {"control/RDPMC/PMC*", VERDICT_WRONG}}},
	{.inject = "dead-counter", .catches = {{"ladder/PMC3", VERDICT_DEAD}}, .unjudged = "*/PMC3/*"},
	{.inject = "dead", .catches = {{"ladder/all counters", VERDICT_DEAD}}, .unjudged = "events/*/PMC*"},
	{.inject = "noisy",
	 /* A clock that ticks once too often may come out too fast, if each of its rounds did. */
	 .catches = {{"ladder/PMC*", VERDICT_NOISY},
		     {"ladder/FIXED_CTR0", VERDICT_NOISY},
		     {"control/clock rate/FIXED_CTR*", VERDICT_WRONG, .may = true}},
	 .unjudged = "events/INST_RETIRED*"},
	{FULL, .inject = "noisy-branches",
	 /* Where chance has all repetitions doubled alike it cannot be told from an error. */
	 .catches = {{"events/BR_INST_RETIRED*", VERDICT_NOISY},
		     {"events/BR_INST_RETIRED*", VERDICT_WRONG, .may = true},
		     {"*/share/*", VERDICT_NOISY, .may = true},
		     {"*/share/*", VERDICT_WRONG, .may = true},
		     {"identities/*", VERDICT_NOISY},
		     {"identities/*", VERDICT_WRONG, .may = true}}},
	{FULL, .inject = "rdpmc-wrong-index",
	 .catches = {{"ladder/share/difference of two readings/*", VERDICT_WRONG},
		     {ON_EVERY("RDPMC"), VERDICT_WRONG},
		     {ON_EVERY("RDPMC in ring 3, CR4.PCE = 1"), VERDICT_WRONG}}},
	{.inject = "reserved-accepted",
	 .catches = {{"control/access/write *", VERDICT_WRONG},
		     {"control/last exception record/the call of what faults", VERDICT_WRONG}}},
	{.inject = "global-ignored",
	 .catches = {{"ladder/PMC*", VERDICT_NOISY},
		     {"ladder/FIXED_CTR0", VERDICT_NOISY},
		     {"control/enable gating/FIXED_CTR*", VERDICT_WRONG},
		     {"control/global enable/FIXED_CTR*", VERDICT_WRONG},
		     {"control/*", VERDICT_WRONG}}},
	{FULL, .inject = "bj54", .catches = {{"control/write rules/FIXED_CTR1", VERDICT_WRONG}}},
	{.inject = "bj58",
	 .catches = {{ON_EVERY("interrupt while counting"), VERDICT_WRONG},
		     {ON_EVERY("overflow together"), VERDICT_WRONG},
		     {"control/*", VERDICT_WRONG}}},
	/* On a CPU of which it is not known. What is, is a rule: the sound Core 2 counts CPUID as a branch.
	 */
	{FULL, .inject = "w146", .kernels = "cpuid",
	 .catches = {{"events/BR_INST_RETIRED.ALL_BRANCHES/*/cpuid/*", VERDICT_WRONG}}},
	{.inject = "hsd91", .catches = {{ON_EVERY("interrupt, fixed"), VERDICT_WRONG}}},
	/* The jump passes the point at which it would overflow. */
	{.inject = "hsd143",
	 .catches = {{"ladder/FIXED_CTR0", VERDICT_WRONG},
		     {"ladder/share/enabling*/FIXED_CTR0", VERDICT_BIASED},
		     {"ladder/share/around ring 3/FIXED_CTR0", VERDICT_BIASED},
		     {"identities/*/ring 3", VERDICT_WRONG},
		     {"control/*FIXED_CTR0", VERDICT_WRONG, .may = true}}},
	{FULL, .inject = "hsd73", .catches = {{"identities/instructions: ring 3*", VERDICT_WRONG}}},
	{.inject = "skl117",
	 .catches = {{"identities/core cycles: rings add up/*/ring 3", VERDICT_WRONG},
		     {"identities/instructions: ring 3*", VERDICT_WRONG}}},
	{FULL, .inject = "bv52", .noise = true,
	 .catches = {{"noise/INST_RETIRED*", VERDICT_BIASED},
		     {"identities/*", VERDICT_WRONG},
		     {"attribution/INT n, faults, interrupts from ring 3", .fact = true}}},
	/* What is the same for each interrupt and exception is a fact. */
	{.inject = "interrupt-extra",
	 .noise = true,
	 .catches = {{"attribution/faults, interrupts from ring 3", .fact = true}}},
	{FULL, .inject = "smm-counted",
	 .catches = {{"events/counters held in system-management mode", VERDICT_WRONG}}},
	{FULL, .inject = "skl91",
	 .catches = {{"events/INST_RETIRED.ANY*/movs_rep/*", VERDICT_WRONG},
		     {"identities/*", VERDICT_WRONG}}},
	/* INT n and IRET as two each: of ring 0 that is more than there can be, of ring 3 a fact. */
	{FULL, .inject = "srf7", .noise = true,
	 .catches = {{"noise/*/software interrupt, ring 0*", VERDICT_BIASED},
		     {"noise/*/breakpoint, ring 0*", VERDICT_BIASED},
		     {"identities/*", VERDICT_WRONG, .may = true},
		     {"attribution/INT n*", .fact = true},
		     {"attribution/faults, interrupts from ring 3", .fact = true}}},
	{MACHINE, .kernels = MACHINE_KERNELS ",cpuid"},
	{MACHINE, .inject = "w146", .kernels = "cpuid",
	 .catches = {{"events/BR_INST_RETIRED.ALL_BRANCHES/*/cpuid/*", VERDICT_WRONG}}},
	{MACHINE, .inject = "half-the-ways",
	 .catches = {{"events/LONGEST_LAT_CACHE.REFERENCE/*/chain_l1_fits/*", VERDICT_WRONG}}},
	{MACHINE, .inject = "l1-never-hits",
	 .catches = {{"events/LONGEST_LAT_CACHE.REFERENCE/*", VERDICT_WRONG}}},
	{MACHINE, .inject = "caches-never-miss",
	 .catches = {{"events/LONGEST_LAT_CACHE.REFERENCE/*/clflush_reload/*", VERDICT_DEAD},
		     {"events/LONGEST_LAT_CACHE.MISS/*/clflush_reload/*", VERDICT_DEAD},
		     {"events/LONGEST_LAT_CACHE.*/all kernels", VERDICT_DEAD},
		     {"events/LONGEST_LAT_CACHE.REFERENCE/*/chain_l2/*", VERDICT_DEAD}}},
	{MACHINE, .inject = "flush-ignored",
	 .catches = {{"events/LONGEST_LAT_CACHE.REFERENCE/*/clflush_reload/*", VERDICT_DEAD},
		     {"events/LONGEST_LAT_CACHE.MISS/*/clflush_reload/*", VERDICT_DEAD}}},
	{MACHINE, .inject = "llc-miss-twice",
	 .catches = {{"events/LONGEST_LAT_CACHE.MISS/*/clflush_reload/*", VERDICT_WRONG},
		     {"events/LONGEST_LAT_CACHE.MISS/*/chain_l2/*", VERDICT_WRONG}}},
	{.machine = true,
	 .inject = "llc-reference-lost",
	 .catches = {{"events/LONGEST_LAT_CACHE.REFERENCE/*/chain_l2/*", VERDICT_DEAD}}},
	{.machine = true, .kernels = "chain_l2_held"},
	{.machine = true,
	 .inject = "llc-miss-every",
	 .kernels = "chain_l2_held",
	 .catches = {{"events/LONGEST_LAT_CACHE.MISS/*/chain_l2_held/*", VERDICT_WRONG}}},
	{MACHINE, .inject = "tlb-never-hits",
	 .catches = {{"events/LONGEST_LAT_CACHE.REFERENCE/*", VERDICT_WRONG}}},
	{MACHINE, .inject = "predictor-always-wrong",
	 .catches = {{"events/BR_MISP_RETIRED.ALL_BRANCHES/*", VERDICT_WRONG}}},
	{MACHINE, .inject = "predictor-always-right",
	 .catches = {{"events/BR_MISP_RETIRED.ALL_BRANCHES/all kernels", VERDICT_DEAD},
		     {"events/BR_MISP_RETIRED.ALL_BRANCHES/*/branches_random/*", VERDICT_DEAD}}},
	{MACHINE, .inject = "no-return-stack",
	 .catches = {{"events/BR_MISP_RETIRED.ALL_BRANCHES/*/calls/*", VERDICT_WRONG}}},
	{OFFCORE},
	{OFFCORE, .inject = "offcore-every",
	 .catches = {{"events/OFFCORE_RESPONSE.DEMAND_RFO.ANY_RESPONSE/*/chain_l2/*", VERDICT_WRONG},
		     {"events/OFFCORE_RESPONSE.DEMAND_RFO.ANY_RESPONSE/*/clflush_reload/*", VERDICT_WRONG}}},
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
	{NETBURST},
	{NETBURST, .inject = "records-late",
	 .catches = {{"sampling/memory_loads/PEBS instruction/*", VERDICT_WRONG},
		     {"sampling/memory_loads/PEBS period/*", VERDICT_WRONG},
		     {"sampling/memory_loads/PEBS buffer full/*", VERDICT_WRONG},
		     {"sampling/memory_loads/PEBS emptied on interrupts/*", VERDICT_WRONG}}},
	{FULL, NETBURST, .inject = "branch-lost",
	 .catches = {{"trace/BTS*", VERDICT_WRONG}, {"trace/LBR*", VERDICT_WRONG}}},
	{NETBURST, .inject = "branch-target-off+registers-stale",
	 .catches = {{"trace/BTS*", VERDICT_WRONG},
		     {"trace/LBR*", VERDICT_WRONG},
		     {"sampling/memory_loads/PEBS registers/*", VERDICT_WRONG}}},
	{INTEL, .inject = "address-off-by-one+bj101",
	 .catches = {{"sampling/MEM_INST_RETIRED.ALL_LOADS/PEBS address/*", VERDICT_WRONG},
		     {"sampling/*/PEBS full, no threshold/*", VERDICT_WRONG}}},
	{FULL, INTEL, .inject = "time-stands-still",
	 .catches = {{"sampling/MEM_INST_RETIRED.ALL_LOADS/PEBS time/*", VERDICT_WRONG}}},
	{FULL, INTEL, .inject = "bts-lost+lbr-stale-from+hsd110",
	 .catches = {{"trace/BTS*", VERDICT_WRONG},
		     {"trace/LBR*", VERDICT_WRONG},
		     {"sampling/MEM_INST_RETIRED.ALL_LOADS/PEBS *", VERDICT_WRONG}}},
	{FULL, APEBS},
	{APEBS, .inject = "full-unsaid+lbr-lost+snapshot-early",
	 .catches = {{"sampling/INST_RETIRED.ANY_P/PEBS buffer full/*", VERDICT_WRONG},
		     {"sampling/INST_RETIRED.ANY_P/PEBS full, no threshold/*", VERDICT_WRONG},
		     {"sampling/INST_RETIRED.ANY_P/PEBS branches/calls/*", VERDICT_WRONG},
		     {"sampling/INST_RETIRED.ANY_P/PEBS counts/calls/*", VERDICT_WRONG},
		     {"trace/LBR*", VERDICT_WRONG}}},
	{.profile = "intel-core2",
	 .records = "INST_RETIRED.ANY_P",
	 .inject = "aj69",
	 .catches = {{"sampling/*/PEBS buffer full/*", VERDICT_WRONG}}},
	{.inject = "aaj148",
	 .only = "overflow*together?*frozen*",
	 .catches = {{ON_EVERY("overflow together, frozen"), VERDICT_WRONG}}},
	{.inject = "aaj119",
	 .only = "interrupts of *",
	 .catches = {{ON_EVERY("interrupts of two overflows"), VERDICT_WRONG}}},
	{.inject = "aaj125",
	 .only = "interrupts of *",
	 .catches = {{ON_EVERY("interrupts of a frozen overflow"), VERDICT_WRONG}}},
	{.inject = "aaj83",
	 .only = "power-up/*",
	 .catches = {{"control/power-up/IA32_PERF_GLOBAL_CTRL", VERDICT_WRONG}}},
	{.inject = "bj77",
	 .only = "write*near*",
	 .catches = {{ON_EVERY("write near the top"), VERDICT_WRONG}}},
	{.inject = "ler-stale",
	 .only = "last exception record/*",
	 .catches = {{"control/last exception record/*", VERDICT_WRONG}}},
	{.inject = "bj94",
	 .only = "freeze*",
	 .catches = {{ON_EVERY("freeze on an interrupt"), VERDICT_WRONG}}},
	{AMD},
	{AMD, .inject = "ibs-physical+ibs-times+ibs-levels+ibs-source+ibs-filter",
	 .kernels = "clflush_reload",
	 .catches = {{"sampling/IBS * physical address/*", VERDICT_WRONG},
		     {"sampling/IBS op by * cycles/*", VERDICT_WRONG},
		     {"sampling/IBS * levels/*", VERDICT_WRONG},
		     {"sampling/IBS op by * data source/*", VERDICT_WRONG},
		     {"sampling/IBS * filter/*", VERDICT_WRONG}}},
	{.records = "RETIRED_INSTRUCTIONS",
	 .profile = "amd-zen5",
	 .inject = "ibs-latency",
	 .kernels = "clflush_reload",
	 .catches = {{"sampling/IBS op by * filter above 256 cycles*", VERDICT_WRONG}}},
	{FULL, AMD, .inject = "loads-as-stores",
	 .catches = {{"sampling/IBS op by * kind/*", VERDICT_WRONG},
		     {"sampling/IBS op by * address/*", VERDICT_WRONG}}},
	{AMD, .inject = "branch-target-off+address-off-by-one",
	 .catches = {{"trace/LBR*", VERDICT_WRONG},
		     {"sampling/IBS op by * branch target/*", VERDICT_WRONG},
		     {"sampling/IBS op by * address/*", VERDICT_WRONG}}},
	{FULL, SOUND("amd-fam16h")},
	{FULL, SOUND("amd-zen1")},
	{FULL, SOUND("amd-zen3-epyc")},
	{AMD_OWN("amd-fam16h", "794", "cycles over a halt/*"),
	 .catches = {{"control/cycles over a halt/*", VERDICT_WRONG}}},
	{AMD_OWN("amd-fam16h", "781", "RDPMC map/*"), .catches = {{"control/RDPMC map/NB*", VERDICT_WRONG}}},
	{AMD_OWN("amd-fam16h", "795", "stop at a carry/*"),
	 .catches = {{"control/stop at a carry/*", VERDICT_WRONG}}},
	{AMD_OWN("amd-zen1", "1023", "two counters interrupt/*"),
	 .catches = {{"control/two counters interrupt/*", VERDICT_WRONG}}},
	{AMD_OWN("amd-zen3-epyc", "1267", "IRPERF/*,MPERF*"),
	 .catches = {{"control/IRPERF/*", VERDICT_WRONG}}},
	{.kernel = "nop_loop",
	 .quantity = Q_INSTRUCTIONS,
	 .delta_b = 1,
	 .catches = {{"events/ground truth/nop_loop/*", VERDICT_ERROR},
		     {"ladder/ground truth/nop_loop", VERDICT_ERROR}},
	 .unjudged = "events/*/PMC*/nop_loop/*"},
	{.kernel = "movs_rep",
	 .quantity = Q_LOADS,
	 .delta_a = -1,
	 .catches = {{"events/ground truth/movs_rep/*", VERDICT_ERROR}},
	 .unjudged = "events/*/PMC*/movs_rep/*"},
};

/* Faults that are told by some of these checks and not by the others: each must pass for itself alone. */
#define CROSSED .only = "wrap/PMC*,ring filter*"

static const struct selftest_case crossed[] = {
	{CROSSED},
	{CROSSED, .inject = "dropped-carry", .catches = {{ON_EVERY("wrap"), VERDICT_WRONG}}},
	{CROSSED, .inject = "ring-leak",
	 .catches = {{ON_EVERY("ring filter, ring 0"), VERDICT_WRONG},
		     {ON_EVERY("ring filter, ring 3"), VERDICT_WRONG},
		     {ON_EVERY("ring filter, rings 1 and 2"), VERDICT_WRONG}}},
};

/* Names of checks have commas of their own, which part the alternatives of a glob. */
static bool matches(const char *glob, const char *name)
{
	char pattern[160];
	char *comma = pattern;

	snprintf(pattern, sizeof(pattern), "%s", glob);
	while ((comma = strchr(comma, ',')))
		*comma = '?';
	return glob_match(pattern, name);
}

struct capture {
	struct run run; /* first: the report callback gets its address */
	const struct selftest_case *expected;
	unsigned checks, caught[CATCHES_MAX];
	char stranger[240]; /* the first result that should not be there */
};

static void take(struct run *run, const struct result *r)
{
	struct capture *c = (struct capture *)run;
	const struct catch *catches = c->expected->catches;
	bool bad = verdict_is_bad(r->judgement.verdict), known = false;
	char name[160];

	c->checks++;
	snprintf(name, sizeof(name), "%s/%s", r->suite, r->name);
	for (unsigned i = 0; i < CATCHES_MAX && catches[i].checks; i++)
		if (!catches[i].fact && r->judgement.verdict == catches[i].verdict &&
		    matches(catches[i].checks, name)) {
			c->caught[i]++;
			known = true;
		}
	if (c->expected->unjudged && matches(c->expected->unjudged, name))
		known = false, bad = true;
	if (bad && !known && !c->stranger[0])
		snprintf(c->stranger, sizeof(c->stranger), "%.90s is %s: %s", name,
			 verdict_name(r->judgement.verdict), r->judgement.text);
}

/* A fact that nobody expects is as bad as a verdict: a virtual CPU without a fault has none. */
static void take_fact(struct run *run, const char *suite, const char *name, const char *text)
{
	struct capture *c = (struct capture *)run;
	const struct catch *catches = c->expected->catches;
	char full[160];
	bool known = false;

	(void)text;
	snprintf(full, sizeof(full), "%s/%s", suite, name);
	for (unsigned i = 0; i < CATCHES_MAX && catches[i].checks; i++)
		if (catches[i].fact && matches(catches[i].checks, full)) {
			c->caught[i]++;
			known = true;
		}
	if (!known && !c->stranger[0])
		snprintf(c->stranger, sizeof(c->stranger), "%.90s is a fact", full);
}

static void drop_share(struct run *run, const struct share_report *share)
{
	(void)run, (void)share;
}

static void drop_attribution(struct run *run, const struct attribution_report *r)
{
	(void)run, (void)r;
}

static void drop_value(struct run *run, const char *suite, const char *name, const char *value,
		       const char *unit)
{
	(void)run, (void)suite, (void)name, (void)value, (void)unit;
}

static void judge_records(struct capture *c, struct ladder *ladder)
{
	const char *kernels = c->expected->kernels ? c->expected->kernels : RECORD_KERNELS;
	const struct run_options brief = {.kernel_glob = kernels, .event_glob = c->expected->records};
	const struct run_options *usual = c->run.options;

	c->run.ladder = ladder;
	c->run.options = &brief;
	suite_trace.run(&c->run);
	suite_sampling.run(&c->run);
	c->run.options = usual;
}

/* One whole little run: ladder, control, events, identities. */
static void judge_once(struct capture *c, struct ladder *ladder)
{
	if (c->expected->only) {
		suite_control.run(&c->run);
		return;
	}
	c->run.ladder = ladder;
	if (ladder_climb(&c->run, ladder) == LADDER_DEAD)
		return; /* as in a real run: another PMU is judged instead */
	if (c->expected->records) {
		judge_records(c, ladder);
		return;
	}
	if (c->expected->control) {
		suite_control.run(&c->run);
		return;
	}
	if (!c->expected->machine)
		suite_control.run(&c->run);
	suite_events.run(&c->run);
	shares_report(&c->run, "events");
	if (!c->expected->machine)
		suite_identities.run(&c->run);
	if (c->expected->noise)
		suite_noise.run(&c->run);
}

static void conclude(const struct capture *c, struct result *r)
{
	unsigned missing = 0, rows = 0;

	for (; rows < CATCHES_MAX && c->expected->catches[rows].checks; rows++)
		if (!c->caught[rows] && !c->expected->catches[rows].may && !missing)
			missing = rows + 1;
	r->n_observations = 1;
	r->observation[0] = (struct observation){.low = rows, .high = rows};
	histogram_add(&r->observation[0].seen, rows - (missing != 0));
	judge(r->observation, 1, &r->judgement);
	if (c->stranger[0])
		judgement_set(&r->judgement, VERDICT_WRONG, "unexpected: %s", c->stranger);
	else if (missing)
		judgement_set(&r->judgement, VERDICT_WRONG, "not caught: %s as %s",
			      c->expected->catches[missing - 1].checks,
			      verdict_name(c->expected->catches[missing - 1].verdict));
	else if (c->checks == 0)
		judgement_set(&r->judgement, VERDICT_ERROR, "nothing was judged");
}

static void describe(const struct selftest_case *c, const char *profile, char *name, size_t size)
{
	if (c->kernel)
		snprintf(name, size, "wrong %s of %s on %s", quantity_info[c->quantity].name, c->kernel,
			 profile);
	else
		snprintf(name, size, "%s%s on %s",
			 c->machine   ? "machine: "
			 : c->records ? "records: "
				      : "",
			 c->inject ? c->inject : "no fault", profile);
}

/* One run with the faults of `made`, held against what `expected` says. */
static void hold_against(struct run *run, const char *profile, const struct selftest_case *made,
			 const struct selftest_case *expected, struct result *r)
{
	struct run_options options = {.kernel_glob = expected->kernels   ? expected->kernels
						     : expected->machine ? MACHINE_KERNELS
									 : KERNELS,
				      .event_glob = expected->events ? expected->events : EVENTS,
				      .reps = expected->records ? 0 : REPS,
				      .check_glob = expected->only};
	static struct ladder ladder;
	static struct pmu pmu;
	static struct capture c;
	const char *why;

	c = (struct capture){.run = {.options = &options,
				     .call = run->call,
				     .report = take,
				     .value = drop_value,
				     .detail = drop_value,
				     .fact = take_fact,
				     .share = drop_share,
				     .attribution = drop_attribution},
			     .expected = expected};
	if (made->kernel)
		kernel_falsify(kernel_by_name(made->kernel), made->quantity, made->delta_a, made->delta_b);
	if (virtual_pmu_create(&c.run, &pmu, profile, made->inject, &why)) {
		judge_once(&c, &ladder);
		conclude(&c, r);
	} else {
		judgement_set(&r->judgement, VERDICT_ERROR, "%s", why);
	}
	kernel_restore();
}

static void carry_out(struct run *run, const char *profile, const struct selftest_case *c)
{
	char name[96];
	struct result r = {.suite = "selftest", .name = name};

	describe(c, profile, name, sizeof(name));
	if (!check_wanted(run, name))
		return;
	hold_against(run, profile, c, c, &r);
	run->report(run, &r);
}

/* The other side: of these, what is expected of another fault must not pass. */
static void carry_out_crossed(struct run *run, const struct selftest_case *made,
			      const struct selftest_case *expected)
{
	char made_name[64], expected_name[64], name[160];
	struct result r = {.suite = "selftest", .name = name};

	describe(made, PROFILE, made_name, sizeof(made_name));
	describe(expected, PROFILE, expected_name, sizeof(expected_name));
	snprintf(name, sizeof(name), "%s %s for %s", made_name, made == expected ? "passes" : "does not pass",
		 expected_name);
	if (!check_wanted(run, name))
		return;
	hold_against(run, PROFILE, made, expected, &r);
	if (made == expected) {
		run->report(run, &r);
		return;
	}
	if (r.judgement.verdict == VERDICT_WRONG)
		r.judgement = (struct judgement){.verdict = VERDICT_EXACT};
	else
		judgement_set(&r.judgement, VERDICT_WRONG, "it passes");
	r.n_observations = 0;
	run->report(run, &r);
}

static void skip(struct run *run, const char *why)
{
	struct result r = {.suite = "selftest", .name = "selftest"};

	judgement_set(&r.judgement, VERDICT_SKIPPED, "%s", why);
	run->report(run, &r);
}

static void run_selftest(struct run *run)
{
	char original[48];
	const char *why;
	unsigned chosen = 0;

	if (!run->pmu || !run->pmu->virtual) {
		skip(run, "needs the virtual PMU: pmu=virtual");
		return;
	}
	snprintf(original, sizeof(original), "%s", run->pmu->model);
	bool all = strcmp(original, PMU_DEFAULT_PROFILE) == 0;
	bool full = run->options->kernel_glob && !strcmp(run->options->kernel_glob, "full");
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *profile = cases[i].profile ? cases[i].profile : PROFILE;

		if (cases[i].full && all && !full)
			continue;
		if (all || strcmp(profile, original) == 0) {
			carry_out(run, profile, &cases[i]);
			chosen++;
		}
	}
	if (!chosen)
		skip(run, "no fault is put into this virtual CPU: pmu=virtual:" PMU_DEFAULT_PROFILE
			  " tries those of all others");
	for (unsigned i = 0; all && i < sizeof(crossed) / sizeof(crossed[0]); i++)
		for (unsigned j = 0; j < sizeof(crossed) / sizeof(crossed[0]); j++)
			carry_out_crossed(run, &crossed[i], &crossed[j]);
	virtual_pmu_create(run, run->pmu, original, NULL, &why);
}

const struct suite suite_selftest = {
	"selftest", "the harness itself: injected faults are caught, clean models raise none", run_selftest,
	NULL};
