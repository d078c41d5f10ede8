/*
 * The deviations that can be injected, and those hooks that are more than a line.
 */
#include "arch/x86/cpu/debug_registers.h"
#include "pmu/contract/pmu.h"
#include "pmu/contract/counter_bank.h"
#include "pmu/contract/variation.h"
#include "pmu/intel/errata/hooks.h"

#include <stddef.h>
#include <string.h>

#define LATE_STEPS  3
#define PAGE        4096
#define EIGHT       8
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

/* AAJ91: which of the three values that flush event selection it is, from 1. */
static unsigned flushing_value(uint64_t select)
{
	static const uint32_t values[] = {0x4300d2, 0x4300b1, 0x4300b5};

	for (unsigned i = 0; i < 3; i++)
		if (select == values[i])
			return i + 1;
	return 0;
}

/* Enabled together, they flush it; any other event that is enabled makes the next ones stale. */
static void look_for_flush(struct intel_state *s)
{
	unsigned found = 0;

	for (unsigned c = 0; c < INTEL_GENERAL_MAX; c++)
		if (s->started >> c & 1)
			found |= 1u << flushing_value(s->select[c]);
	if (found)
		s->deviations.flushed = (found & 14) == 14;
}

uint64_t intel_hook_select(struct intel_state *s, unsigned c, uint64_t value)
{
	if (injected(s, INJECT_AAJ91) && value & EVTSEL_EN && !flushing_value(value))
		s->deviations.stale =
			(s->deviations.stale & ~(1u << c)) | (s->deviations.flushed ? 0 : 1u << c);
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

bool intel_hook_hangs(const struct intel_state *s, uint32_t address, uint64_t value)
{
	uint64_t base, end;

	if (s->deviations.hung)
		return true;
	if (injected(s, INJECT_BJ106) && address == IA32_PEBS_ENABLE)
		return s->running;
	return injected(s, INJECT_BIGPEBS) && address == IA32_PERF_GLOBAL_CTRL && value && s->pebs.enable &&
	       intel_ds_read(s, offsetof(struct ds_area, pebs.base), &base) &&
	       intel_ds_read(s, offsetof(struct ds_area, pebs.max), &end) && end - base > PAGE;
}

/* Whether an interrupt freezes counters. */
static bool freezing(const struct intel_state *s)
{
	return s->debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI;
}

/* --- start and stop --------------------------------------------------------------------------------- */

bool intel_hook_decoded(struct intel_state *s, unsigned c)
{
	if (injected(s, INJECT_AAJ79) && (s->select[c] & EVTSEL_CODE) == 0x13c)
		memset(&s->counter[c].clock, 0, sizeof s->counter[c].clock);
	if (injected(s, INJECT_UNDOCUMENTED) && c == s->leaf.n_general - 1u &&
	    (s->select[c] & EVTSEL_CODE) == 0x1ff)
		s->counter[c].weight[Q_BR_COND] = 1;
	return injected(s, INJECT_FILTERED);
}

void intel_hook_started(struct intel_state *s, uint32_t before)
{
	uint32_t stopped = before & ~s->running;
	bool local_before = s->deviations.fixed_control & (FIXED_OS | FIXED_USR) && s->threads > 1;

	if (injected(s, INJECT_AAJ91))
		look_for_flush(s);
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
		/* "A few clocks": the instructions of a stop sequence. AAJ143 tells of stops alone, BJ58 of
		 * freezing, too. */
		if ((injected(s, INJECT_BJ58) || (injected(s, INJECT_AAJ143) && !freezing(s))) &&
		    stopped >> c & 1 && overflowed && s->steps - overflowed <= VARIED_STEPS(4))
			s->deviations.stuck |= intel_global_bit(c);
	}
	s->deviations.fixed_control = s->fixed_control;
}

/* --- counts of single events --------------------------------------------------------------------------- */

