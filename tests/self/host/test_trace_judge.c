/*
 * Judging branch traces: what is right passes; each way of being wrong is found.
 */
#include "tests/judge/trace_judge.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* A loop of two turns with a call, then an INT to ring 0 and back; all of ring 3. */
static struct path_step steps[] = {
	{.ip = 0x1000, .next = 0x2000, .length = 5, .transfer = TRANSFER_CALL, .level = 3, .level_after = 3},
	{.ip = 0x2000,
	 .next = 0x1005,
	 .length = 1,
	 .transfer = TRANSFER_RETURN,
	 .level = 3,
	 .level_after = 3},
	{.ip = 0x1005, .next = 0x1008, .length = 3, .level = 3, .level_after = 3},
	{.ip = 0x1008,
	 .next = 0x1000,
	 .length = 2,
	 .transfer = TRANSFER_CONDITIONAL,
	 .level = 3,
	 .level_after = 3},
	{.ip = 0x1000, .next = 0x2000, .length = 5, .transfer = TRANSFER_CALL, .level = 3, .level_after = 3},
	{.ip = 0x2000,
	 .next = 0x1005,
	 .length = 1,
	 .transfer = TRANSFER_RETURN,
	 .level = 3,
	 .level_after = 3},
	{.ip = 0x1005, .next = 0x1008, .length = 3, .level = 3, .level_after = 3},
	{.ip = 0x1008, .next = 0x100a, .length = 2, .level = 3, .level_after = 3},
	{.ip = 0x100a, .next = 0x100c, .length = 2, .level = 3, .level_after = 3},
	{.ip = 0x100a, .next = 0x9000, .transfer = TRANSFER_SYSTEM, .level = 3},
	{.ip = 0x9000, .next = 0x100c, .length = 2, .transfer = TRANSFER_SYSTEM, .level_after = 3},
	{.ip = 0x100c, .next = 0x100f, .length = 3, .level = 3, .level_after = 3},
};
#define STEPS    (sizeof steps / sizeof steps[0])
#define BRANCHES 7
#define OWN      5 /* that stay in ring 3 */

static struct path path = {.step = steps, .n_steps = STEPS, .room = STEPS, .to = STEPS};
static struct pmu_record trace[20];
static unsigned length;
static struct trace_expectation x;
static struct trace_judgement j;

static void add(uint64_t from, uint64_t to)
{
	trace[length++] = (struct pmu_record){
		.kind = RECORD_BRANCH_TRACE, .has = RECORD_HAS_BRANCH, .from = from, .to = to};
}

/* The whole trace, and nothing around it. */
static void begin(void)
{
	length = 0;
	for (unsigned i = 0; i < STEPS; i++)
		if (steps[i].transfer)
			add(steps[i].ip, steps[i].next);
	x = (struct trace_expectation){
		.path = &path, .room = UINT_MAX, .levels = LEVELS_ALL, .kernel_at = 0x1000};
}

static void drop(unsigned i, unsigned n)
{
	memmove(&trace[i], &trace[i + n], (length - i - n) * sizeof trace[0]);
	length -= n;
}

static void insert(unsigned i, uint64_t from, uint64_t to)
{
	memmove(&trace[i + 1], &trace[i], (length - i) * sizeof trace[0]);
	length++;
	trace[i] = (struct pmu_record){.has = RECORD_HAS_BRANCH, .from = from, .to = to};
}

static bool right(void)
{
	trace_judge(&x, trace, length, &j);
	if (j.right) {
		assert_int_equal(j.matched, j.expected);
		assert_string_equal(j.why, "");
	} else {
		assert_string_not_equal(j.why, "");
	}
	return j.right;
}

