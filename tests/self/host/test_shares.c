/* Shares: what empty windows and NOPs in a row count is judged, kept, found again, and told. */
#include "tests/self/host/fake_kernels.h"
#include "tests/judge/expectation.h"
#include "tests/judge/attribution.h"
#include "tests/judge/shares.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* Nothing here runs a window. */
void attribution_measure(struct run *run, const struct kernel *k)
{
	(void)run, (void)k;
}

/* The linker set must not be empty. */
FAKE_KERNEL(any, "any", 0, FAKE_EXACT(INSTRUCTIONS, 1, 0));

static const struct pmu_event instructions = {.name = "I", .terms = {{Q_INSTRUCTIONS, 1}}};
static const struct pmu_event branches = {.name = "B", .terms = {{Q_BRANCHES, 1}}};
static const struct pmu_event uops = {.name = "U", .terms = {{Q_UOPS, 1}}};
static const struct pmu_event cycles = {.name = "C", .judgement = EVENT_TIME, .terms = {{Q_CYCLES, 1}}};
static const struct pmu_bracket bracket = {.own = {{Q_INSTRUCTIONS, 3}, {Q_UOPS, 3}}, .own_readings = 1};
static struct pmu pmu;
static struct pmu_config config;
static const unsigned nops[SHARE_LENGTHS] = {0, 1, 2, 10, 100};

static struct share_place at(const struct pmu_event *e, unsigned c, enum mechanism m)
{
	config = (struct pmu_config){.code = e->name[0],
				     .levels = m == MECHANISM_USER ? LEVELS_USER : LEVELS_ALL};
	return (struct share_place){&pmu, e, &config, (uint8_t)c, (uint8_t)m, &bracket};
}

static int setup(void **state)
{
	(void)state;
	memset(&pmu, 0, sizeof pmu);
	pmu.n_counters = 2;
	strcpy(pmu.counter[0].name, "PMC0");
	strcpy(pmu.counter[1].name, "PMC1");
	shares_forget();
	return 0;
}

/* Windows of each length: share + slope * NOPs, and once in so many windows `odd` more (0: never). */
static void keep(const struct share_place *place, int64_t share, int64_t slope, unsigned every, int64_t odd)
{
	struct histogram seen[SHARE_LENGTHS] = {0};
	for (unsigned i = 0; i < SHARE_LENGTHS; i++)
		for (unsigned w = 0; w < 20; w++)
			histogram_add(&seen[i],
				      share + slope * nops[i] + (every && w % every == 0 ? odd : 0));
	share_keep(place, seen);
}

static void is(const struct share_place *place, enum share_state state, int64_t taken)
{
	assert_int_equal(share_find(place).state, state);
	assert_int_equal(share_of(place), taken);
}

/* What was measured of one place is known of no other that differs in anything that a counter is told. */
static void each_place_is_its_own(void **state)
{
	static const struct pmu_bracket longer = {.own = {{Q_INSTRUCTIONS, 4}, {Q_UOPS, 3}},
						  .own_readings = 1};
	struct share_place base = at(&instructions, 0, MECHANISM_WRITE);
	const struct pmu_config was = config;
	struct pmu_config others[] = {was, was, was, was, was, was, was, was, was, was};

	(void)state;
	keep(&base, 3, 1, 0, 0);
	is(&base, SHARE_STEADY, 3);
	others[0].code++;
	others[1].levels = LEVELS_SYSTEM;
	others[2].cmask = 1;
	others[3].edge = true;
	others[4].invert = true;
	others[5].any_thread = true;
	others[6].extra_register = 0x1a6;
	others[7].extra_value = 1;
	others[8].extra_value = UINT64_C(1) << 37;
	others[9].choice = 1;
	for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
		config = others[i];
		if (share_find(&base).state != SHARE_UNKNOWN)
			print_error("taken for the same: place %u\n", i);
		assert_int_equal(share_find(&base).state, SHARE_UNKNOWN);
	}
	config = was;
	is(&base, SHARE_STEADY, 3);
	base.counter = 1;
	assert_int_equal(share_find(&base).state, SHARE_UNKNOWN);
	base.counter = 0;
	base.mechanism = MECHANISM_READ;
	assert_int_equal(share_find(&base).state, SHARE_UNKNOWN);
	base.mechanism = MECHANISM_WRITE;
	base.bracket = &longer;
	assert_int_equal(share_find(&base).state, SHARE_UNKNOWN);
}

