/* The attribution as a rule for a path: found from the table, and what the steps of a path count by it. */
#include "tests/judge/attribution_path.h"
#include "tests/judge/sample_judge.h"
#include "tests/self/host/fake_kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

FAKE_KERNEL(plain, "fake_plain", 0, FAKE_EXACT(INSTRUCTIONS, 4, 4));
FAKE_KERNEL(calling, "fake_calling", KERNEL_USER_ONLY, FAKE_EXACT(INSTRUCTIONS, 4, 4),
	    FAKE_EXACT(RING_TO_KERNEL, 1, 0));

static const struct pmu_event
	instructions = {.name = "I", .counters = 1, .fixed = -1, .terms = {{Q_INSTRUCTIONS, 1}}},
	on_fixed = {.name = "F", .fixed = 0, .terms = {{Q_INSTRUCTIONS, 1}}},
	branches = {.name = "B", .counters = 1, .fixed = -1, .terms = {{Q_BRANCHES, 1}}},
	loads = {.name = "L", .counters = 1, .fixed = -1, .terms = {{Q_LOADS, 1}}};

/* IRET into ring 3; there a NOP, a fault with its handler's IRET, a NOP; INT n and its delivery. */
static struct qterm terms[] = {{Q_INSTRUCTIONS, 1}, {Q_BRANCHES, 1}, {Q_LOADS, 5}, {Q_EXCEPTIONS, 1}};
static struct path_step steps[] = {
	{.length = 2, .level = 0, .level_after = 3, .transfer = TRANSFER_SYSTEM, .n_terms = 3},
	{.length = 1, .level = 3, .level_after = 3, .n_terms = 1},
	{.length = 0, .level = 3, .level_after = 0, .transfer = TRANSFER_EVENT, .terms = 3, .n_terms = 1},
	{.length = 2, .level = 0, .level_after = 3, .transfer = TRANSFER_SYSTEM, .n_terms = 3},
	{.length = 1, .level = 3, .level_after = 3, .n_terms = 1},
	{.length = 2, .level = 3, .level_after = 3, .transfer = TRANSFER_NONE, .n_terms = 2},
	{.length = 0, .level = 3, .level_after = 0, .transfer = TRANSFER_SYSTEM},
};
#define STEPS (sizeof steps / sizeof steps[0])
static struct path path = {.step = steps, .terms = terms, .n_steps = STEPS, .from = 1, .to = 5};

static struct attribution by_rule(int returns_in_new, int calls_in_new, int besides)
{
	struct attribution a;

	for (unsigned c = 0; c < TRIP_CLASSES; c++)
		for (unsigned t = 0; t < TRIPS; t++)
			for (unsigned r = 0; r < 2; r++) {
				struct trip_count *e = &a.trip[c][t][r];
				int back = trip_return((enum trip_class)c, (enum trip)t) * returns_in_new;
				int call = 0, more = 0;

				e->state = TRIP_COUNTED;
				e->counted = e->manual = trip_manual((enum trip_class)c, (enum trip)t, r, 0);
				if (!r)
					continue;
				if (trip_is_call((enum trip)t))
					call = e->manual.usr * calls_in_new;
				else if (c == TRIP_INSTRUCTIONS || c == TRIP_INSTRUCTIONS_FIXED)
					more = besides;
				e->counted.os = (int8_t)(e->counted.os - back + call);
				e->counted.usr = (int8_t)(e->counted.usr + back - call + more);
			}
	return a;
}

static void every_rule_is_found(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++) {
		struct attribution a = by_rule(i & 1, i >> 1 & 1, i >> 2);
		struct path_rule rule;

		assert_true(attribution_rule(&a, &instructions, &plain, &rule));
		assert_int_equal(rule.returns_in_new, i & 1);
		assert_int_equal(rule.calls_in_new, i >> 1 & 1);
		assert_int_equal(rule.delivery[0].amount, i >> 2);
		assert_int_equal(attribution_of_interrupt(&rule, &instructions), (i & 1) + (i >> 2));
		assert_int_equal(attribution_of_interrupt(&rule, &on_fixed), (i & 1) + (i >> 2));
		assert_int_equal(attribution_of_interrupt(&rule, &branches), i & 1);
		assert_int_equal(attribution_of_interrupt(&rule, &loads), 5 * (i & 1));
	}
}

