/*
 * What the injected deviations do to counts. Those that belong to a register or to overflow are applied where
 * that is modelled.
 */
#include "pmu/intel/model/model.h"

const struct model_injection intel_injections[] = {
#define INTEL_INJECTION(id, name, summary) {name, summary},
#include "pmu/intel/model/injections.def"
#undef INTEL_INJECTION
	{NULL, NULL},
};
_Static_assert(sizeof intel_injections / sizeof *intel_injections <= MODEL_INJECTIONS_MAX + 1,
	       "a bit of struct model_injected for each");

uint64_t intel_distort(struct intel_state *s, unsigned c, const struct step *step, uint64_t amount)
{
	const struct intel_counter *k = &s->counter[c];
	bool instructions = k->weight[Q_INSTRUCTIONS], branches = k->weight[Q_BRANCHES];

	if (injected(s, INJECT_W146) && branches)
		amount += intel_amount(step, Q_INSN_CPUID);
	if (injected(s, INJECT_SRF7) && (instructions || branches))
		amount += intel_amount(step, Q_BR_FAR);
	/* IRET alone is both a far branch and serialising. */
	if (injected(s, INJECT_BV52) && instructions && intel_amount(step, Q_BR_FAR) &&
	    intel_amount(step, Q_INSN_SERIALIZING))
		amount++;
	if (injected(s, INJECT_SKL91) && instructions && intel_amount(step, Q_REP_ITERATIONS))
		amount++;
	if (injected(s, INJECT_SKL117) && k->clock && k->rings != 3 &&
	    intel_amount(step, Q_RING_TO_KERNEL) + intel_amount(step, Q_RING_TO_USER))
		amount = 0;

	if (injected(s, INJECT_LINE_END) && instructions && (step->ip & 63) == 63 &&
	    !intel_amount(step, Q_INSN_NOP))
		amount += intel_amount(step, Q_INSTRUCTIONS);
	if (injected(s, INJECT_SIBLING_LEAK) && instructions && step->sibling)
		amount += intel_amount(step, Q_INSTRUCTIONS);
	if (injected(s, INJECT_ODD_COUNTER) && c == s->leaf.n_general - 1 && branches)
		amount *= 2;
	if (injected(s, INJECT_X87_CONTROL_TWICE) && instructions)
		amount += intel_amount(step, Q_INSN_X87_CONTROL);
	if (injected(s, INJECT_INTERRUPT_EXTRA) && instructions)
		amount += intel_amount(step, Q_INTERRUPTS_HW) + intel_amount(step, Q_INTERRUPTS_NMI) +
			  intel_amount(step, Q_EXCEPTIONS);

	if ((injected(s, INJECT_NOISY) || (injected(s, INJECT_NOISY_BRANCHES) && branches)) && amount) {
		s->noise = s->noise * 1103515245 + 12345;
		amount += s->noise >> 16 & (injected(s, INJECT_NOISY) ? 63 : 7) ? 0 : 1;
	}
	if (injected(s, INJECT_X16))
		amount *= 16;
	if (injected(s, INJECT_DEAD) || (injected(s, INJECT_DEAD_COUNTER) && c == s->leaf.n_general - 1))
		amount = 0;
	return amount;
}
