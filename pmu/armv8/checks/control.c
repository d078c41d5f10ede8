/*
 * Control logic of PMUv3's own: filters of security states and EL2, chained pairs, thresholds, freezing, the
 * counters that EL0 and EL1 have. What a PMU lacks by its identification registers has no instance.
 */
#include "pmu/armv8/armv8.h"
#include "pmu/armv8/registers.h"

#include "arch/register.h"
#include "pmu/contract/control.h"

#include <stdio.h>

#define START 1000
#define TOP32 UINT64_C(0xffffffff)

static bool counts_instructions(const struct pmu *pmu, unsigned instance, const struct pmu_event *e)
{
	(void)instance;
	return e->code == EVENT_INST_RETIRED && pmu->driver->can_count(pmu, e, 0);
}

static uint64_t get(struct control_fixture *h, const char *what, uint64_t number)
{
	uint64_t value = 0;

	h->works(h, what, register_read(SPACE_SYSTEM, number, &value));
	return value;
}

static bool put(struct control_fixture *h, const char *what, uint64_t number, uint64_t value)
{
	return h->works(h, what, register_write(SPACE_SYSTEM, number, value));
}

static bool set(struct control_fixture *h, unsigned c, uint64_t code, uint64_t first)
{
	const struct pmu_config config = {.code = code, .levels = LEVELS_ALL};

	return control_program(h, c, &config, first);
}

static bool set_pmcr(struct control_fixture *h, uint64_t on, uint64_t off)
{
	uint64_t pmcr = get(h, "reading PMCR_EL0", PMCR_EL0);

	return put(h, "writing PMCR_EL0", PMCR_EL0, (pmcr & ~off) | on);
}

/* QEMU without -icount has no such event. */
static bool has_instructions(const struct pmu *pmu)
{
	for (unsigned i = 0; i < pmu->n_events; i++)
		if (counts_instructions(pmu, 0, pmu->events[i]))
			return true;
	return false;
}

/* Of each event counter. */
static bool each_event_counter(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i >= pmu->n_general || !has_instructions(pmu))
		return false;
	*out = (struct pmu_control_instance){.counters = UINT64_C(1) << i, .suits = counts_instructions};
	snprintf(out->name, sizeof out->name, "%s", pmu->counter[i].name);
	return true;
}

static bool first_two(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || pmu->n_general < 2 || !has_instructions(pmu))
		return false;
	*out = (struct pmu_control_instance){
		.name = "PMEVCNTR0 and PMEVCNTR1", .counters = 3, .suits = counts_instructions};
	return true;
}

/* --- filters of security states and of EL2 ------------------------------------------------------------ */

/* Non-secure EL1 counts where P and NSK are equal, EL0 where U and NSU are; without EL3 the latter two have
 * no effect. NSH and M are about levels at which nothing is executed meanwhile. */
static void filter_once(struct control_fixture *h, unsigned c, const struct pmu_event *e, uint64_t filter)
{
	const struct armv8_pmu *own = armv8_found(h->pmu);
	uint64_t there = (own->el2 ? TYPER_NSH : 0) | (own->el3 ? TYPER_NSK | TYPER_NSU | TYPER_M : 0);
	uint64_t type = armv8_type_register(h->pmu, c), effect = filter & (there | TYPER_P | TYPER_U), low,
		 high;
	bool system = !(effect & TYPER_P) == !(effect & TYPER_NSK),
	     user = !(effect & TYPER_U) == !(effect & TYPER_NSU);

	if (!set(h, c, e->code, START) || !put(h, "writing a type register", type, e->code | filter))
		return;
	h->equal(h, "of the filters that are implemented, those that are kept", filter & there,
		 get(h, "reading a type register", type) & there);
	h->run(h, UINT64_C(1) << c);
	h->amount(h, e, 0, &low, &high);
	h->within(h, "at EL1 it moves by", system ? low : 0, system ? high : 0, control_value(h, c) - START);
	if (!set(h, c, e->code, START) || !put(h, "writing a type register", type, e->code | filter))
		return;
	/* It is started and stopped at EL1. */
	h->run_user(h, UINT64_C(1) << c);
	h->equal(h, "around EL0 it moves", user || system, control_value(h, c) != START);
}

