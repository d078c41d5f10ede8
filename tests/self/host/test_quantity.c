#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pmu/quantity/quantity.h"

static void test_every_name_is_found_again(void **state)
{
	(void)state;
	for (int q = 0; q < Q_COUNT; q++)
		assert_int_equal(quantity_by_name(quantity_info[q].name), q);
}

static void test_an_unknown_name_is_none(void **state)
{
	(void)state;
	assert_int_equal(quantity_by_name("instruction"), Q_COUNT);
	assert_int_equal(quantity_by_name(""), Q_COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_name_is_found_again),
		cmocka_unit_test(test_an_unknown_name_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