enum miscount_when {
	ALWAYS,
	NOW_AND_THEN, /* in one of NOW_STEPS steps */
	SELDOM,       /* in another one, and not as often */
	ONE_RING,     /* of a counter that is for one ring */
	OF_BOTH,      /* of a counter for both logical processors of a core */
	OF_BOTH_ONE_RING,
};
#define NOW_STEPS    4
#define SELDOM_STEPS 20
#define ANY_UMASK    (-1)

/* What is too much, or too little, for each of a quantity. Rows that publish no amount take the least. */
static const struct miscount {
	uint8_t injection; /* enum intel_injection */
	uint8_t event;
	int16_t umask;
	quantity_number quantity;
	int8_t coefficient;
	uint8_t when; /* enum miscount_when */
} miscounts[] = {
	{INJECT_AAJ8, 0xc7, ANY_UMASK, Q_INSTRUCTIONS, 1, ALWAYS},
	{INJECT_AAJ80, 0xc5, 0, Q_BR_COND, 1, ALWAYS},
	{INJECT_AAJ80, 0xc5, 0, Q_BR_MISPRED, -1, SELDOM},
	{INJECT_AAJ107, 0xc0, ANY_UMASK, Q_INSTRUCTIONS, -1, NOW_AND_THEN},
	{INJECT_AAJ107, 0x0b, 0x01, Q_LOADS, -1, NOW_AND_THEN},
	{INJECT_AAJ107, 0x0b, 0x02, Q_STORES, -1, NOW_AND_THEN},
	{INJECT_BJ90, 0xc4, 0x10, Q_BRANCHES, 1, NOW_AND_THEN},
	{INJECT_BJ90, 0xc4, 0x20, Q_BRANCHES, 1, NOW_AND_THEN},
	{INJECT_BJ90, 0xc5, 0x10, Q_BRANCHES, 1, NOW_AND_THEN},
	{INJECT_BJ90, 0xc5, 0x20, Q_BRANCHES, 1, NOW_AND_THEN},
	{INJECT_BJ136, 0xc0, 0, Q_INSTRUCTIONS, 1, NOW_AND_THEN},
	{INJECT_BJ136, 0xc0, 0, Q_INSTRUCTIONS, -1, SELDOM},
	{INJECT_SRF6, 0xc4, ANY_UMASK, Q_BR_CALL_DIRECT, 1, ALWAYS},
	{INJECT_HSD169, 0xd0, ANY_UMASK, Q_LOADS, -1, ONE_RING},
	{INJECT_HSD169, 0xd0, ANY_UMASK, Q_STORES, -1, ONE_RING},
	{INJECT_HSD169, 0xd1, ANY_UMASK, Q_LOADS, -1, ONE_RING},
	{INJECT_HSD169, 0xd2, ANY_UMASK, Q_LOADS, -1, ONE_RING},
	{INJECT_HSD169, 0xd3, ANY_UMASK, Q_LOADS, -1, ONE_RING},
	{INJECT_BJ91, 0xc0, ANY_UMASK, Q_INSTRUCTIONS, -1, OF_BOTH},
	{INJECT_BJ91, 0xc4, ANY_UMASK, Q_BRANCHES, -1, OF_BOTH},
	{INJECT_BDD59, 0xc0, ANY_UMASK, Q_INSTRUCTIONS, 1, OF_BOTH_ONE_RING},
	{INJECT_BDD59, 0xc4, ANY_UMASK, Q_BRANCHES, 1, OF_BOTH_ONE_RING},
	{INJECT_AAJ57, 0x05, ANY_UMASK, Q_INSTRUCTIONS, 1, ALWAYS},
	{INJECT_AAJ90, 0x4f, 0x08, Q_INSTRUCTIONS, 1, NOW_AND_THEN},
	{INJECT_AAJ127, 0x06, 0x01, Q_LOADS, 1, ALWAYS},
	{INJECT_AAJ127, 0x06, 0x02, Q_LOADS, 1, ALWAYS},
	{INJECT_BJ50, 0x03, 0x02, Q_LOADS, 1, ALWAYS},
	{INJECT_HSD65, 0xc9, 0x40, Q_INSN_XBEGIN, 1, ALWAYS},
	{INJECT_HSD65, 0xc8, 0x40, Q_INSN_XBEGIN, 1, ALWAYS},
	{INJECT_AAJ23, 0x06, 0x00, Q_INSN_SEGMENT, 1, NOW_AND_THEN},
	{INJECT_AAJ23, 0x06, 0x00, Q_INSN_SEGMENT, -1, SELDOM},
	{INJECT_HSD76, 0xd0, 0x21, Q_INSN_LOCKED, -1, ALWAYS},
};

