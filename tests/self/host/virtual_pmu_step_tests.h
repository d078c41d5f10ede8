/*
 * Steps: which of them reach the model, where they say that they are, and what is added without asking it
 * again.
 */
#ifndef TESTS_SELF_HOST_VIRTUAL_PMU_STEP_TESTS_H
#define TESTS_SELF_HOST_VIRTUAL_PMU_STEP_TESTS_H

#include "tests/self/host/virtual_pmu_model.h"
#include "arch/outcomes.h"

/* Kept until an overflow, a write, another place, others that begin or end, or another world. */
static void alike_steps_are_worked_out_once(void **unused)
{
	(void)unused;
	enable(3);
	for (unsigned i = 0; i < 5; i++)
		retire(1, 0);
	assert_int_equal(steps, 1);
	assert_int_equal(counted(0), 5);
	assert_int_equal(counted(1), 5);
	unsigned before = sums;
	retire(1, 3); /* of another level, and then of the first again: there is one memo of a shape */
	retire(1, 0);
	retire(1, 0);
	assert_int_equal(sums, before + 2);
	assert_int_equal(counted(0), 8);
	terms[0].amount = 3;
	retire(2, 0);
	retire(2, 0);
	retire(1, 0);
	assert_int_equal(counted(0), 8 + 6 + 1);
	/* No shape: each is asked for. */
	before = steps;
	retire(0, 0);
	retire(0, 0);
	assert_int_equal(steps, before + 2);
	assert_int_equal(counted(0), 15 + 6);

	for (unsigned change = 0; change < 5; change++) {
		terms[0].amount = 1;
		retire(1, 0);
		before = sums;
		retire(1, 0);
		assert_int_equal(sums, before);
		switch (change) {
		case 0:
			enable(1);
			break;
		case 1:
			vpmu_place(0, SIBLING_KERNEL);
			break;
		case 2:
			vpmu_others(true);
			break;
		case 3:
			client->world(client->ctx, true);
			break;
		default: /* an overflow */
			first->limit[0] = counted(0);
			retire(0, 0);
			first->limit[0] = UINT64_MAX;
			assert_int_equal(counted(0), 0);
			break;
		}
		before = sums;
		retire(1, 0);
		assert_int_equal(sums, before + 1);
	}
	before = sums;
	client->world(client->ctx, true); /* it is there already */
	retire(1, 0);
	assert_int_equal(sums, before);
	/* More than a sum: asked again, and told of each. */
	refuses = true;
	enable(1);
	before = steps;
	uint64_t value = counted(0);
	retire(1, 0);
	retire(1, 0);
	assert_int_equal(steps, before + 2);
	assert_int_equal(counted(0), value + 2);
}

static void the_step_that_overflows_reaches_the_model(void **unused)
{
	(void)unused;
	enable(3);
	retire(1, 0);
	first->limit[1] = 5;
	enable(3);
	uint64_t begin = counted(1);
	unsigned before = steps;
	retire(1, 0);
	for (uint64_t i = begin + 1; i < 5; i++)
		retire(1, 0);
	assert_int_equal(counted(1), 5);
	assert_int_equal(steps, before + 1);
	retire(1, 0);
	assert_int_equal(steps, before + 2);
	assert_int_equal(counted(1), 0);
	assert_int_equal(counted(0), begin + 6 - begin);
}

static void steps_say_where_they_are(void **unused)
{
	static const enum step_kind kinds[] = {STEP_INSTRUCTION, STEP_DELIVERED, STEP_CALL_DELIVERED,
					       STEP_HALTED};
	(void)unused;
	profile.threads = 2;
	assert_int_equal(vpmu_threads(), 2);
	enable(1);
	for (unsigned where = 0; where < 12; where++) {
		enum vpmu_sibling sibling = where % 3;
		unsigned thread = where / 3 % 2, wakes = asked.wakes;

		assert_true(vpmu_place(thread, sibling));
		assert_int_equal(asked.thread, thread);
		assert_int_equal(placed, thread);
		vpmu_others(where >= 6);
		assert_int_equal(asked.wakes, wakes + 2);
		for (unsigned k = 0; k < 4; k++) {
			unsigned before = steps;

			tell(kinds[k], 0, 0);
			assert_int_equal(steps, before + 1);
			assert_int_equal(last.kind, kinds[k]);
			assert_int_equal(last.thread, thread);
			assert_int_equal(last.sibling, sibling != SIBLING_HALTED);
			assert_int_equal(last.sibling_level, sibling == SIBLING_USER ? 3 : 0);
			assert_int_equal(last.others, where >= 6);
			assert_int_equal(amount_of(Q_INSTRUCTIONS), 1);
		}
	}
	assert_false(vpmu_place(2, SIBLING_HALTED));
	assert_int_equal(asked.thread, 1);
	/* Nothing to be awake for. */
	enable(0);
	unsigned wakes = asked.wakes;
	vpmu_place(0, SIBLING_USER);
	vpmu_others(false);
	assert_int_equal(asked.wakes, wakes);
}

