/* What is found of a bracket's writes and of RDPMC: which of them counts, on which counters, and how it is
 * told. */
#include "tests/self/host/support/scripted_pmu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define ALL  UINT64_MAX
#define SOME UINT64_C(0xa) /* counters 1 and 3 */

static int setup(void **state)
{
	(void)state;
	scripted_start("IBC");
	return 0;
}

static void learn(void)
{
	shares_learn(&scripted.run);
	assert_int_equal(scripted.programmed, 0);
}

static void nothing_is_told_of_a_plain_pmu(void **state)
{
	(void)state;
	learn();
	assert_int_equal(scripted.n_facts, 0);
	assert_int_equal(scripted.n_results, 0);
	assert_int_equal(scripted.pmu.counts_start, 0);
	assert_int_equal(scripted.pmu.counts_stop, 0);
	/* Of each counter: writes, readings, around ring 3. */
	assert_int_equal(scripted.n_shares, 3 * SCRIPTED_COUNTERS);
}

/* Whatever counters wrap behind: a start that is counted is found on them, and nothing else. */
static void counters_may_end_below_all_ones(void **state)
{
	(void)state;
	for (unsigned c = 0; c < SCRIPTED_COUNTERS; c++)
		scripted_wrap(c, 130 + c, true);
	learn();
	assert_int_equal(scripted.n_facts, 0);
	scripted_start("IBC");
	for (unsigned c = 0; c < SCRIPTED_COUNTERS; c++)
		scripted_wrap(c, 130 + c, true);
	scripted.counts_start = SOME;
	learn();
	assert_int_equal(scripted.pmu.counts_start, SOME);
	assert_int_equal(scripted.pmu.counts_stop, 0);
}

