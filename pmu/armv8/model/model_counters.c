/*
 * What a step adds to the counters that run (Arm ARM, "The Performance Monitors Extension").
 *
 * A step is one cycle group: its quantities fall into its first cycle, the clock ticks in every one. It
 * counts at the level that the instruction began at: ERET belongs to EL1, an exception to the level that it
 * is taken from.
 */
#include "pmu/armv8/errata/hooks.h"
#include "pmu/armv8/events/events.h"
#include "pmu/armv8/model/model.h"
#include "pmu/contract/counter_bank.h"

#include <string.h>

/* --- decoding ------------------------------------------------------------------------------------------- */

/* This machine has one micro-operation for each instruction, and none of its own besides. */
static void add_weight(struct armv8_counter *k, unsigned q, int weight)
{
	if (q == Q_CYCLES)
		k->clock = true;
	else if (q == Q_UOPS)
		k->weight[Q_INSTRUCTIONS] = (int8_t)(k->weight[Q_INSTRUCTIONS] + weight);
	else
		k->weight[q] = (int8_t)(k->weight[q] + weight);
}

/* Arm ARM, PMEVTYPER<n>_EL0: with P equal to NSK, Non-secure EL1 counts; EL0 likewise with U and NSU. */
static uint8_t levels_of(uint64_t type)
{
	bool system = !(type & TYPER_P) == !(type & TYPER_NSK),
	     user = !(type & TYPER_U) == !(type & TYPER_NSU);

	return (uint8_t)((system ? LEVELS_SYSTEM : 0) | (user ? LEVELS_USER : 0));
}

/* CONSTRAINED UNPREDICTABLE (Arm ARM, ReservedPMUThreshold()): as without a threshold. */
static bool is_reserved(const struct armv8_counter *k, unsigned compare)
{
	if (k->link == (LINK_ELSE | LINK_THEN))
		return true;
	return k->edge ? k->link == LINK_ELSE || !(compare & TC_EDGE) : k->link == LINK_THEN && k->once;
}

void armv8_decode(struct armv8_state *s, unsigned c)
{
	struct armv8_counter *k = &s->counter[c];
	const struct armv8_row *row;
	unsigned compare = k->type >> TYPER_TC & 7;
	bool edge = k->type & TYPER_TE;

	memset(k->weight, 0, sizeof k->weight);
	k->clock = c == ARMV8_CYCLES;
	k->event = c == ARMV8_CYCLES         ? EVENT_CPU_CYCLES
		   : c == ARMV8_INSTRUCTIONS ? EVENT_INST_RETIRED
					     : k->type & TYPER_EVENT;
	k->levels = levels_of(armv8_hook_filter(s, k->type));
	k->at = k->type >> TYPER_TH & ((1 << TYPER_TH_BITS) - 1);
	k->link = k->type >> TYPER_TLC & 3;
	k->compare = (uint8_t)(compare & ~(unsigned)TC_COUNT);
	k->once = compare & TC_COUNT;
	k->edge = edge;
	k->both = (compare & TC_EDGE) == TC_BOTH;
	k->met = false;
	k->held = c < ARMV8_CYCLES && (k->at || compare || k->link) && !is_reserved(k, compare);
	if (c == ARMV8_INSTRUCTIONS)
		add_weight(k, Q_INSTRUCTIONS, 1);
	if (c >= ARMV8_CYCLES || armv8_hook_decoded(s, c))
		return;
	/* PMSWINC_EL0 and the counter below count these. */
	if (k->event == EVENT_SW_INCR || k->event == EVENT_CHAIN)
		return;
	row = armv8_row_of(k->event, s->part->ceid, s->part->version, s->part->core);
	for (unsigned t = 0; row && t < EVENT_TERMS && row->event.terms[t].coefficient; t++)
		add_weight(k, row->event.terms[t].quantity, row->event.terms[t].coefficient);
}

/* --- which counters count ------------------------------------------------------------------------------- */

uint64_t armv8_highest(const struct armv8_state *s, unsigned c)
{
	return c >= ARMV8_CYCLES || s->part->version >= PMUVER_3_5 ? UINT64_MAX : UINT32_MAX;
}

/* Of the second range: an event counter that EL2 has kept (Arm ARM, MDCR_EL2.HPMN). */
static bool is_kept(const struct armv8_state *s, unsigned c)
{
	return c < ARMV8_CYCLES && c >= armv8_first_range(s);
}

/* Arm ARM, PMCR_EL0.LC and LP, MDCR_EL2.HLP; the instruction counter is always long. */
uint64_t armv8_overflows_at(const struct armv8_state *s, unsigned c)
{
	uint32_t wide = c == ARMV8_CYCLES ? PMCR_LC : PMCR_LP;
	bool is_long = c == ARMV8_INSTRUCTIONS || (is_kept(s, c) ? s->mdcr & MDCR_HLP : s->pmcr & wide);

	return is_long ? UINT64_MAX : UINT32_MAX;
}

