/*
 * Rules of the core's other logical processor in the Intel model. Included by the test of the model as it is
 * and by the one that breaks it.
 */
#ifndef TESTS_SELF_HOST_INTEL_OTHER_TESTS_H
#define TESTS_SELF_HOST_INTEL_OTHER_TESTS_H

#include "tests/self/host/intel_model_shortcuts.h"

static inline struct intel_state *power_up_both(const char *inject)
{
	static struct intel_state other;

	power_up(&intel_nehalem, inject);
	assert_true(intel_model.has_other(cpu));
	intel_model.reset(&other, &intel_nehalem, NULL);
	intel_model.join(cpu, &other);
	return &other;
}

/* An instruction of this thread, or of the other one. */
static inline bool retire(uint8_t thread, uint8_t level)
{
	static const struct qterm one = {Q_INSTRUCTIONS, 1};
	static struct step s;

	s = (struct step){.terms = &one, .n_terms = 1, .cycles = 1, .thread = thread, .level = level};
	return intel_model.advance(cpu, &s);
}

static void any_is_of_both(void **unused)
{
	(void)unused;
	power_up_both("");
	set(IA32_PERF_GLOBAL_CTRL, 0x70000000f);
	set(IA32_FIXED_CTR_CTRL, FIXED_OS | FIXED_USR | FIXED_ANY);
	program(0, INSTR);
	program(1, INSTR | EVTSEL_ANY);
	program(2, (INSTR & ~(uint64_t)EVTSEL_OS) | EVTSEL_ANY);
	program(3, CYCLES_CORE | EVTSEL_ANY);
	retire(0, 0);
	retire(1, 0);
	retire(1, 3);
	assert_int_equal(get(IA32_PMC0), 1);
	assert_int_equal(get(IA32_PMC0 + 1), 3);
	assert_int_equal(get(IA32_PMC0 + 2), 1);
	/* Of a clock in which both are active there is one. */
	assert_int_equal(get(IA32_PMC0 + 3), 1);
	assert_int_equal(get(IA32_FIXED_CTR0), 3);
	/* A field without it. */
	set(IA32_FIXED_CTR_CTRL, FIXED_OS | FIXED_USR);
	retire(1, 0);
	assert_int_equal(get(IA32_FIXED_CTR0), 3);
}

static void threshold_is_of_both(void **unused)
{
	(void)unused;
	power_up_both("");
	set(IA32_PERF_GLOBAL_CTRL, 3);
	program(0, INSTR | EVTSEL_ANY | CMASK(2));
	program(1, INSTR | CMASK(2));
	retire(0, 0);
	retire(1, 0);
	retire(0, 0);
	retire(0, 0);
	assert_int_equal(get(IA32_PMC0), 1);
	assert_int_equal(get(IA32_PMC0 + 1), 0);
}

static void other_overflows(void **unused)
{
	(void)unused;
	power_up_both("");
	set(IA32_PERF_GLOBAL_CTRL, 1);
	program(0, INSTR | EVTSEL_ANY | EVTSEL_INT);
	set(IA32_PMC0, -1ull);
	assert_true(retire(1, 0));
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 1);
	assert_true(intel_model.take_pmi(cpu));
	assert_false(intel_model.take_pmi(cpu));
	assert_false(retire(1, 0));
}

static void registers_are_ones_own(void **unused)
{
	struct register_access a = {.space = SPACE_MSR, .number = IA32_PMC0};
	struct intel_state *other = power_up_both("");

	(void)unused;
	set(IA32_PMC0, 7);
	assert_int_equal(intel_model.access(other, &a), REGISTER_DONE);
	assert_int_equal(a.value, 0);
	power_up(&intel_core2, "");
	assert_false(intel_model.has_other(cpu));
}

#define MODEL_OTHER_TESTS                                                                                    \
	cmocka_unit_test(any_is_of_both), cmocka_unit_test(threshold_is_of_both),                            \
		cmocka_unit_test(other_overflows), cmocka_unit_test(registers_are_ones_own)

#endif