static void what_the_writes_count_is_found(void **state)
{
	static const struct {
		uint64_t start, stop, found_start, found_stop;
		const char *fact;
	} cases[] = {
		{ALL, 0, ALL, 0,
		 "each counter counts the write that starts it: a window has 4 instructions of the bracket, "
		 "where its "
		 "code has 3 (or the write that stops it, if RDPMC reads what it counts itself)"},
		{0, ALL, 0, ALL,
		 "each counter counts the write that stops it: a window has 4 instructions of the bracket, "
		 "where its "
		 "code has 3"},
		{ALL, ALL, ALL, ALL,
		 "each counter counts the write that starts it and the one that stops it: a window has 5 "
		 "instructions "
		 "of the bracket, where its code has 3"},
		{SOME, 0, SOME, 0, "PMC1, PMC3 counts the write that starts it: a window has 4"},
		{0, SOME, 0, SOME, "PMC1, PMC3 counts the write that stops it: a window has 4"},
		{4, 4, 4, 4,
		 "PMC2 counts the write that starts it and the one that stops it: a window has 5"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		scripted_start("IBC");
		scripted.counts_start = cases[i].start;
		scripted.counts_stop = cases[i].stop;
		learn();
		assert_int_equal(scripted.pmu.counts_start, cases[i].found_start);
		assert_int_equal(scripted.pmu.counts_stop, cases[i].found_stop);
		if (scripted.n_facts != 1 || !strstr(scripted.fact[0], cases[i].fact))
			fail_msg("%u facts: %s", scripted.n_facts, scripted.fact[0]);
		if (cases[i].stop)
			assert_null(strstr(scripted.fact[0], "RDPMC"));
		assert_int_equal(scripted.n_results, 0); /* it explains the share */
	}
}

/* Different counters, different findings: a fact for each. */
static void each_finding_has_a_fact(void **state)
{
	(void)state;
	scripted.counts_start = 1 | 4;
	scripted.counts_stop = 2 | 4;
	learn();
	assert_int_equal(scripted.n_facts, 3);
	assert_int_equal(scripted_facts("PMC0 counts the write that starts it: a window has 4"), 1);
	assert_int_equal(scripted_facts("PMC1 counts the write that stops it: a window has 4"), 1);
	assert_int_equal(
		scripted_facts(
			"PMC2 counts the write that starts it and the one that stops it: a window has 5"),
		1);
	assert_int_equal(scripted.pmu.counts_start, 5);
	assert_int_equal(scripted.pmu.counts_stop, 6);
}

/* RDPMC has counted itself already: the two cases look alike, and the fact says so. */
static void what_cannot_be_told_apart_is_said(void **state)
{
	(void)state;
	scripted.counts_stop = ALL;
	scripted.rdpmc_sees_itself = ALL;
	learn();
	assert_int_equal(scripted.pmu.counts_start, ALL);
	assert_int_equal(scripted.n_facts, 1);
	assert_int_equal(scripted_facts("(or the write that stops it, if RDPMC reads what it counts itself)"),
			 1);
}

/* RDPMC is behind: neither is sure, and one of the two is told all the same. */
static void a_reading_that_lags_does_not_hide_it(void **state)
{
	(void)state;
	scripted.counts_stop = ALL;
	scripted.rdpmc_lags = ALL;
	learn();
	assert_int_equal(scripted.pmu.counts_start | scripted.pmu.counts_stop, ALL);
	assert_int_equal(scripted.n_facts, 1);
	assert_int_equal(
		scripted_facts("(or the write that stops it: RDPMC shows less than has been counted)"), 1);
	assert_int_equal(scripted.n_results, 0);
	/* Both are both, whatever it reads. */
	scripted_start("IBC");
	scripted.counts_start = scripted.counts_stop = ALL;
	scripted.rdpmc_lags = ALL;
	learn();
	assert_int_equal(scripted.pmu.counts_start, ALL);
	assert_int_equal(scripted.pmu.counts_stop, ALL);
	assert_int_equal(scripted_facts("RDPMC"), 0);
}

static void a_redundant_write_is_found(void **state)
{
	(void)state;
	scripted.running_write[2] = 2;
	learn();
	assert_int_equal(scripted.n_facts, 1);
	assert_int_equal(
		scripted_facts("PMC2 counts an enabling write in a running window as 2 instructions"), 1);
	scripted_start("IBC");
	for (unsigned c = 0; c < SCRIPTED_COUNTERS; c++)
		scripted.running_write[c] = 0;
	scripted.counts_start = ALL;
	learn();
	assert_int_equal(scripted.n_facts, 2);
	assert_int_equal(
		scripted_facts("each counter counts an enabling write in a running window as 0 instructions"),
		1);
}

/* --- switches that are mixed ------------------------------------------------------------------------- */

/* Of each way to count the four writes: what is found of the usual two, and whether that is sure. */
static void mixing_tells_all_ways_apart_but_one(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 16; bits++) {
		bool start = bits & 1, stop = bits >> 1 & 1, other_start = bits >> 2 & 1,
		     other_stop = bits >> 3;
		bool alike = start + stop == 1 && start == other_start && stop == other_stop;

		scripted_start("IBC");
		scripted.two_switches = true;
		scripted.rdpmc_lags = ALL; /* what it says is not needed */
		scripted.counts_start = start ? ALL : 0;
		scripted.counts_stop = stop ? ALL : 0;
		scripted.counts_other_start = other_start ? ALL : 0;
		scripted.counts_other_stop = other_stop ? ALL : 0;
		learn();
		assert_int_equal(scripted_facts("what no counted writes explain"), 0);
		if (alike)
			continue;
		assert_int_equal(scripted_facts("RDPMC"), 0);
		assert_int_equal(scripted.pmu.counts_start, start ? ALL : 0);
		assert_int_equal(scripted.pmu.counts_stop, stop ? ALL : 0);
		assert_int_equal(scripted.windows_read, 0);
		assert_int_equal(
			scripted_facts("each counter counts the write that starts it if that is to the "
				       "main switch, but not if it is to the side switch"),
			start && !other_start);
		assert_int_equal(
			scripted_facts("each counter counts the write that starts it if that is to the "
				       "side switch, but not if it is to the main switch"),
			!start && other_start);
		assert_int_equal(
			scripted_facts("each counter counts the write that stops it if that is to the "
				       "main switch, but not if it is to the side switch"),
			stop && !other_stop);
		assert_int_equal(
			scripted_facts("each counter counts the write that stops it if that is to the "
				       "side switch, but not if it is to the main switch"),
			!stop && other_stop);
		assert_int_equal(scripted.n_facts,
				 (start || stop) + (start != other_start) + (stop != other_stop));
	}
}

/* All four count alike: then the reading decides, as without a second switch. */
static void mixing_leaves_the_rest_to_the_reading(void **state)
{
	(void)state;
	for (unsigned stops = 0; stops < 2; stops++) {
		scripted_start("IBC");
		scripted.two_switches = true;
		scripted.counts_start = scripted.counts_other_start = stops ? 0 : ALL;
		scripted.counts_stop = scripted.counts_other_stop = stops ? ALL : 0;
		learn();
		assert_int_equal(scripted.pmu.counts_start, stops ? 0 : ALL);
		assert_int_equal(scripted.pmu.counts_stop, stops ? ALL : 0);
		assert_true(scripted.windows_read > 0);
		assert_int_equal(scripted.n_facts, 1);
	}
}

