/*
 * The suite skid on a machine by script: where an interrupt strikes is known, so what the suite makes of it
 * is, too. Short ladders as on a virtual PMU, long ones as on hardware.
 */
#include "tests/suites/research/skid.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

/* --- the machine
 * ---------------------------------------------------------------------------------------------- */

#define BASE   UINT64_C(0x400000)
#define NOBODY 1000 /* late by so much: no interrupt */
#define TWICE  1001
#define BEHIND 1002 /* in what comes behind the ladder */

static struct pmu pmu;
static unsigned started, ahead_of_it; /* what counts in front of the ladder */
static int (*late)(unsigned p);       /* how many rungs behind the overflow it strikes */
static uint64_t written;
static bool programmed, opened, masked;
static unsigned refused_call, calls_of[5], windows;
static const struct window *composed;
static struct pmi *claimed;
static enum overflow_way armed;
static bool has_clock;

enum { PROGRAM, ENABLE, WRITE, ACKNOWLEDGE, RELEASE };

static bool allow(unsigned call)
{
	calls_of[call]++;
	return refused_call != call + 1;
}

static bool program(const struct pmu *p, unsigned counter, const struct pmu_config *config)
{
	(void)p, (void)counter;
	assert_true(config->interrupt && config->levels == LEVELS_ALL);
	programmed = true;
	return allow(PROGRAM);
}

static bool bracket_enable(const struct pmu *p, uint64_t counters, struct pmu_bracket *out)
{
	(void)p;
	*out = (struct pmu_bracket){.version = 0};
	for (unsigned c = 0; c < 2; c++)
		out->ahead[c] = counters >> c & 1 ? (uint8_t)ahead_of_it : 99;
	return allow(ENABLE);
}

static bool write_counter(const struct pmu *p, unsigned counter, uint64_t value)
{
	(void)p, (void)counter;
	written = value;
	return allow(WRITE);
}

static bool acknowledge(const struct pmu *p, uint64_t counters)
{
	(void)p;
	assert_true(counters == 1 || counters == 2);
	return allow(ACKNOWLEDGE);
}

static bool release(const struct pmu *p, unsigned counter)
{
	(void)p, (void)counter;
	programmed = false;
	return allow(RELEASE);
}

static const struct pmu_driver driver = {.program = program,
					 .bracket_enable = bracket_enable,
					 .write = write_counter,
					 .acknowledge = acknowledge,
					 .release = release};

const void *window_compose(const struct window *w)
{
	composed = w;
	return w;
}

uint64_t window_kernel_address(uint8_t level)
{
	assert_int_equal(level, 0);
	return BASE;
}

/* The counter overflows as its last count comes. */
uint64_t window_run(const void *entry, const struct window *w, uint64_t n)
{
	const struct kernel *k = w->kernel;
	unsigned size = 0, rungs = pmu.deterministic ? 64 : 3072;
	uint64_t length = (uint64_t)(k->code_end - k->code), p = -written;
	int by;

	assert_ptr_equal(entry, w);
	assert_int_equal(n, 1);
	assert_true(programmed && masked);
	assert_int_equal(opened, armed == OVERFLOW_MASKABLE);
	assert_int_equal(length % rungs, 0);
	size = (unsigned)(length / rungs);
	for (unsigned i = 1; i < rungs; i++)
		assert_memory_equal(k->code, k->code + i * size, size);
	windows++;
	p -= claimed->has_clock ? (pmu.deterministic ? 8 : 192) : started + ahead_of_it;
	by = late((unsigned)p);
	if (by == NOBODY)
		return 0;
	claimed->address =
		by == BEHIND ? BASE + length + length / 2 : BASE + (p + (uint64_t)(int64_t)by) * size;
	claimed->clocked = 1000 + p;
	if (armed == OVERFLOW_NMI)
		claimed->nmi++;
	else
		claimed->maskable++;
	if (by == TWICE)
		claimed->nmi++;
	return 0;
}

void pmi_claim(struct pmi *p, const struct pmu *of)
{
	*p = (struct pmi){.pmu = of};
	claimed = p;
}

void pmi_unclaim(void)
{
	claimed = NULL;
}

void pmi_arm(struct pmi *p, enum overflow_way way)
{
	assert_ptr_equal(p, claimed);
	p->maskable = p->nmi = 0;
	p->address = 0;
	armed = way;
}

void masking_begin(bool keep_overflow)
{
	assert_true(keep_overflow && !masked);
	masked = true;
}

void masking_end(void)
{
	masked = false;
}

void interrupts_open(void)
{
	opened = true;
}

void interrupts_close(void)
{
	opened = false;
}

void trap_set_context(const char *description)
{
	(void)description;
}

