/* Expectations: terms applied to signatures, intervals with signs, and every way in which there is none. */
#include "tests/self/host/fake_kernels.h"
#include "tests/judge/expectation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

FAKE_KERNEL(mix, "fake_mix", 0, FAKE_EXACT(INSTRUCTIONS, 10, 2), FAKE_EXACT(LOADS, 3, 0),
	    FAKE_RANGE(CYCLES, 4, 0, 9, 1), FAKE_RANGE(BR_MISPRED, 0, 0, 1, 2),
	    FAKE_EXACT(STORES, 0, INT64_MAX), FAKE_RANGE(UOPS, 0, 0, 0, INT64_MAX));

static const struct pmu_event instructions = {.name = "I", .terms = {{Q_INSTRUCTIONS, 1}}};

static struct expectation on_mix(const struct pmu_event *e, uint64_t n)
{
	struct expectation x;

	enum expectation_status status = expectation(e, &mix, n, &x);

	assert_int_equal(status, x.status);
	return x;
}

static void sums_of_terms(void **state)
{
	(void)state;
	struct pmu_event e = {.terms = {{Q_INSTRUCTIONS, 2}, {Q_LOADS, -1}}};
	struct expectation x = on_mix(&instructions, 5);

	assert_int_equal(x.status, EXPECTATION_OK);
	assert_int_equal(x.low, 52);
	assert_int_equal(x.high, 52);
	assert_null(x.reason);
	x = on_mix(&e, 5);
	assert_int_equal(x.low, 89);
	assert_int_equal(x.high, 89);
	for (unsigned i = 0; i < EVENT_TERMS; i++) /* all the room there is, no terminator */
		e.terms[i] = (struct event_term){Q_LOADS, 1};
	assert_int_equal(on_mix(&e, 5).low, 15 * EVENT_TERMS);
}

static void intervals_keep_their_ends_apart(void **state)
{
	(void)state;
	struct pmu_event sum = {.terms = {{Q_CYCLES, 1}, {Q_BR_MISPRED, 2}}};
	struct pmu_event difference = {.terms = {{Q_CYCLES, 1}, {Q_BR_MISPRED, -2}}};
	struct pmu_event below = {.terms = {{Q_BR_MISPRED, 1}, {Q_LOADS, -1}}};
	struct expectation x = on_mix(&sum, 10);

	assert_int_equal(x.low, 40);
	assert_int_equal(x.high, 91 + 24);
	assert_string_equal(x.reason, "fake reason");
	x = on_mix(&difference, 10);
	assert_int_equal(x.low, 40 - 24);
	assert_int_equal(x.high, 91);
	x = on_mix(&below, 1); /* [0, 3] - 3: a count is never below 0 */
	assert_int_equal(x.status, EXPECTATION_OK);
	assert_int_equal(x.low, 0);
	assert_int_equal(x.high, 0);
	assert_int_equal(on_mix(&below, 2).status, EXPECTATION_NEGATIVE);
}

static struct expectation allowed(const struct pmu_event *e, uint64_t n)
{
	struct expectation x = on_mix(e, n);

	expectation_allow_more(&x, e, &mix, 0, n);
	return x;
}

static void at_least_may_be_more(void **state)
{
	(void)state;
	/* BR_MISPRED is at most N + 2. */
	static const struct event_rule rule = {"wrong paths", .may = {{Q_BR_MISPRED, false, 100}}};
	struct pmu_event e = {.terms = {{Q_LOADS, 1}}, .judgement = EVENT_AT_LEAST, .rule = &rule};
	struct expectation x = on_mix(&e, 4);

	assert_int_equal(x.low, 12);
	assert_int_equal(x.high, 12);
	assert_null(x.reason);
	x = allowed(&e, 4);
	assert_int_equal(x.low, 12);
	assert_int_equal(x.high, 12 + 100 * 6);
	assert_string_equal(x.reason, "wrong paths");
	assert_int_equal(expectation_fits(&x, 0, 1023), EXPECTATION_OK);
	assert_int_equal(expectation_fits(&x, 0, 511), EXPECTATION_TOO_WIDE);
	e.judgement = EVENT_EXACT;
	assert_int_equal(allowed(&e, 4).high, 12);
	assert_null(allowed(&e, 4).reason);
	e.rule = NULL;
	e.judgement = EVENT_AT_LEAST;
	assert_int_equal(allowed(&e, 4).high, 12);
}

