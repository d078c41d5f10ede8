/*
 * What a step adds to the counters that run.
 *
 * A step is one cycle group: its quantities fall into its first cycle, the clock ticks in every one. It
 * counts for the ring that the instruction began in, as on Intel's model: IRET and SYSRET belong to the ring
 * that they leave, an interrupt to the one that it interrupts.
 */
#include "pmu/amd/errata/hooks.h"
#include "pmu/amd/events/events.h"
#include "pmu/amd/model/model.h"
#include "pmu/contract/counter_bank.h"
#include "pmu/events/rows.h"

#include <string.h>

/* APM 13.2.1: event select in bits 35:32 and 7:0, unit mask in 15:8. */
static uint64_t code_bits(void)
{
	uint64_t code = CTL_CODE;
	return code;
}

/* This machine has one micro-operation for each instruction or operation, and none of its own besides; it
 * looks the data cache up once for an access, and reads the code that it misses. */
static void add_weight(struct amd_counter *k, unsigned q, int weight)
{
	static const struct {
		quantity_number of, parts[2];
	} sums[] = {
		{Q_UOPS_FUSED, {Q_INSTRUCTIONS, Q_INSTRUCTIONS}},
		{Q_UOPS_X87, {Q_X87_OPS, Q_X87_OPS}},
		{Q_UOPS_FP_SCALAR, {Q_FP_SCALAR_SP, Q_FP_SCALAR_DP}},
		{Q_UOPS_FP_128, {Q_FP_128_SP, Q_FP_128_DP}},
		{Q_L1D_ACCESS, {Q_LOADS, Q_STORES}},
		{Q_CODE_READS, {Q_L1I_MISS, Q_L1I_MISS}},
	};

	static const quantity_number kinds[] = {Q_FLOPS_SP_ADD, Q_FLOPS_SP_MUL, Q_FLOPS_SP_DIV,
						Q_FLOPS_SP_MAC, Q_FLOPS_DP_ADD, Q_FLOPS_DP_MUL,
						Q_FLOPS_DP_DIV, Q_FLOPS_DP_MAC};

	/* Minima and their like do not count here: where they are taken away, that is all but the kinds. */
	if (q == Q_FLOPS_OTHER && weight < 0) {
		k->weight[Q_FLOPS_SP] = k->weight[Q_FLOPS_DP] = 0;
		for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
			k->weight[kinds[i]] = 1;
		return;
	}
	k->weight[q] = (int8_t)(k->weight[q] + weight);
	for (unsigned i = 0; i < sizeof sums / sizeof sums[0]; i++)
		for (unsigned p = 0; q == sums[i].of && p < 2; p++)
			if (!p || sums[i].parts[p] != sums[i].parts[0])
				k->weight[sums[i].parts[p]] = (int8_t)(k->weight[sums[i].parts[p]] + weight);
}

void amd_decode(struct amd_state *s, unsigned c)
{
	struct amd_counter *k = &s->counter[c];
	uint64_t select = s->select[c], code = code_bits();

	memset(k->weight, 0, sizeof k->weight);
	k->clock = false;
	/* The guides are silent on a selector that is changed while it counts: here the condition begins
	 * afresh. */
	k->level = false;
	k->event = (select & 0xff) | (select >> 24 & 0xf00);
	k->rings = (select & CTL_OS ? 1 : 0) | (select & CTL_USR ? 2 : 0);
	k->interrupt = select & CTL_INT;
	k->edge = select & CTL_EDGE;
	k->invert = select & CTL_INV;
	k->cmask = select >> CTL_CMASK_SHIFT & 0xff;
	k->large = k->event == EVENT_LARGE && amd_merges(s->generation);
	k->simple = !k->edge && !k->cmask;

	if (amd_hook_decoded(s, c, select & code))
		return;
	for (unsigned i = 0; i < amd_event_count; i++) {
		const struct amd_event *e = &amd_events[i];
		if (!(e->generations & s->generation) || (amd_code(e) & code) != (select & code))
			continue;
		/* BKDG of 15H, 2.7.1: on a counter that cannot count the event nothing is counted. */
		if (s->generation == AMD_15H && !(e->bulldozer >> c & 1))
			continue;
		for (unsigned t = 0; t < AMD_TERMS && e->terms[t]; t++) {
			unsigned q = (e->terms[t] & ~EVENT_MINUS) - 1;
			int weight = e->terms[t] & EVENT_MINUS ? -1 : 1;
			if (q == Q_CYCLES || q == Q_REF_CYCLES)
				k->clock = true;
			else
				add_weight(k, q, weight);
		}
	}
}

/* MPERF, APERF: core cycles while not halted, at one frequency. IRPERF: instructions. APM 17.2, 13.2. */
void amd_decode_free(struct amd_state *s)
{
	s->counter[COUNTER_MPERF].clock = s->counter[COUNTER_APERF].clock = true;
	s->counter[COUNTER_IRPERF].weight[Q_INSTRUCTIONS] = 1;
	for (unsigned c = COUNTER_MPERF; c < AMD_COUNTERS; c++) {
		s->counter[c].rings = 3;
		s->counter[c].simple = true;
	}
	if (s->has_aperf)
		s->counter[COUNTER_MPERF].mask = s->counter[COUNTER_APERF].mask = ~0ull;
	if (s->has_irperf)
		s->counter[COUNTER_IRPERF].mask = ~0ull;
}

