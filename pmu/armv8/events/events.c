/*
 * The architectural and common events of PMUv3 (Arm ARM, D7.10).
 */
#include "pmu/armv8/armv8.h"
#include "pmu/armv8/registers.h"
#include "pmu/events/rows.h"

#define ANY_COUNTER ((1u << ARMV8_GENERAL) - 1)
#define TERM(quantity, coefficient)                                                                          \
	{                                                                                                    \
		Q_##quantity, coefficient                                                                    \
	}

enum rule { NONE, SPECULATIVE, STORE_EXCLUSIVE, PC_WRITES, ISB_TOO, SYSTEM_BRANCHES, RULES };

/* What is done on wrong paths, each of which a branch or an exception ends. */
#define WRONG_PATH 512
#define WRONG_PATHS                                                                                          \
	{                                                                                                    \
		{Q_BRANCHES, false, WRONG_PATH}, {Q_EXCEPTIONS, false, WRONG_PATH},                          \
			{Q_INTERRUPTS_HW, false, WRONG_PATH},                                                \
		{                                                                                            \
			Q_INTERRUPTS_NMI, false, WRONG_PATH                                                  \
		}                                                                                            \
	}

static const struct event_rule rules[RULES] = {
	[SPECULATIVE] = {"operations of wrong paths count, too", "Arm ARM D7.10.2", .may = WRONG_PATHS},
	[STORE_EXCLUSIVE] = {"whether a store exclusive that fails counts is the implementation's",
			     "Arm ARM D7.10.3, ST_RETIRED", .unsaid = {{Q_INSN_STX, false, 1}}},
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

static const struct pmu_event rows[] = {
#define EVENT(id, cores, selector, on, judged, named, least, where, ...)                                     \
	{.name = id,                                                                                         \
	 .code = selector,                                                                                   \
	 .counters = on,                                                                                     \
	 .fixed = (selector) == EVENT_CPU_CYCLES ? 0 : -1,                                                   \
	 .judgement = EVENT_REASONED(judged, named),                                                         \
	 .flags = EVENT_ENUMERATED,                                                                          \
	 .terms = {__VA_ARGS__},                                                                             \
	 .rule = (named) ? &rules[named] : NULL,                                                             \
	 .source = where},
#include "pmu/armv8/events/events.def"
#undef EVENT
};

unsigned armv8_rows(const struct pmu_event **out)
{
	*out = rows;
	return sizeof rows / sizeof rows[0];
}
