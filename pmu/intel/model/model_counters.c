/*
 * What a step adds to the counters that run.
 *
 * A step is one cycle group: its quantities fall into its first cycle, clocks tick in every one. It counts
 * for the ring that the instruction began in (SDM 18.2.1.1 defines USR and OS by the CPL at which the event
 * occurs): IRET, SYSRET and SYSEXIT belong to the ring that they leave, so do INT n, SYSCALL and SYSENTER;
 * the handler's first instruction is the first one of ring 0.
 */
#include "pmu/contract/counter_bank.h"
#include "pmu/intel/errata/hooks.h"
#include "pmu/intel/events/core_events.h"
#include "pmu/intel/events/events.h"
#include "pmu/intel/events/meanings.h"

#include <string.h>

#define SMI_LENGTH 100 /* what the firmware's handler adds to each counter */

/* Terms in a clock set the clock, all others the weights. Core cycles are those that are not halted; the
 * modelled TSC ticks with the core, the bus once in a number of cycles. This machine retires one
 * micro-operation per instruction. */
static void decode_terms(const struct intel_state *s, struct intel_counter *k, const struct event_term *term)
{
	k->clock.each = 1;
	for (unsigned i = 0; i < EVENT_TERMS && term[i].coefficient; i++) {
		unsigned q = term[i].quantity;
		if (q == Q_CYCLES || q == Q_SLOTS || q == Q_REF_CYCLES || q == Q_CYCLES_USER)
			k->clock.every = 1;
		else if (q == Q_BUS_CYCLES)
			k->clock.every = s->profile->bus_ratio;
		else if (q == Q_UOPS || q == Q_UOPS_FUSED)
			k->weight[Q_INSTRUCTIONS] += term[i].coefficient;
		else if (q == Q_UOPS_X87)
			k->weight[Q_X87_OPS] += term[i].coefficient;
		else
			k->weight[q] += term[i].coefficient;
		if (q == Q_SLOTS)
			k->clock.each = s->profile->slots;
		/* Cycles of one ring alone: the other ring's are not seen, or are taken off. */
		if (q == Q_CYCLES_USER)
			k->rings &= term[i].coefficient > 0 ? LEVELS_USER : LEVELS_SYSTEM;
	}
}

static void decode_event(const struct intel_state *s, struct intel_counter *k, const struct pmu_event *e)
{
	decode_terms(s, k, e->terms);
}

/*
 * What the core's own events make of a selector. An event that is defined with a counter mask, an edge or an
 * inversion counts as it is defined (*defined); any other use of these bits applies to the event that has the
 * same code and unit mask and none of them. NULL: there is no such event.
 */
static const struct intel_model_event *core_event(const struct intel_state *s, uint64_t select, bool *defined)
{
	const uint64_t conditions = EVTSEL_CMASK | EVTSEL_INV | EVTSEL_E;
	const struct intel_model_event *whole = NULL, *base = NULL;

	*defined = false;
	if (s->core == INTEL_NO_CORE)
		return NULL;
	unsigned first = 0, end = intel_model_event_count;
	while (first < end) {
		unsigned middle = (first + end) / 2;
		if ((intel_model_events[middle].selector & EVTSEL_CODE) < (select & EVTSEL_CODE))
			first = middle + 1;
		else
			end = middle;
	}
	for (unsigned i = first; i < intel_model_event_count; i++) {
		const struct intel_model_event *e = &intel_model_events[i];
		if ((e->selector ^ select) & EVTSEL_CODE)
			break;
		if (e->umask2 != (select >> EVTSEL_UMASK2_SHIFT & 0xff) ||
		    !(intel_core_sets[e->cores] >> s->core & 1))
			continue;
		if (e->selector == (select & (EVTSEL_CODE | conditions)))
			whole = e;
		if (!(e->selector & conditions))
			base = e;
	}
	*defined = whole != NULL && whole != base;
	return *defined ? whole : base;
}