/* APM 13.2.1, table of the host and guest bits: of all three combinations, "if EFER.SVME is 1". What happens
 * else Linux's commit 1018faa6cf23 tells, by AMD, of parts of its time: such a counter does not count at all,
 * which is why the host bit is masked out where SVM is off (perf_ctr_virt_mask). KVM's emulation of 2026
 * disagrees: it takes the bits as ignored then. A guest of the stepped code's own is one of this machine's.
 */
static uint64_t only(const struct amd_state *s, unsigned c)
{
	return c < s->n ? amd_hook_worlds(s, s->select[c] & (CTL_HOST | CTL_GUEST)) : 0;
}

static bool has_world(const struct amd_state *s, unsigned c)
{
	return !only(s, c) || s->svme;
}

static bool in_its_world(const struct amd_state *s, unsigned c, bool guest)
{
	uint64_t worlds = only(s, c);

	if (!worlds)
		return true;
	if (guest)
		return worlds & amd_hook_guest(s, CTL_GUEST);
	return worlds & CTL_HOST;
}

static bool enabled(const struct amd_state *s, unsigned c)
{
	if (c == COUNTER_IRPERF)
		return s->hwcr & HWCR_IRPERF;
	if (c >= COUNTER_MPERF)
		return s->watched;
	if (!(s->select[c] & CTL_EN) || !has_world(s, c))
		return false;
	if (!s->v2)
		return true;
	/* APM 13.2.1: global and local enable are ANDed; nothing counts while the frozen bit is set. */
	if (s->status & STATUS_PMC_FROZEN)
		return false;
	return amd_hook_enabled(s, s->global_control >> c & 1);
}

/* PPR of family 17H, large increments: an even counter and the odd one behind it, which has the merge event,
 * is enabled and counts nothing of its own. */
static bool is_merged(const struct amd_state *s, unsigned c)
{
	return amd_merges(s->generation) && c % 2 == 0 && c + 1 < s->n &&
	       s->counter[c + 1].event == EVENT_MERGE && enabled(s, c + 1) && !amd_hook_no_merge(s);
}

void amd_update_running(struct amd_state *s)
{
	uint32_t before = s->running;

	s->running = s->merged = 0;
	s->n_running = 0;
	s->quick = !amd_hook_any(s);
	for (unsigned c = 0; c < AMD_COUNTERS; c++) {
		struct amd_counter *k = &s->counter[c];
		if (!k->mask || !k->rings || !enabled(s, c))
			continue;
		s->running |= 1u << c;
		s->run_list[s->n_running++] = c;
		s->merged |= (uint32_t)is_merged(s, c) << c;
		s->quick &= k->simple && (!k->large || s->merged >> c & 1);
	}

	s->started = s->running & ~before;
	uint32_t stopped = before & ~s->running;
	for (unsigned c = 0; c < s->n; c++)
		if (s->started >> c & 1)
			s->counter[c].level = false;
	amd_hook_started(s, stopped);
}

void amd_raise_pmi(struct amd_state *s)
{
	if (amd_hook_pmi_lost(s))
		return;
	if (!amd_hook_pmi_late(s))
		s->pmi_pending++;
	s->freeze = true;
}

/* APM 13.2: the counter wraps and goes on; with PerfMonV2 a status bit stays until it is cleared. */
static void overflow(struct amd_state *s, unsigned c)
{
	s->overflowed = true;
	if (c >= s->n)
		return;
	if (s->v2 && !amd_hook_status_lost(s))
		s->status |= 1ull << c;
	if (!amd_branches_hold(s, c) && s->counter[c].interrupt)
		amd_raise_pmi(s);
}

static void add(struct amd_state *s, unsigned c, uint64_t amount)
{
	struct amd_counter *k = &s->counter[c];
	uint64_t sum = k->value + amount;
	bool carry = counter_overflows(k->value, sum, k->mask);

	if (amd_hook_add(s, c, amount, &sum, &carry))
		return;
	k->value = counter_keeps(sum, k->mask);
	/* The upper half of a pair takes the carry; only its own is an overflow. */
	if (carry && s->merged >> c & 1) {
		k[1].value = (k[1].value + 1) & MERGE_TOP;
		carry = k[1].value == 0;
	}
	if (carry)
		overflow(s, c);
}

/* Threshold, then edge, cycle by cycle: APM 13.2.1 (CntMask, Inv, Edge). Inv has no effect when CntMask is 0.
 */
