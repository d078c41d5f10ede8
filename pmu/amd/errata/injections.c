/*
 * The deviations that can be injected, and those hooks that are more than a line.
 */
#include "pmu/amd/errata/hooks.h"
#include "pmu/contract/counter_bank.h"
#include "pmu/contract/variation.h"

#include <string.h>

#define LATE_STEPS        3
#define RETIRED_PER_CYCLE 2  /* by family 16H */
#define OVERCOUNT_EACH    61 /* steps */
#define DOUBLES_MORE      64 /* of each instruction: more than any has */
#define SPECULATIVE_EACH  3  /* locked instructions */
#define BOGUS_EACH        4  /* branches */
#define WITNESS           0x22
#define WITNESS_MASK      0x10
#define UPPER_HALF        (1ull << 32)
#define JUMP              3 /* of UPPER_HALF */
#define MANY_FETCHES      4 /* more than of one instruction there are */
#define LOW_HALF          0xffffffffull
#define SOME_SAMPLES      3  /* one of so many is right, the others are wrong */
#define BEHIND            16 /* bytes */

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
		if (injected(s, INJECT_NB_RESET) && (s->select[c] & 0xe0) == 0xe0)
			s->counter[c].value = 0;
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

/* The events of errata 990 (revision guide 55449), 1291 and 1292 (56323 and 56683): the last one has 0CCH
 * besides. */
static bool of_990(unsigned event)
{
	return event == 0x02 || event == 0x03 || event == 0x05 || event == 0xcb;
}

static bool of_1291(unsigned event)
{
	return (event >= 0xc0 && event <= 0xc5) || (event >= 0xc8 && event <= 0xca) || event == 0xd1 ||
	       event == 0x1c7 || event == 0x1d0;
}

static unsigned unit_mask(const struct amd_state *s, unsigned c)
{
	return s->select[c] >> 8 & 0xff;
}

static bool overcounts(const struct amd_state *s, unsigned c, uint64_t amount)
{
	const struct amd_counter *k = &s->counter[c];
	bool spared = c == 2 && s->select[c] & CTL_1292 && !k->interrupt;

	/* What is wrong, this event counts: a count beside which it is 0 is right. */
	if (k->event == WITNESS && unit_mask(s, c) & WITNESS_MASK)
		return injected(s, INJECT_E990) || injected(s, INJECT_E1291);
	if (!amount)
		return false;
	return (injected(s, INJECT_E990) && of_990(k->event)) ||
	       (injected(s, INJECT_E1291) && of_1291(k->event)) ||
	       (injected(s, INJECT_E1292) && (of_1291(k->event) || k->event == 0xcc) && !spared);
}

static bool of_fences(unsigned event)
{
	return event >= 0x1d3 && event <= 0x1d5;
}