static uint64_t miscounted(const struct intel_state *s, unsigned c, const struct step *step)
{
	const struct intel_counter *k = &s->counter[c];
	bool fixed = intel_is_fixed(c);
	/* Fixed counter 0 counts what C0H/00H does. */
	uint64_t select = !fixed ? s->select[c] : c == INTEL_GENERAL_MAX ? 0xc0 : 0, extra = 0;

	for (unsigned i = 0; i < sizeof miscounts / sizeof *miscounts; i++) {
		const struct miscount *m = &miscounts[i];
		bool both = select & EVTSEL_ANY && s->threads > 1;

		if (m->event != (select & 0xff) || (fixed && m->umask) ||
		    (m->umask >= 0 && (unsigned)m->umask != (select >> 8 & 0xff)) ||
		    !injected(s, (enum intel_injection)m->injection))
			continue;
		if ((m->when == NOW_AND_THEN && s->steps % NOW_STEPS) ||
		    (m->when == SELDOM && s->steps % SELDOM_STEPS != 1) ||
		    (m->when == ONE_RING && k->rings == 3) || (m->when >= OF_BOTH && !both) ||
		    (m->when == OF_BOTH_ONE_RING && k->rings == 3))
			continue;
		extra += (uint64_t)((int64_t)m->coefficient * (int)intel_amount(step, m->quantity));
	}
	return extra;
}

/* --- count ------------------------------------------------------------------------------------------ */

/* The counters that are there if the core's other logical processor is not. */
static bool upper(unsigned c)
{
	return c >= 4 && c < 8;
}

bool intel_hook_unfrozen(const struct intel_state *s, unsigned c)
{
	return injected(s, INJECT_SKL90) && upper(c);
}

uint64_t intel_hook_select_read(const struct intel_state *s, unsigned c, uint64_t value)
{
	return injected(s, INJECT_BV80) && upper(c) ? value & ~EVTSEL_CODE : value;
}

uint8_t intel_hook_rings(const struct intel_state *s, unsigned c, uint8_t rings)
{
	if (injected(s, INJECT_RING_LEAK) && rings & 2)
		rings |= 1;
	if (injected(s, INJECT_W126) && rings && intel_pebs_samples(s, c))
		rings = 3;
	if (injected(s, INJECT_BDD116) && upper(c) && rings == 2)
		rings = 0;
	return rings;
}

/* IDQ.EMPTY, IDQ_UOPS_NOT_DELIVERED, RESOURCE_STALLS.ANY, CYCLE_ACTIVITY. */
static bool of_front_end(const struct intel_state *s, unsigned c)
{
	unsigned event = intel_is_fixed(c) ? 0 : s->select[c] & 0xff;

	return event == 0x79 || event == 0x9c || event == 0xa2 || event == 0xa3;
}

/* Whether a breakpoint that is disabled is there, and another one is enabled. */
static bool breakpoint_passed(uint64_t ip)
{
	uint64_t control = dr7_read();

	for (unsigned n = 0; control & 0xff && n < 4; n++)
		if (!(control & DR7_ENABLES(n)) && debug_address(n) == ip)
			return true;
	return false;
}

