/*
 * The deviations that can be injected, and those hooks that are more than a line.
 */
#include "pmu/amd/errata/hooks.h"
#include "pmu/contract/counter_bank.h"
#include "pmu/contract/variation.h"

#define LATE_STEPS        3
#define RETIRED_PER_CYCLE 2  /* by family 16H */
#define OVERCOUNT_EACH    61 /* steps */
#define LOW_HALF          0xffffffffull

const struct model_injection amd_injections[] = {
#define AMD_INJECTION(id, name, summary) {name, summary},
#include "pmu/amd/errata/injections.def"
#undef AMD_INJECTION
	{NULL, NULL},
};
_Static_assert(sizeof amd_injections / sizeof *amd_injections <= MODEL_INJECTIONS_MAX + 1,
	       "a bit of struct model_injected for each");

/* Erratum 1023 begins anew when fewer than two counters are told to interrupt, running or not. */
void amd_hook_selected(struct amd_state *s)
{
	unsigned n = 0;

	for (unsigned c = 0; c < s->n; c++)
		n += s->select[c] & CTL_INT ? 1 : 0;
	if (n < 2)
		s->interrupted = false;
}

bool amd_hook_decoded(struct amd_state *s, unsigned c, uint64_t code)
{
	struct amd_counter *k = &s->counter[c];

	if (injected(s, INJECT_UNDOCUMENTED) && c == s->n - 1 && code == 0x1ff)
		k->weight[Q_BR_COND]++;
	return injected(s, INJECT_FILTERED) && k->event != 0x76 && k->event != 0xc0 && k->event != 0xc2;
}

void amd_hook_started(struct amd_state *s, uint32_t stopped)
{
	for (unsigned c = 0; c < s->n; c++) {
		struct amd_counter *k = &s->counter[c];

		if (injected(s, INJECT_OFF_BY_ONE) && s->started >> c & 1)
			k->value = counter_keeps(k->value + 1, k->mask);
		if (injected(s, INJECT_E795) && stopped >> c & 1 && k->carried)
			k->value &= ~LOW_HALF;
	}
}

/* The events of errata 1291 and 1292 (revision guides 56323 and 56683). */
static bool retire_event(unsigned event)
{
	return (event >= 0xc0 && event <= 0xc5) || (event >= 0xc8 && event <= 0xcc && event != 0xcb) ||
	       event == 0xd1 || event == 0x1c7 || event == 0x1d0;
}

static bool overcounts(const struct amd_state *s, unsigned c)
{
	const struct amd_counter *k = &s->counter[c];
	bool spared = c == 2 && s->select[c] & CTL_1292 && !k->interrupt;

	return (injected(s, INJECT_E990) && k->event == 0xcb) ||
	       (injected(s, INJECT_E1291) && retire_event(k->event)) ||
	       (injected(s, INJECT_E1292) && retire_event(k->event) && !spared);
}

uint64_t amd_hook_count(struct amd_state *s, unsigned c, const struct step *step, uint64_t amount)
{
	const struct amd_counter *k = &s->counter[c];

	if (c == COUNTER_IRPERF)
		return injected(s, INJECT_E1267)
			       ? amount + varied_extra(0, step->level, amd_amount(step, Q_BR_COND))
			       : amount;
	if (c >= s->n)
		return amount;
	if (injected(s, INJECT_E1266) && k->weight[Q_INSN_MMX] && amd_amount(step, Q_STORES))
		amount -= varied_extra(c, step->level, amount);
	if (amount && overcounts(s, c) && s->steps % VARIED_STEPS(OVERCOUNT_EACH) == 0)
		amount++;
	if (injected(s, INJECT_NOISY) && amount) {
		s->noise = s->noise * 1103515245 + 12345;
		amount += s->noise >> 16 & 63 ? 0 : 1;
	}
	if (injected(s, INJECT_X16))
		amount *= 16;
	if (injected(s, INJECT_DEAD) || (injected(s, INJECT_DEAD_COUNTER) && c == s->n - 1))
		amount = 0;
	return amount;
}

bool amd_hook_add(struct amd_state *s, unsigned c, uint64_t amount, uint64_t *sum, bool *carry)
{
	struct amd_counter *k = &s->counter[c];

	if (injected(s, INJECT_BACKWARDS) && c == s->n - 1) {
		k->value = counter_keeps(k->value - amount, k->mask);
		return true;
	}
	if ((k->value ^ *sum) >> 32 & 1)
		k->carried = VARIED_STEPS(RETIRED_PER_CYCLE);
	if (injected(s, INJECT_DROPPED_CARRY)) {
		*sum = (k->value & ~LOW_HALF) | (*sum & LOW_HALF);
		*carry = false;
	}
	if (injected(s, INJECT_SHORT_WIDTH)) {
		*carry = (k->value & LOW_HALF) + amount > LOW_HALF;
		*sum &= LOW_HALF;
	}
	return false;
}

static bool two_may_interrupt(const struct amd_state *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_running; i++)
		n += s->run_list[i] < s->n && s->counter[s->run_list[i]].interrupt;
	return n >= 2;
}

bool amd_hook_pmi_lost(struct amd_state *s)
{
	if (injected(s, INJECT_NO_PMI) ||
	    (injected(s, INJECT_E1023) && s->interrupted && two_may_interrupt(s)))
		return true;
	s->interrupted = true;
	return false;
}

bool amd_hook_pmi_late(struct amd_state *s)
{
	if (injected(s, INJECT_LATE_PMI))
		s->late = LATE_STEPS;
	return injected(s, INJECT_LATE_PMI);
}

uint64_t amd_hook_op_data(const struct amd_state *s, const struct step *step, uint64_t data)
{
	if (injected(s, INJECT_IBS_FAR) && data)
		data |= DATA2_FAR;
	if (injected(s, INJECT_E1293) && amd_amount(step, Q_PREFETCHES))
		data ^= 7;
	return data;
}
