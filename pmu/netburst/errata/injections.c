/*
 * The deviations that can be injected, and those hooks that are more than a line.
 */
#include "pmu/netburst/errata/hooks.h"
#include "pmu/contract/counter_bank.h"
#include "pmu/contract/variation.h"
#include "pmu/netburst/netburst.h"

const struct model_injection netburst_injections[] = {
#define NETBURST_INJECTION(id, name, summary) {name, summary},
#include "pmu/netburst/errata/injections.def"
#undef NETBURST_INJECTION
	{NULL, NULL},
};
_Static_assert(sizeof netburst_injections / sizeof *netburst_injections <= MODEL_INJECTIONS_MAX + 1,
	       "a bit of struct model_injected for each");

#define HALF (1ull << 32)

/* Not a clean power-up: the sibling's counter was left enabled, with its interrupt. */
void netburst_hook_reset(struct netburst_state *s)
{
	s->deviations.noise = 1;
	if (!injected(s, INJECT_HT_OVF))
		return;
	s->escr[FSB_ESCR0] = 0x13u << ESCR_EVENT_SHIFT | 1u << ESCR_MASK_SHIFT | ESCR_T0_OS | ESCR_T0_USR;
	s->cccr[0] = CCCR_ENABLE | CCCR_THREAD_ANY | 6u << CCCR_SELECT_SHIFT | CCCR_OVF_PMI_T0;
}

static bool names_escr(uint32_t address)
{
	for (unsigned e = 0; e < ESCR_COUNT; e++)
		if (netburst_escr[e].msr == address)
			return true;
	return false;
}

uint64_t netburst_hook_write(const struct netburst_state *s, uint32_t address, uint64_t value)
{
	unsigned counter = address - MSR_NETBURST_COUNTER0, cccr = address - MSR_NETBURST_CCCR0;

	if (injected(s, INJECT_RESERVED_ACCEPTED) && names_escr(address))
		value &= ~(1ull << 31);
	if (injected(s, INJECT_STUCK_STATUS) && cccr < NETBURST_COUNTERS)
		value |= s->cccr[cccr] & CCCR_OVF;
	/* The input stays open while the low half is written. */
	if (injected(s, INJECT_N15) && counter < NETBURST_COUNTERS && s->running >> counter & 1 &&
	    (uint32_t)value == 0xffffffff)
		value += HALF;
	return value;
}

uint64_t netburst_hook_rdpmc(const struct netburst_state *s, unsigned c, bool fast, uint64_t value)
{
	if (!injected(s, INJECT_RDPMC_INDEX) && !injected(s, INJECT_TORN_READ) &&
	    !injected(s, INJECT_FAST_WIDE))
		return value;
	if (injected(s, INJECT_RDPMC_INDEX))
		c = (c + 1) % NETBURST_COUNTERS;
	value = s->counter[c].value;
	/* The upper byte is that of some clocks before. */
	if (injected(s, INJECT_TORN_READ) && s->running >> c & 1 && (uint32_t)value < 1024)
		value = counter_keeps(value - HALF, NETBURST_HIGHEST);
	return fast && !injected(s, INJECT_FAST_WIDE) ? (uint32_t)value : value;
}

void netburst_hook_started(struct netburst_state *s, uint32_t before)
{
	for (unsigned c = 0; c < NETBURST_COUNTERS; c++) {
		uint64_t *value = &s->counter[c].value, carried = s->deviations.carry_step[c];

		if (injected(s, INJECT_OFF_BY_ONE) && s->started >> c & 1)
			*value = counter_keeps(*value + 1, NETBURST_HIGHEST);
		/* A counter that is stopped in the clock of a carry out of its low half. */
		if (injected(s, INJECT_N17) && (before & ~s->running) >> c & 1 && carried &&
		    s->steps - carried <= VARIED_STEPS(3u))
			*value = counter_keeps(*value - HALF, NETBURST_HIGHEST);
	}
}

uint64_t netburst_hook_count(struct netburst_state *s, unsigned c, uint64_t amount)
{
	if (injected(s, INJECT_NOISY) && amount) {
		s->deviations.noise = s->deviations.noise * 1103515245 + 12345;
		amount += s->deviations.noise >> 16 & 63 ? 0 : 1;
	}
	if (injected(s, INJECT_X16))
		amount *= 16;
	if (injected(s, INJECT_DEAD) || (injected(s, INJECT_DEAD_COUNTER) && c == NETBURST_COUNTERS - 1))
		amount = 0;
	return amount;
}

bool netburst_hook_add(struct netburst_state *s, unsigned c, uint64_t *sum, bool *force)
{
	struct netburst_line *k = &s->counter[c];

	if (injected(s, INJECT_FORCE_IGNORED))
		*force = false;
	if (injected(s, INJECT_BACKWARDS) && c == NETBURST_COUNTERS - 1) {
		k->value = counter_keeps(2 * k->value - *sum, NETBURST_HIGHEST);
		return true;
	}
	if (injected(s, INJECT_DROPPED_CARRY))
		*sum = (k->value & ~(HALF - 1)) | (uint32_t)*sum;
	if ((*sum ^ k->value) >> 32)
		s->deviations.carry_step[c] = s->steps;
	return false;
}

bool netburst_hook_cascade(const struct netburst_state *s, unsigned from, unsigned to, bool starts)
{
	if (injected(s, INJECT_CASCADE_ANY) && s->cccr[to] & CCCR_CASCADE &&
	    netburst_counter[from].group == netburst_counter[to].group)
		starts = true;
	return starts && !(injected(s, INJECT_FORCE_CASCADE) && s->cccr[from] & CCCR_FORCE_OVF);
}

bool netburst_hook_pmi(struct netburst_state *s, unsigned c)
{
	if (injected(s, INJECT_NO_PMI))
		return true;
	if (injected(s, INJECT_CASCADE_NO_PMI) && s->cccr[c] & (CCCR_CASCADE | CCCR_EXTENDED_CASCADE))
		return true;
	s->deviations.repeat = injected(s, INJECT_OVF_LEVEL);
	return false;
}

bool netburst_hook_step(struct netburst_state *s)
{
	if (!s->deviations.repeat || s->pmi_pending[0])
		return false;
	s->pmi_pending[0] = 1;
	return true;
}

void netburst_hook_skidded(struct netburst_state *s, const struct step *step)
{
	unsigned c = s->deviations.skid;

	s->deviations.skid = 0;
	if (c)
		netburst_pebs_record(s, c - 1, step);
}

bool netburst_hook_pebs_threshold(struct netburst_state *s, bool reached)
{
	bool now = reached;

	if (injected(s, INJECT_PEBS_PMI_LATE)) {
		now = s->deviations.late;
		s->deviations.late = reached;
	}
	return now && !injected(s, INJECT_NO_PMI);
}
