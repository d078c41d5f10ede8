/*
 * Histograms: no value is lost that there is room for, and what there is no room for is counted.
 */
#include "tests/judge/histogram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static unsigned frequency_of(const struct histogram *h, int64_t value)
{
	struct histogram_entry e = {0};
	unsigned found = 0;

	while (histogram_next(h, &e))
		if (e.value == value) {
			assert_int_equal(found, 0); /* it is listed once */
			found = e.frequency;
		}
	return found;
}

static void orders_by_frequency(void **state)
{
	struct histogram h = {0};
	int64_t values[] = {5, 7, 7, -2, 5, 7};

	(void)state;
	assert_int_equal(histogram_mode(&h), 0);
	assert_int_equal(histogram_unlisted(&h), 0);
	for (unsigned i = 0; i < 6; i++)
		histogram_add(&h, values[i]);
	assert_int_equal(h.distinct, 3);
	assert_int_equal(h.total, 6);
	assert_int_equal(h.min, -2);
	assert_int_equal(h.max, 7);
	assert_int_equal(h.value[0], 7);
	assert_int_equal(h.frequency[0], 3);
	assert_int_equal(h.value[1], 5);
	assert_int_equal(h.frequency[1], 2);
	assert_int_equal(h.value[2], -2);
	assert_int_equal(h.frequency[2], 1);
}

