/*
 * What is read off a known path: amounts, occurrences of events, whether it hangs together.
 */
#include "pmu/virtual/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct qterm terms[] = {
	{Q_INSTRUCTIONS, 1}, {Q_LOADS, 2}, {Q_LOADS, 1}, {Q_INSTRUCTIONS, 1}, {Q_STORES, 1},
};
static struct path_step steps[] = {
	{.ip = 0x100, .next = 0x103, .length = 3, .terms = 0, .n_terms = 3},
	{.ip = 0x103, .next = 0x105, .length = 2, .terms = 3, .n_terms = 2, .level = 3, .level_after = 3},
	{.ip = 0x105, .next = 0x107, .length = 2, .terms = 5}, /* INT n ... */
	{.ip = 0x105, .next = 0x900, .transfer = TRANSFER_SYSTEM},
	{.ip = 0x900, .next = 0x107, .length = 2, .transfer = TRANSFER_SYSTEM},
	{.ip = 0x107, .next = 0x107, .length = 2}, /* a string instruction, half done ... */
	{.ip = 0x107, .next = 0x900, .transfer = TRANSFER_EVENT},
	{.ip = 0x900, .next = 0x107, .length = 2, .transfer = TRANSFER_SYSTEM},
	{.ip = 0x107, .next = 0x109, .length = 2},
};
static struct path path = {
	.step = steps,
	.terms = terms,
	.room = 20,
	.n_steps = sizeof steps / sizeof steps[0],
	.to = sizeof steps / sizeof steps[0],
};

static void amounts_add_up(void **unused)
{
	(void)unused;
	assert_int_equal(path_amount(&path, 0, Q_LOADS), 3);
	assert_int_equal(path_amount(&path, 0, Q_STORES), 0);
	assert_int_equal(path_amount(&path, 1, Q_STORES), 1);
	assert_int_equal(path_amount(&path, 2, Q_INSTRUCTIONS), 0);
}

static void occurrences_are_of_the_ring(void **unused)
{
	const struct pmu_event moves = {.terms = {{Q_LOADS, 1}, {Q_STORES, 2}}},
			       anywhere = {.terms = {{Q_INSTRUCTIONS, 1}}, .flags = EVENT_ANY_LEVEL},
			       odd = {.terms = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, -1}}};
	(void)unused;

	assert_int_equal(path_occurrences(&path, 0, &moves, LEVELS_ALL), 3);
	assert_int_equal(path_occurrences(&path, 0, &moves, LEVELS_SYSTEM), 3);
	assert_int_equal(path_occurrences(&path, 0, &moves, LEVELS_USER), 0);
	assert_int_equal(path_occurrences(&path, 1, &moves, LEVELS_USER), 2);
	assert_int_equal(path_occurrences(&path, 1, &moves, LEVELS_SYSTEM), 0);
	assert_int_equal(path_occurrences(&path, 1, &anywhere, LEVELS_SYSTEM), 1);
	assert_int_equal(path_occurrences(&path, 0, &odd, LEVELS_ALL), 0); /* not below 0 */
	assert_int_equal(path_occurrences(&path, 1, &odd, LEVELS_ALL), 1);
}

static void breaks_are_found(void **unused)
{
	unsigned at = 99;
	(void)unused;

	assert_true(path_is_connected(&path, &at));
	for (unsigned i = 1; i < path.n_steps; i++) {
		steps[i].ip++;
		assert_false(path_is_connected(&path, &at));
		assert_int_equal(at, i);
		/* What lies outside of the code of interest need not hang together. */
		path.from = i;
		at = 99;
		path_is_connected(&path, &at);
		assert_int_not_equal(at, i);
		path.from = 0;
		steps[i].ip--;
	}
	assert_true(path_is_connected(&path, &at));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amounts_add_up),
		cmocka_unit_test(occurrences_are_of_the_ring),
		cmocka_unit_test(breaks_are_found),
	};

	return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
