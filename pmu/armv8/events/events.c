/*
 * The architectural and common events of PMUv3 (Arm ARM, D7.10), and those of single cores.
 */
#include "pmu/armv8/events/events.h"
#include "pmu/armv8/registers.h"
#include "pmu/events/rows.h"

#define ANY_COUNTER ((1u << ARMV8_GENERAL) - 1)
#define TERM(quantity, coefficient)                                                                          \
	{                                                                                                    \
		Q_##quantity, coefficient                                                                    \
	}

/* The counter that counts nothing else: PMCCNTR_EL0, PMICNTR_EL0. */
#define FIXED(event) ((event) == EVENT_CPU_CYCLES ? 0 : (event) == EVENT_INST_RETIRED ? 1 : -1)

enum rule {
	NONE,
	SPECULATIVE,
	SPECULATIVE_WRITES,
	PREDICTED,
	OPERATIONS,
	LOADS_UNSAID,
	STORES_UNSAID,
	PC_WRITES,
	ISB_TOO,
	SYSTEM_BRANCHES,
	NO_OTHER_LEVEL,
	NO_ERRORS,
	NO_CODE_FAULTS,
	NO_FIRST_FAULT,
	TRACE_OFF,
	PROFILING_OFF,
	NO_OVERFLOW,
	TRIGGERS_OFF,
	TAGS_OFF,
	NO_SECOND_STAGE,
	RULES
};

/* What is in flight when all of it is thrown away: behind a branch that was predicted wrong, at an exception or
 * its return, behind a load that went ahead of a store. A load that missed may be issued once more. */
#define WRONG_PATH 512
#define WRONG_PATHS                                                                                          \
	{Q_BR_MISPRED, false, WRONG_PATH}, {Q_BR_FAR, false, WRONG_PATH},                                    \
		{Q_ORDER_CLEARED, false, WRONG_PATH}, {Q_LOADS_AGAIN, true, 1},                            \
		{Q_EXCEPTIONS, false, WRONG_PATH}, {Q_INTERRUPTS_HW, false, WRONG_PATH},                     \
	{                                                                                                    \
		Q_INTERRUPTS_NMI, false, WRONG_PATH                                                          \
	}

static const struct event_rule rules[RULES] = {
	[SPECULATIVE] = {"operations of wrong paths count, too", "Arm ARM D7.10.2", .may = {WRONG_PATHS}},
	[SPECULATIVE_WRITES] = {"operations of wrong paths count, too; whether exceptions that instructions "
				"ask for, their returns and ISB count is the implementation's",
				"Arm ARM, PC_WRITE_SPEC",
				.may = {{Q_BR_FAR, false, 1}, {Q_INSN_ISB, false, 1}, WRONG_PATHS}},
	[PREDICTED] = {"branches of wrong paths count, too; one that is predicted wrong need not",
		       "Arm's words on BR_PRED of Neoverse N1, which count those that were predicted right "
		       "(perf, arm64/arm/neoverse-n1)",
		       .may = {WRONG_PATHS}, .less = {{Q_BRANCHES, false, 1}}},
	[OPERATIONS] = {"operations of wrong paths count, too; a pair, an atomic, an unaligned access or a "
			"store exclusive that fails may be operations of their own",
			"Arm ARM, \"Speculatively executed\"",
			.may = {{Q_INSN_PAIR, false, 1},
				{Q_INSN_LOCKED, false, 2},
				{Q_UNALIGNED, false, 1},
				{Q_INSN_STX, false, 1},
				WRONG_PATHS}},
	[NO_OTHER_LEVEL] = {"no kernel asks EL2 or EL3 for anything, and nothing of EL1 is trapped there",
			    NULL},
	[NO_ERRORS] = {"errors of memories are not to happen", NULL},
	[NO_CODE_FAULTS] = {"no kernel goes where there is no code", NULL},
	[NO_FIRST_FAULT] = {"no kernel has first-fault loads of SVE", NULL},
	[TRACE_OFF] = {"the trace unit is off", NULL},
	[PROFILING_OFF] = {"profiling is off", "Arm ARM, SAMPLE_POP"},
	[NO_OVERFLOW] = {"no counter that may interrupt overflows meanwhile", "Arm ARM, PMU_OVFS"},
	[TRIGGERS_OFF] = {"cross triggers are a debugger's", "Arm ARM, CTI_TRIGOUT4"},
	[NO_SECOND_STAGE] = {"no second stage of translation is on", "Arm's words on L2D_S2_TLB of the Cortex-A55", .hypervisor = true},
	[TAGS_OFF] = {"no memory is tagged", NULL},
	[LOADS_UNSAID] = {"whether prefetches count is the implementation's", "Arm ARM D7.10.3, LD_RETIRED",
			  .unsaid = {{Q_PREFETCHES, false, 1}}},
	[STORES_UNSAID] = {"whether a store exclusive that fails and DC ZVA count is the implementation's",
			   "Arm ARM D7.10.3, ST_RETIRED",
			   .unsaid = {{Q_INSN_STX, false, 1}, {Q_INSN_ZERO, false, 1}}},
	[PC_WRITES] = {"whether exceptions that instructions ask for, their returns and ISB count is the "
		       "implementation's",
		       "Arm ARM D7.10.3, PC_WRITE_RETIRED",
		       .unsaid = {{Q_BR_FAR, false, 1}, {Q_INSN_ISB, false, 1}}},
	[ISB_TOO] = {"whether ISB counts is the implementation's", "Arm ARM D7.10.3, BR_IMMED_RETIRED",
		     .unsaid = {{Q_INSN_ISB, false, 1}}},
	[SYSTEM_BRANCHES] = {"whether exceptions that instructions ask for and their returns count is the "
			     "implementation's",
			     "Arm ARM D7.10.3, BR_RETIRED", .unsaid = {{Q_BR_FAR, false, 1}}},
};