/* A thousand values, the i-th i % 7 + 1 times, in several rounds. */
static void keeps_every_value(void **state)
{
	struct histogram h = {0};
	unsigned total = 0;

	(void)state;
	for (int round = 0; round < 7; round++)
		for (int i = 0; i < 1000; i++)
			if (round <= i % 7) {
				histogram_add(&h, i - 500);
				total++;
			}
	assert_int_equal(h.distinct, 1000);
	assert_int_equal(h.total, total);
	assert_int_equal(histogram_unlisted(&h), 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(frequency_of(&h, i - 500), i % 7 + 1);
	assert_int_equal(frequency_of(&h, 500), 0);
	assert_int_equal(h.min, -500);
	assert_int_equal(h.max, 499);
}

/* A value that came late and is the most frequent in the end. */
static void a_late_value_overtakes(void **state)
{
	struct histogram h = {0};

	(void)state;
	for (int i = 0; i < 40; i++)
		histogram_add(&h, i);
	for (int i = 0; i < 3; i++)
		histogram_add(&h, 39);
	histogram_add(&h, 38);
	assert_int_equal(histogram_mode(&h), 39);
	assert_int_equal(h.frequency[0], 4);
	assert_int_equal(h.value[1], 38);
	for (int i = 0; i < 40; i++)
		assert_int_equal(frequency_of(&h, i), i == 39 ? 4 : i == 38 ? 2 : 1);
	assert_int_equal(h.distinct, 40);
}

/* Equal frequencies are in order of arrival, in the histogram itself and behind it. */
static void an_equal_one_overtakes_nothing(void **state)
{
	struct histogram h = {0};

	(void)state;
	for (int i = 0; i < HISTOGRAM_OWN; i++) {
		histogram_add(&h, i);
		histogram_add(&h, i);
	}
	histogram_add(&h, 100);
	histogram_add(&h, 100);
	for (int i = 0; i < HISTOGRAM_OWN; i++)
		assert_int_equal(h.value[i], i);
	assert_int_equal(frequency_of(&h, 100), 2);
	histogram_add(&h, 100);
	assert_int_equal(h.value[0], 100);
	for (int i = 1; i < HISTOGRAM_OWN; i++)
		assert_int_equal(h.value[i], i - 1);
}

static void counts_what_it_cannot_keep(void **state)
{
	struct histogram h = {0};

	(void)state;
	for (int i = 0; i < HISTOGRAM_MOST; i++)
		histogram_add(&h, i);
	assert_int_equal(histogram_unlisted(&h), 0);
	histogram_add(&h, 100000);
	histogram_add(&h, -100000);
	histogram_add(&h, 3);
	histogram_add(&h, HISTOGRAM_MOST - 1);
	assert_int_equal(histogram_unlisted(&h), 2);
	assert_int_equal(h.distinct, HISTOGRAM_MOST + 2);
	assert_int_equal(h.total, HISTOGRAM_MOST + 4);
	assert_int_equal(h.min, -100000);
	assert_int_equal(h.max, 100000);
	assert_int_equal(h.value[0], 3);
	assert_int_equal(h.frequency[0], 2);
	assert_int_equal(frequency_of(&h, HISTOGRAM_MOST - 1), 2);
}

/* The store is shared: an old histogram loses what newer ones need, knows it, and never shows theirs. */
static void the_oldest_lose_their_room(void **state)
{
	struct histogram old = {0}, h;

	(void)state;
	for (int i = 0; i < 100; i++)
		histogram_add(&old, i);
	for (unsigned n = 0; n < HISTOGRAM_STORE / (HISTOGRAM_MOST - HISTOGRAM_OWN); n++) {
		h = (struct histogram){0};
		for (int i = 0; i < HISTOGRAM_MOST; i++)
			histogram_add(&h, 1000 + i);
		assert_int_equal(histogram_unlisted(&h), 0);
	}
	assert_int_equal(histogram_unlisted(&old), 0); /* not quite full yet */
	h = (struct histogram){0};
	for (int i = 0; i < HISTOGRAM_MOST; i++)
		histogram_add(&h, 1000 + i);
	assert_int_equal(histogram_unlisted(&old), 100 - HISTOGRAM_OWN);
	assert_int_equal(old.total, 100);
	for (int i = 0; i < HISTOGRAM_OWN; i++)
		assert_int_equal(frequency_of(&old, i), 1);
	histogram_add(&old, 7);
	histogram_add(&old, 500);
	assert_int_equal(frequency_of(&old, 7), 2);
	assert_int_equal(frequency_of(&old, 500), 1);
	assert_int_equal(frequency_of(&old, 1000), 0);
	assert_int_equal(histogram_unlisted(&old), 100 - HISTOGRAM_OWN);
}

static void merges_and_shifts(void **state)
{
	struct histogram a = {0}, b = {0}, full = {0}, none = {0};

	(void)state;
	for (int i = 0; i < 50; i++) {
		histogram_add(&a, i);
		histogram_add(&b, i + 25);
		histogram_add(&b, i + 25);
	}
	histogram_merge(&a, &b);
	histogram_merge(&a, &none);
	assert_int_equal(a.total, 150);
	assert_int_equal(a.distinct, 75);
	for (int i = 0; i < 75; i++)
		assert_int_equal(frequency_of(&a, i), (i < 50) + 2 * (i >= 25));
	histogram_shift(&a, -10);
	assert_int_equal(a.min, -10);
	assert_int_equal(a.max, 64);
	for (int i = 0; i < 75; i++)
		assert_int_equal(frequency_of(&a, i - 10), (i < 50) + 2 * (i >= 25));
	for (int i = 0; i < HISTOGRAM_MOST + 5; i++)
		histogram_add(&full, i);
	histogram_merge(&a, &full);
	assert_int_equal(a.total, 150 + HISTOGRAM_MOST + 5);
	assert_int_equal(a.max, HISTOGRAM_MOST + 4);
	assert_true(histogram_unlisted(&a) >= 5);
}

/* Merges against all values: of two that keep everything, and of such that could not. What is not listed is
 * not compared, so only there `distinct` may be too high, and never too low. */
static void merges_are_as_if_added_to_one(void **state)
{
	enum { SPREAD = HISTOGRAM_MOST + 50 };
	static const struct {
		int from, to; /* these values, once each */
		int round;    /* and each that this divides once more */
	} part[][2] = {
		{{0, 0, 1}, {0, 0, 1}},           {{0, 0, 1}, {5, 30, 3}},
		{{0, 1, 1}, {0, 0, 1}},           {{5, 30, 3}, {-40, 10, 2}},
		{{5, 30, 3}, {-40, -20, 2}},      {{0, 0, 1}, {0, SPREAD, 512}},
		{{5, 30, 3}, {0, SPREAD, 512}},   {{0, SPREAD, 512}, {0, 1, 1}},
		{{0, SPREAD, 512}, {-40, 10, 2}}, {{0, SPREAD, 512}, {100, 100 + SPREAD, 512}},
	};
	enum { PAIRS = sizeof part / sizeof part[0] };
	static struct histogram one, other;
	static unsigned times[20000]; /* of value + 10000 */

	(void)state;
	for (unsigned pair = 0; pair < PAIRS; pair++) {
		unsigned total = 0, distinct = 0, listed = 0;
		int64_t min = INT64_MAX, max = INT64_MIN;
		struct histogram_entry e = {0};

		memset(times, 0, sizeof times);
		one = other = (struct histogram){0};
		for (unsigned k = 0; k < 2; k++)
			for (int i = part[pair][k].from; i < part[pair][k].to; i++)
				for (int n = 0; n < 1 + !(i % part[pair][k].round); n++) {
					histogram_add(k ? &other : &one, i);
					times[i + 10000]++;
				}
		unsigned unlisted = histogram_unlisted(&one) + histogram_unlisted(&other);
		histogram_merge(&one, &other);
		for (int i = 0; i < 20000; i++)
			if (times[i]) {
				total += times[i];
				distinct++;
				min = i - 10000 < min ? i - 10000 : min;
				max = i - 10000;
			}
		assert_int_equal(one.total, total);
		if (total) {
			assert_int_equal(one.min, min);
			assert_int_equal(one.max, max);
		}
		while (histogram_next(&one, &e)) {
			assert_in_range(e.frequency, 1, times[e.value + 10000]);
			listed++;
		}
		assert_true(histogram_unlisted(&one) >= unlisted);
		assert_true(one.distinct >= distinct);
		assert_int_equal(one.distinct, listed + histogram_unlisted(&one));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_by_frequency),
		cmocka_unit_test(keeps_every_value),
		cmocka_unit_test(an_equal_one_overtakes_nothing),
		cmocka_unit_test(a_late_value_overtakes),
		cmocka_unit_test(counts_what_it_cannot_keep),
		cmocka_unit_test(the_oldest_lose_their_room),
		cmocka_unit_test(merges_and_shifts),
		cmocka_unit_test(merges_are_as_if_added_to_one),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
