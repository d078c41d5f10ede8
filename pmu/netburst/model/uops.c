#include "pmu/netburst/model/uops.h"
#include "pmu/netburst/events/events.h"

#include <string.h>

const struct netburst_kind_of_uop netburst_kind_of_uop[NETBURST_KINDS_OF_UOP] = {
	{Q_UOPS_LOAD, Q_LOADS},      {Q_UOPS_STORE, Q_STORES},   {Q_UOPS_X87, Q_X87_OPS},
	{Q_UOPS_SP, Q_FP_128_SP},    {Q_UOPS_DP, Q_FP_128_DP},   {Q_UOPS_SS, Q_FP_SCALAR_SP},
	{Q_UOPS_SD, Q_FP_SCALAR_DP}, {Q_UOPS_MMX64, Q_INSN_MMX},
};

static uint32_t less(uint32_t all, uint32_t some)
{
	return all > some ? all - some : 0;
}

/* Mispredictions come from the machine model, if one feeds the step: the branch of the step is of one kind.
 */
static void sort_misprediction(uint32_t *q)
{
	static const struct {
		quantity_number branch, kind;
	} kinds[] = {
		{Q_BR_COND, Q_BR_MISPRED_COND},       {Q_BR_JMP_DIRECT, Q_BR_MISPRED_JMP},
		{Q_BR_CALL_DIRECT, Q_BR_MISPRED_JMP}, {Q_BR_CALL_INDIRECT, Q_BR_MISPRED_CALL},
		{Q_BR_RET, Q_BR_MISPRED_RET},         {Q_BR_JMP_INDIRECT, Q_BR_MISPRED_JMP_INDIRECT},
	};

	if (!q[Q_BR_MISPRED])
		return;
	q[q[Q_BR_COND_NTAKEN] ? Q_BR_MISPRED_NTAKEN : Q_BR_MISPRED_TAKEN] = q[Q_BR_MISPRED];
	for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (q[kinds[i].branch]) {
			q[kinds[i].kind] = q[Q_BR_MISPRED];
			return;
		}
}

/* The machine model, if one feeds the step, tells what was decoded: all micro-operations of the instruction.
 */
static void sort_deliveries(uint32_t *q)
{
	enum quantity from = q[Q_UOPS_DECODED] ? Q_UOPS_DECODED : Q_UOPS_CACHED;

	if (q[Q_UOPS])
		q[from] = q[Q_UOPS];
}

uint32_t netburst_retired_again(const uint32_t *q)
{
	int64_t times = 0;

	for (const struct event_term *t = netburst_rule[RULE_RETIREMENT].also; t->coefficient; t++)
		times += t->coefficient * (int64_t)q[t->quantity];
	return times > 0 ? (uint32_t)times : 0;
}

void netburst_uops(const struct step *step, struct uop_vector *out)
{
	uint32_t *q = out->amount, simd;

	memset(q, 0, sizeof out->amount);
	for (unsigned i = 0; i < step->n_terms; i++)
		q[step->terms[i].quantity] += step->terms[i].amount;

	out->tags = !(q[Q_BR_RET] || q[Q_BR_FAR] || q[Q_INSN_LOCKED]);
	for (unsigned i = 0; i < NETBURST_KINDS_OF_UOP && out->tags; i++)
		q[netburst_kind_of_uop[i].uops] = q[netburst_kind_of_uop[i].of];
	q[Q_UOPS] = q[Q_INSTRUCTIONS] + netburst_retired_again(q) + q[Q_LOADS] + 2 * q[Q_STORES];
	sort_deliveries(q);
	simd = q[Q_FP_128_SP] + q[Q_FP_128_DP] + q[Q_FP_SCALAR_SP] + q[Q_FP_SCALAR_DP];
	q[Q_UOPS_MMX128] = less(q[Q_INSN_SSE], q[Q_INSN_MMX] + simd);
	q[Q_UOPS_MOVES] = less(q[Q_INSN_X87], q[Q_X87_OPS]);
	if (q[Q_INSN_X87] + q[Q_INSN_MMX] + q[Q_INSN_SSE])
		q[Q_UOPS_FP_LOADS] = q[Q_LOADS];
	q[Q_UOPS_MEMORY_MOVES] = q[Q_UOPS_MOVES] + q[Q_UOPS_FP_LOADS];
	sort_misprediction(q);

	out->cycles = 0;
	if (!step->halted || step->sibling) {
		out->cycles = (q[Q_UOPS] + UOPS_PER_CYCLE - 1) / UOPS_PER_CYCLE;
		if (out->cycles < step->cycles)
			out->cycles = step->cycles;
		if (!out->cycles)
			out->cycles = 1;
	}
	q[Q_CYCLES] = q[Q_REF_CYCLES] = out->cycles;
}
