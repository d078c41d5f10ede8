/*
 * Control checks of counting: when a counter counts, in which rings, how it wraps, and that it is none of its
 * neighbours' business.
 */
#include "tests/suites/control.h"
#include "tests/kernels/kernel.h"
#include "tests/measure/pass.h"
#include "pmu/contract/counter_values.h"

#include "arch/identity.h"
#include "arch/levels.h"
#include "arch/step.h"
#include "arch/time.h"

#include <string.h>

/* A counter moves while it is started, by exactly what the kernel has, and at no other time. */
static void enable_gating(struct probe *p)
{
	const struct pmu_event *e = counter_yardstick(p->pmu, p->c);
	uint64_t stopped;

	prepare(p, p->c, e, LEVELS_ALL, false, CONTROL_START);
	run_idle(p);
	must_be(p, "programmed but not started, it holds", CONTROL_START, value_of(p, p->c));
	run_counting(p, counter_bit(p->c));
	stopped = value_of(p, p->c);
	must_be(p, "started, it moves by", moves_by(p, p->c, e, 0),
		moved(p, e, p->c, CONTROL_START, stopped));
	run_idle(p);
	must_be(p, "stopped again, it holds", stopped, value_of(p, p->c));
}

/* The global bit alone does not make it count. */
static void local_enable(struct probe *p)
{
	const struct pmu_event *e = counter_yardstick(p->pmu, p->c);

	prepare(p, p->c, e, LEVELS_ALL, false, CONTROL_START);
	must_work(p, "taking it out of use", p->pmu->driver->release(p->pmu, p->c));
	run_counting(p, counter_bit(p->c));
	must_be(p, "out of use but globally enabled, it holds", CONTROL_START, value_of(p, p->c));
}

/* The harness's level seen through each setting of the filter. */
static void level_filter_harness(struct probe *p)
{
	static const struct {
		const char *what;
		uint8_t levels;
		bool counts;
	} filters[] = {
		{"%s with OS and USR set moves it by", LEVELS_ALL, true},
		{"%s with OS alone moves it by", LEVELS_SYSTEM, true},
		{"%s with USR alone moves it by", LEVELS_USER, false},
		{"%s with neither moves it by", 0, false},
	};
	const struct pmu_event *e = counter_yardstick(p->pmu, p->c);

	for (unsigned i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		prepare(p, p->c, e, filters[i].levels, false, CONTROL_START);
		run_counting(p, counter_bit(p->c));
		must_be(p, filters[i].what, filters[i].counts ? moves_by(p, p->c, e, 0) : 0,
			moved(p, e, p->c, CONTROL_START, value_of(p, p->c)));
	}
}

static uint64_t outer_count(struct probe *p, const struct pmu_event *e, uint8_t level, unsigned levels,
			    uint64_t n)
{
	prepare(p, p->c, e, levels, false, CONTROL_START);
	run_counting_outside(p, counter_bit(p->c), level, n);
	return moved(p, e, p->c, CONTROL_START, value_of(p, p->c));
}

/*
 * The user's level seen through each setting. What the harness does around it (start, the way there and home,
 * stop) is not known as a number, but it is the same whatever the kernel's N is, and it is what OS and USR
 * together show more than USR alone.
 */
static void level_filter_user(struct probe *p)
{
	const struct pmu_event *e = counter_yardstick(p->pmu, p->c);
	uint64_t user = outer_count(p, e, level_user(), LEVELS_USER, CONTROL_N), system;

	p->level = (uint8_t)level_user();
	must_be(p, "%s with USR alone moves it by", moves_by(p, p->c, e, level_user()), user);
	must_be(p, "%s with neither moves it by", 0, outer_count(p, e, level_user(), 0, CONTROL_N));
	system = outer_count(p, e, level_user(), LEVELS_SYSTEM, CONTROL_N);
	must_be(p, "a greater N in %s moves it, with OS alone, by", system,
		outer_count(p, e, level_user(), LEVELS_SYSTEM, 2 * CONTROL_N));
	if (e->judgement == EVENT_EXACT)
		must_be(p, "%s with OS and USR moves it by the sum of both", system + user,
			outer_count(p, e, level_user(), LEVELS_ALL, CONTROL_N));
}

