/*
 * The other logical processor of the virtual CPU's core, behind the Intel model: it goes through its loop
 * while the first one executes, and each counts its own.
 */
#include "tests/self/host/intel_model_shortcuts.h"

#include "pmu/virtual/sibling.h"

static struct intel_state state;
static struct sibling sibling;

static void other_set(uint32_t address, uint64_t value)
{
	struct register_access a = {.space = SPACE_MSR, .write = true, .number = address, .value = value};

	assert_int_equal(intel_model.access(&state, &a), REGISTER_DONE);
}

static uint64_t other_get(uint32_t address)
{
	struct register_access a = {.space = SPACE_MSR, .number = address};

	assert_int_equal(intel_model.access(&state, &a), REGISTER_DONE);
	return a.value;
}

static void set_up(const struct model_profile *profile)
{
	power_up(profile, "");
	sibling_power_up(&sibling, &state, cpu, profile, NULL);
}

static bool one_of_ours(void)
{
	static const struct qterm one = {Q_INSTRUCTIONS, 1};
	const struct step s = {.terms = &one, .n_terms = 1, .cycles = 1};
	bool changed = sibling_step(&sibling, &s);

	return intel_model.advance(cpu, &s) || changed;
}

/* What a turn has of a quantity. */
static unsigned in_turn(enum second_cpu_loop loop, enum quantity q)
{
	const struct second_cpu_turn *turn = &second_cpu_turns[loop];
	unsigned sum = 0;

	for (unsigned i = 0; i < turn->n; i++)
		for (unsigned t = 0; t < turn->instruction[i].n_terms; t++)
			if (turn->instruction[i].terms[t].quantity == q)
				sum += turn->instruction[i].terms[t].amount;
	return sum;
}

static void each_counts_its_own(void **unused)
{
	(void)unused;
	set_up(&intel_nehalem);
	assert_true(sibling.exists);
	program(0, INSTR);
	program(1, INSTR | EVTSEL_ANY);
	other_set(IA32_PERFEVTSEL0, INSTR);
	for (unsigned loop = 0; loop < SECOND_CPU_LOOPS; loop++) {
		unsigned length = in_turn(loop, Q_INSTRUCTIONS);

		set(IA32_PMC0, 0);
		set(IA32_PMC0 + 1, 0);
		other_set(IA32_PMC0, 0);
		assert_false(sibling_counts(&sibling));
		sibling_begin(&sibling, loop);
		assert_true(sibling_counts(&sibling));
		for (unsigned i = 0; i < 2 * length + 1; i++)
			one_of_ours();
		/* A turn that has begun is gone through to its end. */
		assert_int_equal(sibling_end(&sibling), 3);
		assert_int_equal(get(IA32_PMC0), 2 * length + 1);
		assert_int_equal(other_get(IA32_PMC0), 3 * length);
		assert_int_equal(get(IA32_PMC0 + 1), 5 * length + 1);
	}
}

static void turns_are_as_they_say(void **unused)
{
	(void)unused;
	for (unsigned loop = 0; loop < SECOND_CPU_LOOPS; loop++) {
		assert_int_equal(in_turn(loop, Q_INSTRUCTIONS), second_cpu_turns[loop].n);
		assert_int_equal(in_turn(loop, Q_BRANCHES),
				 in_turn(loop, Q_BR_COND) + in_turn(loop, Q_BR_FAR));
	}
	assert_int_equal(in_turn(SECOND_CPU_FAR, Q_BR_FAR), 1);
	assert_int_equal(in_turn(SECOND_CPU_PLAIN, Q_BR_FAR), 0);
	assert_int_equal(in_turn(SECOND_CPU_PLAIN, Q_LOADS), 2);
	assert_int_equal(in_turn(SECOND_CPU_PLAIN, Q_STORES), 1);
}

/* Its overflow asks its own logical processor for an interrupt; one of ours in its step is told. */
static void overflows_go_to_their_own(void **unused)
{
	(void)unused;
	set_up(&intel_nehalem);
	other_set(IA32_PERFEVTSEL0, INSTR | EVTSEL_INT);
	other_set(IA32_PMC0, -1ull);
	sibling_begin(&sibling, SECOND_CPU_PLAIN);
	one_of_ours();
	assert_int_equal(sibling.interrupts, 1);
	assert_false(intel_model.take_pmi(cpu));
	program(0, INSTR | EVTSEL_ANY | EVTSEL_INT);
	set(IA32_PMC0, -1ull);
	assert_true(one_of_ours());
	assert_true(intel_model.take_pmi(cpu));
}

/* An SMI comes to both. */
static void firmware_interrupts_both(void **unused)
{
	(void)unused;
	set_up(&intel_nehalem);
	power_up(&intel_nehalem, "smi");
	sibling_power_up(&sibling, &state, cpu, &intel_nehalem, NULL);
	other_set(IA32_PERFEVTSEL0, INSTR);
	program(0, INSTR);
	sibling_begin(&sibling, SECOND_CPU_PLAIN);
	for (unsigned i = 0; i < SMI_EVERY; i++)
		one_of_ours();
	assert_int_equal(get(IA32_PMC0), SMI_EVERY + 100);
	assert_int_equal(other_get(IA32_PMC0), SMI_EVERY + 100);
}

static void none_without_threads(void **unused)
{
	(void)unused;
	set_up(&intel_core2);
	assert_false(sibling.exists);
	sibling_begin(&sibling, SECOND_CPU_PLAIN);
	assert_false(sibling.works);
	assert_int_equal(sibling_end(&sibling), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_counts_its_own),       cmocka_unit_test(turns_are_as_they_say),
		cmocka_unit_test(overflows_go_to_their_own), cmocka_unit_test(firmware_interrupts_both),
		cmocka_unit_test(none_without_threads),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(cpu);
	return failed;
}