static void state_filter(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	const uint64_t others = TYPER_NSH | TYPER_M;

	for (uint64_t bits = 0; bits < 16; bits++)
		filter_once(h, c, e, bits << 28);
	for (uint64_t bits = 0; bits < 4; bits++)
		filter_once(h, c, e, bits << 30 | others);
}

/* --- chained pairs ------------------------------------------------------------------------------------ */

static bool each_pair(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	unsigned c = 2 * i;

	if (!armv8_has_pairs(pmu) || c + 1 >= pmu->n_general || !has_instructions(pmu))
		return false;
	*out = (struct pmu_control_instance){.counters = UINT64_C(3) << c, .suits = counts_instructions};
	snprintf(out->name, sizeof out->name, "%s and %s", pmu->counter[c].name, pmu->counter[c + 1].name);
	return true;
}

static void pair_from(struct control_fixture *h, unsigned c, const struct pmu_event *e, uint64_t first)
{
	const struct pmu_config config = {.code = e->code, .levels = LEVELS_ALL};
	uint64_t low, high, value = 0, status = 0;

	h->programmed = c;
	if (!h->works(h, "programming a pair", armv8_pair_program(h->pmu, c, &config)) ||
	    !h->works(h, "writing a pair", armv8_pair_write(h->pmu, c, first)))
		return;
	h->run(h, UINT64_C(3) << c);
	h->amount(h, e, 0, &low, &high);
	h->works(h, "reading a pair", armv8_pair_read(h->pmu, c, &value));
	h->works(h, "reading the overflow status", h->pmu->driver->overflowed(h->pmu, &status));
	h->within(h, "as one counter of 64 bits they move by", low, high, value - first);
	h->equal(h, "the lower half has overflowed", value >> 32 != first >> 32, status >> c & 1);
	h->equal(h, "the upper half has overflowed", value < first, status >> (c + 1) & 1);
}

static void pair(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	static const uint64_t uppers[] = {0, 6, TOP32};
	unsigned c = 2 * instance;
	uint64_t low, high;

	if (!set(h, c, e->code, 0))
		return;
	h->run(h, UINT64_C(1) << c);
	h->amount(h, e, 0, &low, &high);
	for (unsigned i = 0; i < sizeof uppers / sizeof *uppers; i++)
		for (uint64_t before = low - 1; before <= low + 1; before++)
			pair_from(h, c, e, uppers[i] << 32 | (TOP32 + 1 - before));
	pair_from(h, c, e, UINT64_C(6) << 32);
}

/* --- thresholds --------------------------------------------------------------------------------------- */

#define MOST_A_CYCLE 31 /* no core is known that retires more */

static uint64_t widest(const struct pmu *pmu)
{
	return armv8_found(pmu)->thresholds >> TYPER_TH & ((1u << TYPER_TH_BITS) - 1);
}

static uint64_t compared(const struct pmu_event *e, uint64_t how, uint64_t with)
{
	return e->code | how << TYPER_TC | with << TYPER_TH;
}

static bool has_thresholds(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return armv8_found(pmu)->thresholds && each_event_counter(pmu, i, out);
}

static uint64_t with(struct control_fixture *h, unsigned c, uint64_t code)
{
	if (!set(h, c, code, START))
		return 0;
	h->run(h, UINT64_C(1) << c);
	return control_value(h, c) - START;
}