/* What the harness does around it does not depend on N. */
static void level_filter_between(struct probe *p)
{
	const struct pmu_event *e = counter_yardstick(p->pmu, p->c);

	for (uint8_t level = 1; level < level_user(); level++) {
		p->level = p->failed ? p->level : level;
		must_be(p, "%s with USR alone moves it by", moves_by(p, p->c, e, level),
			outer_count(p, e, level, LEVELS_USER, CONTROL_N));
		must_be(p, "a greater N in %s moves it, with OS alone, by",
			outer_count(p, e, level, LEVELS_SYSTEM, CONTROL_N),
			outer_count(p, e, level, LEVELS_SYSTEM, 2 * CONTROL_N));
	}
}

/* What is written reads back: as many bits as can be written, the top one of them copied upwards. */
static void write_rules(struct probe *p)
{
	const struct pmu_counter *k = &p->pmu->counter[p->c];
	unsigned width = k->width, kept = k->write_width;
	uint64_t values[] = {
		1,
		low_bits(kept - 1),
		UINT64_C(1) << (kept - 1),
		low_bits(kept),
		UINT64_C(0x123456789abcdef) & low_bits(width),
		UINT64_C(0xfedcba9876543210) & low_bits(width),
		counter_highest(k),
		counter_highest(k) - 1,
		0,
	};

	prepare(p, p->c, counter_yardstick(p->pmu, p->c), LEVELS_ALL, false, CONTROL_START);
	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (as_written(p->pmu, p->c, values[i]) > counter_highest(k))
			continue;
		must_work(p, "writing a counter", p->pmu->driver->write(p->pmu, p->c, values[i]));
		must_be(p, "a written value reads back as", as_written(p->pmu, p->c, values[i]),
			value_of(p, p->c));
	}
}

#define CLOCK_ROUNDS 3 /* an SMI makes a window longer, never shorter */

/* Whether it gets across a power of two without wrapping, where its highest value lies below all ones. */
static bool has_room(const struct probe *p, unsigned bit, uint64_t first)
{
	const struct pmu_counter *k = &p->pmu->counter[p->c];

	return bit == k->width || counter_highest(k) == counter_ones(k) ||
	       (first < counter_highest(k) && counter_highest(k) - first > UINT64_C(1) << bit >> 1);
}

/* One run from a value. A clock whose window was broken into goes further than to the next power of two: once
 * more then. */
static void run_from(struct probe *p, const struct pmu_event *e, uint64_t first, unsigned bit)
{
	for (unsigned i = 0; i < CLOCK_ROUNDS; i++) {
		must_work(p, "writing a counter", p->pmu->driver->write(p->pmu, p->c, first));
		run_counting(p, counter_bit(p->c));
		if (e->judgement != EVENT_TIME || bit == p->pmu->counter[p->c].width ||
		    value_of(p, p->c) >> bit <= (first >> bit) + 1)
			return;
	}
}

/* Counting across each power of two that a value can be written in front of and that a window full of
 * pipeline slots does not pass twice, its own width the last. */
static void wrap(struct probe *p)
{
	static const uint8_t bits[] = {12, 16, 24, 31, 32, 33, 39, 40, 47, 48};
	const struct pmu_event *e = counter_yardstick(p->pmu, p->c);
	const struct pmu_counter *k = &p->pmu->counter[p->c];
	unsigned width = k->width;

	prepare(p, p->c, e, LEVELS_ALL, false, CONTROL_START);
	for (unsigned i = 0; i <= sizeof(bits); i++) {
		unsigned bit = i < sizeof(bits) ? bits[i] : width;
		uint64_t first = (bit < width ? UINT64_C(1) << bit : counter_highest(k) + 1) - 3;

		if (bit > width || as_written(p->pmu, p->c, first) != first || !has_room(p, bit, first))
			continue;
		run_from(p, e, first, bit);
		must_be(p,
			bit == width ? "across its width it moves by" : "across a power of two it moves by",
			moves_by(p, p->c, e, 0), moved(p, e, p->c, first, value_of(p, p->c)));
		if (bit == width)
			must_be(p, "across its width it starts again from 0: its top bit is", 0,
				value_of(p, p->c) > counter_highest(k) / 2);
		else
			must_be(p, "across a power of two the bits above hold", (first >> bit) + 1,
				value_of(p, p->c) >> bit);
	}
}

/*
 * A clock has no number of its own, but it has bounds: a short loop of NOPs, once warm, takes less than two
 * core cycles for an instruction, and no core retires more than 16 in one. The reference clock is at most 12
 * times as fast as the core's (4.8 GHz, and a core at 400 MHz), and no faster than the TSC. In one cycle
 * there are at most 16 slots.
 */
