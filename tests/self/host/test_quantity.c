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

/* x86's word for a common quantity, in its code and in reports. */
static void test_an_own_name_takes_the_place_of_the_common_one(void **state)
{
	(void)state;
	assert_int_equal(Q_RING_TO_KERNEL, Q_LEVEL_TO_SYSTEM);
	assert_int_equal(Q_INSN_WRMSR, Q_INSN_REGISTER_WRITE);
	assert_int_not_equal(Q_RING_TO_USER, Q_RING_TO_KERNEL);
	assert_string_equal(quantity_info[Q_LEVEL_TO_SYSTEM].name, "ring.to_kernel");
	assert_int_equal(quantity_by_name("ring.to_user"), Q_LEVEL_TO_USER);
	assert_int_equal(quantity_by_name("level.to_user"), Q_COUNT);
	assert_int_equal(quantity_info[Q_LEVEL_TO_USER].class, QUANTITY_ARCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_name_is_found_again),
		cmocka_unit_test(test_an_unknown_name_is_none),
		cmocka_unit_test(test_an_own_name_takes_the_place_of_the_common_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