/* What passes is all of it, or nothing, or the rest; cycles that pass are no more than what they bring. */
static void threshold(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	uint64_t low, high, most = widest(h->pmu), equal, other, met;

	with(h, c, e->code);
	h->amount(h, e, 0, &low, &high);
	h->within(h, "in cycles with one or more it moves by", low, high,
		  with(h, c, compared(e, TC_AT_LEAST, 1)));
	if (most >= MOST_A_CYCLE) {
		h->within(h, "in cycles with less than the most it moves by", low, high,
			  with(h, c, compared(e, TC_LESS, most)));
		h->equal(h, "in cycles with the most or more it moves by", 0,
			 with(h, c, compared(e, TC_AT_LEAST, most)));
	}
	equal = with(h, c, compared(e, TC_EQUAL, 1));
	other = with(h, c, compared(e, TC_NOT_EQUAL, 1));
	met = with(h, c, compared(e, TC_AT_LEAST | TC_COUNT, 1));
	h->within(h, "cycles with one or more", 1, high, met);
	h->within(h, "what cycles with one bring", 0, high, equal);
	/* On silicon a window's instructions fall into cycles one way, and into others the next time. */
	if (!h->pmu->deterministic)
		return;
	h->within(h, "with one and with another number it moves by", low, high, equal + other);
	h->equal(h, "cycles with one", equal, with(h, c, compared(e, TC_EQUAL | TC_COUNT, 1)));
	/* A threshold of one bit cannot be two. */
	if (most >= 2)
		h->equal(h, "cycles with one or more, beside those with one, and those with two or more", met,
			 equal + with(h, c, compared(e, TC_AT_LEAST | TC_COUNT, 2)));
}

/* Two counters and the clock in one window: each cycle has either none or some. */
static bool has_pair_of_thresholds(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (!armv8_found(pmu)->thresholds || !first_two(pmu, i, out))
		return false;
	out->counters |= UINT64_C(1) << pmu->n_general;
	return true;
}

static void threshold_cycles(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t clock = UINT64_C(1) << h->pmu->n_general, some, none, cycles, low, high;

	(void)instance;
	if (!set(h, 0, compared(e, TC_AT_LEAST | TC_COUNT, 1), 0) ||
	    !set(h, 1, compared(e, TC_LESS | TC_COUNT, 1), 0) ||
	    !set(h, h->pmu->n_general, EVENT_CPU_CYCLES, 0))
		return;
	h->run(h, 3 | clock);
	some = control_value(h, 0);
	none = control_value(h, 1);
	cycles = control_value(h, h->pmu->n_general);
	h->equal(h, "there are cycles with some", true, some != 0);
	if (h->pmu->deterministic)
		h->equal(h, "cycles with some, and those with none", cycles, some + none);
	else
		h->equal(h, "cycles, and those with none", true, cycles && none);
	if (!set(h, 0, compared(e, TC_EQUAL, 1), 0) || !set(h, 1, compared(e, TC_NOT_EQUAL, 1), 0))
		return;
	h->run(h, 3);
	h->amount(h, e, 0, &low, &high);
	h->within(h, "in one window, with one and with another number they move by", low, high,
		  control_value(h, 0) + control_value(h, 1));
}

static bool has_edges(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return armv8_found(pmu)->thresholds & TYPER_TE && first_two(pmu, i, out);
}

/* Counter 0 counts where cycles with some begin, counter 1 where they begin and where they end. */
static void edges(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t low, high, begins, both;

	(void)instance;
	if (!set(h, 0, compared(e, TC_AT_LEAST | TC_COUNT, 1) | TYPER_TE, 0) ||
	    !set(h, 1, compared(e, TC_LESS, 1) | TYPER_TE, 0))
		return;
	h->run(h, 3);
	h->amount(h, e, 0, &low, &high);
	begins = control_value(h, 0);
	both = control_value(h, 1);
	/* Each beginning brings one of what is counted at least. */
	h->within(h, "cycles with some begin", 1, h->pmu->deterministic ? 1 : high, begins);
	/* What is ahead of the first cycle is not said. */
	h->within(h, "cycles with some begin and end", 2 * begins - 2, 2 * begins + 1, both);
}

/* --- a counter's threshold linked with the counter below ---------------------------------------------- */

static bool has_links(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return armv8_found(pmu)->links && first_two(pmu, i, out);
}

#define NEVER  TC_LESS     /* than 0 */
#define ALWAYS TC_AT_LEAST /* as many as 0 */

static uint64_t link_of(const struct pmu_event *e, uint64_t how, uint64_t with, uint64_t link)
{
	return compared(e, how, with) | link << TYPER_TLC;
}

