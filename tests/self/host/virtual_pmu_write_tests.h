/*
 * Accesses of the model's registers: which writes the model is told of, and as what.
 */
#ifndef TESTS_SELF_HOST_VIRTUAL_PMU_WRITE_TESTS_H
#define TESTS_SELF_HOST_VIRTUAL_PMU_WRITE_TESTS_H

#include "tests/self/host/virtual_pmu_model.h"

/* pmu/contract/model.h, access(): told to the model as its own, if anything ran before it. */
static void a_write_is_counted_by_what_runs(void **unused)
{
	(void)unused;
	enable(1);
	assert_int_equal(steps, 0);
	assert_int_equal(counted(0), 0);
	enable(3);
	assert_int_equal(steps, 1);
	assert_true(last.own_write);
	assert_int_equal(amount_of(Q_INSTRUCTIONS), 1);
	retire(0, 0);
	assert_int_equal(steps, 2);
	assert_false(last.own_write);
	enable(0);
	assert_true(client->idle);
	retire(0, 0);
	tell(STEP_DELIVERED, 0, 0);
	assert_int_equal(steps, 2);
}

/* One that faults does not retire, one of other registers is none of the model's own, and one of code that
 * runs free is not told of: what comes next is counted as any other. */
static void only_its_own_writes_are_told_as_such(void **unused)
{
	struct register_access free_running = {.write = true, .number = ENABLE, .value = 3};
	(void)unused;

	enable(1);
	assert_int_equal(write_register(NOT_MINE, 0), REGISTER_NOT_MINE);
	assert_int_equal(steps, 1);
	assert_int_equal(write_register(FAULTY, 0), REGISTER_FAULT);
	retire(0, 0);
	assert_int_equal(steps, 2);
	assert_int_equal(reach(&free_running, 0), REGISTER_DONE);
	retire(0, 0);
	assert_int_equal(steps, 3);
	assert_false(told_writes);
	enable(0);
	assert_int_equal(reach(&free_running, 0), REGISTER_DONE);
	retire(0, 0);
	assert_int_equal(counted(1), 2); /* steps 3 and 5 */
}

static void what_records_is_told_of_later_writes(void **unused)
{
	(void)unused;
	write_register(RECORD, 1);
	assert_int_equal(steps, 0);
	assert_false(client->idle);
	retire(0, 0);
	assert_int_equal(steps, 1);
	assert_false(last.own_write);
	enable(1);
	assert_int_equal(steps, 2);
	assert_true(last.own_write);
	write_register(RECORD, 0);
	assert_int_equal(steps, 3);
	assert_true(last.own_write);
}

static void reads_change_nothing(void **unused)
{
	struct register_access a = {.number = ENABLE};
	(void)unused;

	enable(2);
	retire(1, 0);
	assert_int_equal(reach(&a, 2), REGISTER_DONE);
	assert_int_equal(a.value, 2);
	a.number = NOT_MINE;
	assert_int_equal(reach(&a, 2), REGISTER_NOT_MINE);
	a.number = FAULTY;
	assert_int_equal(reach(&a, 2), REGISTER_FAULT);
	unsigned before = sums;
	retire(1, 0);
	assert_int_equal(sums, before);
	assert_true(vpmu_ask_selector(1));
	assert_false(vpmu_ask_selector(2));
}

static void one_that_hangs_ends_the_run(void **unused)
{
	(void)unused;
	write_register(NOT_MINE, 0);
	assert_int_equal(asked.failed, 0);
	assert_int_equal(asked.disarmed, 0);
	if (!setjmp(gone)) {
		write_register(HANGING, 0);
		fail();
	}
	assert_int_equal(asked.failed, 1);
	assert_int_equal(asked.disarmed, 1);
}

#define WRITE_TESTS                                                                                          \
	cmocka_unit_test_setup(a_write_is_counted_by_what_runs, set_up),                                     \
		cmocka_unit_test_setup(only_its_own_writes_are_told_as_such, set_up),                        \
		cmocka_unit_test_setup(what_records_is_told_of_later_writes, set_up),                        \
		cmocka_unit_test_setup(reads_change_nothing, set_up),                                        \
		cmocka_unit_test_setup(one_that_hangs_ends_the_run, set_up)

#endif