static void what_is_unsaid_is_exact_elsewhere(void **state)
{
	(void)state;
	static const struct event_rule rule = {"not said", .may = {{Q_BR_MISPRED, false, 100}},
					       .unsaid = {{Q_INSTRUCTIONS, false, 2}}},
				       none = {"not said", .unsaid = {{Q_BR_FAR, false, 2}}};
	struct pmu_event e = {.terms = {{Q_LOADS, 1}}, .judgement = EVENT_EXACT, .rule = &rule};
	int64_t some = kernel_amount(&mix, Q_INSTRUCTIONS, 4).high;
	struct expectation x = allowed(&e, 4);

	assert_true(some > 0 && !kernel_amount(&mix, Q_BR_FAR, 4).high);
	assert_int_equal(x.low, 12);
	assert_int_equal(x.high, 12 + 2 * some); /* and nothing of what only rows that are "at least" may */
	assert_string_equal(x.reason, "not said");
	e.judgement = EVENT_AT_LEAST;
	assert_int_equal(allowed(&e, 4).high, 12 + 100 * 6 + 2 * some);
	e.judgement = EVENT_TIME;
	assert_int_equal(allowed(&e, 4).high, 12);
	e.judgement = EVENT_EXACT;
	e.rule = &none; /* the kernel has none of it */
	assert_int_equal(allowed(&e, 4).low, 12);
	assert_int_equal(allowed(&e, 4).high, 12);
	assert_null(allowed(&e, 4).reason);
}

static void what_may_be_left_out_lowers(void **state)
{
	(void)state;
	static const struct event_rule rule = {"some are not counted", .less = {{Q_LOADS, false, 1}}},
				       none = {"far ones", .less = {{Q_BR_FAR, false, 1}}},
				       much = {"all of them", .less = {{Q_LOADS, false, 2}}};
	struct pmu_event e = {.terms = {{Q_LOADS, 2}}, .judgement = EVENT_EXACT, .rule = &rule};

	assert_int_equal(allowed(&e, 4).low, 12);
	assert_int_equal(allowed(&e, 4).high, 24);
	assert_string_equal(allowed(&e, 4).reason, "some are not counted");
	e.judgement = EVENT_AT_LEAST;
	assert_int_equal(allowed(&e, 4).low, 12);
	e.rule = &much;
	assert_int_equal(allowed(&e, 4).low, 0);
	e.rule = &none;
	assert_int_equal(allowed(&e, 4).low, 24);
	assert_null(allowed(&e, 4).reason);
}

/* Each ring has a list of its own, and a reason of its own. */
static void deliveries_go_by_ring(void **state)
{
	(void)state;
	static const struct event_deliveries deliveries = {"deliveries", "somebody", DELIVERED_BRANCHES,
							   .all = {{Q_LOADS, false, 1}},
							   .user = {{Q_LOADS, false, 3}}};
	static const struct event_rule rule = {"rule", .deliveries = &deliveries};
	struct pmu_event e = {.terms = {{Q_LOADS, 1}}, .judgement = EVENT_EXACT, .rule = &rule};
	struct expectation x = allowed(&e, 4);

	assert_int_equal(x.low, 12);
	assert_int_equal(x.high, 12 + 12);
	assert_string_equal(x.reason, "deliveries");
	x = on_mix(&e, 4);
	expectation_allow_more(&x, &e, &mix, 3, 4);
	assert_int_equal(x.low, 12);
	assert_int_equal(x.high, 12 + 3 * 12);
}

static void what_is_not_there_allows_nothing(void **state)
{
	(void)state;
	static const struct event_rule far = {"far ones", .may = {{Q_BR_FAR, false, 100}}},
				       again = {"again", .may = {{Q_LOADS, true, 2}}},
				       edge = {"edge", .edge = 1};
	struct pmu_event loads = {.terms = {{Q_LOADS, 1}}, .judgement = EVENT_AT_LEAST, .rule = &far};
	struct pmu_event none = {.terms = {{Q_BR_FAR, 1}}, .judgement = EVENT_AT_LEAST, .rule = &far};
	struct expectation x = allowed(&loads, 4);

	assert_int_equal(x.high, 12);
	assert_null(x.reason);
	assert_int_equal(allowed(&none, 4).high, 0);
	loads.rule = none.rule = &again;
	assert_int_equal(allowed(&loads, 4).high, 12 + 24);
	x = allowed(&none, 4); /* there are loads, but nothing to count again */
	assert_int_equal(x.high, 0);
	assert_null(x.reason);
	none.rule = &edge;
	x = allowed(&none, 4);
	assert_int_equal(x.high, 1);
	assert_string_equal(x.reason, "edge");
}

