/* Rules found from counts along a grid: as few lines as it takes, each through all of its points. */
#include "tests/judge/piecewise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const uint64_t grid[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 33, 64};
#define POINTS (sizeof grid / sizeof grid[0])

static const char *rule(int64_t (*count)(uint64_t c))
{
	static char text[256];
	int64_t y[POINTS];
	struct piece p[POINTS];
	unsigned n;

	for (unsigned i = 0; i < POINTS; i++)
		y[i] = count(grid[i]);
	n = piecewise_fit(grid, y, POINTS, p);
	assert_int_not_equal(n, 0);
	piecewise_text(p, n, text, sizeof text);
	return text;
}

static int64_t constant(uint64_t c)
{
	(void)c;
	return 6;
}

static int64_t linear(uint64_t c)
{
	return 5 + 2 * (int64_t)c;
}

static int64_t nothing_at_none(uint64_t c)
{
	return c ? 9 + (int64_t)c : 5;
}

static int64_t fast_from_16(uint64_t c)
{
	return c < 16 ? (int64_t)c : 40;
}

static int64_t halves(uint64_t c)
{
	return c < 15 ? 0 : (3 * (int64_t)c + 1) / 2;
}

static int64_t falling(uint64_t c)
{
	return 100 - (int64_t)c;
}

static void rules_are_found(void **state)
{
	(void)state;
	assert_string_equal(rule(constant), "0-64: 6");
	assert_string_equal(rule(linear), "0-64: 5+2c");
	assert_string_equal(rule(nothing_at_none), "0: 5; 1-64: 9+c");
	assert_string_equal(rule(fast_from_16), "0-15: c; 16-64: 40");
	assert_string_equal(rule(falling), "0-64: 100-c");
	assert_non_null(strstr(rule(halves), "0-8: 0; "));
}

static void one_count_off_breaks_a_rule(void **state)
{
	int64_t y[POINTS];
	struct piece p[POINTS];
	char text[128];

	(void)state;
	for (unsigned off = 0; off < POINTS; off++) {
		unsigned n;

		for (unsigned i = 0; i < POINTS; i++)
			y[i] = 3 + (int64_t)grid[i] + (i == off);
		n = piecewise_fit(grid, y, POINTS, p);
		piecewise_text(p, n, text, sizeof text);
		assert_true(n > 1);
		assert_string_not_equal(text, "0-64: 3+c");
	}
}

static void fractions(void **state)
{
	const uint64_t x[] = {2, 4, 8};
	const int64_t y[] = {4, 7, 13};
	struct piece p[3];
	char text[64];

	(void)state;
	assert_int_equal(piecewise_fit(x, y, 3, p), 1);
	piecewise_text(p, 1, text, sizeof text);
	assert_string_equal(text, "2-8: (2+3c)/2");
}

/* Where lines and single points cost the same, it is the line. */
static void a_line_rather_than_points(void **state)
{
	const uint64_t x[] = {1, 2, 3, 4};
	const int64_t y[] = {5, 7, 100, 1};
	struct piece p[4];

	(void)state;
	assert_int_equal(piecewise_fit(x, y, 2, p), 1);
	assert_int_equal(piecewise_fit(x, y, 4, p), 2);
	assert_int_equal(p[0].to, 2);
	assert_int_equal(p[1].from, 3);
}

static void nonsense_is_refused(void **state)
{
	const uint64_t twice[] = {1, 1}, many[PIECEWISE_POINTS + 1] = {0};
	const int64_t y[PIECEWISE_POINTS + 1] = {0};
	struct piece p[PIECEWISE_POINTS + 1];

	(void)state;
	assert_int_equal(piecewise_fit(twice, y, 2, p), 0);
	assert_int_equal(piecewise_fit(twice, y, 0, p), 0);
	assert_int_equal(piecewise_fit(many, y, PIECEWISE_POINTS + 1, p), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_found),
		cmocka_unit_test(a_line_rather_than_points),
		cmocka_unit_test(one_count_off_breaks_a_rule),
		cmocka_unit_test(fractions),
		cmocka_unit_test(nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
