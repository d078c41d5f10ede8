/*
 * The verdict function: every verdict is reached, and each boundary is shown from both sides.
 */
#include "tests/judge/verdict.h"
#include "tests/judge/under_hypervisor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* An observation with up to four values; their number is `count`. */
static struct observation seen(uint64_t n, int64_t low, int64_t high, unsigned count, int64_t a, int64_t b,
			       int64_t c)
{
	struct observation o = {.n = n, .low = low, .high = high};
	int64_t values[] = {a, b, c};

	for (unsigned i = 0; i < count; i++)
		histogram_add(&o.seen, values[i]);
	return o;
}

#define ONE(n, expected, value) seen(n, expected, expected, 1, value, 0, 0)

static void expect(const struct observation *o, unsigned count, enum verdict verdict)
{
	struct judgement j;

	judge(o, count, &j);
	if (j.verdict != verdict)
		fail_msg("%s instead of %s (%s)", verdict_name(j.verdict), verdict_name(verdict), j.text);
	if (verdict == VERDICT_EXACT)
		assert_string_equal(j.text, "");
	else
		assert_true(j.text[0]);
	if (verdict != VERDICT_BIASED)
		assert_int_equal(j.bias, 0);
}

static void exact(void **state)
{
	(void)state;
	struct observation equal[] = {ONE(10, 120, 120), ONE(20, 240, 240), ONE(30, 360, 360)};
	struct observation zero[] = {ONE(10, 0, 0), ONE(20, 0, 0)};

	expect(equal, 1, VERDICT_EXACT);
	expect(equal, 3, VERDICT_EXACT);
	expect(zero, 2, VERDICT_EXACT);
	equal[2] = ONE(30, 360, 361);
	expect(equal, 3, VERDICT_WRONG);
	equal[2] = ONE(30, 360, 359);
	expect(equal, 3, VERDICT_WRONG);
	expect(equal, 2, VERDICT_EXACT);
}

static void within(void **state)
{
	(void)state;
	struct observation o[] = {seen(10, 5, 8, 2, 5, 8, 0), seen(20, 10, 16, 1, 12, 0, 0)};

	expect(o, 2, VERDICT_WITHIN);
	o[0] = seen(10, 5, 8, 2, 4, 8, 0);
	expect(o, 2, VERDICT_WRONG);
	o[0] = seen(10, 5, 8, 2, 5, 9, 0);
	expect(o, 2, VERDICT_WRONG);
	o[0] = seen(10, 5, INT64_MAX, 2, 5, INT64_MAX, 0);
	expect(o, 2, VERDICT_WITHIN);
	o[0] = ONE(10, 5, 5); /* an exact part beside an interval */
	expect(o, 2, VERDICT_WITHIN);
	o[0] = ONE(10, 5, 6);
	expect(o, 2, VERDICT_WRONG);
}

static void biased(void **state)
{
	(void)state;
	struct observation o[] = {ONE(10, 100, 103), ONE(20, 200, 203), ONE(30, 300, 303)};
	struct judgement j;

	expect(o, 3, VERDICT_BIASED);
	judge(o, 3, &j);
	assert_int_equal(j.bias, 3);
	assert_string_equal(j.text, "+3 at every N");
	assert_int_equal(j.slope_num, 10);
	assert_int_equal(j.slope_den, 1);

	o[0] = ONE(10, 100, 99), o[1] = ONE(20, 200, 199), o[2] = ONE(30, 300, 299);
	judge(o, 3, &j);
	assert_int_equal(j.verdict, VERDICT_BIASED);
	assert_int_equal(j.bias, -1);

	expect(o, 1, VERDICT_WRONG); /* one N cannot tell a bias from a slope */
	o[2] = ONE(30, 300, 300);
	expect(o, 3, VERDICT_WRONG);
	o[2] = ONE(30, 300, 298);
	expect(o, 3, VERDICT_WRONG);
	o[2] = seen(30, 299, 300, 1, 298, 0, 0); /* no bias from an interval's end */
	expect(o, 3, VERDICT_WRONG);
}

static void noisy(void **state)
{
	(void)state;
	struct observation o[] = {ONE(10, 100, 100), seen(20, 200, 200, 3, 200, 201, 200)};

	expect(o, 2, VERDICT_NOISY);
	o[0] = ONE(10, 100, 101);
	expect(o, 2, VERDICT_NOISY);
	o[1] = seen(20, 200, 200, 3, 201, 201, 201);
	expect(o, 2, VERDICT_BIASED);
	o[1] = seen(20, 200, 210, 3, 211, 212,
		    213); /* an interval may vary; outside of it is wrong, not noisy */
	o[0] = ONE(10, 100, 100);
	expect(o, 2, VERDICT_WRONG);
}

