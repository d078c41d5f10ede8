/*
 * The deviations that can be injected, and those hooks that are more than a line.
 */
#include "pmu/contract/pmu.h"
#include "pmu/contract/counter_bank.h"
#include "pmu/contract/variation.h"
#include "pmu/intel/errata/hooks.h"

#define LATE_STEPS  3
#define AGAIN_STEPS 500 /* a handler has unmasked the local APIC's entry by then */

const struct model_injection intel_injections[] = {
#define INTEL_INJECTION(id, name, summary) {name, summary},
#include "pmu/intel/errata/injections.def"
#undef INTEL_INJECTION
	{NULL, NULL},
};
_Static_assert(sizeof intel_injections / sizeof *intel_injections <= MODEL_INJECTIONS_MAX + 1,
	       "a bit of struct model_injected for each");

/* --- registers -------------------------------------------------------------------------------------- */

void intel_hook_reset(struct intel_state *s)
{
	s->deviations.noise = 1;
	if (injected(s, INJECT_AAJ83))
		s->global_control |= (uint64_t)s->leaf.fixed << GLOBAL_FIXED_SHIFT;
}

uint64_t intel_hook_select(struct intel_state *s, unsigned c, uint64_t value)
{
	if (!injected(s, INJECT_FIRMWARE_ARMS) || c != s->leaf.n_general - 1u)
		return value;
	s->global_control =
		value ? s->global_control & ~intel_global_bit(c) : s->global_control | intel_global_bit(c);
	return value ? value : EVTSEL_EN | EVTSEL_OS | 0xc0;
}

uint64_t intel_hook_fixed(struct intel_state *s, unsigned c, uint64_t value)
{
	const struct intel_counter *k = &s->counter[c];

	if (injected(s, INJECT_BJ54) && c == VARIED_FIXED(INTEL_GENERAL_MAX + 1) && k->value == k->mask &&
	    (value & 0xfffffffe) == 0xfffffffe)
		value ^= 0xffff0000;
	if (injected(s, INJECT_BJ77) && c == VARIED_FIXED(INTEL_GENERAL_MAX + 2) && k->pmi &&
	    k->value > k->mask - VARIED_STEPS(0x3f))
		intel_raise_pmi(s);
	return value;
}

void intel_hook_acknowledged(struct intel_state *s)
{
	if (s->status || !s->deviations.repeat)
		return;
	s->deviations.repeat = false;
	s->pmi_pending = 0;
}

/* --- start and stop --------------------------------------------------------------------------------- */

bool intel_hook_decoded(struct intel_state *s, unsigned c)
{
	if (injected(s, INJECT_UNDOCUMENTED) && c == s->leaf.n_general - 1u &&
	    (s->select[c] & EVTSEL_CODE) == 0x1ff)
		s->counter[c].weight[Q_BR_COND] = 1;
	return injected(s, INJECT_FILTERED);
}

void intel_hook_started(struct intel_state *s, uint32_t before)
{
	uint32_t stopped = before & ~s->running;
	bool local_before = s->deviations.fixed_control & (FIXED_OS | FIXED_USR);

	for (unsigned c = 0; intel_hook_any(s) && c < INTEL_COUNTERS; c++) {
		struct intel_counter *k = &s->counter[c];
		uint64_t overflowed = s->deviations.overflow_step[c];

		if (s->started >> c & 1) {
			uint64_t more = injected(s, INJECT_OFF_BY_ONE);

			if (k->weight[Q_INSTRUCTIONS] && k->rings & LEVELS_SYSTEM)
				more += injected(s, INJECT_START_EMULATED);
			if (injected(s, INJECT_HSD143) && c == INTEL_GENERAL_MAX && local_before)
				more += varied_extra(c, 0, VARIED_STEPS(32));
			k->value = counter_keeps(k->value + more, k->mask);
		}
		/* "A few clocks": the instructions of a stop sequence. */
		if (injected(s, INJECT_BJ58) && stopped >> c & 1 && overflowed &&
		    s->steps - overflowed <= VARIED_STEPS(4))
			s->deviations.stuck |= intel_global_bit(c);
	}
	s->deviations.fixed_control = s->fixed_control;
}

/* --- count ------------------------------------------------------------------------------------------ */

uint8_t intel_hook_rings(const struct intel_state *s, unsigned c, uint8_t rings)
{
	if (injected(s, INJECT_RING_LEAK) && rings & 2)
		rings |= 1;
	if (injected(s, INJECT_W126) && rings && intel_pebs_samples(s, c))
		rings = 3;
	return rings;
}

