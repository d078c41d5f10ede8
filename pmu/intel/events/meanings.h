/*
 * The words that Intel's events and rules are written in: rows of pmu/intel/events/events.csv and
 * meanings.csv, rules.def and floors.def.
 */
#ifndef PMU_INTEL_EVENTS_MEANINGS_H
#define PMU_INTEL_EVENTS_MEANINGS_H

#include "pmu/events/rows.h"

#define TERM PACKED_TERM

/* The words of pmu/intel/events/rules.def. */
#define ALSO(...)     .also = {__VA_ARGS__}
#define MAY(...)      .may = {__VA_ARGS__}
#define UNSAID(...)   .unsaid = {__VA_ARGS__}
#define LESS(...)     .less = {__VA_ARGS__}
#define DELIVERED(id) .deliveries = &id
/* Instructions of which microcode alone accesses memory. */
#define MICROCODED UNSAID({Q_INSN_SEGMENT, 0, 1}, {Q_INTERRUPTS_SW, 0, 1})
#define AGAIN      1

/*
 * The most that is in flight on any core: the largest window and the largest queue before it. Lion Cove's
 * window holds 576 micro-operations (Intel, Lunar Lake, 2024: "512 -> 576 deep instruction window"). The
 * queue is composed: Redwood Cove's holds 192 (Optimization Reference Manual vol. 1: "192 uops per logical
 * processor in single-thread mode"; Golden Cove's 144, before a window of 512), of Lion Cove's own no
 * document was found. LLVM's scheduling model of Lion Cove, which Intel wrote, differs: 792 and a loop
 * detector of 200; others have measured 576. A pair of fused instructions is one, and cores that count
 * instructions here hold less than half as many.
 */
#define IN_FLIGHT (576 + 192)

/*
 * What is executed and does not retire. A misprediction and an exception let other code be begun, a machine
 * clear throws away what the kernel itself does later; a load that missed or could not be forwarded to is
 * dispatched once more.
 */
#define WRONG_PATHS                                                                                          \
	{Q_BR_MISPRED, 0, IN_FLIGHT}, {Q_EXCEPTIONS, 0, IN_FLIGHT}, {Q_CLEARS, AGAIN, IN_FLIGHT},            \
		{Q_L1D_LOAD_MISS, AGAIN, 1},                                                                 \
	{                                                                                                    \
		Q_STORE_FORWARD_BLOCK, AGAIN, 1                                                              \
	}

/* Entries of page tables: five a walk at most (SDM vol. 3, 4.5). */
#define WALK_READS                                                                                           \
	{Q_DTLB_LOAD_MISS, 0, 5}, {Q_DTLB_STORE_MISS, 0, 5},                                                 \
	{                                                                                                    \
		Q_ITLB_MISS, 0, 5                                                                            \
	}

enum intel_rule {
	NONE,
#define INTEL_RULE(id, ...) id,
#include "pmu/intel/events/rules.def"
#undef INTEL_RULE
};

enum intel_floor {
	FLOOR_NONE,
#define INTEL_FLOOR(id, ...) FLOOR_##id,
#include "pmu/intel/events/floors.def"
#undef INTEL_FLOOR
};

extern const struct event_rule intel_rules[];   /* by enum intel_rule; the first, NONE, is empty */
extern const struct event_floor intel_floors[]; /* by enum intel_floor; likewise */

#endif
