/*
 * Metrics: what an expression means, that fractions are exact, and what is refused.
 */
#include "tests/measure/metric.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct ratio_range operands[3]; /* a, b, tsc */
static char why[120];

static bool resolve(void *ctx, const char *word, size_t n, uint8_t *operand)
{
	(void)ctx;
	*operand = 0;
	if (n == 1 && (*word == 'a' || *word == 'b')) {
		*operand = (uint8_t)(*word - 'a');
		return true;
	}
	if (n == 3 && !strncmp(word, "tsc", 3)) {
		*operand = METRIC_CLOCK;
		return true;
	}
	return false;
}

static struct ratio_range value(void *ctx, uint8_t operand)
{
	(void)ctx;
	return operands[operand == METRIC_CLOCK ? 2 : operand];
}

static struct ratio_range between(int64_t low, int64_t high)
{
	return (struct ratio_range){ratio_of(low), ratio_of(high)};
}

static struct ratio_range of(const char *text)
{
	static struct metric m;
	const char *wrong = metric_parse(text, resolve, NULL, &m, why, sizeof why);

	if (wrong)
		fail_msg("%s: %s at %s", text, why, wrong);
	return metric_value(&m, value, NULL);
}

static void is(const char *text, int64_t num, int64_t den)
{
	struct ratio_range x = of(text);

	if (x.low.num != num || x.low.den != den || x.high.num != num || x.high.den != den)
		fail_msg("%s: %lld/%lld to %lld/%lld", text, (long long)x.low.num, (long long)x.low.den,
			 (long long)x.high.num, (long long)x.high.den);
}

static void expressions_have_their_value(void **state)
{
	(void)state;
	operands[0] = between(7, 7);
	operands[1] = between(3, 3);
	operands[2] = between(1000, 1000);
	is("x = a / b", 7, 3);
	is("x=a", 7, 1);
	is("x = a - b * 2", 1, 1);
	is("x = ( a - b ) * 2", 8, 1);
	is("x = a - b - 1", 3, 1);
	is("x = a / b / 7", 1, 3);
	is("x = a / (b / 7)", 49, 3);
	is("x = 0.25 * a", 7, 4);
	is("x = b - a", -4, 1);
	is("x = 1 / 3 + 1 / 6", 1, 2);
}

static void what_has_no_value_has_none(void **state)
{
	(void)state;
	operands[0] = between(5, 5);
	operands[1] = between(0, 0);
	is("x = a / b", 0, 0);
	is("x = b / a", 0, 1);
	operands[1] = between(-1, 1);
	is("x = a / b", 0, 0);
	operands[0] = between(INT64_MAX, INT64_MAX);
	is("x = a * a", 0, 0);
	is("x = a + a", 0, 0);
	is("x = a / a", 1, 1);
	is("x = a * 2 / 2", 0, 0);
}

static void ranges_hold_all_values(void **state)
{
	struct ratio_range x;

	(void)state;
	operands[0] = between(-2, 6);
	operands[1] = between(2, 4);
	x = of("x = a / b");
	assert_int_equal(x.low.num, -1);
	assert_int_equal(x.high.num, 3);
	assert_int_equal(x.high.den, 1);
	x = of("x = a * a");
	assert_int_equal(x.low.num, -12);
	assert_int_equal(x.high.num, 36);
	x = of("x = a - b");
	assert_int_equal(x.low.num, -6);
	assert_int_equal(x.high.num, 4);
}

static void millionths_are_cut_off_downwards(void **state)
{
	static const struct {
		struct ratio r;
		int64_t millionths;
	} cases[] = {{{7, 3}, 2333333}, {{-7, 3}, -2333334},         {{5, 1}, 5000000}, {{-5, 1}, -5000000},
		     {{1, 1000000}, 1}, {{999999, 1000000}, 999999}, {{0, 1}, 0}};
	int64_t out;

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_true(ratio_millionths(cases[i].r, &out));
		assert_int_equal(out, cases[i].millionths);
	}
	assert_true(ratio_millionths((struct ratio){INT64_MAX / METRIC_UNIT, 1}, &out));
	assert_false(ratio_millionths((struct ratio){INT64_MAX / METRIC_UNIT + 1, 1}, &out));
	assert_false(ratio_millionths((struct ratio){1, INT64_MAX}, &out) && out);
}

static void refused(const char *text, size_t column, const char *message)
{
	static struct metric m;
	const char *wrong = metric_parse(text, resolve, NULL, &m, why, sizeof why);

	if (!wrong)
		fail_msg("%s is taken", text);
	assert_string_equal(why, message);
	assert_int_equal(wrong - text, column);
}

static void bad_expressions_are_refused(void **state)
{
	static const char form[] =
		"it wants NAME = EXPRESSION, such as cpi = #1 / #2; names have at most 23 bytes";
	static const char sign[] = "an operator is missing: + - * or /, between blanks";
	static const char operand[] = "a number or an event is missing";
	static struct metric m;
	char text[400];

	(void)state;
	refused("a / b", 0, form);
	refused("", 0, form);
	refused("= a", 0, form);
	refused("abcdefghijklmnopqrstuvwx = a", 0, form);
	of("abcdefghijklmnopqrstuvw = a");
	refused("x = ", 4, operand);
	refused("x = a /", 7, operand);
	refused("x = * a", 4, operand);
	refused("x = a + * b", 8, operand);
	refused("x = a b", 6, sign);
	refused("x = a ( b )", 6, sign);
	refused("x = ( a", 7, "a parenthesis is not closed");
	refused("x = a )", 6, "nothing opens this parenthesis");
	refused("x = ()", 5, operand);
	refused("x = a/b", 4, "a/b is no event of events=, no number and not tsc");
	refused("x = c", 4, "c is no event of events=, no number and not tsc");
	refused("x = 1.", 4, "1. is no event of events=, no number and not tsc");
	refused("x = 99999999999999999999", 4,
		"99999999999999999999 is no event of events=, no number and not tsc");
	strcpy(text, "x = a");
	for (unsigned i = 0; i < 15; i++)
		strcat(text, " + a");
	of(text);
	strcat(text, " + a");
	assert_non_null(metric_parse(text, resolve, NULL, &m, why, sizeof why));
	assert_string_equal(why, "it is too long: make two of it");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_have_their_value),
		cmocka_unit_test(what_has_no_value_has_none),
		cmocka_unit_test(ranges_hold_all_values),
		cmocka_unit_test(millionths_are_cut_off_downwards),
		cmocka_unit_test(bad_expressions_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