static void a_documented_factor_goes_both_ways(void **state)
{
	(void)state;
	static const struct event_rule rule = {"by two", .fold = 2};
	struct pmu_event e = {.terms = {{Q_LOADS, 1}}, .judgement = EVENT_AT_LEAST, .rule = &rule};
	struct expectation x = allowed(&e, 3);

	assert_int_equal(x.low, 4);
	assert_int_equal(x.high, 18);
	assert_string_equal(x.reason, "by two");
	e.terms[0].quantity = Q_BR_FAR;
	assert_int_equal(allowed(&e, 3).high, 0);
}

static void masks_and_edges_count_once_a_cycle(void **state)
{
	(void)state;
	/* CYCLES is 9 * N + 1 at most, UOPS anything. */
	static const struct event_rule rule = {"much", .may = {{Q_INSTRUCTIONS, false, 100}}};
	struct pmu_event e = {.terms = {{Q_UOPS, 1}}, .judgement = EVENT_AT_LEAST, .rule = &rule};

	assert_true(on_mix(&e, 3).high > 28);
	e.flags = EVENT_MASKED;
	assert_int_equal(on_mix(&e, 3).high, 28);
	assert_int_equal(allowed(&e, 3).high, 28);
	e.flags = EVENT_MASKED | EVENT_EDGES;
	assert_int_equal(on_mix(&e, 3).high, 15);
	assert_int_equal(allowed(&e, 3).high, 15);
	e.terms[0].quantity = Q_LOADS; /* 3 * N, and so fewer */
	assert_int_equal(on_mix(&e, 3).high, 9);
}

static void a_floor_lifts_the_low_end(void **state)
{
	(void)state;
	/* LOADS is 3 * N, BR_MISPRED at most N + 2. */
	static const struct event_floor loads = {"it loads", 2, {{Q_LOADS, 1}}, 0},
					less = {"it loads", 1, {{Q_LOADS, 1}, {Q_BR_MISPRED, -1}}, 0},
					far = {"it jumps far", 1, {{Q_BR_FAR, 1}}, 0};
	struct pmu_event e = {.terms = {{Q_UOPS, 1}}, .floor = &loads};
	struct expectation before = on_mix(&e, 10), x;

	assert_int_equal(expectation_floor(&e, &mix, 10), 15);
	assert_int_equal(before.low == 15, 0);
	e.terms[0].quantity = Q_BR_MISPRED;
	assert_int_equal(on_mix(&e, 5).low, 0);
	x = allowed(&e, 5);
	assert_int_equal(x.low, 7);
	assert_int_equal(x.high, 7);
	assert_string_equal(x.reason, "it loads");
	e.judgement = EVENT_TIME;
	assert_int_equal(allowed(&e, 5).low, 7);
	e.floor = &less; /* the most of what is taken away */
	assert_int_equal(expectation_floor(&e, &mix, 5), 15 - 7);
	e.floor = &far;
	x = allowed(&e, 5);
	assert_int_equal(x.low, 0);
	e.floor = NULL;
	assert_int_equal(expectation_floor(&e, &mix, 5), 0);
}

static void a_floor_may_be_an_upper_end(void **state)
{
	(void)state;
	/* LOADS is 3 * N, BR_MISPRED at most N + 2. */
	static const struct event_floor loads = {"it loads", 2, {{Q_LOADS, 1}}, 4},
					less = {"it loads", 1, {{Q_LOADS, 1}, {Q_BR_MISPRED, -1}}, 4},
					far = {"it jumps far", 1, {{Q_BR_FAR, 1}}, 4};
	struct pmu_event e = {.terms = {{Q_UOPS, 1}}, .floor = &loads};
	struct expectation x = on_mix(&e, 5);

	assert_int_equal(expectation_top(&e, &mix, 5), 8 + 4);
	x.low = 7, x.high = 100;
	expectation_allow_more(&x, &e, &mix, 0, 5);
	assert_int_equal(x.high, 8 + 4); /* 15 / 2, rounded up */
	assert_string_equal(x.reason, "it loads");
	x.high = 9;
	expectation_allow_more(&x, &e, &mix, 0, 5);
	assert_int_equal(x.high, 9);
	e.floor = &less; /* the least of what is taken away */
	assert_int_equal(expectation_top(&e, &mix, 5), 15 + 4);
	e.floor = &far; /* which forces nothing */
	assert_true(expectation_top(&e, &mix, 5) == INT64_MAX);
	e.floor = NULL;
	assert_true(expectation_top(&e, &mix, 5) == INT64_MAX);
}

