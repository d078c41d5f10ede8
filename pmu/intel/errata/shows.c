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
	{"SKL91", INSTRUCTIONS ",BR_INST_RETIRED.*", Q_COUNT, 1, FAST_STRINGS, "movs_rep"},
	{"SKL91", INSTRUCTIONS ",BR_INST_RETIRED.*", Q_INSN_VMASKMOV, 1, NULL, "avx_masked"},
	/* Nothing is said of how much: a loop has none. */
	{"AAJ8", "SSEX_UOPS_RETIRED.*", Q_COUNT, 0, NULL, "loop"},
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
	{"HSD80", "trace", "LBR call stack/open calls",
	 "calls of what follows them have left * calls on the stack", SHOWS_TEXT, 0, 0},
	{"NHM-LBRSEL", "trace", "LBR without * jumps/*", "*instead of*", SHOWS_LIKE, 0, 0},
	{"SKL88", "trace", "BTS mispredictions/*", NULL, SHOWS_LIKE, 0, 0},
	{"W126", "sampling", "*/PEBS*/ring 3", "record*event does not occur at*", SHOWS_LIKE, 0, 0},
	{"W127", "sampling", "*/PEBS buffer full/*", "no interrupt at the threshold*", SHOWS_LIKE, 0, 0},
	{"HSD110", "sampling", "*/PEBS period/*", "record*", SHOWS_LIKE, 0, 0},
	{"HSD159", "sampling", "*/PEBS instruction/*", "record*", SHOWS_LIKE, 0, 0},
	{"HSD167", "sampling", "*/PEBS instruction/*", "record*", SHOWS_LIKE, 0, 0},
	{"BDD49", "sampling", "*/PEBS instruction/*", "record*", SHOWS_LIKE, 0, 0},
	{"AAJ80", "events", "BR_MISP_RETIRED.ALL_BRANCHES/*", NULL, SHOWS_LIKE_COUNT, 0, 0},
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
	{"BJ58", "control", "stop at an overflow/*", "status that stays after a freeze at an overflow*",
	 SHOWS_BITS, 1, 0},
	{"AAJ143", "control", "stop at an overflow/*", "status that stays after a stop at an overflow*",
	 SHOWS_BITS, 1, 0},
	{"BJ77", "control", "write near the top/FIXED_CTR2", "interrupts of writes*", SHOWS_MORE, 1, 1},
	{"BONNELL-LBRFRZ", "control", "freeze on an interrupt/LBR", "*LBR* after the interrupt is*",
	 SHOWS_TEXT, 0, 0},
	{"GLM-CTRFRZ", "control", "frozen or not/*", "a frozen counter goes on*", SHOWS_LIKE, 0, 0},
	{"BJ94", "control", "freeze on an interrupt/LBR", "source of the branch that froze the stack*",
	 SHOWS_TEXT, 0, 0},
	{"SKL186", "control", "freeze on an interrupt/LBR",
	 "newest record of a frozen stack that repeats the one before*", SHOWS_TEXT, 0, 0},
	{"HSD73", "control", "inverted threshold in one ring/*", "clocks of the other ring: all of them*",
	 SHOWS_TEXT, 0, 0},
	{"HSD91", "control", "interrupt? fixed/*", "*entry armed again and the status still set*", AGAIN},
	{"HSD143", "control", "order of enables/FIXED_CTR0", "instructions with the local enable first*",
	 SHOWS_MORE, 1, 32},
	{"HSD143", "control", "order of enables/the driver*", NULL, SHOWS_LIKE, 0, 0},
	{"AAJ91", "control", "programmed anew/*", "a counter that was programmed anew counts *", SHOWS_TEXT,
	 0, 0},
	{"BJ91", "control", "all threads/*", "instructions of all threads? fewer than*", SHOWS_LIKE, 0, 0},
	{"BDD59", "control", "all threads/*", "instructions of all threads in one ring*", SHOWS_LIKE, 0, 0},
	{"BJ91", "control", "both threads/*", NULL, SHOWS_LIKE, 0, 0},
	{"BJ122", "control", "beside the other thread/D0H*", "a count while the same counter*", SHOWS_LIKE, 0,
	 0},
	{"HSD171", "control", "load latency beside the other thread/*",
	 "*while the other logical processor works*", SHOWS_LIKE, 0, 0},
	{"BDD101", "control", "far branches of the other thread/*", NULL, SHOWS_LIKE, 0, 0},
	{"AAJ57", "control", "what does not occur/05H*", "an event*", SHOWS_LIKE, 0, 0},
	{"AAJ90", "control", "what does not occur/4FH*", "an event*", SHOWS_LIKE, 0, 0},
	{"AAJ127", "control", "what does not occur/06H*", "an event*", SHOWS_MORE, 1, INT64_MAX},
	{"BJ50", "control", "what does not occur/03H*", "an event*", SHOWS_MORE, 1, INT64_MAX},
	{"HSD65", "control", "what does not occur/C9H*", "an event*", SHOWS_MORE, 1, INT64_MAX},
	{"HSD135", "control", "unhalted/*", "over a halt*", SHOWS_MORE, 1, INT64_MAX},
	{"HSD176", "control", "counted over aborts/*", "over aborts*", SHOWS_LIKE, 0, 0},
	{"SKL179", "control", "kept over aborts/*", "over aborts*", SHOWS_LIKE, 0, 0},
	{"BDD96", "control", "processor trace/reading*", "while the trace is on? a record*", SHOWS_TEXT, 0,
	 0},
	{"BDD108", "control", "processor trace/records*", "while the trace is on? records*", SHOWS_TEXT, 0,
	 0},
	{"BDM106", "control", "processor trace/no*", "the trace is switched on without*", SHOWS_TEXT, 0, 0},
	{"SKL47", "control", "processor trace/writing*", "while the trace is on? a source*", SHOWS_TEXT, 0,
	 0},
	{"SKL51", "control", "processor trace/status", "the status of the trace*", SHOWS_TEXT, 0, 0},
	{"AAJ12", "control", "over an SMI/records", "after an SMI? branches*", SHOWS_LIKE, 0, 0},
	{"HSD52", "control", "over an SMI/the freeze", "after an SMI the freeze*", SHOWS_TEXT, 0, 0},
	{"AAJ27", "control", "counts of clocks/modulated", "with the clock halved*", SHOWS_TEXT, 0, 0},
	{"AAJ30", "control", "counts of clocks/wrap", "when IA32_APERF wraps*", SHOWS_TEXT, 0, 0},
	{"ADL26", "control", "counts of clocks/productive", "over a halt MSR_PPERF*", SHOWS_LIKE, 0, 0},
	{"AF36", "control", "trace with a slow clock/*", "branches traced*", SHOWS_LIKE, 0, 0},
	{"AAJ113", "control", "overflow about a halt/*", "overflows about a halt*", SHOWS_LIKE, 0, 0},
	{"AAJ79", "control", "declared event/3CH?01H",
	 "an event that CPUID leaf 0AH declares counts nothing*", SHOWS_TEXT, 0, 0},
	{"BV80", "control", "selectors read back/*", "a selector of the upper four reads*", SHOWS_TEXT, 0, 0},
	{"BDD116", "control", "ring 3 alone/*", "one of the upper four counts nothing of ring 3*", SHOWS_TEXT,
	 0, 0},
	{"SKL90", "control", "frozen by status/*", "a frozen counter of the upper four holds*", SHOWS_MORE, 1,
	 INT64_MAX},
	{"SKL164", "control", "*write IA32_PERF_GLOBAL_STATUS_SET? bit 63", NULL, SHOWS_TEXT, 0, 0},
	{"HSD172", "control", "source written back/LBR", "a source of the upper half is written*", SHOWS_TEXT,
	 0, 0},
	{"AAJ132", "control", "last exception record/*",
	 "the last exception record after code without an exception*", SHOWS_TEXT, 0, 0},
	{"AF25", "control", "last exception record/*",
	 "the last exception record after a check of a selector*", SHOWS_TEXT, 0, 0},
	{"FAM6-ZERO-LOOP", "control", "left at zero/*", "interrupts when it is left at 0*", AGAIN},
	{"MTL-PERFCAP", "control", "told of/metrics", NULL, SHOWS_MORE, -1, -1},
	{"BDM131", "control", "last exception record/*", "bits 63:61 of the last exception record's target*",
	 SHOWS_TEXT, 0, 0},
	{"BJ103", "control", "records of an overflow/short period", "records beyond*", SHOWS_LIKE, 0, 0},
	{"BJ92", "control", "records of an overflow/freeze", "records beyond*", SHOWS_LIKE, 0, 0},
	{"BJ97", "control", "records of an overflow/second event", "records beyond*", SHOWS_LIKE, 0, 0},
	{"BDD53", "control", "records of an overflow/low bits", "records beyond*", SHOWS_MORE, 1, 1000},
	{"BDD120", "control", "records of an overflow/inverted", "records beyond*", SHOWS_MORE, 1, 1000},
	/* Of dangerous=yes. */
	{"C2-BIGPEBS", "dangerous", "PEBS buffer of two pages/*", NULL, SHOWS_LIKE, 0, 0},
	{"BJ106", "dangerous", "PEBS switched while it counts/*", NULL, SHOWS_LIKE, 0, 0},
	{"AAJ74", "sampling", "*/load latency/*", "record * address *", SHOWS_LIKE, 0, 0},
	{"SPR-MEMLOADS-AUX", "sampling", "*/load latency/*", "record * latency*", SHOWS_LIKE, 0, 0},
	{0},
};

/* Of records and equations one kernel will do: what shows is how buffers, interrupts and rings go together.
 */
static const struct erratum_place places[] = {
	{"control", NULL, NULL, NULL, true},
	{"identities", NULL, "calls", NULL, true},
	{"trace", NULL, "calls", NULL, false},
	{"sampling", "PEBS", "calls", "INST_RETIRED.ANY_P,BR_INST_RETIRED.NEAR_CALL", false},
	{"sampling", "load latency", "clflush_reload",
	 "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_4,*LATENCY_ABOVE_THRESHOLD_4", false},
	{"events", NULL, "branches_random", "BR_MISP_RETIRED.ALL_BRANCHES", false},
	{NULL, NULL, NULL, NULL, false},
};

const struct errata intel_known_errata = {
	.prefix = NULL,
	.numbers = intel_errata_numbers,
	.row = intel_errata_rows,
	.count = &intel_errata_count,
	.part = intel_errata_parts,
	.counts = counts,
	.symptoms = symptoms,
	.places = places,
	.processor = x86_processor,
};