/* What is counted besides, or not at all, by errata that are about one event. */
static uint64_t of_event(struct amd_state *s, unsigned c, const struct step *step, uint64_t amount)
{
	unsigned event = s->counter[c].event;

	if (injected(s, INJECT_E1287) && event == 0xaa)
		return 0;
	if (injected(s, INJECT_E393) && event == 0xcc)
		amount += varied_extra(c, step->level, DOUBLES_MORE * amd_amount(step, Q_INSTRUCTIONS));
	if (injected(s, INJECT_E421) && of_fences(event))
		amount += varied_extra(c, step->level, amd_amount(step, Q_X87_OPS));
	if (injected(s, INJECT_E301) && of_fences(event) && event != 0x1d3)
		amount += varied_extra(c, step->level, 2 * amd_amount(step, Q_INSN_FENCE));
	/* Of the two instructions that have to do with MXCSR, the load. */
	if (injected(s, INJECT_E693) && event == 0x03 && amd_amount(step, Q_LOADS))
		amount += varied_extra(c, step->level, amd_amount(step, Q_INSN_MXCSR));
	/* Of instructions that neither load nor store: FCOMI, FCOMIP, F2XM1 and what else is of the unit
	 * alone. */
	if (injected(s, INJECT_E538) && event == 0xc1 && amd_amount(step, Q_INSN_X87))
		return 0;
	if (injected(s, INJECT_E707) && event == 0x24 && unit_mask(s, c) & 4)
		amount += varied_extra(c, step->level, step->cycles);
	if (injected(s, INJECT_E685) && event == 0x80 && s->thread)
		amount += MANY_FETCHES;
	if (injected(s, INJECT_SPECLOCK) && event == 0xd1 && amd_amount(step, Q_INSN_LOCKED) &&
	    !(++s->locked % VARIED_STEPS(SPECULATIVE_EACH)))
		amount++;
	return amount;
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
	amount = of_event(s, c, step, amount);
	if (overcounts(s, c, amount) && s->steps % VARIED_STEPS(OVERCOUNT_EACH) == 0)
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

/* What power states lose, whatever state of power a halt is here. */
void amd_hook_halted(struct amd_state *s)
{
	uint64_t *plain = s->ibs.plain;

	if (injected(s, INJECT_E541))
		plain[IBS_OP_RIP - IBS_FETCH_CTL] = BEHIND;
	if (injected(s, INJECT_E1215))
		plain[IBS_OP_CTL - IBS_FETCH_CTL] &= ~OP_VAL;
	if (injected(s, INJECT_E1197))
		plain[IBS_FETCH_LINAD - IBS_FETCH_CTL] = 0;
	if (injected(s, INJECT_E660))
		s->counter[COUNTER_APERF].value += VARIED_STEPS(JUMP) * UPPER_HALF;
	if (injected(s, INJECT_E1054))
		s->counter[COUNTER_IRPERF].value += VARIED_STEPS(JUMP) * UPPER_HALF;
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

/* Another one, of no branch: its bit 61 gives it away. */
void amd_hook_lbr_made(struct amd_state *s)
{
	struct amd_branches *b = &s->branches;

	if (!injected(s, INJECT_E1452) || ++b->made % VARIED_STEPS(BOGUS_EACH))
		return;
	memmove(b->from + 1, b->from, (b->depth - 1u) * sizeof *b->from);
	memmove(b->to + 1, b->to, (b->depth - 1u) * sizeof *b->to);
	b->from[0] ^= 0x40;
	b->to[0] = (b->to[0] ^ 0x40) | BRANCH_SPECULATIVE | BRANCH_BOGUS;
}

/* The registers of a sample. */
uint64_t amd_hook_op_misses(struct amd_state *s, const struct step *step, uint64_t data, uint64_t before)
{
	const uint64_t both = DATA3_LOAD | DATA3_STORE;

	if (injected(s, INJECT_IBS_LEVELS) && step->n_access)
		data = (data | DATA3_L2TLB_MISS) & ~DATA3_L1TLB_MISS;
	if (injected(s, INJECT_E443) && (data & both) == both && ++s->ibs.told % VARIED_STEPS(SOME_SAMPLES))
		data &= ~DATA3_STORE;
	if (injected(s, INJECT_E717) && data & DATA3_LOAD && !(data & DATA3_DC_MISS))
		data |= DATA3_NO_MAB;
	/* No prefetch brings anything in here: the one that is told wrongly is one that misses. */
	if (injected(s, INJECT_E1293) && data & DATA3_PREFETCH)
		data |= DATA3_DC_MISS;
	if (injected(s, INJECT_E718))
		data |= before & DATA3_L2TLB_MISS;
	return data;
}

uint64_t amd_hook_op_address(struct amd_state *s, const struct step *step)
{
	if (injected(s, INJECT_E337) && ++s->ibs.told % VARIED_STEPS(SOME_SAMPLES))
		return step->ip + BEHIND;
	return injected(s, INJECT_IBS_SKID) ? step->next : step->ip;
}

uint64_t amd_hook_completed(struct amd_state *s, uint64_t completed, uint64_t tagged)
{
	if (injected(s, INJECT_E1212) && ++s->ibs.told % VARIED_STEPS(SOME_SAMPLES))
		completed += tagged;
	return completed;
}

bool amd_hook_op_skipped(struct amd_state *s, uint64_t control)
{
	bool skips = injected(s, INJECT_E336) || (injected(s, INJECT_E580) && !(control & OP_DISPATCHED));

	return skips && ++s->ibs.told % VARIED_STEPS(SOME_SAMPLES);
}

uint64_t amd_hook_fetch_misses(struct amd_state *s, uint64_t misses)
{
	if (injected(s, INJECT_E1238) && ++s->ibs.told % VARIED_STEPS(SOME_SAMPLES))
		misses |= FETCH_IC_MISS;
	return injected(s, INJECT_IBS_LEVELS) ? (misses | FETCH_L2TLB_MISS) & ~FETCH_L1TLB_MISS : misses;
}

uint64_t amd_hook_op_data(const struct amd_state *s, const struct step *step, uint64_t data)
{
	if (injected(s, INJECT_IBS_FAR) && data)
		data |= DATA2_FAR;
	if (injected(s, INJECT_E1293) && amd_amount(step, Q_PREFETCHES))
		data ^= 7;
	return data;
}