/* A check finds none of what another one has left behind. */
static void power_up_forgets_where_it_was(void **unused)
{
	(void)unused;
	profile.threads = 2;
	vpmu_place(1, SIBLING_USER);
	vpmu_others(true);
	pmis_of[0] = 1;
	enable(1);
	retire(0, 0);
	assert_int_equal(vpmu_sibling_interrupts(), 1);
	assert_int_equal(resets, 1);
	attached = NULL;
	vpmu_power_up();
	assert_int_equal(resets, 2);
	assert_ptr_equal(attached, &step_memory);
	assert_int_equal(asked.thread, 0);
	assert_true(client->idle);
	enable(1);
	tell(STEP_DELIVERED, 0, 0);
	assert_int_equal(last.thread, 0);
	assert_false(last.sibling);
	assert_int_equal(last.sibling_level, 0);
	assert_false(last.others);
}

static void no_more_is_wanted_than_is_counted(void **unused)
{
	static const struct {
		enum quantity q;
		uint32_t wants;
	} rows[] = {
		{Q_INSTRUCTIONS, 0},
		{Q_LOADS_SPLIT_LINE, STEP_WANTS_BY_ADDRESS},
		{Q_STORES_SPLIT_PAGE, STEP_WANTS_BY_ADDRESS},
		{Q_L1D_LOAD_MISS, STEP_WANTS_MACHINE},
		{Q_BR_MISPRED, STEP_WANTS_MACHINE},
	};
	struct reason why;
	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		only = rows[i].q;
		enable(1);
		assert_int_equal(client->wants, rows[i].wants);
		assert_false(client->idle);
		enable(0);
		assert_int_equal(client->wants, 0);
		assert_true(client->idle);
	}
	only = outcome_quantities[OUTCOME_DENORMAL];
	enable(1);
	assert_int_equal(client->wants, STEP_WANTS_MACHINE | STEP_WANTS_DENORMALS);
	only = Q_INSTRUCTIONS;
	records = true;
	enable(1);
	assert_int_equal(client->wants, STEP_WANTS_MACHINE | STEP_WANTS_DENORMALS | STEP_WANTS_RECORDS);
	vectors = true;
	enable(1);
	assert_int_equal(client->wants,
			 STEP_WANTS_MACHINE | STEP_WANTS_DENORMALS | STEP_WANTS_RECORDS | STEP_WANTS_VECTORS);
	/* A model that cannot tell is asked what it would add. */
	records = vectors = false;
	model.counts = NULL;
	enable(1);
	assert_int_equal(client->wants, STEP_WANTS_BY_ADDRESS | STEP_WANTS_MACHINE | STEP_WANTS_DENORMALS);
	assert_true(vpmu_create("scripted-one", NULL, &why));
	assert_int_equal(client->wants, 0);
}

/* What the machine model says is counted beside the instruction's own, and once: by the next one that is like
 * it, too. */
static void the_machine_adds_its_own(void **unused)
{
	(void)unused;
	only = Q_L1D_LOAD_MISS;
	enable(1);
	load = (struct step_access){.address = 0x100000, .size = 8};
	retire(0, 0);
	assert_int_equal(amount_of(Q_L1D_LOAD_MISS), 1);
	assert_int_equal(amount_of(Q_INSTRUCTIONS), 1);
	retire(0, 0);
	assert_int_equal(amount_of(Q_L1D_LOAD_MISS), 0);
	assert_int_equal(amount_of(Q_INSTRUCTIONS), 1);
	/* Cold again, but not before the write that counts. */
	vpmu_cool();
	retire(0, 0);
	assert_int_equal(amount_of(Q_L1D_LOAD_MISS), 0);
	enable(0);
	enable(1);
	retire(0, 0);
	assert_int_equal(amount_of(Q_L1D_LOAD_MISS), 1);
	enable(1);
	retire(0, 0);
	assert_int_equal(amount_of(Q_L1D_LOAD_MISS), 0);
	/* With a shape: the same amounts, by its memo. */
	for (unsigned i = 0; i < 4; i++) {
		uint64_t before = counted(0);

		load.address = 0x200000 + 64 * i;
		retire(1, 0);
		assert_true(counted(0) >= before + 2);
		before = counted(0);
		retire(1, 0);
		retire(1, 0);
		assert_true(counted(0) >= before + 2);
	}
}

#define STEP_TESTS                                                                                           \
	cmocka_unit_test_setup(alike_steps_are_worked_out_once, set_up),                                     \
		cmocka_unit_test_setup(the_step_that_overflows_reaches_the_model, set_up),                   \
		cmocka_unit_test_setup(steps_say_where_they_are, set_up),                                    \
		cmocka_unit_test_setup(power_up_forgets_where_it_was, set_up),                               \
		cmocka_unit_test_setup(no_more_is_wanted_than_is_counted, set_up),                           \
		cmocka_unit_test_setup(the_machine_adds_its_own, set_up)

#endif