/* Whatever a row's rule allows besides: nothing goes beyond an upper end that its floor gives. */
static void no_rule_goes_beyond_a_floor(void **state)
{
	(void)state;
	static const struct event_deliveries far = {.text = "far", .all = {{Q_LOADS, false, 9}}};
	static const struct event_rule rules[] = {
		{"may", .may = {{Q_LOADS, false, 9}}},
		{"unsaid", .unsaid = {{Q_LOADS, false, 9}}},
		{"edge", .edge = 99},
		{"fold", .fold = 50},
		{"deliveries", .deliveries = &far},
		{"all", .may = {{Q_LOADS, false, 9}}, .edge = 99, .fold = 50, .deliveries = &far},
	};
	/* LOADS is 3 * N. */
	static const struct event_floor loads = {"it loads", 1, {{Q_LOADS, 1}}, 4};

	for (unsigned i = 0; i < sizeof rules / sizeof rules[0]; i++)
		for (unsigned has = 0; has < 2; has++) {
			struct pmu_event e = {.terms = {{Q_LOADS, 1}},
					      .judgement = EVENT_AT_LEAST,
					      .rule = &rules[i],
					      .floor = has ? &loads : NULL};
			struct expectation x = on_mix(&e, 5);

			expectation_allow_more(&x, &e, &mix, 0, 5);
			if (has)
				assert_int_equal(x.high, 15 + 4);
			else
				assert_true(x.high > 15 + 4);
			assert_string_equal(x.reason, has                   ? "it loads"
						      : rules[i].deliveries ? "far"
									    : rules[i].text);
		}
}

static void allowances_that_fit_no_number(void **state)
{
	(void)state;
	static const struct event_rule much = {"much", .may = {{Q_UOPS, false, 2}}, .fold = 2};
	struct pmu_event e = {.terms = {{Q_LOADS, 1}}, .judgement = EVENT_AT_LEAST, .rule = &much};
	struct expectation x = on_mix(&e, 1);

	x.high = INT64_MAX - 5;
	expectation_allow_more(&x, &e, &mix, 0, 1);
	assert_true(x.high == INT64_MAX);
	assert_true(allowed(&e, 1).high == INT64_MAX);
	x = (struct expectation){.status = EXPECTATION_UNDEFINED};
	expectation_allow_more(&x, &e, &mix, 0, 1);
	assert_int_equal(x.high, 0);
}

static void exceptions_are_named_where_they_are_met(void **state)
{
	(void)state;
	static const struct event_rule loads = {"loads count", .also = {{Q_LOADS, 1}}},
				       far = {"far ones count", .also = {{Q_BR_FAR, 1}}};
	struct pmu_event e = {.terms = {{Q_INSTRUCTIONS, 1}}};

	event_follow(&e, &loads);
	assert_int_equal(e.terms[1].quantity, Q_LOADS);
	assert_int_equal(e.terms[2].coefficient, 0);
	assert_int_equal(on_mix(&e, 5).low, 52 + 15);
	assert_int_equal(on_mix(&e, 5).high, 52 + 15);
	assert_ptr_equal(on_mix(&e, 5).rule, &loads);
	assert_int_equal(event_coefficient(&e, Q_LOADS), 1); /* and so the bracket's share is right */
	e = instructions;
	event_follow(&e, &far);
	assert_int_equal(on_mix(&e, 5).high, 52);
	assert_null(on_mix(&e, 5).rule);
	assert_null(on_mix(&instructions, 5).rule);
}