static void decode_core_event(const struct intel_state *s, struct intel_counter *k, uint64_t select)
{
	bool defined;
	const struct intel_model_event *e = core_event(s, select, &defined);
	struct pmu_event meant;

	if (!e)
		return;
	intel_mean(&intel_meanings[e->meaning], &meant);
	decode_event(s, k, &meant);
	if (defined)
		k->simple = true;
}

/* What lists leave out: an erratum is about it. */
static const struct {
	uint16_t code;
	const char *cores[2];
	struct event_term terms[3];
} unlisted[] = {
	{0x0006, {"NHM", "WSS"}, {{Q_INSN_SEGMENT, 1}}},
	{0x01cc, {"IVB", "IVT"}, {{Q_INSN_EMMS, 1}}},
	{0x01b1, {"HSW", "HSX"}, {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 1}, {Q_STORES, 2}}},
};

static void decode_unlisted(const struct intel_state *s, struct intel_counter *k, uint64_t select)
{
	for (unsigned i = 0; i < sizeof unlisted / sizeof unlisted[0]; i++)
		for (unsigned c = 0; unlisted[i].code == (select & EVTSEL_CODE) && c < 2; c++)
			for (unsigned t = 0; s->core == intel_core_by_name(unlisted[i].cores[c]) && t < 3; t++)
				k->weight[unlisted[i].terms[t].quantity] += unlisted[i].terms[t].coefficient;
}

/* Exceptions of this core apply to an architectural event as well as to the core's own that has its code. */
static void decode_exception(const struct intel_state *s, struct intel_counter *k, uint64_t select)
{
	bool defined;
	const struct intel_model_event *e = core_event(s, select, &defined);

	if (!e)
		return;
	for (const struct event_term *t = intel_rules[intel_meanings[e->meaning].rule].also; t->coefficient;
	     t++)
		k->weight[t->quantity] += t->coefficient;
}

void intel_decode_general(struct intel_state *s, unsigned c)
{
	struct intel_counter *k = &s->counter[c];
	uint64_t select = s->select[c];

	memset(k->weight, 0, sizeof k->weight);
	/* The manual is silent on a selector that is changed while it counts: here the condition begins
	 * afresh. */
	k->level = false;
	k->clock = (struct counter_clock){0};
	/* SDM 18.2.1.1, figure 18-1; AnyThread: 18.2.3. */
	k->rings = (select & EVTSEL_OS ? 1 : 0) | (select & EVTSEL_USR ? 2 : 0);
	k->pmi = select & EVTSEL_INT;
	k->any = select & EVTSEL_ANY;
	k->theirs = 0;
	k->edge = select & EVTSEL_E;
	k->invert = select & EVTSEL_INV;
	k->cmask = select >> EVTSEL_CMASK_SHIFT & 0xff;
	k->equal = intel_hook_equal(s, select & EVTSEL_EQ);
	k->simple = !k->edge && !k->cmask;

	/* SDM 18.2.1.2: an architectural event that CPUID.0AH:EBX declares missing counts nothing here, as an
	 * unknown code does. */
	bool architectural = false;
	for (unsigned i = 0; i < intel_arch_event_count; i++) {
		const struct intel_arch_event *e = &intel_arch_events[i];
		uint64_t code = EVTSEL_CODE | EVTSEL_UMASK2;
		if (e->cpuid_bit >= 0 && (e->event.code & code) == (select & code) &&
		    intel_arch_event_available(s->leaf.eax, s->leaf.ebx, e->cpuid_bit)) {
			decode_event(s, k, &e->event);
			decode_exception(s, k, select);
			architectural = true;
		}
	}
	k->offcore = false;
	if (intel_hook_decoded(s, c) || architectural)
		return;
	k->offcore = intel_decode_offcore(s, k, select);
	if (!k->offcore)
		decode_core_event(s, k, select);
	decode_unlisted(s, k, select);
}