/* Counter 1 with its type, counter 0 with its event, in one window. @return what counter 1 moved by */
static uint64_t linked(struct control_fixture *h, uint64_t below, uint64_t type, uint64_t mask)
{
	if (!set(h, 0, below, 0) || !set(h, 1, type, 0))
		return 0;
	h->run(h, mask);
	return control_value(h, 1);
}

/* PMEVTYPER<n>_EL0.TLC: what the counter below counts, where the comparison holds or where it does not. */
static void links(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	const uint64_t tlc = UINT64_C(3) << TYPER_TLC, edge = TYPER_TE;
	uint64_t type = armv8_type_register(h->pmu, 0), low, high, met, moved;

	(void)instance;
	moved = linked(h, e->code, link_of(e, NEVER, 0, LINK_ELSE), 3);
	h->amount(h, e, 0, &low, &high);
	h->within(h, "the counter below moves by", low, high, control_value(h, 0));
	h->equal(h, "where no cycle passes, as the counter below it moves by", control_value(h, 0), moved);
	moved = linked(h, e->code, link_of(e, ALWAYS, 0, LINK_THEN), 3);
	h->equal(h, "where each cycle passes, as the counter below it moves by", control_value(h, 0), moved);
	h->equal(h, "where no cycle passes, linked with those that do, it moves by", 0,
		 linked(h, e->code, link_of(e, NEVER, 0, LINK_THEN), 3));
	h->within(h, "where each cycle passes, linked with those that do not, it moves by", low, high,
		  linked(h, EVENT_CPU_CYCLES, link_of(e, ALWAYS, 0, LINK_ELSE), 3));
	h->equal(h, "linked with a counter that is off it moves by", 0,
		 linked(h, e->code, link_of(e, NEVER, 0, LINK_ELSE), 2));
	/* Each cycle counts once below. */
	moved = linked(h, EVENT_CPU_CYCLES, link_of(e, TC_AT_LEAST, 1, LINK_THEN), 3);
	h->within(h, "cycles with some, counted below", 1, high, moved);
	met = with(h, 1, compared(e, TC_AT_LEAST | TC_COUNT, 1));
	if (h->pmu->deterministic)
		h->equal(h, "cycles with some, counted below and by itself", met, moved);
	moved = linked(h, EVENT_CPU_CYCLES, link_of(e, TC_AT_LEAST | TC_COUNT, 1, LINK_THEN) | edge, 3);
	h->within(h, "where cycles with some begin, counted below", 1, h->pmu->deterministic ? 1 : high,
		  moved);
	if (set(h, 0, e->code, 0) && put(h, "writing a type register", type, e->code | tlc))
		h->equal(h, "an even counter keeps of TLC", 0, get(h, "reading a type register", type) & tlc);
}

/* --- freezing ----------------------------------------------------------------------------------------- */

static bool has_freeze(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return armv8_found(pmu)->version >= PMUVER_3_7 && first_two(pmu, i, out);
}

static uint64_t all_of(const struct pmu *pmu)
{
	return 3 | UINT64_C(1) << pmu->n_general |
	       (armv8_found(pmu)->icntr ? UINT64_C(2) << pmu->n_general : 0);
}