static void dead(void **state)
{
	(void)state;
	struct observation o[] = {ONE(10, 100, 0), ONE(20, 200, 0)};

	expect(o, 1, VERDICT_DEAD);
	expect(o, 2, VERDICT_DEAD);
	o[1] = ONE(20, 200, 1);
	expect(o, 2, VERDICT_WRONG);
	o[1] = seen(20, 200, 200, 2, 0, 1, 0);
	expect(o, 2, VERDICT_NOISY);
	o[1] = ONE(20, 0, 0); /* 0 is right here: not dead, but the other one is wrong */
	expect(o, 2, VERDICT_WRONG);
	o[1] = seen(20, 1, 300, 1, 0, 0, 0);
	expect(o, 2, VERDICT_DEAD);
}

static void wrong_says_what(void **state)
{
	(void)state;
	struct observation o[] = {ONE(10, 120, 130), ONE(20, 240, 260)};
	struct judgement j;

	judge(o, 2, &j);
	assert_int_equal(j.verdict, VERDICT_WRONG);
	assert_string_equal(j.text, "expected 120, observed 130 at N = 10; slope 13 instead of 12");
	o[1] = ONE(20, 240, 265);
	judge(o, 2, &j);
	assert_string_equal(j.text, "expected 120, observed 130 at N = 10; slope 27/2 instead of 12");
	o[0] = seen(10, 1, 2, 2, 7, 8, 8);
	judge(o, 1, &j);
	assert_string_equal(j.text, "expected 1 to 2, observed 7 to 8 at N = 10");
	o[0] = seen(1, INT64_MIN, INT64_MIN, 1, INT64_MAX, 0, 0);
	o[1] = seen(2, INT64_MIN, INT64_MIN, 1, INT64_MAX, 0, 0);
	judge(o, 2, &j);
	assert_int_equal(j.verdict, VERDICT_WRONG);
}

static void error(void **state)
{
	(void)state;
	struct observation o[] = {ONE(10, 1, 1), ONE(20, 2, 2)};

	expect(o, 0, VERDICT_ERROR);
	o[1].n = 10;
	expect(o, 2, VERDICT_ERROR);
	o[1].n = 11;
	expect(o, 2, VERDICT_EXACT);
	o[1] = seen(20, 2, 2, 0, 0, 0, 0);
	expect(o, 2, VERDICT_ERROR);
	o[1] = seen(20, 3, 2, 1, 2, 0, 0);
	expect(o, 2, VERDICT_ERROR);
}

static void predictions(void **state)
{
	(void)state;
	struct observation o[] = {ONE(10, 100, 110), ONE(20, 200, 220)};
	struct interval predicted[] = {{110, 110}, {219, 220}};

	assert_true(judge_predicted(o, predicted, 2));
	predicted[1] = (struct interval){221, 230};
	assert_false(judge_predicted(o, predicted, 2));
	assert_true(judge_predicted(o, predicted, 1));
	predicted[1] = (struct interval){200, 219};
	assert_false(judge_predicted(o, predicted, 2));
	assert_false(judge_predicted(o, predicted, 0));
	memset(&o[0].seen, 0, sizeof o[0].seen);
	assert_false(judge_predicted(o, predicted, 1));
}

static void names_and_badness(void **state)
{
	(void)state;
	for (int v = 0; v < VERDICT_COUNT; v++) {
		bool good = v == VERDICT_EXACT || v == VERDICT_WITHIN || v == VERDICT_SKIPPED;

		assert_int_equal(verdict_is_bad(v), !good);
		for (int w = 0; w < v; w++)
			assert_string_not_equal(verdict_name(v), verdict_name(w));
	}
	assert_true(verdict_is_bad(VERDICT_COUNT));
}

static void set_keeps_long_texts_in_bounds(void **state)
{
	(void)state;
	struct judgement j;

	judgement_set(&j, VERDICT_SKIPPED, "%0500d", 1);
	assert_int_equal(j.verdict, VERDICT_SKIPPED);
	assert_int_equal(strlen(j.text), JUDGEMENT_TEXT - 1);
}