static uint64_t conditional(struct amd_counter *k, uint64_t value, uint32_t cycles)
{
	struct counter_condition condition = {
		.at_least = k->cmask ? k->cmask : 1,
		.invert = k->cmask && k->invert,
		.edge = k->edge,
	};
	const struct counter_flow flow = {value, FLOW_AT_ONCE};
	struct counter_clock clock = {.every = k->clock, .each = 1};

	return counter_cycles(&condition, flow, &clock, cycles, &k->level);
}

static bool ring_selected(const struct amd_state *s, const struct amd_counter *k, uint8_t cpl)
{
	uint8_t rings = amd_hook_rings(s, k->rings);

	return counter_sees(rings, cpl);
}

static void count(struct amd_state *s, unsigned c, const struct step *step)
{
	struct amd_counter *k = &s->counter[c];
	bool ticks = amd_hook_ticks(s, c, !step->halted);
	uint32_t length = step->halted && s->clock && step->clock > s->clock
				  ? (uint32_t)(step->clock - s->clock)
				  : step->cycles;
	uint32_t cycles = ticks ? length : 0;
	int64_t value = 0;

	k->carried -= k->carried != 0;
	/* In the other ring or world the condition is not seen, so an edge may follow when it is seen again.
	 */
	if (!ring_selected(s, k, step->level) || !in_its_world(s, c, step->guest)) {
		k->level = false;
		return;
	}
	for (unsigned i = 0; i < step->n_terms; i++) {
		unsigned amount = step->terms[i].amount;
		value += k->weight[step->terms[i].quantity] * (int)amount;
	}
	/* The path to one counter is four bits wide. */
	if (k->large && !(s->merged >> c & 1))
		value &= LARGE_MOST;
	uint64_t amount = k->simple          ? (uint64_t)value + (k->clock ? cycles : 0)
			  : step->unfiltered ? (uint64_t)value
					     : conditional(k, value, cycles);
	if (amd_hook_any(s))
		amount = amd_hook_count(s, c, step, amount);
	if (!amount)
		return;
	add(s, c, amount);
	if (amd_hook_neighbour(s, c))
		add(s, 0, amount);
}

/* APM 13.1.1: the interrupt sets status bits that hold counters and records; the enables keep their value. */
static void freeze_on_pmi(struct amd_state *s)
{
	s->freeze = false;
	if (s->debugctl & DEBUGCTL_FREEZE_LBR)
		s->status |= STATUS_LBR_FROZEN;
	if (!(s->debugctl & DEBUGCTL_FREEZE_PMC))
		return;
	s->status |= STATUS_PMC_FROZEN;
	amd_update_running(s);
}

int amd_increments(void *state, const struct step *step, struct model_increment *out, unsigned room)
{
	struct amd_state *s = state;
	unsigned n = 0;

	if (!s->quick || step->own_write || step->halted)
		return -1;
	for (unsigned i = 0; i < s->n_running; i++) {
		struct amd_counter *k = &s->counter[s->run_list[i]];
		if (!ring_selected(s, k, step->level) || !in_its_world(s, s->run_list[i], step->guest))
			continue;
		int64_t amount = k->clock ? step->cycles : 0;
		for (unsigned j = 0; j < step->n_terms; j++)
			amount += k->weight[step->terms[j].quantity] * (int64_t)step->terms[j].amount;
		if (!amount)
			continue;
		if (amount < 0 || (uint64_t)amount > k->mask || n == room)
			return -1;
		uint64_t limit = k->mask - (uint64_t)amount;
		out[n++] = (struct model_increment){&k->value, limit, (uint64_t)amount};
	}
	return (int)n;
}

bool amd_counts(const void *state, enum quantity q)
{
	const struct amd_state *s = state;

	for (unsigned i = 0; i < s->n_running; i++)
		if (s->counter[s->run_list[i]].weight[q])
			return true;
	return false;
}

/* PMCx1CF, unit mask 01H: "tagged IBS ops". Whose ring it is, nobody says. */
void amd_count_tagged(struct amd_state *s)
{
	for (unsigned i = 0; i < s->n_running; i++) {
		unsigned c = s->run_list[i];

		if (c < s->n && s->counter[c].event == EVENT_TAGGED && s->select[c] & TAGGED_OPS &&
		    amd_hook_tagged(s))
			add(s, c, 1);
	}
}

bool amd_advance(void *state, const struct step *step)
{
	struct amd_state *s = state;

	s->overflowed = false;
	/* No counter of a core counts what the other logical processor does. */
	if (!amd_hook_mine(s, step->thread == s->thread))
		return false;
	s->steps++;
	amd_hook_step(s);
	if (step->halted)
		amd_hook_halted(s);
	for (unsigned i = 0; i < s->n_running; i++) {
		unsigned c = s->run_list[i];
		/* A WRMSR takes effect when it retires: what it has just started does not see it. */
		if (step->own_write && s->started >> c & 1)
			continue;
		count(s, c, step);
	}
	s->clock = step->clock;
	if (amd_ibs_runs(s))
		amd_ibs_advance(s, step);
	if (amd_branches_run(s))
		amd_branches_advance(s, step);
	if (s->freeze)
		freeze_on_pmi(s);
	return s->overflowed;
}