void intel_decode_fixed(struct intel_state *s, unsigned c)
{
	struct intel_counter *k = &s->counter[c];
	unsigned index = c - INTEL_GENERAL_MAX;
	uint64_t field = s->fixed_control >> 4 * index & FIXED_FIELD;

	memset(k->weight, 0, sizeof k->weight);
	k->clock.every = 0;
	/* SDM 18.2.2, figure 18-2 and table 18-2. */
	k->rings = (field & FIXED_OS ? 1 : 0) | (field & FIXED_USR ? 2 : 0);
	k->pmi = field & FIXED_PMI;
	k->any = field & FIXED_ANY;
	k->edge = k->invert = k->equal = false;
	k->cmask = 0;
	k->simple = true;
	for (unsigned i = 0; i < intel_arch_event_count; i++)
		if (intel_arch_events[i].event.fixed == (int)index)
			decode_event(s, k, &intel_arch_events[i].event);
	/* Slots by what became of them, told as model_metrics.c does: those lost to a misprediction, those
	 * lost to a fetch that missed, and one of each instruction that retires. */
	if (index == FIXED_BAD_SPECULATION)
		k->weight[Q_BR_MISPRED] = (int8_t)s->profile->slots;
	if (index == FIXED_FRONTEND)
		k->weight[Q_L1I_MISS] = k->weight[Q_ITLB_MISS] = (int8_t)s->profile->slots;
	if (index == FIXED_RETIRING)
		k->weight[Q_INSTRUCTIONS] = 1;
}

void intel_update_running(struct intel_state *s)
{
	uint32_t before = s->running;

	s->running = 0;
	s->n_running = 0;
	for (unsigned c = 0; c < INTEL_COUNTERS; c++) {
		const struct intel_counter *k = &s->counter[c];
		if (!k->mask || !k->rings)
			continue;
		/* SDM 18.2.1.1: EN. A fixed counter is enabled by its ring bits (18.2.2). */
		bool on = intel_is_fixed(c) || s->select[c] & EVTSEL_EN;
		/* SDM 18.2.2: local and global enable are ANDed. */
		uint64_t bit = intel_global_bit(c);
		if (s->leaf.version >= 2)
			on = on && intel_hook_enabled(s, s->global_control & bit);
		/* SDM 18.2.4.1: nothing counts while CTR_FRZ is set. */
		if (s->status & STATUS_CTR_FRZ && !intel_hook_unfrozen(s, c))
			on = false;
		if (on) {
			s->running |= 1u << c;
			s->run_list[s->n_running++] = c;
		}
	}

	s->quick = !intel_hook_any(s) && !intel_metrics_run(s) && !intel_platform_runs(s);
	for (unsigned i = 0; i < s->n_running; i++) {
		const struct intel_counter *k = &s->counter[s->run_list[i]];
		s->quick &= k->simple;
	}
	for (unsigned c = 0; c < INTEL_GENERAL_MAX; c++) {
		s->counter[c].latency = intel_pebs_is_latency(s, c);
		s->quick &= !(s->running >> c & 1 && s->counter[c].latency);
	}

	s->started = s->running & ~before;
	for (unsigned c = 0; c < INTEL_COUNTERS; c++) {
		struct intel_counter *k = &s->counter[c];
		if (s->started >> c & 1) {
			k->level = false;
			k->clock.since = 0;
		}
	}
	intel_hook_started(s, before);
}

void intel_raise_pmi(struct intel_state *s)
{
	if (intel_hook_pmi_lost(s))
		return;
	if (!intel_hook_pmi_late(s))
		s->pmi_pending++;
	s->freeze = true;
}

/* SDM 18.2.1 (the counter wraps and goes on), 18.2.2 (status, sticky until cleared through the overflow
 * control). */
static void overflow(struct intel_state *s, unsigned c)
{
	uint64_t bit = intel_global_bit(c);

	s->overflowed |= 1u << c;
	if (intel_hook_overflow(s, c))
		return;
	if (intel_pebs_samples(s, c))
		intel_pebs_overflow(s, c);
	if (s->leaf.version >= 2 && !intel_hook_status_lost(s))
		s->status |= bit;
	if (!s->counter[c].pmi)
		return;
	intel_raise_pmi(s);
	intel_hook_interrupted(s, c);
}

