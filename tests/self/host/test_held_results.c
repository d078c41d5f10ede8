/* Wrong counts of a kernel wait until all of its counters have counted: however many there are, and when
 * memory is short they are told in their order. */
#include <stdbool.h>
#include <stdlib.h>

static unsigned allocations_left;

static void *scarce_malloc(size_t size)
{
	return allocations_left && allocations_left-- ? malloc(size) : NULL;
}

#define malloc scarce_malloc
#include "tests/suites/held_results.c"
#undef malloc

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#define MANY 300

static unsigned told, in_order;

static void keep(struct run *run, const struct result *r)
{
	char name[16];

	(void)run;
	snprintf(name, sizeof name, "wrong/%u", told++);
	in_order += !strcmp(r->name, name);
}

/* @return how many were told before the end */
static unsigned held_of(unsigned memory)
{
	struct run run = {.report = keep};
	struct held_results held = {0};
	unsigned before;

	allocations_left = memory;
	told = in_order = 0;
	for (unsigned i = 0; i < MANY; i++) {
		char name[16];
		struct result r = {.suite = "events", .name = name};

		snprintf(name, sizeof name, "wrong/%u", i);
		judgement_set(&r.judgement, VERDICT_WRONG, "%s", "");
		held_results_take(&held, &run, &r);
	}
	before = told;
	held_results_report(&held, &run);
	assert_null(held.first);
	assert_int_equal(told, MANY);
	assert_int_equal(in_order, MANY);
	return before;
}

static void order(void **state)
{
	(void)state;
	assert_int_equal(held_of(MANY), 0);
	assert_int_equal(held_of(100), MANY);
	assert_int_equal(held_of(0), MANY);
}

/* What is right waits for nothing. */
static void at_once(void **state)
{
	struct run run = {.report = keep};
	struct held_results held = {0};
	struct result r = {.suite = "events", .name = "wrong/0"};

	(void)state;
	allocations_left = 1;
	told = 0;
	held_results_take(&held, &run, &r);
	assert_int_equal(told, 1);
	assert_null(held.first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(order), cmocka_unit_test(at_once)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