/* One run with counter 0 to overflow in its middle, and one behind it. */
static void freeze_once(struct control_fixture *h, const struct pmu_event *e, bool freezes, bool clock_too,
			uint64_t middle)
{
	const struct pmu_driver *d = h->pmu->driver;
	unsigned clock = h->pmu->n_general, instructions = clock + 1;
	uint64_t counter_top = h->pmu->counter[0].width < 64 ? TOP32 : UINT64_MAX, low, high, other, ticks,
		 icntr = 0;

	if (!set_pmcr(h, (freezes ? PMCR_FZO : 0) | (clock_too ? PMCR_DP : 0), PMCR_FZO | PMCR_DP) ||
	    !set(h, clock, EVENT_CPU_CYCLES, 0) || !set(h, 1, e->code, 0) ||
	    !set(h, 0, e->code, counter_top - middle + 1))
		return;
	if (armv8_found(h->pmu)->icntr && !set(h, instructions, e->code, 0))
		return;
	h->run(h, all_of(h->pmu));
	h->amount(h, e, 0, &low, &high);
	other = control_value(h, 1);
	ticks = control_value(h, clock);
	if (armv8_found(h->pmu)->icntr)
		icntr = control_value(h, instructions);
	if (!freezes)
		h->within(h, "without PMCR_EL0.FZO another counter moves by", low, high, other);
	else
		/* A pipeline may freeze some cycles late, and the overflow is a few instructions ahead of
		 * the end: on silicon the next run alone tells whether it froze. */
		h->within(h, "until it freezes another counter moves by", middle,
			  h->pmu->deterministic ? middle : high, other);
	h->run(h, all_of(h->pmu));
	h->equal(h, "behind the overflow another counter moves", !freezes, control_value(h, 1) != other);
	h->equal(h, "behind the overflow the cycle counter moves", !(freezes && clock_too),
		 control_value(h, clock) != ticks);
	if (armv8_found(h->pmu)->icntr)
		h->equal(h, "behind the overflow the instruction counter moves", !freezes,
			 control_value(h, instructions) != icntr);
	other = control_value(h, 1);
	h->works(h, "acknowledging an overflow", d->acknowledge(h->pmu, 1));
	h->run(h, all_of(h->pmu));
	h->within(h, "acknowledged, another counter moves by", low, high, control_value(h, 1) - other);
}

static void freeze(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t low, high;

	(void)instance;
	with(h, 0, e->code);
	h->amount(h, e, 0, &low, &high);
	for (unsigned how = 0; how < 4; how++)
		freeze_once(h, e, how & 1, how & 2, low / 2);
	set_pmcr(h, 0, PMCR_FZO | PMCR_DP);
}

/* --- the counters that EL1 and EL0 have
 * ---------------------------------------------------------------------
 */

static bool once(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	*out = (struct pmu_control_instance){.name = "registers of bits"};
	return i == 0;
}

/* No register shows a counter beyond PMCR_EL0.N, which EL2 may keep for itself (MDCR_EL2.HPMN). */
static void counters_of_el1(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	static const struct {
		const char *name;
		uint32_t set, clear;
	} pairs[] = {{"PMCNTENSET_EL0 shows", PMCNTENSET_EL0, PMCNTENCLR_EL0},
		     {"PMINTENSET_EL1 shows", PMINTENSET_EL1, PMINTENCLR_EL1},
		     {"PMOVSSET_EL0 shows", PMOVSSET_EL0, PMOVSCLR_EL0}};
	uint64_t all = armv8_found(h->pmu)->every;
	/* The bits that are defined; those above them are RES0. */
	uint64_t defined = UINT32_MAX | (uint64_t)armv8_found(h->pmu)->icntr << ARMV8_INSTRUCTIONS;

	(void)instance, (void)e;
	set_pmcr(h, 0, PMCR_E);
	for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		put(h, pairs[i].name, pairs[i].set, defined);
		h->equal(h, pairs[i].name, all, get(h, pairs[i].name, pairs[i].set) & defined);
		put(h, pairs[i].name, pairs[i].clear, defined);
		h->equal(h, "and, cleared, shows", 0, get(h, pairs[i].name, pairs[i].set) & defined);
	}
}

static bool has_user_mask(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (!armv8_found(pmu)->user_mask || i >= pmu->n_counters)
		return false;
	*out = (struct pmu_control_instance){.counters = UINT64_C(1) << i};
	snprintf(out->name, sizeof out->name, "%s", pmu->counter[i].name);
	return true;
}

/* A counter that PMUACR_EL1 keeps from EL0 reads as 0 there, and counts on. */
static void user_mask(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	uint64_t mine = armv8_bits(h->pmu, UINT64_C(1) << c), all = armv8_bits(h->pmu, UINT64_MAX);

	(void)e;
	for (unsigned kept = 0; kept < 2; kept++) {
		uint64_t seen;

		if (!set(h, c, c < h->pmu->n_general ? EVENT_CPU_CYCLES : 0, START) ||
		    !put(h, "writing PMUACR_EL1", PMUACR_EL1, kept ? all & ~mine : all))
			return;
		seen = h->read_user(h, c);
		h->equal(h, "it counted", true, control_value(h, c) > START);
		h->equal(h, "EL0 sees it count", !kept, seen != 0);
	}
	put(h, "writing PMUACR_EL1", PMUACR_EL1, all);
}