#define AT_ONCE        16
#define REFERENCE_MOST 12
#define CLOCK_N        20
#define CLOCK_N_WARM   20000

static uint64_t ticks_most(const struct probe *p, const struct pmu_event *e)
{
	uint64_t most = 0, cycles = strcmp(p->kernel->name, "nop_loop") ? 4 : 1;

	for (unsigned i = 0; i < EVENT_TERMS && e->terms[i].coefficient > 0; i++) {
		enum quantity q = e->terms[i].quantity;

		most += (uint64_t)e->terms[i].coefficient * cycles *
			(q == Q_SLOTS                             ? AT_ONCE
			 : q == Q_REF_CYCLES || q == Q_BUS_CYCLES ? REFERENCE_MOST
								  : 1);
	}
	return most;
}

static uint64_t instructions_of(const struct probe *p, uint64_t n)
{
	uint64_t amount;

	step_pause();
	amount = (uint64_t)kernel_amount(p->kernel, Q_INSTRUCTIONS, n).low;
	step_resume();
	return amount;
}

static void must_be_within(struct probe *p, const char *what, uint64_t low, uint64_t high, uint64_t observed)
{
	must_be(p, what, observed < low ? low : observed > high ? high : observed, observed);
}

static void clock_rate(struct probe *p)
{
	const struct pmu_event *e = counter_yardstick(p->pmu, p->c);
	uint64_t n = p->pmu->deterministic ? CLOCK_N : CLOCK_N_WARM, took[2] = {UINT64_MAX, UINT64_MAX};
	uint64_t instructions = instructions_of(p, 2 * n) - instructions_of(p, n), least, most = 0;

	for (unsigned round = 0; round < CLOCK_ROUNDS; round++)
		for (unsigned i = 0; i < 2; i++) {
			uint64_t begin, time, moved;

			prepare(p, p->c, e, LEVELS_ALL, false, CONTROL_START);
			begin = clock_read();
			run_counting_for(p, counter_bit(p->c), n * (i + 1));
			time = clock_read() - begin;
			moved = counter_moved(&p->pmu->counter[p->c], CONTROL_START, value_of(p, p->c));
			if (moved < took[i])
				took[i] = moved;
			if (i && moved > most)
				most = moved;
			/* A guest's TSC may be scaled (SDM vol. 3, TSC multiplier); the counter is not. */
			if (e->terms[0].quantity == Q_REF_CYCLES)
				must_be_within(p, "ticks of the reference clock in so much time", 1,
					       p->pmu->under_hypervisor ? UINT64_MAX : time + time / 8,
					       moved);
		}
	/* Then it depends on how fast the emulator is, and how busy its computer. */
	if (identity_emulated() && !p->pmu->virtual && most != took[1]) {
		p->ticks[0] = took[1];
		p->ticks[1] = most;
		return;
	}
	least = e->terms[0].quantity == Q_CYCLES || e->terms[0].quantity == Q_SLOTS ? instructions / AT_ONCE
										    : 0;
	must_be_within(p, "ticks of the clock in a loop of NOPs", least, instructions * ticks_most(p, e),
		       took[1] - took[0]);
}

/* Every counter has its yardstick and a value of its own. */
static void prepare_all(struct probe *p)
{
	for (unsigned c = 0; c < p->pmu->n_counters; c++)
		if (p->usable & counter_bit(c))
			prepare(p, c, counter_yardstick(p->pmu, c), LEVELS_ALL, false, CONTROL_START + c);
}

static void others_hold(struct probe *p, const char *what)
{
	for (unsigned c = 0; c < p->pmu->n_counters; c++)
		if (c != p->c && (p->usable & counter_bit(c)))
			must_be(p, what, CONTROL_START + c, value_of(p, c));
}

/* Of all programmed counters exactly those move whose bit is set. */
static void global_enable(struct probe *p)
{
	const struct pmu_event *e = counter_yardstick(p->pmu, p->c);

	prepare_all(p);
	run_counting(p, 0);
	must_be(p, "with no bit set it holds", CONTROL_START + p->c, value_of(p, p->c));
	run_counting(p, p->usable & ~counter_bit(p->c));
	must_be(p, "with every bit but its own set it holds", CONTROL_START + p->c, value_of(p, p->c));

	prepare_all(p);
	run_counting(p, counter_bit(p->c));
	must_be(p, "with its own bit alone it moves by", moves_by(p, p->c, e, 0),
		moved(p, e, p->c, CONTROL_START + p->c, value_of(p, p->c)));
	others_hold(p, "with another counter's bit alone a counter holds");
}