bool overflow_present(unsigned line)
{
	return line == OVERFLOW_COUNTERS;
}

const struct overflow_way_name overflow_way_name[OVERFLOW_WAYS] = {
	[OVERFLOW_MASKABLE] = {"maskable", "a"}, [OVERFLOW_NMI] = {"NMI", "b"}};

const struct code_rung code_rungs[] = {{"short", 1, {0x90}}, {"long", 4, {1, 2, 3, 4}}, {.name = NULL}};
#define LADDERS 2

static const struct pmu_event instructions = {
	.name = "INSTRUCTIONS", .terms = {{Q_INSTRUCTIONS, 1}}, .judgement = EVENT_EXACT};
static const struct pmu_event cycles = {.name = "CYCLES", .terms = {{Q_CYCLES, 1}}};

const struct pmu_event *counter_yardstick(const struct pmu *p, unsigned c)
{
	(void)p;
	return c ? &cycles : &instructions;
}

const struct pmu_event *overhead_clock(const struct run *run, enum rung rung, unsigned *counter)
{
	(void)run;
	assert_int_equal(rung, RUNG_INTERRUPTS);
	*counter = 1;
	return has_clock ? &cycles : NULL;
}

bool ladder_allows(const struct ladder *ladder, unsigned c, enum rung rung)
{
	(void)ladder, (void)c, (void)rung;
	return true;
}

/* --- a run
 * ---------------------------------------------------------------------------------------------------- */

static unsigned n_results, of_verdict[VERDICT_COUNT], n_values;
static char text[sizeof((struct judgement *)0)->text], value[96], unit[64];
static int64_t least, greatest;
static unsigned total;

static bool call(struct run *run, void (*fn)(void *), void *arg, unsigned ms, struct result *r)
{
	(void)run, (void)ms, (void)r;
	fn(arg);
	return true;
}

static void report(struct run *run, const struct result *r)
{
	(void)run;
	n_results++;
	of_verdict[r->judgement.verdict]++;
	snprintf(text, sizeof text, "%s", r->judgement.text);
	if (!r->n_observations)
		return;
	least = r->observation[0].seen.min;
	greatest = r->observation[0].seen.max;
	total = r->observation[0].seen.total;
}

static void take_value(struct run *run, const char *suite, const char *name, const char *what, const char *of)
{
	(void)run;
	assert_string_equal(suite, "skid");
	if (!strcmp(name, "repetitions"))
		return;
	n_values++;
	snprintf(value, sizeof value, "%s", what);
	snprintf(unit, sizeof unit, "%s", of);
}

static void skid(bool on_hardware, int (*strikes)(unsigned p))
{
	static struct run_options options = {.reps = 2};
	struct run run = {
		.options = &options, .pmu = &pmu, .call = call, .report = report, .value = take_value};

	late = strikes;
	pmu.deterministic = pmu.virtual = !on_hardware;
	pmu.has_pmi = true;
	pmu.driver = &driver;
	pmu.n_counters = 2;
	pmu.counter[0] = (struct pmu_counter){.name = "C0", .has_interrupt = true};
	pmu.counter[1] = (struct pmu_counter){.name = "C1", .has_interrupt = true};
	pmu.counts_start = started ? 1 : 2; /* the other counter's is none of its */
	n_results = n_values = windows = 0;
	memset(of_verdict, 0, sizeof of_verdict);
	memset(calls_of, 0, sizeof calls_of);
	suite_skid.run(&run);
	assert_null(claimed);
	assert_false(masked || opened);
}

static void all_are(enum verdict v)
{
	assert_int_equal(n_results, 2 * LADDERS);
	if (of_verdict[v] != n_results)
		fail_msg("%u of %u are %s: %s", of_verdict[v], n_results, verdict_name(v), text);
}

/* Whichever verdict says so: biased, noisy, dead or wrong. */
static void all_are_bad(void)
{
	assert_int_equal(n_results, 2 * LADDERS);
	for (unsigned v = 0; v < VERDICT_COUNT; v++)
		if (of_verdict[v] && !verdict_is_bad((enum verdict)v))
			fail_msg("%u are %s: %s", of_verdict[v], verdict_name(v), text);
}

static int at_once(unsigned p)
{
	(void)p;
	return 0;
}

static int one_late(unsigned p)
{
	(void)p;
	return 1;
}

static int early_once(unsigned p)
{
	return p == 5 ? -1 : 0;
}

static int never_once(unsigned p)
{
	return p == 7 ? NOBODY : 0;
}

static int twice_once(unsigned p)
{
	return p == 7 ? TWICE : 0;
}

static int behind_once(unsigned p)
{
	return p == 1 ? BEHIND : 0;
}