void intel_add(struct intel_state *s, unsigned c, uint64_t amount)
{
	struct intel_counter *k = &s->counter[c];
	uint64_t sum = k->value + amount;
	bool carry = counter_overflows(k->value, sum, k->mask);

	if (intel_hook_add(s, c, amount, &sum, &carry))
		return;
	s->pebs.hit |= s->pebs.armed & 1u << c;
	intel_lbr_log(s, c, amount);
	k->value = counter_keeps(sum, k->mask);
	if (carry)
		overflow(s, c);
}

/* It comes to all logical processors at once. */
static void take_smi(struct intel_state *s)
{
	s->smis++;
	if (s->other && !s->thread)
		take_smi(s->other);
	intel_hook_smi_taken(s);
	/* SDM 17.4.1; the bit exists only where IA32_PERF_CAPABILITIES[12] is set. */
	if (intel_hook_smm_frozen(s, s->debugctl & DEBUGCTL_FREEZE_WHILE_SMM))
		return;
	for (unsigned i = 0; i < s->n_running; i++)
		intel_add(s, s->run_list[i], SMI_LENGTH);
}

/* Threshold, then edge, cycle by cycle: SDM 18.2.1.1 (CMASK, INV, E). INV has no effect when CMASK is 0. */
static uint64_t conditional(struct intel_counter *k, uint64_t value, uint32_t cycles)
{
	struct counter_condition condition = {
		.at_least = k->cmask ? k->cmask : 1,
		.equal = k->cmask && k->equal,
		.invert = k->cmask && k->invert,
		.edge = k->edge,
	};
	const struct counter_flow flow = {value, FLOW_AT_ONCE};

	return counter_cycles(&condition, flow, &k->clock, cycles, &k->level);
}

bool intel_ring_selected(const struct intel_state *s, const struct intel_counter *k, uint8_t cpl)
{
	uint8_t rings = intel_hook_rings(s, (unsigned)(k - s->counter), k->rings);

	return counter_sees(rings, cpl);
}

static void count(struct intel_state *s, unsigned c, const struct step *step)
{
	struct intel_counter *k = &s->counter[c];
	uint32_t cycles = step->halted ? 0 : step->cycles;
	int64_t value = 0;

	/* In the other ring the condition is not seen, so an edge may follow when it is seen again. */
	if (!intel_ring_selected(s, k, step->level)) {
		k->level = false;
		if (intel_hook_other_ring(s, k))
			intel_add(s, c, cycles);
		return;
	}

	for (unsigned i = 0; i < step->n_terms; i++) {
		unsigned amount = step->terms[i].amount;
		value += k->weight[step->terms[i].quantity] * (int)amount;
	}
	if (k->latency)
		value += intel_pebs_slow_loads(s, step);
	value += (int64_t)k->theirs;
	k->theirs = 0;
	uint64_t amount = k->simple          ? value + counter_ticks(&k->clock, cycles)
			  : step->unfiltered ? (uint64_t)value
					     : conditional(k, value, cycles);
	amount = intel_hook_count(s, c, step, amount);
	if (!amount)
		return;
	intel_add(s, c, amount);
	if (intel_hook_neighbour(s, c))
		intel_add(s, 0, amount);
}

uint64_t intel_reload_value(const struct intel_state *s, unsigned c)
{
	uint64_t above = ~CFG_C_RELOAD;
	return ((s->cfg_c[c] & CFG_C_RELOAD) | above) & s->counter[c].mask;
}
/* Version 6, auto counter reload: an overflow loads the counters that name it in their reload masks. */
static void auto_reload(struct intel_state *s)
{
	uint64_t causes = 0;

	for (unsigned c = 0; c < INTEL_COUNTERS; c++)
		if (s->overflowed >> c & 1)
			causes |= intel_global_bit(c);
	for (unsigned c = 0; c < INTEL_COUNTERS; c++)
		if (s->reload_by[c] & causes && intel_hook_reloads(s, c, causes))
			s->counter[c].value = intel_reload_value(s, c);
}

/* Legacy freeze of versions 2 and 3 (SDM 17.4.7): the PMI clears the enables. From version 4 on (18.2.4.1) it
 * sets status bits that hold everything, and the enables keep their value. */