static void kernels_of_nops(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SHARE_LENGTHS; i++) {
		const struct kernel *k = share_kernel(i);
		int64_t length = k->code_end - k->code;

		assert_int_equal(length, nops[i]);
		assert_int_equal(kernel_amount(k, Q_INSTRUCTIONS, 7).low, length);
		assert_int_equal(kernel_amount(k, Q_INSN_NOP, 7).low, length);
		assert_int_equal(kernel_amount(k, Q_BRANCHES, 7).high, 0);
		for (const uint8_t *p = k->code; p < k->code_end; p++)
			assert_int_equal(*p, 0x90);
	}
}

static void unknown_is_as_implied(void **state)
{
	(void)state;
	struct share_place place = at(&instructions, 0, MECHANISM_WRITE);

	is(&place, SHARE_UNKNOWN, 3);
	place = at(&branches, 0, MECHANISM_WRITE);
	is(&place, SHARE_UNKNOWN, 0);
}

static void steady_is_taken(void **state)
{
	(void)state;
	struct share_place place = at(&instructions, 0, MECHANISM_WRITE);

	keep(&place, 4, 1, 0, 0);
	is(&place, SHARE_STEADY, 4);
	assert_int_equal(share_find(&place).implied, 3);
	/* Nothing else is known by that: another counter, mechanism, event, ring, filter. */
	place = at(&instructions, 1, MECHANISM_WRITE);
	is(&place, SHARE_UNKNOWN, 3);
	place = at(&instructions, 0, MECHANISM_READ);
	is(&place, SHARE_UNKNOWN, 3);
	place = at(&branches, 0, MECHANISM_WRITE);
	is(&place, SHARE_UNKNOWN, 0);
	place = at(&instructions, 0, MECHANISM_WRITE);
	config.levels = LEVELS_SYSTEM;
	is(&place, SHARE_UNKNOWN, 3);
	config.levels = LEVELS_ALL;
	config.cmask = 1;
	is(&place, SHARE_UNKNOWN, 3);
	config.cmask = 0;
	is(&place, SHARE_STEADY, 4);
	shares_forget();
	is(&place, SHARE_UNKNOWN, 3);
}

static void nops_must_count(void **state)
{
	(void)state;
	struct share_place place = at(&instructions, 0, MECHANISM_WRITE);

	keep(&place, 3, 2, 0, 0);
	is(&place, SHARE_SLOPE, 3);
	keep(&place, 3, 0, 0, 0);
	is(&place, SHARE_SLOPE, 3);
	place = at(&branches, 0, MECHANISM_WRITE);
	keep(&place, 0, 1, 0, 0);
	is(&place, SHARE_SLOPE, 0);
	keep(&place, 0, 0, 0, 0);
	is(&place, SHARE_STEADY, 0);
}

static void windows_must_agree(void **state)
{
	(void)state;
	struct share_place place = at(&instructions, 0, MECHANISM_WRITE);

	keep(&place, 3, 1, 7, 1);
	is(&place, SHARE_UNSTEADY, 3);
}

static void ring_that_is_not_seen(void **state)
{
	(void)state;
	struct share_place place = at(&instructions, 0, MECHANISM_WRITE);

	config.levels = LEVELS_USER;
	is(&place, SHARE_UNKNOWN, 0);
	keep(&place, 0, 0, 0, 0);
	is(&place, SHARE_STEADY, 0);
	keep(&place, 0, 1, 0, 0);
	is(&place, SHARE_SLOPE, 0);
}

static void clocks_have_none(void **state)
{
	(void)state;
	struct share_place place = at(&cycles, 0, MECHANISM_WRITE);

	keep(&place, 117, 0, 0, 0);
	assert_int_equal(share_find(&place).state, SHARE_STEADY);
	assert_int_equal(share_of(&place), 0); /* judged by bounds that have room for the bracket */
}