/* Arm ARM, PMCR_EL0.FZO: counters of the first range freeze but for the cycle counter, which joins them where
 * PMCR_EL0.DP is set. MDCR_EL2.HPMFZO: those of the second one do. */
static bool is_frozen(const struct armv8_state *s, unsigned c)
{
	uint64_t first = armv8_mine(s) & ~(UINT64_C(1) << ARMV8_CYCLES);

	if (is_kept(s, c))
		return s->mdcr & MDCR_HPMFZO && s->overflowed & ~armv8_mine(s);
	/* FEAT_SPE_DPFZS is not there. */
	if (armv8_profiling_freezes(s) && armv8_hook_profiling(s) && c != ARMV8_CYCLES)
		return true;
	if (!armv8_hook_freezes(s) || !(s->overflowed & first))
		return false;
	return c != ARMV8_CYCLES || s->pmcr & PMCR_DP;
}

/* Arm ARM, PMCR_EL0.E and MDCR_EL2.HPME. */
static bool is_on(const struct armv8_state *s, unsigned c)
{
	return is_kept(s, c) ? s->mdcr & MDCR_HPME : s->pmcr & PMCR_E;
}

/* Arm ARM, CheckPMUOverflowCondition(): each range asks where it is on. */
static bool asks(const struct armv8_state *s)
{
	uint64_t both = s->overflowed & s->interrupting, mine = armv8_mine(s);

	return (s->pmcr & PMCR_E && both & mine) || (s->mdcr & MDCR_HPME && both & ~mine);
}

static bool is_chained(const struct armv8_state *s, unsigned c)
{
	return c % 2 == 1 && c < ARMV8_CYCLES && s->counter[c].event == EVENT_CHAIN;
}

static bool adds_up(const struct armv8_state *s, unsigned c)
{
	bool divided = c == ARMV8_CYCLES && s->pmcr & PMCR_D && !(s->pmcr & PMCR_LC);

	return !divided && !s->counter[c].held && armv8_overflows_at(s, c) == armv8_highest(s, c);
}

void armv8_update(struct armv8_state *s)
{
	uint64_t before = s->running;
	bool asked = s->asks;

	s->running = 0;
	s->quick = !armv8_hook_any(s);
	for (unsigned c = 0; c <= ARMV8_INSTRUCTIONS; c++) {
		if (!(armv8_hook_enabled(s) >> c & 1 && is_on(s, c)) || is_frozen(s, c))
			continue;
		s->running |= UINT64_C(1) << c;
		s->quick &= adds_up(s, c);
	}
	s->started = s->running & ~before;
	armv8_hook_started(s);
	s->asks = asks(s);
	if (s->asks && !asked && !armv8_hook_request(s))
		s->request = true;
}

/* --- counting ------------------------------------------------------------------------------------------- */

static void count(struct armv8_state *s, unsigned c, uint64_t amount);

/* Arm ARM, event CHAIN: an even counter that overflows at 32 bits is what its odd neighbour counts. */
static void chain(struct armv8_state *s, unsigned c)
{
	if (c % 2 == 0 && c + 1 < s->part->counters && is_chained(s, c + 1) && s->running >> (c + 1) & 1 &&
	    armv8_overflows_at(s, c) == UINT32_MAX)
		count(s, c + 1, armv8_hook_chained(s, 1));
}

static void count(struct armv8_state *s, unsigned c, uint64_t amount)
{
	struct armv8_counter *k = &s->counter[c];
	uint64_t at = armv8_overflows_at(s, c), low = k->value & at;
	uint64_t sum = armv8_hook_sum(s, c, k->value, amount);

	k->value = counter_keeps(sum, armv8_highest(s, c));
	if (!armv8_hook_overflows(s, c, counter_overflows(low, low + amount, at)))
		return;
	s->overflowed |= armv8_hook_status(s, UINT64_C(1) << c);
	chain(s, c);
}

/* Arm ARM, PMUCountValue(): V against TH by PMEVTYPER<n>_EL0.TC, TE and TLC. @param below  what the cycle adds
 * to the counter below
 * @return what it adds */
static uint64_t hold(const struct armv8_state *s, struct armv8_counter *k, uint64_t v, uint64_t below)
{
	bool met = k->compare == TC_NOT_EQUAL  ? v != k->at
		   : k->compare == TC_EQUAL    ? v == k->at
		   : k->compare == TC_AT_LEAST ? v >= k->at
					       : v < k->at;
	bool was = k->met;

	k->met = met;
	if (k->edge && !armv8_hook_levelled(s))
		return !(k->both ? met != was : met && !was) ? 0 : k->link ? below : 1;
	if (!met)
		return k->link == LINK_ELSE ? below : 0;
	if (k->link == LINK_THEN)
		return below;
	return k->once ? 1 : v;
}

