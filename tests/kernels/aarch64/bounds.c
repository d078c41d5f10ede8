/*
 * AArch64's rows for tests/judge/bounds.c. Their numbers are those of limits.def, each with its source. How much there
 * must be at least follows from what kernels force: pmu/armv8/events/floors.def.
 */
#include "tests/judge/bound_rows.h"
#include "tests/kernels/aarch64/kernel.h"

#include <stddef.h>

enum limit {
	LIMIT_VALUE_NONE = 0,
#define LIMIT(name, value, kind, source) LIMIT_VALUE_##name = (value),
#include "tests/kernels/aarch64/limits.def"
#undef LIMIT
};

/* clang-format off */

/* What leads to accesses of data, so many for each. */
#define ACCESSES(limit)                                                                                      \
	UP(LOADS, limit), UP(STORES, limit), UP(PREFETCHES, limit), UP(INSN_MAINTENANCE, limit),             \
	UP(INSN_SVE, limit), UP(INSN_REGISTER_WRITE, limit), UP(INSN_SERIALIZING, limit), UP(BR_FAR, limit), \
	UP(EXCEPTIONS, limit), UP(INTERRUPTS_HW, limit), UP(INTERRUPTS_NMI, limit)

#define WAITING                                                                                              \
	UP(INSTRUCTIONS, CYCLES_INSTRUCTION), UP_IN(KERNEL_PRIVILEGED, INSTRUCTIONS, CYCLES_PRIVILEGED),     \
	ACCESSES(CYCLES_ACCESS), UP(INSN_DMB, CYCLES_BARRIER), UP(INSN_DSB, CYCLES_BARRIER),                 \
	UP(INSN_ISB, CYCLES_BARRIER)

#define CHAINED (KERNEL_SERVICE_CHAIN_L1 | KERNEL_SERVICE_CHAIN_LLC)

#define BY_ACCESSES "accesses lead to it, and NOPs that ran before to none"

static const struct bound rows[] = {
	WATCHED(BR_MISPRED, NONE, GUESSES_FIXED, NULL,
		PARTS(SHARE(BR_COND, ONE_IN_4), SHARE(BR_JMP_INDIRECT, ONE_IN_4), SHARE(BR_CALL_INDIRECT, ONE_IN_4),
		SHARE(BR_RET, ONE_IN_4), UP(BR_FAR, ONCE), UP(EXCEPTIONS, THERE_AND_BACK),
		UP(INTERRUPTS_HW, THERE_AND_BACK), UP(INTERRUPTS_NMI, THERE_AND_BACK)),
		"branches in a regular pattern that has been seen before: a predictor is right about most"),
	WATCHED(L1D_LOAD_MISS, NONE, DATA_WINDOW, NULL,
		PARTS(ACCESSES(OF_AN_ACCESS), UP(BR_MISPRED, WRONG_LOADS)),
		BY_ACCESSES),
	WATCHED(L1I_MISS, NONE, A_WINDOW, NULL,
		PARTS(UP(INSTRUCTIONS, OF_AN_INSTRUCTION), UP(INSN_MAINTENANCE, OF_A_WALK)),
		"how often is in no document"),
	WATCHED(LOADS_AGAIN, NONE, LINES_FIXED, NULL,
		PARTS(SHARE(LOADS, ONE_IN_4), UP_IN(CHAINED, LOADS, ONCE), UP(INSN_MAINTENANCE, ONCE)),
		"the working set has been touched before and fits the first level, but for kernels that say otherwise"),
	WATCHED(ORDER_CLEARED, NONE, NONE, NULL,
		PARTS(SHARE(STORES, ONE_IN_16)),
		"one processor runs: nobody else writes, and a load alone has nothing to go ahead of"),
	WATCHED(CACHES_SOME, NONE, DATA_WINDOW, NULL,
		PARTS(ACCESSES(OF_AN_ACCESS), UP(BR_MISPRED, WRONG_LOADS)),
		BY_ACCESSES),
	WATCHED(REQUESTS_SOME, NONE, REQUESTS_WINDOW, NULL,
		PARTS(ACCESSES(OF_AN_ACCESS), UP(BR_MISPRED, WRONG_LOADS)),
		BY_ACCESSES),
	WATCHED(LLC_REF, NONE, DATA_WINDOW, NULL,
		PARTS(ACCESSES(OF_AN_ACCESS), UP(BR_MISPRED, WRONG_LOADS)),
		BY_ACCESSES),
	WATCHED(LLC_MISS, NONE, DATA_WINDOW, NULL,
		PARTS(ACCESSES(OF_AN_ACCESS), UP(BR_MISPRED, WRONG_LOADS)),
		BY_ACCESSES),
	WATCHED(TRANSLATIONS_SOME, NONE, WALKS_WINDOW, NULL,
		PARTS(ACCESSES(OF_A_WALK), UP(BR_MISPRED, WRONG_LOADS)),
		BY_ACCESSES "; some events count cycles of walks"),
	WATCHED(PREDICTIONS_SOME, NONE, DATA_WINDOW, NULL,
		PARTS(UP(BRANCHES, GUESSES), UP(BR_MISPRED, WRONG_LOADS), UP(EXCEPTIONS, WRONG_LOADS),
		UP(INTERRUPTS_HW, WRONG_LOADS), UP(INTERRUPTS_NMI, WRONG_LOADS)),
		"branches are predicted, those of wrong paths as well"),
	WATCHED(CODE_SOME, NONE, A_WINDOW, NULL,
		PARTS(UP(INSTRUCTIONS, OF_AN_INSTRUCTION), UP(INSN_MAINTENANCE, OF_A_WALK)),
		"how often is in no document"),
	WATCHED(PIPELINE_SOME, NONE, A_WINDOW, NULL,
		PARTS(UP(INSTRUCTIONS, OF_AN_INSTRUCTION)),
		"how often is in no document"),
	WATCHED(UOPS, NONE, A_WINDOW, NULL,
		PARTS(UP(INSTRUCTIONS, OF_AN_INSTRUCTION)),
		"how often is in no document"),
	WATCHED(STALL_FRONTEND, NONE, CYCLES_WINDOW, NULL,
		PARTS(WAITING),
		"some of all cycles"),
	WATCHED(STALL_BACKEND, NONE, CYCLES_WINDOW, NULL,
		PARTS(WAITING),
		"some of all cycles"),
	WATCHED(MODE_SOME, NONE, CYCLES_WINDOW, NULL,
		PARTS(WAITING),
		"some of all cycles"),
	WATCHED(SLOTS_STALLED, NONE, NONE, NULL,
		PARTS(UP(STALL_BACKEND, SLOTS)),
		"some slots of all cycles"),
};
/* clang-format on */

static const struct bound_cause causes[] = {
	{Q_ORDER_CLEARED, {Q_LOADS}},
};

const struct bound_table bounds_instruction_set = {
	.rows = rows,
	.n_rows = sizeof rows / sizeof rows[0],
	.causes = causes,
	.n_causes = sizeof causes / sizeof causes[0],
};