/* The counter in its window, and all others in the same one or, where none starts them together, before and
 * behind it. */
static void run_counting_all(struct probe *p)
{
	if (p->pmu->joint) {
		run_counting(p, p->usable);
		return;
	}
	must_work(p, "starting the neighbours",
		  p->pmu->driver->start(p->pmu, p->usable & ~counter_bit(p->c)));
	run_counting(p, counter_bit(p->c));
	must_work(p, "stopping them", p->pmu->driver->stop(p->pmu));
}

/* With every neighbour counting as well, a counter shows what it shows alone. */
static void busy_neighbours(struct probe *p)
{
	const struct pmu_event *e = counter_yardstick(p->pmu, p->c);

	prepare(p, p->c, e, LEVELS_ALL, false, CONTROL_START + p->c);
	run_counting(p, counter_bit(p->c));
	must_be(p, "alone it moves by", moves_by(p, p->c, e, 0),
		moved(p, e, p->c, CONTROL_START + p->c, value_of(p, p->c)));
	prepare_all(p);
	run_counting_all(p);
	must_be(p, "with every neighbour busy it moves by", moves_by(p, p->c, e, 0),
		moved(p, e, p->c, CONTROL_START + p->c, value_of(p, p->c)));
}

/* Writing and programming one counter leaves the others alone. */
static void writes_beside(struct probe *p)
{
	uint64_t value = 0x12345678;

	while (value > counter_highest(&p->pmu->counter[p->c]))
		value >>= 4;
	prepare_all(p);
	must_work(p, "writing a counter", p->pmu->driver->write(p->pmu, p->c, value));
	others_hold(p, "after a write to its neighbour a counter holds");
	must_be(p, "the written counter holds", value, value_of(p, p->c));
	must_work(p, "taking it out of use", p->pmu->driver->release(p->pmu, p->c));
	others_hold(p, "after its neighbour was taken out of use a counter holds");
}

/* A hypervisor may leave out events that CPUID does not promise; the one that the counter climbed the ladder
 * with is there. */
static bool surely_there(const struct pmu *pmu, const struct pmu_event *e, const struct pmu_event *yardstick)
{
	return !pmu->under_hypervisor || (e->flags & EVENT_ENUMERATED) || e == yardstick;
}

/* The i-th, modulo their number, of the events that counter c counts exactly; NULL if none, or the counter is
 * no good. */
static const struct pmu_event *exact_event(const struct probe *p, unsigned c, unsigned i)
{
	const struct pmu *pmu = p->pmu;
	const struct pmu_event *found[8];
	const struct pmu_event *yardstick = pmu->under_hypervisor ? counter_yardstick(pmu, c) : NULL;
	unsigned n = 0;

	for (unsigned k = 0; k < pmu->n_events && n < 8; k++)
		if (pmu->events[k]->judgement == EVENT_EXACT && !(pmu->events[k]->flags & EVENT_OF_CORE) &&
		    pmu->driver->can_count(pmu, pmu->events[k], c) &&
		    surely_there(pmu, pmu->events[k], yardstick))
			found[n++] = pmu->events[k];
	return n && (p->usable & counter_bit(c)) ? found[i % n] : NULL;
}

/* Events change places among the counters: each counter shows what belongs to the event it has now. */
static void exchange(struct probe *p)
{
	for (unsigned round = 0; round < 2; round++) {
		struct expectation x;

		for (unsigned c = 0; c < p->pmu->n_counters; c++) {
			const struct pmu_event *e = exact_event(p, c, c + round);

			if (e)
				prepare(p, c, e, LEVELS_ALL, false, CONTROL_START + c);
		}
		run_counting(p, p->usable);
		for (unsigned c = 0; c < p->pmu->n_counters; c++) {
			const struct pmu_event *e = exact_event(p, c, c + round);

			if (e && expectation(e, p->kernel, CONTROL_N, &x) == EXPECTATION_OK &&
			    x.low == x.high)
				must_be(p, e->name, moves_by(p, c, e, 0),
					moved(p, e, c, CONTROL_START + c, value_of(p, c)));
		}
	}
}