/* A trace that begins behind some branches. */
static void skipped(void **unused)
{
	(void)unused;
	for (unsigned n = 0; n <= BRANCHES; n++) {
		begin();
		x.part = TRACE_FIRST;
		x.skip = n;
		assert_int_equal(right(), !n);
		drop(0, n);
		assert_true(right());
		assert_int_equal(j.matched, BRANCHES - n);
		x.room = 2;
		if (length > 2)
			length = 2;
		assert_true(right());
		x.skip = n ? n - 1 : 1;
		assert_false(right());
	}
}

static void whole(void **unused)
{
	(void)unused;
	for (unsigned part = TRACE_FIRST; part <= TRACE_LAST; part++) {
		begin();
		x.part = (uint8_t)part;
		assert_true(right());
		assert_int_equal(j.matched, BRANCHES);
		for (unsigned i = 0; i < BRANCHES; i++) {
			begin();
			x.part = (uint8_t)part;
			drop(i, 1);
			assert_false(right());
			begin();
			x.part = (uint8_t)part;
			insert(i, 0x1005, 0x1000);
			assert_false(right());
			begin();
			x.part = (uint8_t)part;
			trace[i].from++;
			assert_false(right());
			trace[i].from--;
			trace[i].to--;
			assert_false(right());
			trace[i].to++;
			trace[i].has = 0;
			assert_false(right());
		}
		begin();
		x.part = (uint8_t)part;
		trace[2] = trace[1];
		assert_false(right());
	}
	begin();
	trace[2].to = 0x1001;
	assert_false(right());
	assert_string_equal(j.why, "2 branches from the first are right, then +8 to +1 instead of +8 to +0");
	begin();
	add(0x100c, 0x1000);
	assert_false(right());
	assert_string_equal(
		j.why, "7 branches from the first are right, then +12 to +0, which the kernel does not take");
	begin();
	drop(6, 1);
	assert_false(right());
	assert_string_equal(j.why, "6 branches from the first are right, then none instead of +32768 to +12");
}

static void parts(void **unused)
{
	(void)unused;
	for (unsigned room = 1; room < BRANCHES; room++) {
		begin();
		x.room = room;
		drop(room, length - room);
		assert_true(right());
		assert_int_equal(j.expected, room);
		x.part = TRACE_LAST;
		assert_false(right());
		begin();
		x.room = room;
		x.part = TRACE_LAST;
		drop(0, length - room);
		assert_true(right());
		assert_int_equal(j.expected, room);
		/* Fewer than there is room for; more than there is room for. */
		x.room = room + 1;
		assert_false(right());
		x.room = room - 1;
		assert_false(right());
	}
	begin();
	x.room = 100;
	x.part = TRACE_LAST;
	assert_true(right());
	length = 0;
	assert_false(right());
}

static void rings(void **unused)
{
	(void)unused;
	begin();
	x.levels = LEVELS_USER;
	assert_int_equal(trace_branches(&x), OWN);
	/* With both of the branches between rings, either, or none. */
	assert_true(right());
	assert_int_equal(j.expected, OWN);
	drop(6, 1);
	assert_true(right());
	drop(5, 1);
	assert_true(right());
	insert(5, RECORD_HIDDEN, 0x100c);
	assert_true(right());
	drop(5, 1);
	drop(4, 1);
	assert_false(right());
	/* Where they belong to the ring in which they end: the one that enters ring 3, and not the other. */
	begin();
	x.levels = LEVELS_USER;
	x.level_of_target = true;
	assert_int_equal(trace_branches(&x), OWN + 1);
	assert_false(right());
	drop(5, 1);
	assert_true(right());
	assert_int_equal(j.expected, OWN + 1);
	/* Its source is told, or must not be. */
	x.hides_source = true;
	assert_false(right());
	drop(5, 1);
	insert(5, RECORD_HIDDEN, 0x100c);
	assert_true(right());
	drop(5, 1);
	assert_false(right());
	insert(5, 0x9000, 0x100c);
	assert_false(right());
	/* Nothing of ring 3 if ring 0 is recorded. */
	begin();
	x.levels = LEVELS_SYSTEM;
	assert_false(right());
	drop(0, 5);
	assert_true(right());
	assert_int_equal(j.expected, 0);
}