/* PMCR_EL0.D: each 64th cycle. */
static uint64_t divide(struct armv8_state *s, uint32_t cycles)
{
	uint32_t sum = s->cycles + cycles;

	s->cycles = sum % 64;
	return sum / 64;
}

static bool sees(const struct armv8_state *s, unsigned c, uint8_t level)
{
	return counter_sees(armv8_hook_levels(s, s->counter[c].levels), level);
}

/* A write takes effect when it retires: what it has just started does not see it. */
static bool takes_part(const struct armv8_state *s, unsigned c, const struct step *step)
{
	return s->running >> c & 1 && !(step->own_write && s->started >> c & 1) && sees(s, c, step->level);
}

static uint64_t terms_of(const struct armv8_counter *k, const struct step *step)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < step->n_terms; i++)
		sum += k->weight[step->terms[i].quantity] * (int64_t)step->terms[i].amount;
	return (uint64_t)sum;
}

/* What a counter with a threshold adds, cycle by cycle, beside what its link adds: that is counted anew, from
 * what it was before this step. */
static uint64_t compared(struct armv8_state *s, unsigned c, const struct step *step, uint32_t cycles)
{
	struct armv8_counter *k = &s->counter[c], below = {0};
	bool linked = k->link && takes_part(s, c - 1, step);
	uint64_t v = terms_of(k, step) + (k->clock && cycles), under = 0, all = 0;
	uint32_t i = 0;

	if (linked) {
		below = s->counter[c - 1];
		below.met = below.before;
		under = terms_of(&below, step) + (below.clock && cycles);
	}
	k->before = k->met;
	do {
		all += hold(s, k, v, below.held ? hold(s, &below, under, 0) : under);
		v = k->clock;
		under = below.clock;
	} while (++i < cycles);
	return all;
}

static uint64_t amount_of(struct armv8_state *s, unsigned c, const struct step *step)
{
	struct armv8_counter *k = &s->counter[c];
	uint32_t cycles = step->halted ? 0 : step->cycles;

	if (k->held)
		return compared(s, c, step, cycles);
	if (c == ARMV8_CYCLES && s->pmcr & PMCR_D && !(s->pmcr & PMCR_LC))
		return divide(s, cycles);
	return terms_of(k, step) + (k->clock ? cycles : 0);
}

void armv8_software(struct armv8_state *s, uint64_t mask, uint8_t level)
{
	for (unsigned c = 0; c < s->part->counters; c++)
		if (mask >> c & 1 && s->running >> c & 1 && s->counter[c].event == EVENT_SW_INCR &&
		    sees(s, c, level))
			count(s, c, 1);
}

/* The lowest counter of some. */
static unsigned lowest(uint64_t counters)
{
	return (unsigned)__builtin_ctzll(counters);
}

bool armv8_advance(void *state, const struct step *step)
{
	struct armv8_state *s = state;
	uint64_t overflowed = s->overflowed, running = s->running;

	s->steps++;
	armv8_hook_step(s);
	for (uint64_t left = running; left; left &= left - 1) {
		unsigned c = lowest(left);
		uint64_t amount;

		if (!takes_part(s, c, step))
			continue;
		amount = armv8_hook_amount(s, c, step, amount_of(s, c, step));
		if (amount)
			count(s, c, amount);
	}
	s->started = 0;
	if (s->overflowed == overflowed)
		return false;
	armv8_update(s);
	return true;
}

int armv8_increments(void *state, const struct step *step, struct model_increment *out, unsigned room)
{
	struct armv8_state *s = state;
	unsigned n = 0;

	if (!s->quick || step->own_write)
		return -1;
	for (uint64_t left = s->running; left; left &= left - 1) {
		unsigned c = lowest(left);
		uint64_t amount;

		if (!sees(s, c, step->level))
			continue;
		amount = amount_of(s, c, step);
		if (!amount)
			continue;
		if (n == room || amount > armv8_highest(s, c))
			return -1;
		out[n++] =
			(struct model_increment){&s->counter[c].value, armv8_highest(s, c) - amount, amount};
	}
	return (int)n;
}

bool armv8_counts(const void *state, enum quantity q)
{
	const struct armv8_state *s = state;

	for (uint64_t left = s->running; left; left &= left - 1)
		if (s->counter[lowest(left)].weight[q])
			return true;
	return false;
}

/* An interrupt that a write asked for is taken behind it. */
bool armv8_counting(const void *state)
{
	const struct armv8_state *s = state;

	return s->running || s->request;
}