static void what_follows_no_rule_has_none(void **state)
{
	struct attribution a = by_rule(0, 0, 0);
	struct path_rule rule = {.calls_in_new = true};

	(void)state;
	assert_true(attribution_rule(NULL, &instructions, &plain, &rule));
	assert_false(rule.calls_in_new);
	/* SYSCALL's way back in the new ring, that of the others in the old one: no rule where both are met.
	 */
	a.trip[TRIP_INSTRUCTIONS][TRIP_CALL][1].counted = (struct trip_levels){0, 2};
	assert_false(attribution_rule(&a, &instructions, &calling, &rule));
	assert_false(rule.returns_in_new);
	assert_true(attribution_rule(&a, &instructions, &plain, &rule));
	assert_false(rule.returns_in_new);
	assert_true(attribution_rule(&a, &branches, &calling, &rule));
	assert_true(attribution_rule(&a, &on_fixed, &calling, &rule)); /* which counts by itself */
	/* A fault's way back as no other's, whatever the kernel. */
	a.trip[TRIP_INSTRUCTIONS][TRIP_FAULT][1].counted = (struct trip_levels){0, 1};
	assert_false(attribution_rule(&a, &instructions, &plain, &rule));
	a = by_rule(0, 0, 0);
	a.trip[TRIP_INSTRUCTIONS][TRIP_CALL][1].counted = (struct trip_levels){0, 2};
	/* What is not known contradicts nothing. */
	a.trip[TRIP_INSTRUCTIONS][TRIP_CALL][1].state = TRIP_NO_LINE;
	assert_true(attribution_rule(&a, &instructions, &calling, &rule));
	/* Of ring 3 alone: what OS counted is not compared. */
	a = by_rule(1, 0, 0);
	a.trip[TRIP_INSTRUCTIONS][TRIP_FAULT][1].state = TRIP_IN_USER;
	a.trip[TRIP_INSTRUCTIONS][TRIP_FAULT][1].counted.os = 9;
	assert_true(attribution_rule(&a, &instructions, &plain, &rule));
	assert_true(rule.returns_in_new);
}

static uint64_t counted(const struct pmu_event *e, unsigned rings)
{
	const struct sample_expectation x = {.path = &path, .event = e, .levels = rings};

	return sample_occurrences(&x);
}

static void steps_count_by_the_rule(void **state)
{
	(void)state;
	path.rule = (struct path_rule){0};
	assert_int_equal(counted(&instructions, LEVELS_USER), 3);
	assert_int_equal(counted(&instructions, LEVELS_SYSTEM), 2);
	assert_int_equal(counted(&branches, LEVELS_USER), 1);
	path.rule.returns_in_new = true;
	assert_int_equal(counted(&instructions, LEVELS_USER), 5);
	assert_int_equal(counted(&instructions, LEVELS_SYSTEM), 0);
	assert_int_equal(counted(&loads, LEVELS_USER), 10);
	path.rule = (struct path_rule){.calls_in_new = true};
	assert_int_equal(counted(&instructions, LEVELS_USER), 2);
	assert_int_equal(counted(&instructions, LEVELS_SYSTEM), 3);
	assert_int_equal(counted(&branches, LEVELS_USER), 0);
	path.rule = (struct path_rule){.delivery = {{Q_INSTRUCTIONS, 1}}};
	assert_int_equal(counted(&instructions, LEVELS_USER), 4);
	assert_int_equal(counted(&instructions, LEVELS_ALL), 6);
	assert_int_equal(counted(&branches, LEVELS_ALL), 3);
	path.rule = (struct path_rule){0};
	assert_int_equal(path_level_after(&path, 0), 3);
	assert_int_equal(path_level_after(&path, 4), 3);
	assert_int_equal(path_level_after(&path, 5), 0); /* with its delivery */
	assert_int_equal(path_level_after(&path, 6), 0);
}

/* An interrupt behind each record, or behind every second, that counts one itself: only where it finds
 * ring 3. */
static void interrupts_count_in_the_period_that_follows(void **state)
{
	static const unsigned alone[] = {1, 4, 5, 1, 4, 5}, by_two[] = {4, 1, 4, 1, 4};
	struct sample_expectation x = {
		.path = &path, .event = &instructions, .levels = LEVELS_USER, .period = 1, .windows = 2};
	unsigned step[8];

	(void)state;
	path.rule = (struct path_rule){0};
	assert_int_equal(sample_steps(&x, step, 8), 6);
	assert_memory_equal(step, alone, sizeof alone);
	x.period = 2;
	x.windows = 3;
	assert_int_equal(sample_steps(&x, step, 8), 4);
	assert_int_equal(step[1], 1);
	x.each = 1; /* the first strikes behind step 4, so the period has one occurrence left: step 5, from
		       where none returns to ring 3 */
	x.every = 1;
	assert_int_equal(sample_steps(&x, step, 8), 6);
	assert_int_equal(step[0], 4);
	assert_int_equal(step[1], 5);
	assert_int_equal(step[2], 4);
	assert_int_equal(step[3], 5);
	x.every = 2;
	assert_int_equal(sample_steps(&x, step, 8), 5);
	assert_memory_equal(step, by_two, sizeof by_two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rule_is_found),
		cmocka_unit_test(what_follows_no_rule_has_none),
		cmocka_unit_test(steps_count_by_the_rule),
		cmocka_unit_test(interrupts_count_in_the_period_that_follows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