static void kinds(void **unused)
{
	(void)unused;
	begin();
	x.without = 1u << TRANSFER_CALL;
	assert_int_equal(trace_branches(&x), BRANCHES - 2);
	assert_false(right());
	drop(3, 1);
	assert_false(right());
	drop(0, 1);
	assert_true(right());
	steps[9].transfer = TRANSFER_EVENT;
	x.without |= 1u << TRANSFER_SYSTEM;
	assert_false(right());
	drop(3, 2);
	assert_true(right());
	steps[9].transfer = TRANSFER_SYSTEM;
}

static void surroundings(void **unused)
{
	(void)unused;
	begin();
	insert(0, 0x7000, 0x7100);
	insert(1, 0x7200, 0x1000);
	add(0x100f, 0x7300);
	assert_false(right());
	x.surrounded = true;
	assert_true(right());
	assert_int_equal(j.expected, BRANCHES);
	/* Not in the middle. */
	insert(4, 0x7400, 0x7500);
	assert_false(right());
	drop(4, 1);
	/* They take room. */
	x.room = length;
	assert_true(right());
	x.room = 6;
	drop(6, length - 6);
	assert_true(right());
	assert_int_equal(j.expected, 4);
	drop(5, 1);
	assert_false(right());
	begin();
	x.surrounded = true;
	x.part = TRACE_LAST;
	x.room = 4;
	add(0x100f, 0x7300);
	drop(0, length - 4);
	assert_true(right());
	assert_int_equal(j.expected, 3);
	drop(0, 1);
	assert_false(right());
}

static void interrupts(void **unused)
{
	(void)unused;
	begin();
	insert(3, 0x1000, 0x8000); /* before the second turn, to the handler ... */
	insert(4, 0x8100, 0x8200);
	insert(5, 0x8300, 0x1000); /* ... and back */
	assert_false(right());
	x.interrupted = true;
	assert_true(right());
	assert_int_equal(j.expected, BRANCHES);
	drop(6, 1);
	assert_false(right());
}

static void mispredictions(void **unused)
{
	(void)unused;
	begin();
	trace[0].mispredicted = trace[4].mispredicted = true;
	assert_true(right());
	assert_int_equal(j.mispredicted, 0);
	trace[0].has |= RECORD_HAS_MISPREDICTED;
	trace[4].has |= RECORD_HAS_MISPREDICTED;
	trace[5].has |= RECORD_HAS_MISPREDICTED;
	assert_true(right());
	assert_int_equal(j.mispredicted, 2);
}

/* Records that tell the low half of addresses alone. */
static void narrow_addresses(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < STEPS; i++) {
		steps[i].ip += 1ull << 40;
		steps[i].next += 1ull << 40;
	}
	begin();
	for (unsigned i = 0; i < length; i++) {
		trace[i].from = (uint32_t)trace[i].from;
		trace[i].to = (uint32_t)trace[i].to;
	}
	assert_false(right());
	x.address_bits = 32;
	assert_true(right());
	insert(3, 0x1000, 0x8000);
	insert(4, 0x8300, 0x1000);
	assert_false(right());
	x.interrupted = true;
	assert_true(right());
	trace[0].to ^= 0x80000000;
	assert_false(right());
	for (unsigned i = 0; i < STEPS; i++) {
		steps[i].ip -= 1ull << 40;
		steps[i].next -= 1ull << 40;
	}
}

