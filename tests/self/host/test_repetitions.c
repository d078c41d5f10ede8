/*
 * How often suites measure: the default of each kind of PMU, what the options ask for, and a limit that is
 * told.
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(as_asked),
		cmocka_unit_test(a_limit_is_told),
	};

	return cmocka_run_group_tests_name("repetitions", tests, NULL, NULL);
}