static uint64_t filtered(struct probe *p, const struct pmu_event *e, uint8_t cmask, bool invert, bool edge)
{
	struct pmu_config config = {
		.code = e->code, .levels = LEVELS_ALL, .cmask = cmask, .invert = invert, .edge = edge};

	must_work(p, "programming a counter", p->pmu->driver->program(p->pmu, p->c, &config));
	must_work(p, "writing a counter", p->pmu->driver->write(p->pmu, p->c, CONTROL_START));
	run_counting(p, counter_bit(p->c));
	return moved(p, e, p->c, CONTROL_START, value_of(p, p->c));
}

/* Threshold, inversion, edge. How many occurrences a clock brings is the CPU's own business; the virtual one
 * retires an instruction in each. A hypervisor that counts the write that starts counting does so whatever
 * the filter: Linux, kvm_pmu_trigger_event(), "Ignore checks for edge detect, pin control, invert and CMASK".
 */
static void filters(struct probe *p)
{
	const struct pmu_event *e = counter_yardstick(p->pmu, p->c);
	bool one_a_clock = p->pmu->deterministic && event_counts_instructions(e);
	uint64_t start =
		p->pmu->under_hypervisor && p->pmu->counts_start >> p->c & 1 && event_counts_instructions(e);
	uint64_t plain = filtered(p, e, 0, false, false), met = filtered(p, e, 1, false, false), clocks,
		 edges;

	must_be(p, "without a filter it moves by", moves_by(p, p->c, e, 0), plain);
	if (one_a_clock)
		must_be(p, "in clocks with one or more it moves by", plain, met);
	must_be(p, "some clocks, and no more than occurrences, have one or more", true, met && met <= plain);
	must_be(p, "in clocks with 200 or more it moves by", start, filtered(p, e, 200, false, false));
	clocks = filtered(p, e, 200, true, false);
	must_be(p, "clocks with less than 200 are at least those with one", true, clocks >= met);
	must_be(p, "inversion without a threshold changes nothing: it moves by", plain,
		filtered(p, e, 0, true, false));
	edges = filtered(p, e, 1, false, true);
	if (one_a_clock)
		must_be(p, "rising edges of what always is", 1 + start, edges);
	must_be(p, "some edges, and no more than clocks", true, edges && edges <= met);
}

const struct control_check control_counting[] = {
	{"enable gating", NULL, PER_COUNTER, RUNG_EXACT_ON_NOPS, 0, enable_gating},
	{"local enable", NULL, PER_COUNTER, RUNG_EXACT_ON_NOPS, NEED_GLOBAL, local_enable},
	{control_level_name[CONTROL_OF_HARNESS], "level filter", PER_COUNTER, RUNG_EXACT_ON_NOPS, 0,
	 level_filter_harness},
	{control_level_name[CONTROL_OF_USER], "level filter", PER_COUNTER, RUNG_EXACT_ON_NOPS, 0,
	 level_filter_user},
	{control_level_name[CONTROL_OF_OTHERS], "level filter", PER_COUNTER, RUNG_EXACT_ON_NOPS, NEED_LEVELS,
	 level_filter_between},
	{"write rules", NULL, PER_COUNTER, RUNG_WRITABLE, 0, write_rules},
	{"wrap", NULL, PER_COUNTER, RUNG_EXACT_ON_NOPS, 0, wrap},
	{"clock rate", NULL, PER_COUNTER, RUNG_EXACT_ON_NOPS, NEED_CLOCK, clock_rate},
	{"filter", NULL, PER_COUNTER, RUNG_EXACT_ON_NOPS, NEED_EXACT | NEED_FILTER, filters},
	{"global enable", NULL, PER_COUNTER, RUNG_EXACT_ON_NOPS, NEED_GLOBAL | NEED_NEIGHBOUR, global_enable},
	{"busy neighbours", NULL, PER_COUNTER, RUNG_EXACT_ON_NOPS, NEED_NEIGHBOUR, busy_neighbours},
	{"writes beside", NULL, PER_COUNTER, RUNG_WRITABLE, NEED_NEIGHBOUR, writes_beside},
	{"counter exchange", NULL, PER_PMU, RUNG_EXACT_ON_NOPS, NEED_GLOBAL | NEED_NEIGHBOUR | NEED_EXACT,
	 exchange},
	{0},
};
