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

/* Cycles of these occurrences, one after the other. */
static uint64_t over(const struct counter_condition *c, const unsigned v[], unsigned n)
{
	bool level = false;
	uint64_t amount = 0;

	for (unsigned i = 0; i < n; i++)
		amount += counter_cycles(c, (struct counter_flow){v[i], FLOW_AT_ONCE}, NULL, 1, &level);
	return amount;
}

static void filters_pass_cycles(void **state)
{
	static const unsigned v[] = {1, 2, 3, 0, 2};
	struct counter_condition c = {.at_least = 2};

	(void)state;
	assert_int_equal(over(&c, v, 5), 3);
	c.whole = true;
	assert_int_equal(over(&c, v, 5), 7);
	c = (struct counter_condition){.at_least = 2, .invert = true};
	assert_int_equal(over(&c, v, 5), 2);
	c = (struct counter_condition){.at_least = 2, .equal = true};
	assert_int_equal(over(&c, v, 5), 2);
	c = (struct counter_condition){.at_least = 2, .edge = true, .whole = true};
	assert_int_equal(over(&c, v, 5), 2);
	c.invert = true;
	assert_int_equal(over(&c, v, 5), 2);
}

/* The level is kept from step to step, whatever the filter makes of it. */
static void an_edge_is_between_steps(void **state)
{
	const struct counter_condition edge = {.at_least = 1, .edge = true}, plain = {.at_least = 1};
	bool level = false;

	(void)state;
	assert_int_equal(counter_cycles(&edge, (struct counter_flow){1, FLOW_AT_ONCE}, NULL, 1, &level), 1);
	assert_int_equal(counter_cycles(&edge, (struct counter_flow){1, FLOW_AT_ONCE}, NULL, 3, &level), 0);
	assert_false(level);
	assert_int_equal(counter_cycles(&plain, (struct counter_flow){1, FLOW_AT_ONCE}, NULL, 0, &level), 0);
	assert_false(level);
	assert_int_equal(counter_cycles(&plain, (struct counter_flow){1, FLOW_AT_ONCE}, NULL, 1, &level), 1);
	assert_true(level);
	assert_int_equal(counter_cycles(&edge, (struct counter_flow){2, 1}, NULL, 2, &level), 0);
}

/* Seven occurrences, of which a cycle takes three: 3, 3, 1, 0. */
static void occurrences_come_as_early_as_they_can(void **state)
{
	const struct counter_flow flow = {7, 3};
	static const unsigned passed[] = {4, 3, 2, 2, 0};

	(void)state;
	for (unsigned least = 0; least < 5; least++) {
		const struct counter_condition c = {.at_least = (uint16_t)least};
		bool level = false;

		assert_int_equal(counter_cycles(&c, flow, NULL, 4, &level), passed[least]);
	}
}

static void clocks_tick(void **state)
{
	struct counter_clock none = {.each = 4}, core = {.every = 1, .each = 4},
			     bus = {.every = 3, .each = 2};
	const struct counter_condition any = {.at_least = 1}, more = {.at_least = 3};
	bool level = false;

	(void)state;
	assert_int_equal(counter_ticks(&none, 5), 0);
	assert_int_equal(counter_ticks(&core, 5), 20);
	assert_int_equal(counter_ticks(&bus, 2), 0);
	assert_int_equal(counter_ticks(&bus, 1), 2);
	assert_int_equal(counter_ticks(&bus, 8), 4);
	assert_int_equal(bus.since, 2);
	assert_int_equal(counter_cycles(&any, (struct counter_flow){0, FLOW_AT_ONCE}, &bus, 5, &level), 2);
	assert_int_equal(bus.since, 1);
	assert_int_equal(counter_cycles(&more, (struct counter_flow){1, FLOW_AT_ONCE}, &bus, 5, &level), 0);
	assert_int_equal(counter_cycles(&more, (struct counter_flow){1, FLOW_AT_ONCE}, &core, 5, &level), 5);
	bus.since = 2;
	assert_int_equal(counter_cycles(&more, (struct counter_flow){1, FLOW_AT_ONCE}, &bus, 5, &level), 1);
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
		cmocka_unit_test(filters_pass_cycles),
		cmocka_unit_test(an_edge_is_between_steps),
		cmocka_unit_test(occurrences_come_as_early_as_they_can),
		cmocka_unit_test(clocks_tick),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