static void freeze_on_pmi(struct intel_state *s)
{
	s->freeze = false;
	bool counters = intel_hook_freezes_counters(s, s->debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI);
	bool records = intel_hook_freezes_branches(s, s->debugctl & DEBUGCTL_FREEZE_LBRS_ON_PMI);

	if (s->leaf.version >= 4u) {
		s->status |= (counters ? STATUS_CTR_FRZ : 0) | (records ? STATUS_LBR_FRZ : 0);
	} else {
		if (counters)
			s->global_control = 0;
		if (records)
			s->debugctl &= ~DEBUGCTL_LBR;
	}
	if (counters)
		intel_update_running(s);
}

bool intel_conclude(struct intel_state *s)
{
	bool frozen = s->freeze;

	if (s->freeze)
		freeze_on_pmi(s);
	bool again = intel_hook_stepped(s);
	return s->overflowed || frozen || again;
}

int intel_increments(void *state, const struct step *step, struct model_increment *out, unsigned room)
{
	struct intel_state *s = state;
	unsigned n = 0;

	if (!s->quick || step->own_write || step->halted)
		return -1;
	for (unsigned i = 0; i < s->n_running; i++) {
		struct intel_counter *k = &s->counter[s->run_list[i]];
		if (!intel_ring_selected(s, k, step->level))
			continue;
		bool divided = k->clock.every > 1;
		int64_t amount = k->clock.every && !divided ? (int64_t)step->cycles * k->clock.each : 0;
		for (unsigned j = 0; j < step->n_terms; j++)
			amount += k->weight[step->terms[j].quantity] * (int64_t)step->terms[j].amount;
		/* The divider of the bus clock counts up to its next tick, which advance() makes. */
		if (divided) {
			if (amount || step->cycles >= k->clock.every || n == room)
				return -1;
			out[n++] = (struct model_increment){&k->clock.since,
							    k->clock.every - step->cycles - 1, step->cycles};
			continue;
		}
		if (!amount)
			continue;
		if (amount < 0 || (uint64_t)amount > k->mask || n == room)
			return -1;
		uint64_t limit = k->mask - (uint64_t)amount;
		out[n++] = (struct model_increment){&k->value, limit, (uint64_t)amount};
	}
	return (int)n;
}

bool intel_counts(const void *state, enum quantity q)
{
	const struct intel_state *s = state;

	for (unsigned i = 0; i < s->n_running; i++) {
		const struct intel_counter *k = &s->counter[s->run_list[i]];
		if (k->weight[q] ||
		    (k->latency && (q == Q_LOADS || q == Q_L1D_LOAD_MISS || q == Q_L2_LOAD_MISS ||
				    q == Q_LLC_MISS || q == Q_DTLB_LOAD_MISS)))
			return true;
	}
	return false;
}

bool intel_advance(void *state, const struct step *step)
{
	struct intel_state *s = state;

	s->overflowed = 0;
	if (step->thread != s->thread)
		return intel_advance_other(s, step);
	s->steps++;
	if (intel_hook_smi(s))
		take_smi(s);
	intel_hook_step(s, step);
	for (unsigned i = 0; i < s->n_running; i++) {
		unsigned c = s->run_list[i];
		/* A WRMSR takes effect when it retires: what it has just started does not see it. */
		if (step->own_write && s->started >> c & 1)
			continue;
		count(s, c, step);
	}
	if (intel_platform_runs(s))
		intel_platform_advance(s, step);
	if (s->leaf.reloaded && s->overflowed)
		auto_reload(s);
	if (intel_metrics_run(s))
		intel_metrics_advance(s, step);
	/* The branch that retires with the interrupt is recorded, what follows is not. */
	if (intel_lbr_enabled(s))
		intel_lbr_advance(s, step, s->freeze);
	if (intel_bts_enabled(s))
		intel_bts_advance(s, step);
	bool changed = intel_pebs_on(s) && intel_pebs_advance(s, step);
	bool more = intel_conclude(s);
	return more || changed;
}
