/*
 * What shows errata that a program can provoke. Amounts are what the row's text says, and no more: a row that
 * tells of none is shown by the least that it can mean.
 */
#include "pmu/amd/errata/errata.h"
#include "pmu/x86/processor.h"

static const struct erratum_count counts[] = {
	/* Nothing is said of how much; two of mmx_moves' instructions store. */
	{"AMD-693", "RETIRED_SSE_OPS.*", Q_COUNT, 0, NULL, "sse_control"},
	{"AMD-421", "LFENCE_INST_RETIRED,SFENCE_INST_RETIRED,MFENCE_INST_RETIRED", Q_COUNT, 0, NULL,
	 "x87_arithmetic"},
	{"AMD-ZEN-SPECLOCK", "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS", Q_COUNT, 0, NULL, "locked*"},
	{"AMD-1266", "RETIRED_MMX_FP_INSTRUCTIONS.MMX*", Q_COUNT, -2, "mmx_moves", "mmx_moves"},
	{0},
};

static const struct erratum_symptom symptoms[] = {
	/* What counts too much counts no NOPs exactly. */
	{"AMD-1291", "ladder", "PERF_CTR*", "*exact on NOPs*", SHOWS_LIKE_COUNT, 0, 0},
	{"AMD-1292", "ladder", "PERF_CTR*", "*exact on NOPs*", SHOWS_LIKE_COUNT, 0, 0},
	{"AMD-1291", "control", "retired/*", "instructions that a loop has more*", SHOWS_LIKE_COUNT, 0, 0},
	{"AMD-1292", "control", "retired/*", "instructions that a loop has more*", SHOWS_LIKE_COUNT, 0, 0},
	{"AMD-1287", "control", "dispatched/*", "operations of a loop that were*", SHOWS_TEXT, 0, 0},
	{"AMD-336", "control", "IBS period/*", "windows of more than a period*", SHOWS_LIKE, 0, 0},
	{"AMD-580", "control", "IBS period/by cycles", "windows of more than a period*", SHOWS_LIKE, 0, 0},
	{"AMD-337", "control", "IBS tells/address", "samples that are of no instruction*", SHOWS_LIKE, 0, 0},
	{"AMD-443", "control", "IBS tells/kind", "samples of read-modify-write*", SHOWS_TEXT, 0, 0},
	{"AMD-717", "control", "IBS tells/target", "samples of branches that tell another*", SHOWS_LIKE, 0,
	 0},
	{"AMD-717", "control", "IBS tells/line", "samples of loads that hit*", SHOWS_TEXT, 0, 0},
	{"AMD-718", "control", "IBS tells/second level", "samples without a miss*", SHOWS_TEXT, 0, 0},
	{"AMD-1212", "control", "IBS tells/times", "samples that complete before*", SHOWS_LIKE, 0, 0},
	{"AMD-1293", "control", "IBS tells/prefetches", "samples of prefetches*", SHOWS_LIKE, 0, 0},
	{"AMD-1238", "control", "IBS fetches/misses", "fetches of a loop that are told*", SHOWS_LIKE, 0, 0},
	{"AMD-420", "control", "IBS stopped/*", "interrupts of samples that were stopped? after*", SHOWS_MORE,
	 1, INT64_MAX},
	{"AMD-IBS-FETCHRST", "control", "IBS/fetches", "the count that is loaded while enabled*", SHOWS_TEXT,
	 0, 0},
	{"AMD-GLBSTS-RSVD", "control", "status/*", "the status after*", SHOWS_BITS, 1, 0},
	{"AMD-719", "control", "IBS/fetches", "the count that is loaded with the enable *", SHOWS_TEXT, 0, 0},
	{"AMD-1452", "control", "branches alone/*", "records that are marked as none*", SHOWS_TEXT, 0, 0},
	{"AMD-593", "control", "last branch beside the other thread/*",
	 "the last branch leads to its target while*", SHOWS_LIKE, 0, 0},
	{"AMD-685", "control", "fetches of the other core/*", "fetches of the other*", SHOWS_LIKE, 0, 0},
	{"AMD-1348", "control", "tagged operations of the other thread/*", "tagged operations of the other*",
	 SHOWS_LIKE, 0, 0},
	{"AMD-781", "control", "RDPMC map/NB*", "RDPMC gives *", SHOWS_TEXT, 0, 0},
	{"AMD-794", "control", "cycles over a halt/*", "over a halt the core's cycles go on by *", SHOWS_MORE,
	 1, INT64_MAX},
	{"AMD-795", "control", "stop at a carry/*", "stopped about a carry from bit 31*", SHOWS_MORE, -4, -1},
	{"AMD-1023", "control", "two counters interrupt/*",
	 "interrupts after a later overflow of one of two*", SHOWS_MORE, -1, -1},
	{"AMD-1267", "control", "IRPERF/compare and branch",
	 "over pairs of compare and branch IRPERF goes on by*", SHOWS_MORE, 1, INT64_MAX},
	{"AMD-694", "control", "fetches sampled/*", "samples of the block*", SHOWS_LIKE, 0, 0},
	{"K8-REVE-NB", "control", "shared counts/*", "what another counter*", SHOWS_LIKE, 0, 0},
	/* Of some 400 all may be missing, but FLDZ and FSTP before and behind them count: one that counts nothing is
	 * no case of it. */
	{"AMD-538", "control", "x87 operations/*", "operations of FCOMI and F2XM1*", SHOWS_MORE, -400, -1},
	{"AMD-541", "control", "sample over a halt/operation", "over a halt a sample's address*", SHOWS_LIKE,
	 0, 0},
	{"AMD-660", "control", "counter over a halt/APERF", "over a halt APERF*", SHOWS_LIKE, 0, 0},
	{"AMD-1054", "control", "counter over a halt/IRPERF", "over a halt IRPERF*", SHOWS_LIKE, 0, 0},
	{"AMD-1197", "control", "sample over a halt/fetch", "over a halt a fetch's address*observed 0*",
	 SHOWS_TEXT, 0, 0},
	{"AMD-1215", "control", "sample over a halt/valid bit", "over a halt a sample stays valid*",
	 SHOWS_TEXT, 0, 0},
	{"AMD-1347", "control", "page of a fetch/*", "the size of a fetch's page of 2 MiB? a code of 0x1*",
	 SHOWS_TEXT, 0, 0},
	{0},
};

const struct errata amd_known_errata = {
	.prefix = "AMD-",
	.numbers = amd_errata_numbers,
	.row = amd_errata_rows,
	.count = &amd_errata_count,
	.part = amd_errata_parts,
	.counts = counts,
	.symptoms = symptoms,
	.processor = x86_processor,
};