static void line_through_points(void **state)
{
	(void)state;
	struct line l;
	uint64_t n[] = {10, 20, 30, 40};
	int64_t straight[] = {35, 50, 65, 80}, bent[] = {35, 50, 65, 81}, flat[] = {4, 4},
		falling[] = {30, 10};

	assert_true(line_fit(n, straight, 4, &l));
	assert_int_equal(l.slope_num, 3);
	assert_int_equal(l.den, 2);
	assert_int_equal(l.offset_num, 40); /* 20 */
	assert_true(l.straight);
	assert_true(line_fit(n, bent, 4, &l));
	assert_false(l.straight);
	assert_true(line_fit(n, bent, 3, &l));
	assert_true(l.straight);
	assert_true(line_fit(n, flat, 2, &l));
	assert_int_equal(l.slope_num, 0);
	assert_int_equal(l.den, 1);
	assert_int_equal(l.offset_num, 4);
	assert_true(line_fit(n, falling, 2, &l));
	assert_int_equal(l.slope_num, -2);
	assert_int_equal(l.offset_num, 50);
}

/* Rising and falling, a slope is in lowest terms, and its line goes through both points. */
static void slopes_are_in_lowest_terms(void **state)
{
	(void)state;
	for (int64_t rise = -60; rise <= 60; rise++)
		for (int64_t run = 1; run <= 60; run++) {
			uint64_t n[] = {7, 7 + (uint64_t)run};
			int64_t value[] = {100, 100 + rise};
			struct line l;

			assert_true(line_fit(n, value, 2, &l));
			assert_true(l.den > 0);
			assert_int_equal(l.slope_num * run, rise * l.den);
			assert_int_equal(l.slope_num * 7 + l.offset_num, 100 * l.den);
			for (int64_t f = 2; f <= l.den; f++)
				assert_true(l.den % f || l.slope_num % f);
		}
}

static void line_refuses(void **state)
{
	(void)state;
	struct line l;
	uint64_t same[] = {5, 5}, back[] = {5, 6, 6}, far[] = {1, UINT64_MAX};
	int64_t v[] = {1, 2, 3}, wide[] = {INT64_MIN, INT64_MAX}, high[] = {INT64_MAX - 1, INT64_MAX};
	uint64_t steep[] = {0, 1, 2};

	assert_false(line_fit(steep, v, 1, &l));
	assert_false(line_fit(same, v, 2, &l));
	assert_false(line_fit(back, v, 3, &l));
	assert_false(line_fit(far, v, 2, &l));
	assert_false(line_fit(steep, wide, 2, &l));
	assert_true(line_fit(steep, high, 2, &l));
	assert_false(line_fit((uint64_t[]){0, 2}, high, 2, &l)); /* den 2 times a value leaves 64 bits */
}

/* A further point whose comparison does not fit 64 bits is no point of a line, and none beside it. */
static void further_points_that_fit_no_number(void **state)
{
	static const struct {
		uint64_t n[3];
		int64_t value[3];
	} cases[] = {
		{{0, 2, 4}, {0, 1, INT64_MAX}},                         /* its value, times the denominator */
		{{0, 1, INT64_C(1) << 40}, {0, INT64_C(1) << 40, 5}},   /* the line there: slope times N */
		{{0, 1, 100}, {INT64_MAX - 5, INT64_MAX - 4, 5}},       /* and the offset besides */
		{{INT64_C(3) << 61, (INT64_C(3) << 61) + 1, INT64_MAX}, /* the offset itself */
		 {-(INT64_C(3) << 61), 1 - (INT64_C(3) << 61), 5}},
	};
	struct line l;

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_false(line_fit(cases[i].n, cases[i].value, 3, &l));
	assert_false(line_fit(cases[3].n, cases[3].value, 2, &l));
	assert_true(
		line_fit(cases[2].n, (int64_t[]){INT64_MAX - 105, INT64_MAX - 104, INT64_MAX - 5}, 3, &l));
	assert_true(l.straight);
}

/* What a hypervisor does with its guest is no fault of an event that counts it, and on silicon it is. */
static void a_guest_is_excused(void **unused)
{
	struct pmu pmu = {.under_hypervisor = false, .hypervisor = "KVMKVMKVM"};
	struct judgement j = {.verdict = VERDICT_WRONG};
	(void)unused;

	assert_false(hypervisor_causes(&pmu, &j));
	assert_int_equal(j.verdict, VERDICT_WRONG);
	pmu.under_hypervisor = true;
	assert_true(hypervisor_causes(&pmu, &j));
	assert_int_equal(j.verdict, VERDICT_SKIPPED);
	assert_non_null(strstr(j.text, "KVMKVMKVM itself causes"));
}

/* --- a second judge, on small observations at random --------------------------------------------------- */

static uint32_t seed = 1;

