/*
 * What shows errata that a program can provoke. Amounts are what the row's text says, and no more: a row that
 * tells of none is shown by the least that it can mean.
 */
#include "pmu/amd/errata/errata.h"
#include "pmu/x86/processor.h"

static const struct erratum_count counts[] = {
	/* Two of its instructions store. */
	{"AMD-1266", "RETIRED_MMX_FP_INSTRUCTIONS.MMX*", Q_COUNT, -2, "mmx_moves", "mmx_moves"},
	{0},
};

static const struct erratum_symptom symptoms[] = {
	/* What counts too much counts no NOPs exactly. */
	{"AMD-1291", "ladder", "PERF_CTR*", "*exact on NOPs*", SHOWS_LIKE_COUNT, 0, 0},
	{"AMD-1292", "ladder", "PERF_CTR*", "*exact on NOPs*", SHOWS_LIKE_COUNT, 0, 0},
	{"AMD-719", "control", "IBS/fetches", "the count that is loaded with the enable *", SHOWS_TEXT, 0, 0},
	{"AMD-1452", "trace", "LBR*", "*branches from the last are right*", SHOWS_LIKE, 0, 0},
	{"AMD-781", "control", "RDPMC map/NB*", "RDPMC gives *", SHOWS_TEXT, 0, 0},
	{"AMD-794", "control", "cycles over a halt/*", "over a halt the core's cycles go on by *", SHOWS_MORE,
	 1, INT64_MAX},
	{"AMD-795", "control", "stop at a carry/*", "stopped about a carry from bit 31*", SHOWS_MORE, -4, -1},
	{"AMD-1023", "control", "two counters interrupt/*",
	 "interrupts after a later overflow of one of two*", SHOWS_MORE, -1, -1},
	{"AMD-1267", "control", "IRPERF/compare and branch",
	 "over pairs of compare and branch IRPERF goes on by*", SHOWS_MORE, 1, INT64_MAX},
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
