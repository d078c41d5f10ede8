/*
 * The micro-operation model: a fixed vector of uops for each instruction, derived from the quantities that it
 * contributes. It is a model, not silicon: it gives multi-occurrence events, thresholds and edges definite
 * values in every cycle, so that the logic behind them can be judged.
 *
 * One uop for the operation (two for those that instr_retired counts twice), one for each load, two for each
 * store (address and data). Of x87 and SSE arithmetic the operation's uop is of the kind that
 * pmu/quantity/x86.def weighs them with; of other instructions with an MMX or XMM operand it is an
 * integer SIMD uop, of other x87 ones a move. Everything comes from the trace cache, but what the machine
 * model, if one feeds the step, has decoded; nothing is speculative. Returns, far branches and locked
 * accesses cannot be tagged: load and store uops, which are only counted by their tags, they have none.
 *
 * An instruction with U uops retires in max(cycles of its step, U / 3 rounded up) cycles. Occurrences of uop
 * events come three a cycle, those of others fifteen a cycle, from the first of these cycles on.
 */
#ifndef PMU_NETBURST_MODEL_UOPS_H
#define PMU_NETBURST_MODEL_UOPS_H

#include "pmu/contract/model.h"

#define UOPS_PER_CYCLE   3
#define EVENTS_PER_CYCLE 15 /* what the four lines from an ESCR to a CCCR can carry. SDM 18.15.1 */

struct uop_vector {
	uint32_t amount[Q_COUNT]; /* the step's own quantities, and those derived from them */
	uint32_t cycles;          /* that the step takes */
	bool tags;                /* tagging reaches it: no return, far branch or locked access, 18.15.6.1 */
};

/** Kinds of micro-operations of which, where tagging reaches it, an instruction has as many as it has of an
 * architectural quantity. */
struct netburst_kind_of_uop {
	quantity_number uops, of;
};

#define NETBURST_KINDS_OF_UOP 8
extern const struct netburst_kind_of_uop netburst_kind_of_uop[NETBURST_KINDS_OF_UOP];

/** How often instructions retire once more for instr_retired: the rule of its row
 * (pmu/netburst/events/events.c).
 * @param q amounts, by quantity */
uint32_t netburst_retired_again(const uint32_t *q);

void netburst_uops(const struct step *step, struct uop_vector *out);

#endif