static void mixed_counters_are_told_apart(void **state)
{
	(void)state;
	scripted.two_switches = true;
	scripted.counts_start = SOME;
	learn();
	assert_int_equal(scripted.pmu.counts_start, SOME);
	assert_int_equal(scripted.pmu.counts_stop, 0);
	assert_int_equal(scripted.n_facts, 2);
	assert_int_equal(scripted_facts("PMC1, PMC3 counts the write that starts it if that is to the main"),
			 1);
}

static void mixing_that_makes_no_sense_is_told(void **state)
{
	(void)state;
	scripted.two_switches = true;
	scripted.mixes_shake = 4;
	scripted.counts_stop = scripted.counts_other_stop = ALL;
	learn();
	assert_int_equal(scripted.pmu.counts_stop, ALL); /* the reading says it */
	assert_int_equal(scripted.n_facts, 2);
	assert_int_equal(scripted_facts("PMC2 counts what no counted writes explain, between the main switch "
					"and the side switch"),
			 1);
}

/* More than two writes can count, and a mixture that is right for itself but not for the usual bracket. */
static int64_t of_mixed(unsigned c, const struct scripted_window *at)
{
	return c == 1 && at->w->bracket->own[0].amount == 4 ? 3 : 0;
}

static int64_t of_usual(unsigned c, const struct scripted_window *at)
{
	return c == 1 && at->w->bracket->own[0].amount == SCRIPTED_SHARE && !at->w->bracket->own_readings &&
	       !at->w->level;
}

static void mixing_has_to_agree_with_the_usual_bracket(void **state)
{
	int64_t (*const cases[])(unsigned, const struct scripted_window *) = {of_mixed, of_usual};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		scripted_start("IBC");
		scripted.two_switches = true;
		scripted.beyond = cases[i];
		learn();
		assert_int_equal(scripted_facts("PMC1 counts what no counted writes explain"), 1);
	}
}

/* A switch that is refused, or missing, is no finding. */
static void without_a_second_switch_there_is_no_mixing(void **state)
{
	(void)state;
	scripted.counts_stop = ALL;
	learn();
	assert_int_equal(scripted.windows_mixed, 0);
	assert_int_equal(scripted.n_facts, 1);
	scripted_start("IBC");
	scripted.two_switches = true;
	scripted.counts_stop = ALL;
	scripted.refuse = SCRIPTED_MIXED;
	scripted.refuse_counter = 2;
	learn();
	assert_int_equal(scripted.pmu.counts_stop, ALL);
	assert_int_equal(scripted_facts("what no counted writes explain"), 0);
}

static void a_thousand_mixed_windows_on_hardware(void **state)
{
	(void)state;
	scripted.pmu.virtual = scripted.pmu.deterministic = false;
	scripted.pmu.left_out = ALL - 1;
	scripted.two_switches = true;
	scripted.counts_start = 1;
	learn();
	assert_int_equal(scripted.windows_mixed, 4 * 1001);
}

static int64_t cold(unsigned c, const struct scripted_window *at)
{
	const struct pmu_bracket *b = at->w->bracket;

	(void)c;
	return b->version && at->of_kernel == 0 ? 7 : 0;
}

static void the_first_window_warms_up(void **state)
{
	(void)state;
	scripted.beyond = cold;
	for (unsigned c = 0; c < SCRIPTED_COUNTERS; c++)
		scripted.running_write[c] = 2;
	learn();
	assert_int_equal(scripted.n_facts, 1);
	assert_int_equal(
		scripted_facts("each counter counts an enabling write in a running window as 2 instructions"),
		1);
}

static void rdpmc_by_one_more_or_less_is_found(void **state)
{
	(void)state;
	for (int64_t counted = 0; counted <= 2; counted += 2) {
		scripted_start("IBC");
		scripted.rdpmc[1] = counted;
		learn();
		assert_int_equal(scripted.pmu.counts_reading[1], counted - 1);
		assert_int_equal(scripted.pmu.counts_reading[0], 0);
		assert_int_equal(scripted.n_facts, 1);
		assert_int_equal(scripted_facts(counted ? "PMC1 counts RDPMC as 2 instructions"
							: "PMC1 counts RDPMC as 0 instructions"),
				 1);
		assert_int_equal(scripted.n_results, 0);
	}
}