static void findings_are_added(void **state)
{
	(void)state;
	struct share_place place = at(&instructions, 1, MECHANISM_WRITE);

	pmu.counts_start = 1u << 1;
	assert_int_equal(share_predicted(&place), 4);
	pmu.counts_stop = 1u << 1;
	assert_int_equal(share_predicted(&place), 5);
	place = at(&instructions, 0, MECHANISM_WRITE);
	assert_int_equal(share_predicted(&place), 3);
	place = at(&branches, 1, MECHANISM_WRITE);
	assert_int_equal(share_predicted(&place), 0);
	place = at(&instructions, 1, MECHANISM_USER);
	assert_int_equal(share_predicted(&place), 3);
	place = at(&instructions, 1, MECHANISM_READ);
	assert_int_equal(share_predicted(&place), 3);
	pmu.counts_reading[1] = 1;
	assert_int_equal(share_predicted(&place), 4);
	place = at(&instructions, 1, MECHANISM_WRITE);
	config.cmask = 2; /* a write is one occurrence */
	assert_int_equal(share_predicted(&place), 3);
	config.cmask = 1;
	assert_int_equal(share_predicted(&place), 5);
	config.invert = true;
	assert_int_equal(share_predicted(&place), 3);
}

static void what_cannot_be_measured(void **state)
{
	(void)state;
	struct share_place place = at(&instructions, 0, MECHANISM_WRITE);
	static const struct pmu_event unknown = {.name = "?"};

	assert_true(share_measurable(&place));
	config.edge = true;
	assert_false(share_measurable(&place));
	place = at(&unknown, 0, MECHANISM_WRITE);
	assert_false(share_measurable(&place));
	place = at(&instructions, 0, MECHANISM_USER);
	assert_true(share_measurable(&place));
	config.levels = LEVELS_ALL;
	assert_false(share_measurable(&place));
}

/* --- what is told --------------------------------------------------------------------------------------- */

static struct result told[8];
static char names[8][128];
static unsigned n_told, n_facts, n_shares;
static struct share_report last;

static void take(struct run *run, const struct result *r)
{
	(void)run;
	assert_true(n_told < 8);
	snprintf(names[n_told], sizeof names[0], "%s/%s", r->suite,
		 r->name); /* they do not outlive the call */
	told[n_told++] = *r;
}

static void take_fact(struct run *run, const char *suite, const char *name, const char *text)
{
	(void)run, (void)suite, (void)name, (void)text;
	n_facts++;
}

static void take_share(struct run *run, const struct share_report *s)
{
	(void)run;
	n_shares++;
	last = *s;
}

static struct run run = {.pmu = &pmu, .report = take, .fact = take_fact, .share = take_share};

static void report(void)
{
	n_told = n_facts = n_shares = 0;
	shares_report(&run, "events");
}

static void explained_is_silent(void **state)
{
	(void)state;
	struct share_place place = at(&instructions, 0, MECHANISM_WRITE);

	pmu.counts_start = UINT64_MAX;
	keep(&place, 4, 1, 0, 0);
	report();
	assert_int_equal(n_told + n_facts, 0);
	assert_int_equal(n_shares, 1);
	assert_int_equal(last.share, 4);
	assert_int_equal(last.implied, 3);
	assert_int_equal(last.nops[4], 100);
	assert_int_equal(last.windows[4], 20);
	assert_int_equal(last.value[4][0], 104);
	assert_int_equal(last.frequency[4][0], 20);
	report(); /* once */
	assert_int_equal(n_shares, 0);
}

/* Distinct values up to SHARE_VALUES are all there, and those beyond are a number. */
static void values_beyond_the_list_are_counted(void **state)
{
	(void)state;
	for (unsigned distinct = SHARE_VALUES - 1; distinct <= SHARE_VALUES + 2; distinct++) {
		struct histogram seen[SHARE_LENGTHS] = {0};
		struct share_place place = at(&instructions, 0, MECHANISM_WRITE);
		unsigned listed = distinct < SHARE_VALUES ? distinct : SHARE_VALUES;

		setup(state);
		for (unsigned i = 0; i < SHARE_LENGTHS; i++)
			for (unsigned v = 0; v < distinct; v++)
				histogram_add(&seen[i], 10 + v);
		share_keep(&place, seen);
		report();
		assert_int_equal(last.n_values[2], listed);
		assert_int_equal(last.more[2], distinct - listed);
		assert_int_equal(last.value[2][listed - 1], 10 + listed - 1);
	}
}

