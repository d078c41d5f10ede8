/* What counters hold, as they wrap: behind all ones of their width, or behind another value. */
#include "pmu/contract/counter_bank.h"
#include "pmu/contract/counter_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static const struct pmu_counter plain = {.width = 48}, whole = {.width = 64},
				odd = {.width = 20, .highest = 999999};
#define TOP ((UINT64_C(1) << 48) - 1)

static void it_ends_where_it_says(void **state)
{
	(void)state;
	assert_int_equal(counter_highest(&plain), TOP);
	assert_int_equal(counter_highest(&whole), UINT64_MAX);
	assert_int_equal(counter_highest(&odd), 999999);
	assert_int_equal(counter_ones(&odd), 0xfffff);
}

static void it_moves_forwards_across_its_end(void **state)
{
	(void)state;
	assert_int_equal(counter_moved(&plain, 5, 5), 0);
	assert_int_equal(counter_moved(&plain, 5, 8), 3);
	assert_int_equal(counter_moved(&plain, TOP, 2), 3);
	assert_int_equal(counter_moved(&plain, TOP | UINT64_C(7) << 48, 2 | UINT64_C(3) << 50), 3);
	assert_int_equal(counter_moved(&whole, UINT64_MAX, 2), 3);
	assert_int_equal(counter_moved(&odd, 999999, 0), 1);
	assert_int_equal(counter_moved(&odd, 999998, 1), 3);
	assert_int_equal(counter_moved(&odd, 1, 0), 999999);
	assert_int_equal(counter_moved(&odd, 0, 999999), 999999);
}

static void it_may_step_back(void **state)
{
	(void)state;
	assert_int_equal(counter_step(&plain, 8, 5), -3);
	assert_int_equal(counter_step(&plain, 0, TOP), -1);
	assert_int_equal(counter_step(&plain, TOP, 1), 2);
	assert_int_equal(counter_step(&whole, 8, 5), -3);
	assert_int_equal(counter_step(&whole, 0, INT64_MAX), INT64_MAX);
	assert_int_equal(counter_step(&odd, 0, 999999), -1);
	assert_int_equal(counter_step(&odd, 999999, 0), 1);
	assert_int_equal(counter_step(&odd, 8, 5), -3);
	assert_int_equal(counter_step(&odd, 0, 499999), 499999);
	assert_int_equal(counter_step(&odd, 0, 500000), -500000);
}

static void it_is_set_back_by_a_period(void **state)
{
	(void)state;
	assert_int_equal(counter_before(&plain, 0, 1), TOP);
	assert_int_equal(counter_before(&plain, 7, 7), 0);
	assert_int_equal(counter_before(&plain, 7, 9), TOP - 1);
	assert_int_equal(counter_before(&whole, 0, 1), UINT64_MAX);
	assert_int_equal(counter_before(&odd, 0, 1), 999999);
	assert_int_equal(counter_before(&odd, 0, 999999), 1);
	assert_int_equal(counter_before(&odd, 3, 5), 999998);
	for (uint64_t n = 1; n <= 999999; n += 4567)
		assert_int_equal(counter_moved(&odd, counter_before(&odd, 0, n), 0), n);
}

/* What models make of it is what drivers and checks expect. */
static void a_bank_keeps_and_overflows_alike(void **state)
{
	const struct pmu_counter *all[] = {&plain, &whole, &odd};

	(void)state;
	for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
		uint64_t highest = counter_highest(all[i]);

		for (uint64_t n = 1; n < 9; n++) {
			uint64_t value = highest - 4, sum = value + n, kept = counter_keeps(sum, highest);

			assert_int_equal(counter_moved(all[i], value, kept), n);
			assert_int_equal(counter_overflows(value, sum, highest), n > 4);
		}
		assert_int_equal(counter_left(highest - 4, highest), 5);
		assert_true(counter_holds(highest, highest));
		assert_int_equal(counter_keeps(highest, highest), highest);
	}
	assert_int_equal(counter_keeps(TOP + 6, TOP), 5);
	assert_int_equal(counter_keeps(1000007, 999999), 7);
	assert_false(counter_holds(1000000, 999999));
	assert_int_equal(counter_left(0, UINT64_MAX), 0);
}

static void a_bank_tells_levels_apart(void **state)
{
	(void)state;
	assert_true(counter_sees(LEVELS_SYSTEM, 0) && !counter_sees(LEVELS_SYSTEM, 3));
	assert_true(!counter_sees(LEVELS_USER, 0) && counter_sees(LEVELS_USER, 1));
	assert_true(counter_sees(LEVELS_ALL, 0) && counter_sees(LEVELS_ALL, 3) && !counter_sees(0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_ends_where_it_says),
		cmocka_unit_test(it_moves_forwards_across_its_end),
		cmocka_unit_test(it_may_step_back),
		cmocka_unit_test(it_is_set_back_by_a_period),
		cmocka_unit_test(a_bank_keeps_and_overflows_alike),
		cmocka_unit_test(a_bank_tells_levels_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
