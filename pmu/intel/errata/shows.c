/*
 * What shows errata that a program can provoke. Amounts are what the row's text says, and no more: a row that
 * tells of none is shown by the least that it can mean.
 */
#include "pmu/intel/errata/errata.h"
#include "pmu/x86/processor.h"

#define BRANCHES     "BR_INST_RETIRED.ANY,BR_INST_RETIRED.ALL_BRANCHES,BR_INST_RETIRED.PRED_NOT_TAKEN"
#define INSTRUCTIONS "INST_RETIRED.ANY,INST_RETIRED.ANY_P"
/* One REP MOVS or REP STOS of more than nothing in each of N. */
#define FAST_STRINGS "movs_rep,movs_long,movs_overlap,rep_movs?_7*,rep_movs?_64*,rep_stos?_7*,rep_stos?_64*"

static const struct erratum_count counts[] = {
	{"W146", BRANCHES, Q_INSN_CPUID, 1, NULL, "cpuid"},
	{"SRF7", INSTRUCTIONS "," BRANCHES, Q_BR_FAR, 1, NULL, "iret_self,returns_far"},
	{"CWF-SRF7", INSTRUCTIONS, Q_BR_FAR, 1, NULL, "iret_self,returns_far"},
	{"BV52", INSTRUCTIONS, Q_COUNT, 1, "iret_self", "iret_self"},
	{"SKL91", INSTRUCTIONS "," BRANCHES, Q_COUNT, 1, FAST_STRINGS, "movs_rep"},
	{"AAJ86", "MEM_INST_RETIRED.STORES", Q_INSN_WRMSR, 1, NULL, "wrmsr"},
	{0},
};

/* More interrupts than overflows; so many that they are no longer these. */
#define AGAIN SHOWS_MORE, 1, 1000

static const struct erratum_symptom symptoms[] = {
	{"AG69", "sampling", "*/PEBS buffer full/*", "an interrupt at the threshold? and no status says so",
	 SHOWS_TEXT, 0, 0},
	{"BJ101", "sampling", "*/PEBS full? no threshold/*", "interrupts? though no threshold was reached",
	 SHOWS_TEXT, 0, 0},
	{"W125", "trace", "BTS*/ring 3", "*instead of*", SHOWS_LIKE, 0, 0},
	{"HSD53", "trace", "BTS*", "*instead of*", SHOWS_LIKE, 0, 0},
	{"SKL88", "trace", "BTS mispredictions/*", NULL, SHOWS_LIKE, 0, 0},
	{"W126", "sampling", "*/PEBS*/ring 3", "record*event does not occur at*", SHOWS_LIKE, 0, 0},
	{"W127", "sampling", "*/PEBS buffer full/*", "no interrupt at the threshold*", SHOWS_LIKE, 0, 0},
	{"HSD110", "sampling", "*/PEBS period/*", "record*", SHOWS_LIKE, 0, 0},
	{"HSD159", "sampling", "*/PEBS instruction/*", "record*", SHOWS_LIKE, 0, 0},
	{"HSD167", "sampling", "*/PEBS instruction/*", "record*", SHOWS_LIKE, 0, 0},
	{"BDD49", "sampling", "*/PEBS instruction/*", "record*", SHOWS_LIKE, 0, 0},
	/* "A few cycles": of some round trips. */
	{"BDM120", "identities", "core cycles: rings add up*", NULL, SHOWS_MORE, -1000, -1},
	{"AAJ83", "control", "power-up/IA32_PERF_GLOBAL_CTRL", NULL, SHOWS_FLIPPED, 7ll << 32, 0},
	/* Checks say first what must be right: the same without the freeze, of other counters, and so on. */
	{"AAJ119", "control", "interrupts of two overflows/*FIXED_CTR2",
	 "interrupts after which nothing has overflowed*", AGAIN},
	{"AAJ125", "control", "interrupts of a frozen overflow/FIXED_CTR0",
	 "interrupts after which nothing has overflowed*", AGAIN},
	{"AAJ148", "control", "overflow together? frozen/fixed counters",
	 "overflow status of a counter that has*", SHOWS_MORE, -1, -1},
	{"BJ54", "control", "write rules/FIXED_CTR1", "a written value reads back as 0xfffffffffffe?*",
	 SHOWS_TEXT, 0, 0},
	{"BJ58", "control", "stop at an overflow/*", "status that stays after a stop at an overflow*",
	 SHOWS_BITS, 1, 0},
	{"AAJ143", "control", "stop at an overflow/*", "status that stays after a stop at an overflow*",
	 SHOWS_BITS, 1, 0},
	{"BJ77", "control", "write near the top/FIXED_CTR2", "interrupts of writes*", SHOWS_MORE, 1, 1},
	{"BJ94", "control", "freeze on an interrupt/LBR", "source of the branch that froze the stack*",
	 SHOWS_TEXT, 0, 0},
	{"SKL186", "control", "freeze on an interrupt/LBR",
	 "newest record of a frozen stack that repeats the one before*", SHOWS_TEXT, 0, 0},
	{"HSD73", "control", "inverted threshold in one ring/*", "clocks of the other ring: all of them*",
	 SHOWS_TEXT, 0, 0},
	{"HSD91", "control", "interrupt? fixed/*", "*entry armed again and the status still set*", AGAIN},
	{"HSD143", "control", "order of enables/FIXED_CTR0", "instructions with the local enable first*",
	 SHOWS_MORE, 1, 32},
	{0},
};

const struct errata intel_known_errata = {
	.prefix = NULL,
	.numbers = intel_errata_numbers,
	.row = intel_errata_rows,
	.count = &intel_errata_count,
	.part = intel_errata_parts,
	.counts = counts,
	.symptoms = symptoms,
	.processor = x86_processor,
};
