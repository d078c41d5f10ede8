/* Breadcrumbs: what a start leaves in its memory, the next one finds, unless that memory was not kept. */
#include "arch/breadcrumbs.h"
#include "arch/breadcrumbs_page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint8_t memory[BREADCRUMBS_BYTES] __attribute__((aligned(4096)));
static jmp_buf reset;
static enum breadcrumbs_fault failed;
static struct breadcrumb left;
static char list[BREADCRUMBS_LIST];

void breadcrumbs_to_memory(const void *start, size_t size)
{
	(void)start, (void)size;
}

void breadcrumbs_fail(enum breadcrumbs_fault fault)
{
	failed = fault;
	longjmp(reset, 1);
}

static void drop(const char *place, unsigned call)
{
	struct breadcrumb b = {.run = 7, .again = 1, .processor = 3, .call = call, .suite = true};

	strcpy(b.place, place);
	breadcrumbs_set(&b);
}

/* A start after a reset. */
static bool start(void)
{
	breadcrumbs_open(memory);
	return breadcrumbs_left(&left, list);
}

static void nothing_is_found_in_foreign_memory(void **state)
{
	(void)state;
	assert_false(start());
	for (unsigned seed = 1; seed < 200; seed++) {
		srand(seed);
		for (size_t i = 0; i < sizeof memory; i++)
			memory[i] = (uint8_t)rand();
		assert_false(start());
	}
	memset(memory, 0xff, sizeof memory);
	assert_false(start());
	assert_false(start());
}

static void what_was_done_last_is_found(void **state)
{
	(void)state;
	start();
	for (unsigned n = 1; n < 6; n++) {
		for (unsigned i = 1; i <= n; i++)
			drop(i == n ? "control/the last" : "control/one before", i);
		breadcrumbs_step(2 * n);
		breadcrumbs_live->number = 0x38f;
		breadcrumbs_live->value = 0x123456789abcdefULL;
		assert_true(start());
		assert_string_equal(left.place, "control/the last");
		assert_int_equal(left.run, 7);
		assert_int_equal(left.again, 1);
		assert_int_equal(left.processor, 3);
		assert_int_equal(left.call, n);
		assert_true(left.suite);
		assert_int_equal(left.step, 2 * n);
		assert_int_equal(left.written, 0x38f);
		assert_true(left.written_value == 0x123456789abcdefULL);
		assert_string_equal(list, "");
		assert_false(start()); /* it is told once */
	}
}

static void each_check_begins_anew(void **state)
{
	(void)state;
	start();
	drop("a/b", 1);
	breadcrumbs_step(9);
	breadcrumbs_live->number = 0x10;
	drop("a/c", 2);
	assert_true(start());
	assert_string_equal(left.place, "a/c");
	assert_int_equal(left.step, 0);
	assert_int_equal(left.written, 0);
}

static void a_crumb_that_is_not_whole_does_not_count(void **state)
{
	(void)state;
	start();
	drop("a/first", 1);
	uint8_t *before = malloc(sizeof memory), *after = malloc(sizeof memory);
	memcpy(before, memory, sizeof memory);
	drop("a/second", 2);
	memcpy(after, memory, sizeof memory);
	for (size_t cut = 0; cut < sizeof memory; cut++) {
		memcpy(memory, after, sizeof memory);
		memcpy(memory + cut, before + cut,
		       sizeof memory - cut); /* the machine was reset while it was written */
		assert_true(start());
		assert_string_equal(left.place, left.call == 2 ? "a/second" : "a/first");
	}
	free(before);
	free(after);
}

static void a_list_is_kept_besides(void **state)
{
	char *large = malloc(2 * BREADCRUMBS_LIST);

	(void)state;
	start();
	breadcrumbs_keep("0001 0 17 control/accesses\n");
	assert_false(start()); /* alone it says nothing */
	breadcrumbs_keep("0001 0 17 control/accesses\n");
	drop("a/b", 1);
	assert_true(start());
	assert_string_equal(list, "0001 0 17 control/accesses\n");
	memset(large, 'x', 2 * BREADCRUMBS_LIST - 1);
	large[2 * BREADCRUMBS_LIST - 1] = 0;
	breadcrumbs_keep(large);
	drop("a/b", 1);
	assert_true(start());
	assert_int_equal(strlen(list), BREADCRUMBS_LIST - 1);
	breadcrumbs_keep("one");
	drop("a/b", 1);
	memory[BREADCRUMBS_BYTES - 1] = 0;
	for (size_t i = 0; i + 4 < sizeof memory; i++)
		if (!memcmp(memory + i, "one", 4))
			memory[i + 1] = 'x';
	assert_true(start());
	assert_string_equal(list, "");
	free(large);
}

static void an_end_leaves_nothing(void **state)
{
	(void)state;
	start();
	drop("a/b", 1);
	breadcrumbs_keep("0001 0 17 control/accesses\n");
	breadcrumbs_clear();
	assert_false(start());
	breadcrumbs_open(NULL); /* without memory nothing is kept, and nothing breaks */
	drop("a/b", 1);
	breadcrumbs_step(3);
	breadcrumbs_keep("x");
	breadcrumbs_open(NULL);
	breadcrumbs_open(memory);
	assert_false(breadcrumbs_left(&left, list));
}

static bool survives(const char *place, unsigned step)
{
	if (setjmp(reset))
		return false;
	drop(place, 1);
	if (step)
		breadcrumbs_step(step);
	return true;
}

static void faults_come_where_they_are_told_to(void **state)
{
	(void)state;
	start();
	assert_true(breadcrumbs_spoil(BREADCRUMBS_RESET, "a/b", 0));
	assert_true(breadcrumbs_spoil(BREADCRUMBS_TRIPLE_FAULT, "a/c", 17));
	assert_true(survives("a/bb", 17));
	assert_true(survives("a/c", 16));
	assert_true(survives("a/c", 0));
	assert_false(survives("a/b", 0));
	assert_int_equal(failed, BREADCRUMBS_RESET);
	assert_true(start());
	assert_string_equal(left.place, "a/b");
	assert_false(survives("a/c", 17));
	assert_int_equal(failed, BREADCRUMBS_TRIPLE_FAULT);
	assert_true(start());
	assert_int_equal(left.step, 17);
	for (unsigned i = 0; i < 6; i++)
		assert_true(breadcrumbs_spoil(BREADCRUMBS_RESET, "z", 0));
	assert_false(breadcrumbs_spoil(BREADCRUMBS_RESET, "z", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_found_in_foreign_memory),
		cmocka_unit_test(what_was_done_last_is_found),
		cmocka_unit_test(each_check_begins_anew),
		cmocka_unit_test(a_crumb_that_is_not_whole_does_not_count),
		cmocka_unit_test(a_list_is_kept_besides),
		cmocka_unit_test(an_end_leaves_nothing),
		cmocka_unit_test(faults_come_where_they_are_told_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