/* Call-stack mode: what has come back is not there, what is open is, oldest first. */
static void open_calls_alone(void **unused)
{
	struct path_step nested[6] = {
		{.ip = 0x100, .next = 0x200, .length = 5, .transfer = TRANSFER_CALL},
		{.ip = 0x200, .next = 0x205, .length = 5, .transfer = TRANSFER_CALL}, /* to the next: none */
		{.ip = 0x205, .next = 0x300, .length = 2, .transfer = TRANSFER_CALL_INDIRECT},
		{.ip = 0x300, .next = 0x207, .length = 1, .transfer = TRANSFER_RETURN},
		{.ip = 0x207, .next = 0x300, .length = 5, .transfer = TRANSFER_CALL},
		{.ip = 0x300, .next = 0x400, .length = 2, .transfer = TRANSFER_JUMP},
	};
	struct path open = {.step = nested, .n_steps = 6, .room = 6, .to = 6};
	(void)unused;
	/* Every call of the path comes back. */
	begin();
	length = 0;
	trace_judge_calls(&x, trace, length, &j);
	assert_true(j.right && !j.expected && !j.matched);
	add(0x1000, 0x2000);
	trace_judge_calls(&x, trace, length, &j);
	assert_false(j.right);
	assert_non_null(strstr(j.why, "a call that has come back"));
	/* What is the harness's is left alone where it may be. */
	trace[0].from = 0x8000;
	x.surrounded = true;
	trace_judge_calls(&x, trace, length, &j);
	assert_true(j.right);

	x = (struct trace_expectation){.path = &open, .room = 32, .levels = LEVELS_ALL};
	length = 0;
	add(0x100, 0x200);
	add(0x207, 0x300);
	trace_judge_calls(&x, trace, length, &j);
	assert_true(j.right && j.expected == 2 && j.matched == 2);
	for (unsigned n = 0; n < 2; n++) {
		trace_judge_calls(&x, trace, n, &j);
		assert_false(j.right);
		assert_int_equal(j.matched, n);
	}
	insert(1, 0x205, 0x300);
	trace_judge_calls(&x, trace, length, &j);
	assert_false(j.right);
	drop(1, 1);
	x.room = 1; /* the oldest is lost */
	trace_judge_calls(&x, trace, length, &j);
	assert_false(j.right);
	trace_judge_calls(&x, trace + 1, 1, &j);
	assert_true(j.right && j.expected == 1);
	x.levels = LEVELS_USER; /* all of it is ring 0 */
	trace_judge_calls(&x, trace, 0, &j);
	assert_true(j.right && !j.expected);
}

/* A stack that is not deep enough has the newest of the open calls, oldest first, whatever its depth. */
static void deep_stacks_lose_the_oldest(void **unused)
{
	enum { CALLS = 6 };
	struct path_step nested[CALLS];
	struct path open = {.step = nested, .n_steps = CALLS, .room = CALLS, .to = CALLS};
	(void)unused;

	for (unsigned i = 0; i < CALLS; i++)
		nested[i] = (struct path_step){
			.ip = 0x100 * i, .next = 0x100 * (i + 1), .length = 5, .transfer = TRANSFER_CALL};
	for (unsigned room = 1; room <= CALLS; room++) {
		begin();
		length = 0;
		x = (struct trace_expectation){.path = &open, .room = room, .levels = LEVELS_ALL};
		for (unsigned i = CALLS - room; i < CALLS; i++)
			add(nested[i].ip, nested[i].next);
		trace_judge_calls(&x, trace, length, &j);
		assert_true(j.right && j.expected == room && j.matched == room);
		if (room == CALLS)
			break;
		/* The oldest ones in their place are wrong. */
		length = 0;
		for (unsigned i = 0; i < room; i++)
			add(nested[i].ip, nested[i].next);
		trace_judge_calls(&x, trace, length, &j);
		assert_false(j.right);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(skipped),
		cmocka_unit_test(whole),
		cmocka_unit_test(parts),
		cmocka_unit_test(rings),
		cmocka_unit_test(kinds),
		cmocka_unit_test(surroundings),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(mispredictions),
		cmocka_unit_test(narrow_addresses),
		cmocka_unit_test(open_calls_alone),
		cmocka_unit_test(deep_stacks_lose_the_oldest),
	};

	return cmocka_run_group_tests_name("trace_judge", tests, NULL, NULL);
}
