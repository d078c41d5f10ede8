/*
 * What an instruction set tells tests/judge/bounds.c: a row for each micro-architectural quantity whose
 * amount follows from what a kernel does, and causes without which there is none of a quantity at all.
 *
 * Each number of a row is a LIMIT_VALUE_ constant, which the instruction set makes of its list of limits,
 * where each has its source. Example, tests/kernels/x86/bounds.c:
 *
 *     BOUND(SLOTS, NONE, NONE, PARTS(UP(CYCLES, SLOTS_FEWEST)), PARTS(UP(CYCLES, SLOTS_MOST)),
 *           "five to eight slots a cycle"),
 */
#ifndef TESTS_JUDGE_BOUND_ROWS_H
#define TESTS_JUDGE_BOUND_ROWS_H

#include "pmu/quantity/quantity.h"

#include <stdint.h>

/** amount of .of (its low end for a lower bound, else its high end; what is taken away: the other one) times
 * .times, divided by .per, rounded down */
struct bound_part {
	quantity_number of;
	int32_t times; /* 0 ends; negative: taken away, not below 0 altogether */
	uint16_t per;
	uint64_t flags;  /* only of kernels that have one of these; 0: of all */
	uint64_t unless; /* not of kernels that have one of these */
};

struct bound {
	quantity_number quantity;
	uint16_t low, high; /* fixed parts */
	const struct bound_part *low_parts, *high_parts;
	const char *reason;
};

/** Where a kernel has none of the causes, there is exactly nothing of the quantity. */
struct bound_cause {
	quantity_number quantity;
	quantity_number cause[7]; /* Q_INSTRUCTIONS, which is 0, ends */
};
_Static_assert(Q_INSTRUCTIONS == 0, "it ends a list of causes");

/** What the delivery of an interrupt pushes is no store of an instruction, but a store: its causes. */
#define BOUND_PUSHES Q_BR_FAR, Q_EXCEPTIONS, Q_INTERRUPTS_HW, Q_INTERRUPTS_NMI

struct bound_table {
	const struct bound *rows;
	unsigned n_rows;
	const struct bound_cause *causes; /* besides those of common quantities */
	unsigned n_causes;
};

/** The instruction set's. */
extern const struct bound_table bounds_instruction_set;

/* clang-format off */

/* Lists are of very different lengths: each takes what it needs. */
#define PARTS(...) ((const struct bound_part[]){__VA_ARGS__, {0}})

/* A part: as many as a limit for each unit of a quantity, one for so many units, or what another quantity has
 * less; of all kernels, or of those with certain flags. Numbers are LIMIT_VALUE_ ones alone. */
#define UP(of, limit)           {Q_##of, LIMIT_VALUE_##limit, 1, 0, 0}
#define UP_IN(flags, of, limit) {Q_##of, LIMIT_VALUE_##limit, 1, flags, 0}
#define UP_UNLESS(flags, of, limit) {Q_##of, LIMIT_VALUE_##limit, 1, 0, flags}
#define SHARE(of, limit)        {Q_##of, 1, LIMIT_VALUE_##limit, 0, 0}
#define SHARE_IN(flags, of, limit) {Q_##of, 1, LIMIT_VALUE_##limit, flags, 0}
#define SHARE_UNLESS(flags, of, limit) {Q_##of, 1, LIMIT_VALUE_##limit, 0, flags}
#define LESS(of)                {Q_##of, -1, 1, 0, 0}
#define LESS_IN(flags, of)      {Q_##of, -1, 1, flags, 0}

/* A row; one of which some number is a watchdog's says so in every verdict. */
#define BOUND(of, low, high, low_parts, high_parts, reason)                                                  \
	{Q_##of, LIMIT_VALUE_##low, LIMIT_VALUE_##high, low_parts, high_parts, reason}
#define WATCHED(of, low, high, low_parts, high_parts, reason)                                                \
	BOUND(of, low, high, low_parts, high_parts, "watchdog: " reason)

/* clang-format on */

#endif