/* What no counted write explains is no finding: it is told as a share that deviates. */
static int64_t three_more(unsigned c, const struct scripted_window *at)
{
	(void)at;
	return c == 1 ? 3 : 0;
}

static int64_t one_less(unsigned c, const struct scripted_window *at)
{
	(void)at;
	return c == 1 ? -1 : 0;
}

static int64_t at_times(unsigned c, const struct scripted_window *at)
{
	return c == 1 && at->w->kernel == share_kernel(0) ? at->of_kernel % 2 : 0;
}

static int64_t each_nop_twice(unsigned c, const struct scripted_window *at)
{
	const struct kernel *k = at->w->kernel;

	return c == 1 ? 1 + (k->code_end - k->code) : 0;
}

static void what_nothing_explains_is_no_finding(void **state)
{
	static const struct {
		int64_t (*beyond)(unsigned c, const struct scripted_window *at);
		enum verdict verdict;
	} cases[] = {{three_more, VERDICT_BIASED},
		     {one_less, VERDICT_BIASED},
		     {at_times, VERDICT_NOISY},
		     {each_nop_twice, VERDICT_WRONG}};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		unsigned at;

		scripted_start("IBC");
		scripted.beyond = cases[i].beyond;
		learn();
		assert_int_equal(scripted.pmu.counts_start, 0);
		assert_int_equal(scripted.pmu.counts_stop, 0);
		assert_int_equal(scripted_facts("the write that"), 0);
		at = scripted_result("share/enabling and disabling writes/PMC1");
		assert_int_equal(scripted.result[at].verdict, cases[i].verdict);
	}
}

static void counters_left_out_are_not_asked(void **state)
{
	(void)state;
	scripted.pmu.left_out = 2;
	scripted.counts_start = ALL;
	scripted.clocks = 8; /* a clock has no such number either */
	learn();
	assert_int_equal(scripted.pmu.counts_start, ALL);
	assert_int_equal(scripted.n_shares, 3 * 2);
	assert_int_equal(scripted_facts("each counter counts the write that starts it"), 1);
}

/* A PMU whose readings fail is told by what remains. */
static void without_a_reading_the_start_is_named(void **state)
{
	(void)state;
	scripted.counts_stop = ALL;
	scripted.rdpmc_shakes = ALL;
	learn();
	assert_int_equal(scripted.pmu.counts_start, ALL);
	assert_int_equal(scripted_facts("(or the write that stops it, if RDPMC reads"), 1);
}

static void hardware_is_asked_a_thousand_times(void **state)
{
	(void)state;
	scripted.pmu.virtual = scripted.pmu.deterministic = false;
	scripted.pmu.left_out = ALL - 1;
	scripted.counts_start = 1;
	learn();
	assert_int_equal(scripted_facts("each counter counts the write that starts it"), 1);
	assert_in_range(scripted.windows_read, 1000, 1001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_is_told_of_a_plain_pmu, setup),
		cmocka_unit_test_setup(counters_may_end_below_all_ones, setup),
		cmocka_unit_test_setup(what_the_writes_count_is_found, setup),
		cmocka_unit_test_setup(each_finding_has_a_fact, setup),
		cmocka_unit_test_setup(what_cannot_be_told_apart_is_said, setup),
		cmocka_unit_test_setup(a_reading_that_lags_does_not_hide_it, setup),
		cmocka_unit_test_setup(a_redundant_write_is_found, setup),
		cmocka_unit_test_setup(mixing_tells_all_ways_apart_but_one, setup),
		cmocka_unit_test_setup(mixing_leaves_the_rest_to_the_reading, setup),
		cmocka_unit_test_setup(mixed_counters_are_told_apart, setup),
		cmocka_unit_test_setup(mixing_that_makes_no_sense_is_told, setup),
		cmocka_unit_test_setup(mixing_has_to_agree_with_the_usual_bracket, setup),
		cmocka_unit_test_setup(without_a_second_switch_there_is_no_mixing, setup),
		cmocka_unit_test_setup(a_thousand_mixed_windows_on_hardware, setup),
		cmocka_unit_test_setup(the_first_window_warms_up, setup),
		cmocka_unit_test_setup(rdpmc_by_one_more_or_less_is_found, setup),
		cmocka_unit_test_setup(what_nothing_explains_is_no_finding, setup),
		cmocka_unit_test_setup(counters_left_out_are_not_asked, setup),
		cmocka_unit_test_setup(without_a_reading_the_start_is_named, setup),
		cmocka_unit_test_setup(hardware_is_asked_a_thousand_times, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
