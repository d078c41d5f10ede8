/*
 * Counters: when they run, what a step adds to them, overflow, interrupt, cascade. SDM vol.
 * 3, 18.15.3, 18.15.5.
 */
#include "pmu/contract/counter_bank.h"
#include "pmu/netburst/errata/hooks.h"
#include "pmu/netburst/model/model.h"

/* Whether a counter that is not enabled was started by another one's overflow: 18.15.5.5, 18.15.5.6. */
static bool cascaded(const struct netburst_state *s, unsigned c)
{
	return s->counter[c].started_by != NO_COUNTER;
}

/* With no ring named, or an event that is none, nothing is detected; then only a filter that passes few
 * occurrences counts: 18.15.1, 18.17.2. With event select 0 not even that does, as users have found. */
static bool sees_anything(uint32_t cccr, const struct netburst_line *k)
{
	if (k->event != NB_EVENTS && k->escr & (ESCR_T0_OS | ESCR_T0_USR | ESCR_T1_OS | ESCR_T1_USR))
		return true;
	return cccr & CCCR_COMPARE && cccr & CCCR_COMPLEMENT && k->escr & ESCR_EVENT;
}

void netburst_update(struct netburst_state *s)
{
	uint32_t before = s->running;
	bool quick = !netburst_hook_any(s);

	s->running = 0;
	s->recording = false;
	for (unsigned t = 0; t < 2; t++)
		s->recording |= s->thread[t].debugctl & DEBUGCTLA_LBR || netburst_traces(s, t);
	for (unsigned c = 0; c < NETBURST_COUNTERS; c++) {
		struct netburst_line *k = &s->counter[c];
		unsigned select = (s->cccr[c] & CCCR_SELECT) >> CCCR_SELECT_SHIFT;
		bool on = s->cccr[c] & CCCR_ENABLE || cascaded(s, c);
		enum netburst_escr_id e;

		if (!on)
			continue;
		e = netburst_hook_wire(s, c, netburst_wire(c, select, s->model));
		if (e == ESCR_NONE)
			continue;
		netburst_decode(s, c, e);
		if (!sees_anything(s->cccr[c], k))
			continue;
		s->running |= 1u << c;
		s->recording |= k->pebs;
		quick &= k->plain && !k->pmi_due;
	}
	s->quick = quick && !s->recording;
	s->started = s->running & ~before;
	for (unsigned c = 0; c < NETBURST_COUNTERS; c++)
		if (s->started >> c & 1)
			s->counter[c].level = false;
	netburst_hook_started(s, before);
}

/* 18.15.5.8, 18.16.2. Without Hyper-Threading there is one processor to interrupt. */
void netburst_raise_pmi(struct netburst_state *s, unsigned c)
{
	if (netburst_hook_pmi(s, c))
		return;
	for (unsigned t = 0; t < 2; t++)
		s->pmi_pending[t] += s->counter[c].pmi[t];
	s->changed = true;
}

/* Counters that wait for this one: 18.15.5.5, table 18-65. */
static void start_cascades(struct netburst_state *s, unsigned from)
{
	for (unsigned to = 0; to < NETBURST_COUNTERS; to++) {
		bool plain = s->cccr[to] & CCCR_CASCADE && netburst_cascade(from, to, false, s->model);
		bool extended =
			s->cccr[to] & CCCR_EXTENDED_CASCADE && netburst_cascade(from, to, true, s->model);

		if (netburst_hook_cascade(s, from, to, plain || extended) && !(s->cccr[to] & CCCR_ENABLE) &&
		    !cascaded(s, to)) {
			s->counter[to].started_by = (uint8_t)from;
			s->changed = true;
		}
	}
}

/* 18.15.3: OVF is sticky. */
static void overflow(struct netburst_state *s, unsigned c)
{
	if (!netburst_hook_status_lost(s))
		s->cccr[c] |= CCCR_OVF;
	s->changed = true;
	start_cascades(s, c);
}

/* The interrupt comes with the occurrence after the one that overflowed: 18.15.5.8. */
static void add(struct netburst_state *s, unsigned c, uint64_t amount)
{
	struct netburst_line *k = &s->counter[c];
	bool force = s->cccr[c] & CCCR_FORCE_OVF;
	bool asks = k->pmi[0] || k->pmi[1];
	uint64_t sum = k->value + amount, highest = NETBURST_HIGHEST;

	if (netburst_hook_add(s, c, &sum, &force))
		return;
	bool carry = counter_overflows(0, sum, highest);
	/* Occurrences of this step after the one that overflows. */
	uint64_t after = force ? amount - 1 : carry ? sum - highest - 1 : 0;

	k->value = counter_keeps(sum, highest);
	if (k->pmi_due) {
		netburst_raise_pmi(s, c);
		k->pmi_due = false;
	}
	if (!carry && !force)
		return;
	overflow(s, c);
	if (asks && after)
		netburst_raise_pmi(s, c);
	else
		k->pmi_due = asks;
}