static void no_expectation(void **state)
{
	(void)state;
	struct pmu_event undefined = {.terms = {{Q_LOADS, 1}, {Q_COUNT, 1}}}, none = {.name = "none"};
	struct pmu_event twice = {.terms = {{Q_STORES, 2}}}, above = {.terms = {{Q_STORES, 1}, {Q_LOADS, 1}}};
	struct pmu_event wide = {.terms = {{Q_UOPS, 2}}};
	struct expectation x = on_mix(&undefined, 1);
	char text[100];

	assert_int_equal(x.status, EXPECTATION_UNDEFINED);
	expectation_explain(&x, &mix, 1, text, sizeof(text));
	assert_string_equal(text,
			    "kernel fake_mix does not define the quantity that its row names: there is none");
	x = on_mix(&none, 1);
	assert_int_equal(x.status, EXPECTATION_NO_TERMS);
	expectation_explain(&x, &mix, 1, text, sizeof(text));
	assert_string_equal(text, "the event declares no quantity");
	x = on_mix(&twice, 1);
	assert_int_equal(x.status, EXPECTATION_OVERFLOW);
	expectation_explain(&x, &mix, 1, text, sizeof(text));
	assert_string_equal(text, "N = 1 is too large: stores of kernel fake_mix does not fit 64 bits");
	assert_int_equal(on_mix(&above, 1).status, EXPECTATION_OVERFLOW);
	assert_int_equal(on_mix(&above, 0).status, EXPECTATION_OK);
	assert_int_equal(on_mix(&wide, 1).status, EXPECTATION_OVERFLOW);
	assert_int_equal(on_mix(&instructions, UINT64_MAX).status, EXPECTATION_OVERFLOW);
	x = on_mix(&(struct pmu_event){.terms = {{Q_LOADS, -1}}}, 7);
	assert_int_equal(x.status, EXPECTATION_NEGATIVE);
	expectation_explain(&x, &mix, 7, text, sizeof(text));
	assert_string_equal(text, "the event's terms give -21 on kernel fake_mix: less than nothing");
}

static void counter_width(void **state)
{
	(void)state;
	struct expectation x;
	char text[100];

	expectation(&instructions, &mix, 25, &x); /* 252 */
	assert_int_equal(expectation_fits(&x, 3, 255), EXPECTATION_OK);
	assert_int_equal(expectation_fits(&x, 4, 255), EXPECTATION_TOO_WIDE);
	expectation_explain(&x, &mix, 25, text, sizeof(text));
	assert_string_equal(text,
			    "N = 25 is too large: instructions of kernel fake_mix overflows the counter");
	expectation(&instructions, &mix, 25, &x);
	assert_int_equal(expectation_fits(&x, 4, 256), EXPECTATION_OK);
	assert_int_equal(expectation_fits(&x, 4, UINT64_MAX), EXPECTATION_OK);
	assert_int_equal(expectation_fits(&x, INT64_MAX, UINT64_MAX), EXPECTATION_TOO_WIDE);
}

static void share_of_the_bracket(void **state)
{
	(void)state;
	struct pmu_bracket b = {.own = {{Q_INSTRUCTIONS, 3}, {Q_BRANCHES, 1}, {Q_INSTRUCTIONS, 1}}};
	struct pmu_event both = {.terms = {{Q_INSTRUCTIONS, 2}, {Q_BRANCHES, -1}, {Q_LOADS, 5}}};

	assert_int_equal(bracket_share(&b, &instructions), 4);
	assert_int_equal(bracket_share(&b, &both), 7);
	assert_int_equal(bracket_share(&b, &(struct pmu_event){.terms = {{Q_LOADS, 1}}}), 0);
	for (unsigned i = 0; i < 16; i++) /* no terminator */
		b.own[i] = (struct qterm){Q_LOADS, 255};
	assert_int_equal(bracket_share(&b, &both), 5 * 255 * 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_terms),
		cmocka_unit_test(intervals_keep_their_ends_apart),
		cmocka_unit_test(at_least_may_be_more),
		cmocka_unit_test(what_is_unsaid_is_exact_elsewhere),
		cmocka_unit_test(what_may_be_left_out_lowers),
		cmocka_unit_test(deliveries_go_by_ring),
		cmocka_unit_test(what_is_not_there_allows_nothing),
		cmocka_unit_test(a_documented_factor_goes_both_ways),
		cmocka_unit_test(masks_and_edges_count_once_a_cycle),
		cmocka_unit_test(a_floor_lifts_the_low_end),
		cmocka_unit_test(a_floor_may_be_an_upper_end),
		cmocka_unit_test(no_rule_goes_beyond_a_floor),
		cmocka_unit_test(allowances_that_fit_no_number),
		cmocka_unit_test(exceptions_are_named_where_they_are_met),
		cmocka_unit_test(no_expectation),
		cmocka_unit_test(counter_width),
		cmocka_unit_test(share_of_the_bracket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
