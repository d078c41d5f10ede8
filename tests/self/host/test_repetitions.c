/*
 * How often suites measure: the default of each kind of PMU, what the options ask for, and a limit that is
 * told. And how results get their observations.
 */
#include "tests/judge/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static char told[128];

static void tell(struct run *run, const char *suite, const char *name, const char *value, const char *unit)
{
	(void)run;
	snprintf(told, sizeof told, "%s: %s %s, %s", suite, name, value, unit);
}

static unsigned repetitions(bool virtual, unsigned asked)
{
	struct run_options options = {.reps = asked};
	struct pmu pmu = {.virtual = virtual, .deterministic = virtual};
	struct run run = {.options = &options, .pmu = &pmu, .value = tell};

	told[0] = 0;
	return run_repetitions(&run, "sweep", 3, 500);
}

static void defaults(void **state)
{
	(void)state;
	assert_int_equal(repetitions(false, 0), 100);
	assert_int_equal(repetitions(true, 0), 3);
	assert_string_equal(told, "");
}

static void as_asked(void **state)
{
	(void)state;
	assert_int_equal(repetitions(false, 7), 7);
	assert_int_equal(repetitions(true, 500), 500);
	assert_string_equal(told, "");
}

static void a_limit_is_told(void **state)
{
	(void)state;
	assert_int_equal(repetitions(false, 501), 500);
	assert_string_equal(told,
			    "sweep: repetitions 500, the most that this suite takes; 501 were asked for");
}

/* Inside and outside of what is expected, at both ends; what was in the result before is not in it any more.
 */
static void one_value_is_judged(void **state)
{
	struct result r = {.n_observations = 3, .observation[0] = {.n = 9, .low = 9, .high = 9}};

	(void)state;
	histogram_add(&r.observation[0].seen, 9);
	result_judge(&r, 5, 7, 7, 7);
	assert_int_equal(r.judgement.verdict, VERDICT_EXACT);
	assert_int_equal(r.n_observations, 1);
	assert_int_equal(r.observation[0].n, 5);
	assert_int_equal(r.observation[0].seen.total, 1);
	assert_int_equal(r.observation[0].seen.min, 7);
	result_judge(&r, 5, 7, 7, 8);
	assert_int_equal(r.judgement.verdict, VERDICT_WRONG);
	for (int64_t seen = 6; seen <= 10; seen++) {
		result_judge(&r, 5, 7, 9, seen);
		assert_int_equal(r.judgement.verdict,
				 seen == 6 || seen == 10 ? VERDICT_WRONG : VERDICT_WITHIN);
	}
	result_judge(&r, 0, 3, 3, 0);
	assert_int_equal(r.judgement.verdict, VERDICT_DEAD);
}

/* Each with a place of its own; those that a result has no room for are pointed to. */
static void several_are_judged_together(void **state)
{
	struct observation seen[RESULT_OBSERVATIONS + 2] = {{0}};
	struct result r = {0};

	(void)state;
	for (unsigned i = 0; i < RESULT_OBSERVATIONS + 2; i++) {
		seen[i] = (struct observation){.n = i + 1, .low = i, .high = i};
		histogram_add(&seen[i].seen, i);
	}
	histogram_add(&result_observe(&r, 1, 5, 5)->seen, 5);
	histogram_add(&result_observe(&r, 2, 6, 6)->seen, 6);
	result_conclude(&r);
	assert_int_equal(r.n_observations, 2);
	assert_int_equal(r.judgement.verdict, VERDICT_EXACT);
	histogram_add(&result_observe(&r, 3, 7, 7)->seen, 8);
	result_conclude(&r);
	assert_int_equal(r.n_observations, 3);
	assert_int_equal(r.judgement.verdict, VERDICT_WRONG);
	histogram_add(&result_observe_only(&r, 3, 8, 8)->seen, 8);
	result_conclude(&r);
	assert_int_equal(r.n_observations, 1);
	assert_int_equal(r.judgement.verdict, VERDICT_EXACT);

	result_take(&r, seen, RESULT_OBSERVATIONS + 2);
	result_conclude(&r);
	assert_int_equal(r.n_observations, RESULT_OBSERVATIONS);
	assert_int_equal(r.n_more, 2);
	assert_ptr_equal(r.more, seen + RESULT_OBSERVATIONS);
	assert_int_equal(r.observation[1].n, 2);
	assert_int_equal(r.judgement.verdict, VERDICT_EXACT);
	result_take(&r, seen, 1);
	assert_int_equal(r.n_observations, 1);
	assert_int_equal(r.n_more, 0);
	assert_null(r.more);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(as_asked),
		cmocka_unit_test(a_limit_is_told),
		cmocka_unit_test(one_value_is_judged),
		cmocka_unit_test(several_are_judged_together),
	};

	return cmocka_run_group_tests_name("repetitions", tests, NULL, NULL);
}