/* Precise sampling: the occurrence after the one that overflowed is recorded, and the counter starts anew:
 * 18.15.7. What a step adds may be several of either. */
static void sample(struct netburst_state *s, unsigned c, uint64_t amount, const struct step *step)
{
	struct netburst_line *k = &s->counter[c];
	bool force = s->cccr[c] & CCCR_FORCE_OVF;

	while (amount) {
		uint64_t left = force ? 1 : counter_left(k->value, NETBURST_HIGHEST);

		if (k->pebs_due) {
			k->pebs_due = false;
			netburst_pebs(s, c, step);
			amount--;
		} else if (amount >= left) {
			amount -= left;
			k->value = counter_keeps(k->value + left, NETBURST_HIGHEST);
			k->pebs_due = true;
			overflow(s, c);
		} else {
			k->value += amount;
			return;
		}
	}
}

/* Threshold and edge, clock by clock: 18.15.5.3, 18.15.5.4. What is above the threshold passes and adds 1,
 * never the value. */
static uint64_t filtered(struct netburst_state *s, struct netburst_line *k, uint32_t cccr, uint64_t left)
{
	unsigned threshold = (cccr & CCCR_THRESHOLD) >> CCCR_THRESHOLD_SHIFT;
	struct counter_condition condition = {
		.at_least = (uint16_t)(threshold + 1),
		.invert = cccr & CCCR_COMPLEMENT,
		.edge = cccr & CCCR_EDGE,
	};
	const struct counter_flow flow = {left, k->per_cycle};

	netburst_hook_filter(s, &condition);
	return counter_cycles(&condition, flow, NULL, s->uops.cycles, &k->level);
}

/* What the lines from ESCR to CCCR carry of a step's occurrences: 18.15.1. */
static uint64_t carried(const struct netburst_state *s, unsigned c, const struct step *step)
{
	uint64_t most = (uint64_t)s->counter[c].per_cycle * s->uops.cycles;
	uint64_t amount = netburst_occurrences(s, c, step);

	return amount > most ? most : amount;
}

static void count(struct netburst_state *s, unsigned c, const struct step *step)
{
	struct netburst_line *k = &s->counter[c];
	uint64_t amount;

	if (!netburst_active(s, s->cccr[c], step)) {
		k->level = false;
		return;
	}
	amount = carried(s, c, step);
	if (!k->plain && s->cccr[c] & CCCR_COMPARE)
		amount = filtered(s, k, s->cccr[c], amount);
	if (netburst_hook_any(s))
		amount = netburst_hook_count(s, c, amount);
	if (amount && k->pebs)
		sample(s, c, amount, step);
	else if (amount)
		add(s, c, amount);
	if (amount && netburst_hook_neighbour(s, c))
		add(s, 12, amount);
}

int netburst_increments(void *state, const struct step *step, struct model_increment *out, unsigned room)
{
	struct netburst_state *s = state;
	unsigned n = 0;

	if (!s->quick || step->own_write || step->halted)
		return -1;
	netburst_uops(step, &s->uops);
	for (unsigned c = 0; c < NETBURST_COUNTERS; c++) {
		struct netburst_line *k = &s->counter[c];
		uint64_t amount;

		if (!(s->running >> c & 1) || !netburst_active(s, s->cccr[c], step))
			continue;
		amount = carried(s, c, step);
		if (!amount)
			continue;
		if (n == room)
			return -1;
		uint64_t limit = NETBURST_HIGHEST - amount;
		out[n++] = (struct model_increment){&k->value, limit, amount};
	}
	return (int)n;
}

bool netburst_advance(void *state, const struct step *step)
{
	struct netburst_state *s = state;
	uint32_t running = s->running;

	s->steps++;
	s->changed = false;
	netburst_uops(step, &s->uops);
	if (s->recording) {
		netburst_branch(s, step);
		netburst_hook_skidded(s, step);
	}
	for (unsigned c = 0; c < NETBURST_COUNTERS; c++) {
		/* A WRMSR takes effect when it retires: what it has just started does not see it. */
		if (!(running >> c & 1) || (step->own_write && s->started >> c & 1))
			continue;
		count(s, c, step);
	}
	if (s->changed)
		netburst_update(s);
	return netburst_hook_step(s) || s->changed;
}