static void unexplained_is_biased(void **state)
{
	(void)state;
	struct share_place place = at(&branches, 0, MECHANISM_WRITE);

	keep(&place, 1, 0, 0, 0);
	place = at(&instructions, 0, MECHANISM_WRITE);
	keep(&place, 35, 1, 0, 0);
	place = at(&instructions, 1, MECHANISM_WRITE);
	keep(&place, 3, 1, 0, 0);
	report();
	assert_int_equal(n_told, 1); /* one check for a counter and a mechanism */
	assert_int_equal(told[0].judgement.verdict, VERDICT_BIASED);
	assert_string_equal(names[0], "events/share/enabling and disabling writes/PMC0");
	assert_int_equal(told[0].observation[0].seen.min, 1);
	assert_non_null(strstr(told[0].judgement.text, "1 more"));
}

static void dead_events_say_so_themselves(void **state)
{
	(void)state;
	struct share_place place = at(&instructions, 0, MECHANISM_WRITE);

	keep(&place, 0, 0, 0, 0);
	is(&place, SHARE_SLOPE, 3);
	report();
	assert_int_equal(n_told + n_facts, 0);
	assert_int_equal(n_shares, 1);
	shares_forget();
	keep(&place, 0, 1, 0, 0);
	report();
	assert_int_equal(n_told, 1); /* but for the share itself, it counts */
	shares_forget();
	place = at(&instructions, 0, MECHANISM_READ); /* no row is counted so */
	keep(&place, 0, 0, 0, 0);
	report();
	assert_int_equal(n_told, 1);
}

static void unsteady_is_noisy_and_slopes_are_wrong(void **state)
{
	(void)state;
	struct share_place place = at(&instructions, 0, MECHANISM_WRITE);

	keep(&place, 3, 1, 5, 1);
	place = at(&instructions, 1, MECHANISM_USER);
	keep(&place, 3, 2, 0, 0);
	report();
	assert_int_equal(n_told, 2);
	assert_int_equal(told[0].judgement.verdict, VERDICT_NOISY);
	assert_int_equal(told[0].observation[0].seen.distinct, 2);
	assert_int_equal(told[1].judgement.verdict, VERDICT_WRONG);
}

/* The bracket's own micro-operations no manual counts. And what the ladder has left out is told there. */
static void facts_and_silence(void **state)
{
	(void)state;
	struct share_place place = at(&uops, 0, MECHANISM_WRITE);

	keep(&place, 60, 1, 0, 0);
	place = at(&branches, 1, MECHANISM_WRITE);
	keep(&place, 1, 0, 0, 0);
	pmu.left_out = 1u << 1;
	report();
	assert_int_equal(n_told, 0);
	assert_int_equal(n_facts, 1);
	assert_int_equal(n_shares, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(kernels_of_nops, setup),
		cmocka_unit_test_setup(each_place_is_its_own, setup),
		cmocka_unit_test_setup(unknown_is_as_implied, setup),
		cmocka_unit_test_setup(steady_is_taken, setup),
		cmocka_unit_test_setup(nops_must_count, setup),
		cmocka_unit_test_setup(windows_must_agree, setup),
		cmocka_unit_test_setup(ring_that_is_not_seen, setup),
		cmocka_unit_test_setup(clocks_have_none, setup),
		cmocka_unit_test_setup(findings_are_added, setup),
		cmocka_unit_test_setup(what_cannot_be_measured, setup),
		cmocka_unit_test_setup(explained_is_silent, setup),
		cmocka_unit_test_setup(values_beyond_the_list_are_counted, setup),
		cmocka_unit_test_setup(unexplained_is_biased, setup),
		cmocka_unit_test_setup(dead_events_say_so_themselves, setup),
		cmocka_unit_test_setup(unsteady_is_noisy_and_slopes_are_wrong, setup),
		cmocka_unit_test_setup(facts_and_silence, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
