/*
 * The deviations that can be injected, and those hooks that are more than a line.
 */
#include "pmu/armv8/errata/hooks.h"
#include "pmu/contract/counter_bank.h"

#define LATE_STEPS  3
#define SHORT       UINT64_C(0xffffff)
#define NOISE_STEPS 61
#define CARRY       UINT64_C(0xffff)

#define EVENT_LD_RETIRED 0x06

const struct model_injection armv8_injections[] = {
#define ARM_INJECTION(id, name, summary) {name, summary},
#include "pmu/armv8/errata/injections.def"
#undef ARM_INJECTION
	{NULL, NULL},
};
_Static_assert(sizeof armv8_injections / sizeof *armv8_injections <= MODEL_INJECTIONS_MAX + 1,
	       "a bit of struct model_injected for each");

static unsigned last_event_counter(const struct armv8_state *s)
{
	return armv8_first_range(s) - 1u;
}

bool armv8_hook_decoded(struct armv8_state *s, unsigned c)
{
	struct armv8_counter *k = &s->counter[c];

	k->held &= !injected(s, INJECT_THRESHOLD_OFF);
	if (injected(s, INJECT_LINK_IGNORED))
		k->link = 0;
	if (k->event != EVENT_LD_RETIRED || !injected(s, INJECT_SHIFTED))
		return false;
	k->weight[Q_INSN_STORE] = 1;
	return true;
}

void armv8_hook_started(struct armv8_state *s)
{
	for (unsigned c = 0; c < s->part->counters; c++)
		if (s->started >> c & 1 && injected(s, INJECT_OFF_BY_ONE))
			s->counter[c].value++;
}

bool armv8_hook_request(struct armv8_state *s)
{
	if (injected(s, INJECT_LATE_PMI))
		s->late = LATE_STEPS;
	return injected(s, INJECT_LATE_PMI) || injected(s, INJECT_NO_PMI) ||
	       (injected(s, INJECT_ENABLE_UNASKED) && s->written == PMCR_EL0);
}

void armv8_hook_step(struct armv8_state *s)
{
	if (s->late && !--s->late)
		s->request = true;
}

static uint64_t undefined(const struct step *step)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < step->n_terms; i++)
		n += step->terms[i].quantity == Q_EXC_UNDEF ? step->terms[i].amount : 0;
	return n;
}

uint64_t armv8_hook_amount(struct armv8_state *s, unsigned c, const struct step *step, uint64_t amount)
{
	struct armv8_counter *k = &s->counter[c];

	if (injected(s, INJECT_DEAD) || (injected(s, INJECT_DEAD_COUNTER) && c == last_event_counter(s)) ||
	    (injected(s, INJECT_INSTRUCTIONS_DEAD) && c == ARMV8_INSTRUCTIONS))
		return 0;
	if (injected(s, INJECT_UNDEFINED) && k->weight[Q_INSTRUCTIONS] > 0 && c < ARMV8_CYCLES)
		amount += undefined(step);
	if (injected(s, INJECT_NOISY) && amount && !k->clock && s->steps % NOISE_STEPS == 0)
		amount++;
	if (injected(s, INJECT_X16))
		amount *= 16;
	if (injected(s, INJECT_NEIGHBOUR) && c == 1)
		s->counter[0].value = counter_keeps(s->counter[0].value + amount, armv8_highest(s, 0));
	return amount;
}

uint64_t armv8_hook_sum(const struct armv8_state *s, unsigned c, uint64_t value, uint64_t amount)
{
	uint64_t sum = value + amount;

	if (c >= ARMV8_CYCLES)
		return sum;
	if (injected(s, INJECT_BACKWARDS) && c == last_event_counter(s))
		return value - amount;
	if (injected(s, INJECT_SHORT_WIDTH))
		return sum & SHORT;
	if (injected(s, INJECT_DROPPED_CARRY) && (value & CARRY) + amount > CARRY)
		return sum - CARRY - 1;
	return sum;
}

bool armv8_hook_overflows(const struct armv8_state *s, unsigned c, bool overflows)
{
	return overflows && !(injected(s, INJECT_BACKWARDS) && c == last_event_counter(s));
}