uint64_t intel_hook_distorted(struct intel_state *s, unsigned c, const struct step *step, uint64_t amount)
{
	const struct intel_counter *k = &s->counter[c];
	bool instructions = k->weight[Q_INSTRUCTIONS], branches = k->weight[Q_BRANCHES];
	/* All events of retired branches are C4H. */
	bool of_branches = !intel_is_fixed(c) && (s->select[c] & 0xff) == 0xc4;

	uint64_t extra = miscounted(s, c, step);

	if (injected(s, INJECT_W146) && branches)
		extra += intel_amount(step, Q_INSN_CPUID);
	if ((injected(s, INJECT_SRF7) && (instructions || branches)) ||
	    (injected(s, INJECT_CWF) && instructions))
		extra += intel_amount(step, Q_BR_FAR);
	/* IRET alone is both a far branch and serialising. */
	if (injected(s, INJECT_BV52) && instructions && intel_amount(step, Q_BR_FAR) &&
	    intel_amount(step, Q_INSN_SERIALIZING))
		extra++;
	/* VMASKMOV; REP MOVS and REP STOS: what repeats, stores, and is no INS. */
	if (injected(s, INJECT_SKL91) && (instructions || of_branches))
		extra += intel_amount(step, Q_INSN_VMASKMOV) + (intel_amount(step, Q_REP_ITERATIONS) &&
								intel_amount(step, Q_STORES) &&
								!intel_amount(step, Q_INSN_IO));
	if (injected(s, INJECT_HSD135) && step->halted && of_front_end(s, c))
		amount += step->cycles;
	if (injected(s, INJECT_HSD30) && !intel_is_fixed(c) && (s->select[c] & 0xff) == 0xb1 &&
	    amount >= EIGHT / 2)
		amount = 0; /* two of them in one cycle */
	if (injected(s, INJECT_HSD56) && s->deviations.elided && !intel_is_fixed(c) &&
	    ((s->select[c] & EVTSEL_CODE) == 0x08c1 || (s->select[c] & EVTSEL_CODE) == 0x10c1))
		amount++;
	if (injected(s, INJECT_HSD176) && c == 2)
		extra += 3 * intel_amount(step, Q_INSN_XBEGIN);
	amount += varied_extra(c, step->level, extra);
	if ((int64_t)amount < 0)
		amount = 0;
	if (injected(s, INJECT_SKL117) && k->clock.every && k->rings != 3 &&
	    intel_amount(step, Q_RING_TO_KERNEL) + intel_amount(step, Q_RING_TO_USER))
		amount = 0;

	if (injected(s, INJECT_LINE_END) && instructions && (step->ip & 63) == 63 &&
	    !intel_amount(step, Q_INSN_NOP))
		amount += intel_amount(step, Q_INSTRUCTIONS);
	if (injected(s, INJECT_BJ98) && instructions && breakpoint_passed(step->ip))
		amount *= 2;
	if (injected(s, INJECT_BV6) && !intel_is_fixed(c) && (s->select[c] & EVTSEL_CODE) == 0x01cc && amount)
		amount = !(s->deviations.shared++ % 3);
	amount = intel_hook_beside(s, c, step, amount);
	if (injected(s, INJECT_SIBLING_LEAK) && instructions && step->sibling)
		amount += intel_amount(step, Q_INSTRUCTIONS);
	if (injected(s, INJECT_OTHERS_LEAK) && instructions && step->others)
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
	if (s->deviations.stale >> c & 1)
		amount = c & 1 || step->halted ? 0 : step->cycles;
	if (injected(s, INJECT_DEAD) || (injected(s, INJECT_DEAD_COUNTER) && c == s->leaf.n_general - 1))
		amount = 0;
	return amount;
}

/* MOV SS, STI: interrupts are held off for an instruction. */
static bool holds_off(const struct intel_state *s, const struct step *step)
{
	const struct step_memory *m = s->ds.memory;
	uint8_t code[2];

	return m && !step->halted && m->read(m->ctx, step->ip, code, sizeof code) &&
	       (code[0] == 0xfb || (code[0] == 0x8e && (code[1] >> 3 & 7) == 2));
}