uint64_t intel_hook_distorted(struct intel_state *s, unsigned c, const struct step *step, uint64_t amount)
{
	const struct intel_counter *k = &s->counter[c];
	bool instructions = k->weight[Q_INSTRUCTIONS], branches = k->weight[Q_BRANCHES];

	uint64_t extra = 0;

	if (injected(s, INJECT_W146) && branches)
		extra += intel_amount(step, Q_INSN_CPUID);
	if (injected(s, INJECT_SRF7) && (instructions || branches))
		extra += intel_amount(step, Q_BR_FAR);
	/* IRET alone is both a far branch and serialising. */
	if (injected(s, INJECT_BV52) && instructions && intel_amount(step, Q_BR_FAR) &&
	    intel_amount(step, Q_INSN_SERIALIZING))
		extra++;
	/* REP MOVS and REP STOS: what repeats, stores, and is no INS. */
	if (injected(s, INJECT_SKL91) && (instructions || branches) && intel_amount(step, Q_REP_ITERATIONS) &&
	    intel_amount(step, Q_STORES) && !intel_amount(step, Q_INSN_IO))
		extra++;
	amount += varied_extra(c, step->level, extra);
	if (injected(s, INJECT_SKL117) && k->clock.every && k->rings != 3 &&
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
		s->deviations.noise = s->deviations.noise * 1103515245 + 12345;
		amount += s->deviations.noise >> 16 & (injected(s, INJECT_NOISY) ? 63 : 7) ? 0 : 1;
	}
	if (injected(s, INJECT_X16))
		amount *= 16;
	if (injected(s, INJECT_DEAD) || (injected(s, INJECT_DEAD_COUNTER) && c == s->leaf.n_general - 1))
		amount = 0;
	return amount;
}

bool intel_hook_add(struct intel_state *s, unsigned c, uint64_t amount, uint64_t *sum, bool *carry)
{
	const uint64_t low = 0xffffffff;
	struct intel_counter *k = &s->counter[c];

	if (injected(s, INJECT_BACKWARDS) && c == s->leaf.n_general - 1) {
		k->value = counter_keeps(k->value - amount, k->mask);
		return true;
	}
	if (injected(s, INJECT_DROPPED_CARRY)) {
		*sum = (k->value & ~low) | (*sum & low);
		*carry = false;
	}
	if (injected(s, INJECT_SHORT_WIDTH)) {
		*carry = (k->value & low) + amount > low;
		*sum &= low;
	}
	return false;
}

/* --- overflow --------------------------------------------------------------------------------------- */

/* Other counters that have overflowed in this step. */
static uint32_t others(const struct intel_state *s, unsigned c)
{
	return s->overflowed & ~(1u << c);
}

static bool freezing(const struct intel_state *s)
{
	return s->debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI;
}

bool intel_hook_overflow(struct intel_state *s, unsigned c)
{
	s->deviations.overflow_step[c] = s->steps;
	return injected(s, INJECT_AAJ148) && freezing(s) && intel_is_fixed(c) &&
	       others(s, c) >> INTEL_GENERAL_MAX;
}

bool intel_hook_pmi_late(struct intel_state *s)
{
	s->deviations.repeat = injected(s, INJECT_HSD91);
	if (injected(s, INJECT_LATE_PMI))
		s->deviations.late = LATE_STEPS;
	return injected(s, INJECT_LATE_PMI);
}

void intel_hook_interrupted(struct intel_state *s, unsigned c)
{
	if ((injected(s, INJECT_AAJ119) && c == VARIED_FIXED(INTEL_GENERAL_MAX + 2) && others(s, c)) ||
	    (injected(s, INJECT_AAJ125) && c == VARIED_FIXED(INTEL_GENERAL_MAX) && freezing(s)))
		s->deviations.late = VARIED_STEPS(AGAIN_STEPS);
}

bool intel_hook_stepped(struct intel_state *s)
{
	if (!s->deviations.repeat || s->overflowed || s->pmi_pending)
		return false;
	s->pmi_pending = 1;
	return true;
}

/* --- records ---------------------------------------------------------------------------------------- */

bool intel_hook_lbr_repeated(struct intel_state *s, unsigned i, unsigned last, bool freezing_now)
{
	struct intel_lbr_state *l = &s->lbr;

	if (!injected(s, INJECT_SKL186) || !freezing_now)
		return false;
	l->from[i] = l->from[last];
	l->to[i] = l->to[last];
	l->info[i] = l->info[last];
	return true;
}

void intel_hook_bts(struct intel_state *s, const struct step *step, struct ds_branch *r)
{
	const uint64_t one_ring = DEBUGCTL_BTS_OFF_OS | DEBUGCTL_BTS_OFF_USR;

	if (injected(s, INJECT_SKL88))
		r->flags ^= DS_BRANCH_PREDICTED;
	if (injected(s, INJECT_HSD53) ||
	    (injected(s, INJECT_W125) && s->debugctl & one_ring && step->level != step->level_after))
		r->from = s->deviations.traced_from;
	s->deviations.traced_from = step->ip;
}

uint32_t intel_hook_recorded(struct intel_state *s, uint32_t hit)
{
	struct intel_deviations *d = &s->deviations;

	if (injected(s, INJECT_SKL104))
		hit |= s->pebs.armed & ~s->running;
	/* The record is of one occurrence, or of one instruction, further. */
	if (injected(s, INJECT_HSD110) && hit & ~d->delayed) {
		d->delayed |= hit;
		hit = 0;
	}
	if (injected(s, INJECT_PEBS_LATE)) {
		uint32_t held = d->held;

		d->held = hit & ~held;
		hit = held;
	}
	return hit;
}

bool intel_hook_reached(struct intel_state *s)
{
	if (!injected(s, INJECT_AJ69) || s->debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI)
		return false;
	intel_raise_pmi(s);
	return true;
}