static bool has_zero(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	*out = (struct pmu_control_instance){.name = "PMZR_EL0"};
	return !i && armv8_found(pmu)->user_mask;
}

static void zero(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	const uint64_t every_other = UINT64_C(0x5555555555555555);

	(void)instance, (void)e;
	for (unsigned odd = 0; odd < 2; odd++) {
		for (unsigned c = 0; c < h->pmu->n_counters; c++)
			h->works(h, "writing a counter", h->pmu->driver->write(h->pmu, c, START + c));
		put(h, "writing PMZR_EL0", PMZR_EL0, armv8_bits(h->pmu, every_other << odd));
		for (unsigned c = 0; c < h->pmu->n_counters; c++)
			h->equal(h, "a counter holds", c % 2 == odd ? 0 : START + c, control_value(h, c));
	}
}

/* --- what is asked for, and what is told of a counter that runs
 * ----------------------------------------------
 */

static bool first_counter(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !pmu->n_general)
		return false;
	*out = (struct pmu_control_instance){.name = "PMCR_EL0.E", .counters = 1};
	return true;
}

/* The interrupt is asked for while PMCR_EL0.E, PMINTENSET_EL1 and PMOVSSET_EL0 all say so, in whatever order
 * they came to it. */
static void request(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t all = armv8_found(h->pmu)->every, one = armv8_bits(h->pmu, 1);

	(void)instance, (void)e;
	set_pmcr(h, 0, PMCR_E);
	put(h, "writing PMOVSCLR_EL0", PMOVSCLR_EL0, all);
	put(h, "writing PMINTENSET_EL1", PMINTENSET_EL1, one);
	for (unsigned again = 0; again < 2; again++) {
		h->arm(h);
		put(h, "writing PMOVSSET_EL0", PMOVSSET_EL0, one);
		h->equal(h, "interrupts of an overflow while PMCR_EL0.E is 0", 0, h->interrupts(h));
		set_pmcr(h, PMCR_E, 0);
		h->equal(h, "interrupts once PMCR_EL0.E is 1", 1, h->interrupts(h));
		set_pmcr(h, 0, PMCR_E);
	}
	put(h, "writing PMINTENCLR_EL1", PMINTENCLR_EL1, one);
	put(h, "writing PMOVSCLR_EL0", PMOVSCLR_EL0, all);
	set_pmcr(h, PMCR_E, 0);
}

#define SHORT 100   /* of overflow, in instructions */
#define TURNS 1000u /* of at least one instruction each */

/* Start a counter, and let it run until it has overflowed. @return whether it could be; *one is its bit */
static bool overflow_running(struct control_fixture *h, unsigned c, const struct pmu_event *e, uint64_t *one)
{
	uint64_t top = h->pmu->counter[c].width < 64 ? TOP32 : UINT64_MAX;

	*one = armv8_bits(h->pmu, UINT64_C(1) << c);
	if (!set(h, c, e->code, top - SHORT + 1) || !put(h, "writing PMCNTENSET_EL0", PMCNTENSET_EL0, *one))
		return false;
	for (volatile unsigned i = 0; i < TURNS; i++)
		;
	return true;
}

/* A counter that overflows while it runs has its bit before it is stopped, read or written. */
static void running(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	uint64_t one, status;

	if (!overflow_running(h, c, e, &one))
		return;
	status = get(h, "reading PMOVSSET_EL0", PMOVSSET_EL0);
	put(h, "writing PMCNTENCLR_EL0", PMCNTENCLR_EL0, one);
	h->equal(h, "it overflowed while it ran, its status read meanwhile", true, (status & one) != 0);
	h->equal(h, "it overflowed, its status read once it is stopped", true,
		 (get(h, "reading PMOVSSET_EL0", PMOVSSET_EL0) & one) != 0);
	put(h, "writing PMOVSCLR_EL0", PMOVSCLR_EL0, one);
}