/* Counter 3 is the microcode's, for transactions. */
void intel_hook_step(struct intel_state *s, const struct step *step)
{
	if (injected(s, INJECT_AAJ113) && step->halted)
		s->deviations.late = 0;
	for (unsigned c = 0; injected(s, INJECT_AAJ134) && step->halted && c < INTEL_COUNTERS; c++)
		s->deviations.hung |= s->counter[c].pmi && s->deviations.overflow_step[c] &&
				      s->steps - s->deviations.overflow_step[c] <= LATE_STEPS;
	if (injected(s, INJECT_HSD71) || injected(s, INJECT_BDD60) || injected(s, INJECT_HSD56))
		intel_hook_transaction(s, step);
	if (injected(s, INJECT_AAJ128))
		s->deviations.stack_load = holds_off(s, step);
	if (s->deviations.late && !--s->deviations.late)
		s->pmi_pending++;
	if (injected(s, INJECT_SKL179) && intel_amount(step, Q_INSN_XBEGIN)) {
		s->counter[3].value++;
		s->select[3] |= EVTSEL_OS;
	}
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
	if (injected(s, INJECT_AAJ113))
		s->deviations.late = VARIED_STEPS(LATE_STEPS);
	return injected(s, INJECT_LATE_PMI) || injected(s, INJECT_AAJ113);
}

void intel_hook_interrupted(struct intel_state *s, unsigned c)
{
	if ((injected(s, INJECT_AAJ119) && c == VARIED_FIXED(INTEL_GENERAL_MAX + 2) && others(s, c)) ||
	    (injected(s, INJECT_AAJ125) && c == VARIED_FIXED(INTEL_GENERAL_MAX) && freezing(s) &&
	     s->threads > 1))
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

	if (d->leaked) {
		d->leaked = false;
		hit |= s->pebs.armed;
	}
	if (injected(s, INJECT_SKL104))
		hit |= s->pebs.armed & ~s->running;
	if (injected(s, INJECT_AAJ128) && d->on_stack_load && hit) {
		d->on_stack_load = false;
		hit = 0;
	}
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

/* Counts from the reset value to the overflow. */
#define EXACT_SHORT    100
#define INVERTED_SHORT 1000

bool intel_hook_redundant(const struct intel_state *s, uint32_t hit)
{
	for (unsigned c = 0; intel_hook_any(s) && c < INTEL_GENERAL_MAX; c++) {
		uint64_t select = s->select[c], reset;

		if (!(hit >> c & 1) || !intel_pebs_reset_value(s, c, &reset))
			continue;
		uint64_t left = counter_left(reset, s->counter[c].mask);

		if (injected(s, INJECT_BDD120) && select & EVTSEL_INV && select & EVTSEL_CMASK &&
		    left < INVERTED_SHORT)
			return true;
		if (!s->pebs.at.exact_code || (select & EVTSEL_CODE) != s->pebs.at.exact_code)
			continue;
		if ((injected(s, INJECT_BJ103) && left < EXACT_SHORT) ||
		    (injected(s, INJECT_BDD53) && reset & 63) || (injected(s, INJECT_BJ92) && freezing(s)) ||
		    (injected(s, INJECT_BJ97) && s->pebs.enable & s->leaf.general & ~(1ull << c)))
			return true;
	}
	return false;
}

bool intel_hook_load_untold(const struct intel_state *s)
{
	bool beside = false;

	for (unsigned c = 0; c < INTEL_GENERAL_MAX; c++)
		beside |= s->running >> c & 1 && (s->select[c] & EVTSEL_CODE) == 0x8203;
	return injected(s, INJECT_LOADS_AUX) && !beside;
}

bool intel_hook_reached(struct intel_state *s)
{
	if (!injected(s, INJECT_AJ69) || s->debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI)
		return false;
	intel_raise_pmi(s);
	return true;
}