static unsigned below(unsigned n)
{
	seed = seed * 1664525 + 1013904223;
	return (unsigned)((uint64_t)(seed >> 4) * n >> 28);
}

struct few {
	uint64_t n;
	int64_t low, high, value[3];
	unsigned count;
};

static bool steady(const struct few *f)
{
	for (unsigned i = 1; i < f->count; i++)
		if (f->value[i] != f->value[0])
			return false;
	return true;
}

static bool all_between(const struct few *f, int64_t low, int64_t high)
{
	for (unsigned i = 0; i < f->count; i++)
		if (f->value[i] < low || f->value[i] > high)
			return false;
	return true;
}

/* What tests/judge/verdict.h says, word by word. */
static enum verdict second_opinion(const struct few *f, unsigned count)
{
	bool fit = true, exact = true, dead = true, noisy = false, biased = count >= 2;

	if (!count)
		return VERDICT_ERROR;
	for (unsigned i = 0; i < count; i++) {
		bool one = f[i].low == f[i].high;

		if (!f[i].count || f[i].low > f[i].high || (i && f[i].n <= f[i - 1].n))
			return VERDICT_ERROR;
		fit &= all_between(&f[i], f[i].low, f[i].high);
		exact &= one;
		dead &= f[i].low > 0 && all_between(&f[i], 0, 0);
		noisy |= one && !steady(&f[i]);
		biased &= one && steady(&f[i]) && f[i].value[0] - f[i].low == f[0].value[0] - f[0].low;
	}
	return fit      ? exact ? VERDICT_EXACT : VERDICT_WITHIN
	       : dead   ? VERDICT_DEAD
	       : noisy  ? VERDICT_NOISY
	       : biased ? VERDICT_BIASED
			: VERDICT_WRONG;
}

static void opinions_agree(void **state)
{
	unsigned reached[VERDICT_COUNT] = {0};

	(void)state;
	for (unsigned round = 0; round < 60000; round++) {
		struct few f[3] = {{0}};
		struct observation o[3];
		struct interval predicted[3];
		unsigned count = below(50) ? 1 + below(3) : 0;
		bool as_predicted = true;
		struct judgement j;
		enum verdict second;
		int64_t offset = below(2) ? (int64_t)below(3) - 1 : 99;

		for (unsigned i = 0; i < count; i++) {
			f[i] = (struct few){.n = 1 + i + below(20) / 19 * (uint64_t)-1,
					    .low = below(4),
					    .count = below(40) ? 1 + below(3) : 0};
			f[i].high = f[i].low + (below(3) ? 0 : (int64_t)below(3)) - (below(60) ? 0 : 1);
			for (unsigned v = 0; v < f[i].count; v++)
				f[i].value[v] = offset != 99    ? f[i].low + offset
						: below(2) && v ? f[i].value[0]
								: (int64_t)below(5);
			if (f[i].count && !below(8))
				memset(f[i].value, 0, sizeof f[i].value);
			o[i] = seen(f[i].n, f[i].low, f[i].high, f[i].count, f[i].value[0], f[i].value[1],
				    f[i].value[2]);
			predicted[i] = (struct interval){below(3), 2 + below(3)};
			as_predicted &= all_between(&f[i], predicted[i].low, predicted[i].high);
		}
		second = second_opinion(f, count);
		judge(o, count, &j);
		if (j.verdict != second)
			fail_msg("round %u: %s, the second judge says %s", round, verdict_name(j.verdict),
				 verdict_name(second));
		reached[second]++;
		if (second != VERDICT_ERROR && judge_predicted(o, predicted, count) != as_predicted)
			fail_msg("round %u: as predicted or not, the second judge differs", round);
		reached[VERDICT_ERRATUM] += as_predicted;
	}
	for (unsigned v = 0; v < VERDICT_COUNT; v++)
		assert_true(v == VERDICT_SKIPPED || reached[v] > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_guest_is_excused),
		cmocka_unit_test(exact),
		cmocka_unit_test(opinions_agree),
		cmocka_unit_test(within),
		cmocka_unit_test(biased),
		cmocka_unit_test(noisy),
		cmocka_unit_test(dead),
		cmocka_unit_test(wrong_says_what),
		cmocka_unit_test(error),
		cmocka_unit_test(predictions),
		cmocka_unit_test(names_and_badness),
		cmocka_unit_test(set_keeps_long_texts_in_bounds),
		cmocka_unit_test(line_through_points),
		cmocka_unit_test(slopes_are_in_lowest_terms),
		cmocka_unit_test(line_refuses),
		cmocka_unit_test(further_points_that_fit_no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