/* Its bit, cleared behind the overflow while it runs on, stays 0: it does not overflow again. */
static void cleared(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	uint64_t one;

	if (!overflow_running(h, c, e, &one))
		return;
	put(h, "writing PMOVSCLR_EL0", PMOVSCLR_EL0, one);
	put(h, "writing PMCNTENCLR_EL0", PMCNTENCLR_EL0, one);
	h->equal(h, "it had overflowed before it was stopped", true, control_value(h, c) < TURNS * SHORT);
	h->equal(h, "its status, cleared while it ran and read once it is stopped", 0,
		 (get(h, "reading PMOVSSET_EL0", PMOVSSET_EL0) & one) != 0);
	put(h, "writing PMOVSCLR_EL0", PMOVSCLR_EL0, one);
}

/* --- the events that are there ------------------------------------------------------------------------ */

/* Each PMUv3 has these, and one that counts instructions: Linux 4.8 lists them as required
 * (arch/arm64/kernel/perf_event.c), and kvm-unit-tests asks for them (arm/pmu.c). */
static void required(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t listed = get(h, "reading PMCEID0_EL0", PMCEID0_EL0);

	(void)instance, (void)e;
	h->equal(h, "PMCEID0_EL0 lists SW_INCR", 1, listed >> EVENT_SW_INCR & 1);
	h->equal(h, "PMCEID0_EL0 lists CPU_CYCLES", 1, listed >> EVENT_CPU_CYCLES & 1);
	h->equal(h, "PMCEID0_EL0 lists INST_RETIRED or INST_SPEC", true,
		 (listed & (UINT64_C(1) << EVENT_INST_RETIRED | UINT64_C(1) << EVENT_INST_SPEC)) != 0);
}

static bool listed_events(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	*out = (struct pmu_control_instance){.name = "PMCEID0_EL0"};
	return i == 0;
}

const struct pmu_control_check armv8_control[] = {
	{"state filter", "Arm ARM, PMEVTYPER<n>_EL0", 0, each_event_counter, state_filter},
	{"chained pair", "Arm ARM D7.10.3, CHAIN", 0, each_pair, pair},
	{"comparison", "Arm ARM, PMEVTYPER<n>_EL0.TC", 0, has_thresholds, threshold},
	{"compared cycles", "Arm ARM, PMEVTYPER<n>_EL0.TC", 0, has_pair_of_thresholds, threshold_cycles},
	{"edges of a comparison", "Arm ARM, PMEVTYPER<n>_EL0.TE", 0, has_edges, edges},
	{"linked comparison", "Arm ARM, PMEVTYPER<n>_EL0.TLC", 0, has_links, links},
	{"freeze", "Arm ARM, PMCR_EL0.FZO", 0, has_freeze, freeze},
	{"freeze by profiling", "Arm ARM, PMCR_EL0.FZS", 0, armv8_has_profiling, armv8_freeze_by_profiling},
	{"counters of EL1", "Arm ARM, MDCR_EL2.HPMN", 0, once, counters_of_el1},
	{"counters of EL0", "Arm ARM, PMUACR_EL1", 0, has_user_mask, user_mask},
	{"asked while enabled", "Arm ARM, PMCR_EL0.E", PMU_CONTROL_INTERRUPT, first_counter, request},
	{"status meanwhile", "Arm ARM, PMOVSSET_EL0", 0, each_event_counter, running},
	{"cleared meanwhile", "Arm ARM, PMOVSCLR_EL0", 0, each_event_counter, cleared},
	{"overflow long ago", "Arm ARM, PMOVSSET_EL0", PMU_CONTROL_TIMER, armv8_has_long_wait,
	 armv8_long_wait},
	{"counts beside others", "Arm ARM, INST_RETIRED", 0, armv8_has_others, armv8_beside_others},
	{"required events", "Arm ARM, PMCEID0_EL0", 0, listed_events, required},
	{"zeroed counters", "Arm ARM, PMZR_EL0", 0, has_zero, zero},
	{"snapshot", "Arm ARM, PMSSCR_EL1", 0, armv8_has_snapshots, armv8_snapshots},
	{0},
};