enum {
	ARMV8_FLOOR_NONE,
#define ARM_FLOOR(id, ...) ARMV8_FLOOR_##id,
#include "pmu/armv8/events/floors.def"
#undef ARM_FLOOR
};

static const struct event_floor floors[] = {
#define Q(quantity, times)                                                                                   \
	{                                                                                                    \
		Q_##quantity, times                                                                          \
	}
#define ARM_FLOOR(id, divisor, words, ...)                                                                   \
	[ARMV8_FLOOR_##id] = {.text = words, .per = divisor, .of = {__VA_ARGS__}},
#include "pmu/armv8/events/floors.def"
#undef ARM_FLOOR
#undef Q
};

const struct armv8_row armv8_rows[] = {
#define EVENT(id, on_cores, selector, on, judged, named, least, where, ...)                                  \
	{{.name = id,                                                                                        \
	  .code = selector,                                                                                  \
	  .counters = on,                                                                                    \
	  .fixed = FIXED(selector),                                                                          \
	  .judgement = EVENT_REASONED(judged, named),                                                        \
	  .flags = (on_cores) ? EVENT_OF_CORE : EVENT_ENUMERATED,                                            \
	  .terms = {__VA_ARGS__},                                                                            \
	  .rule = (named) ? &rules[named] : NULL,                                                            \
	  .floor = ARMV8_FLOOR_##least ? &floors[ARMV8_FLOOR_##least] : NULL,                                \
	  .source = where},                                                                                  \
	 on_cores},
#include "pmu/armv8/events/events.def"
#undef EVENT
};
const unsigned armv8_row_count = sizeof armv8_rows / sizeof *armv8_rows;

enum armv8_core armv8_core_of(uint64_t midr)
{
	if (midr >> 24 != 0x41)
		return ARMV8_NO_CORE;
	switch (midr >> 4 & 0xfff) {
#define ARMV8_PART(id, part)                                                                                 \
	case part:                                                                                           \
		return ARMV8_##id;
#include "pmu/armv8/events/cores.def"
#undef ARMV8_PART
	default:
		return ARMV8_NO_CORE;
	}
}

/* Arm ARM, PMCEID0_EL0 and PMCEID1_EL0: 0 and 20H in the lower halves; from PMUv3p1 on in the upper ones
 * those 4000H higher. */
bool armv8_listed(unsigned event, const uint64_t ceid[2], unsigned version)
{
	unsigned low = event & ~0x4000u;

	if (low >= 0x40 || (event >= 0x4000 && version < PMUVER_3_1))
		return false;
	return ceid[low >> 5] >> ((low & 0x1f) + (event >= 0x4000 ? 32 : 0)) & 1;
}

bool armv8_has_row(const struct armv8_row *row, const uint64_t ceid[2], unsigned version, uint32_t core)
{
	return row->cores ? row->cores & core : armv8_listed((unsigned)row->event.code, ceid, version);
}

const struct armv8_row *armv8_row_of(unsigned event, const uint64_t ceid[2], unsigned version, uint32_t core)
{
	for (unsigned i = 0; i < armv8_row_count; i++)
		if (armv8_rows[i].event.code == event && armv8_has_row(&armv8_rows[i], ceid, version, core))
			return &armv8_rows[i];
	return NULL;
}