static int not_always(unsigned p)
{
	return p == 1 ? BEHIND : p == 7 ? NOBODY : 0;
}

static int some_late(unsigned p)
{
	return p == 1 ? 17 : p == 2 ? 90 : 40;
}

static int as_late_as_is_seen(unsigned p)
{
	(void)p;
	return 3072 - 64 - 1;
}

static int too_late(unsigned p)
{
	return as_late_as_is_seen(p) + 1;
}

/* --- tests
 * ---------------------------------------------------------------------------------------------------- */

/* Whatever counts in front of the ladder, the p-th rung is the p-th. */
static void a_virtual_one_strikes_at_once(void **state)
{
	(void)state;
	for (started = 0; started <= 1; started++)
		for (ahead_of_it = 0; ahead_of_it < 4; ahead_of_it++) {
			skid(false, at_once);
			all_are(VERDICT_EXACT);
			assert_string_equal(text, "");
			assert_true(!least && !greatest && total == 2 * 12);
			assert_int_equal(windows, 2 * LADDERS * 2 * 12);
			skid(false, one_late);
			all_are_bad();
		}
	started = ahead_of_it = 0;
	pmu.pmi_late = 1; /* one whose manual has it so */
	skid(false, one_late);
	all_are(VERDICT_EXACT);
	skid(false, at_once);
	all_are_bad();
	pmu.pmi_late = 0;
}

static void hardware_is_shown_as_measured(void **state)
{
	(void)state;
	for (started = 0; started <= 1; started++) {
		skid(true, some_late);
		all_are(VERDICT_WITHIN);
		assert_string_equal(text, "17 to 90 instructions, most often 40");
		assert_int_equal(n_values, 2 * LADDERS);
		assert_string_equal(value, "40 (17 to 90)");
		assert_string_equal(unit, "instructions");
		assert_int_equal(total, 2 * 64);
	}
	started = 0;
	skid(true, as_late_as_is_seen);
	all_are(VERDICT_WITHIN);
	assert_int_equal(greatest, 3072 - 64 - 1);
	skid(true, too_late);
	all_are_bad();
}

/* Before the overflow, not at all, twice, or where nothing is seen any more. */
static void what_cannot_be_is_wrong(void **state)
{
	(void)state;
	for (unsigned on_hardware = 0; on_hardware <= 1; on_hardware++) {
		skid(on_hardware, early_once);
		all_are_bad();
		skid(on_hardware, never_once);
		all_are(VERDICT_WRONG);
		assert_non_null(strstr(text, on_hardware ? "2 of 128 overflows" : "2 of 24 overflows"));
		skid(on_hardware, twice_once);
		all_are_bad();
		skid(on_hardware, behind_once);
		all_are_bad();
	}
}

static void a_refusal_is_told(void **state)
{
	static const char *const why[] = {"to interrupt was refused", "to interrupt was refused",
					  "writing or acknowledging", "writing or acknowledging",
					  "out of use was refused"};

	(void)state;
	for (unsigned what = PROGRAM; what <= RELEASE; what++) {
		refused_call = what + 1;
		skid(false, at_once);
		all_are(VERDICT_WRONG);
		assert_non_null(strstr(text, why[what]));
		/* Nothing goes on behind it. */
		assert_int_equal(calls_of[what], 2 * LADDERS);
	}
	refused_call = 0;
}

/* What the clock showed, where it was on the ladder. */
static void a_clock_is_shown_and_not_judged(void **state)
{
	(void)state;
	has_clock = true;
	skid(false, not_always);
	assert_int_equal(n_values, 2 * LADDERS); /* none of the counter of instructions: it was wrong */
	assert_string_equal(value, "1002 (1002 to 1012)");
	assert_string_equal(unit, "cycles to the handler's reading");
	has_clock = false;
}

static void without_a_counter_it_is_skipped(void **state)
{
	(void)state;
	pmu.n_counters = 0;
	struct run_options options = {.reps = 0};
	struct run run = {
		.options = &options, .pmu = &pmu, .call = call, .report = report, .value = take_value};
	n_results = 0;
	memset(of_verdict, 0, sizeof of_verdict);
	suite_skid.run(&run);
	assert_int_equal(n_results, 1);
	assert_int_equal(of_verdict[VERDICT_SKIPPED], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_virtual_one_strikes_at_once),
		cmocka_unit_test(hardware_is_shown_as_measured),
		cmocka_unit_test(what_cannot_be_is_wrong),
		cmocka_unit_test(a_refusal_is_told),
		cmocka_unit_test(a_clock_is_shown_and_not_judged),
		cmocka_unit_test(without_a_counter_it_is_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
