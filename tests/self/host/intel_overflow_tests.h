/*
 * Rules of overflow in the Intel model, one test each: wrapping, status, interrupts, freezing, what is in
 * use. Included by the test of the model as it is and by the one that breaks it.
 */
#ifndef TESTS_SELF_HOST_INTEL_OVERFLOW_TESTS_H
#define TESTS_SELF_HOST_INTEL_OVERFLOW_TESTS_H

#include "tests/self/host/intel_model_shortcuts.h"

/* overflow */

static void wrap(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < ALL_PROFILES; p++) {
		power_up(profiles[p], "");
		program(1, INSTR);
		set(IA32_PMC0 + 1, -3ll);
		instructions(2);
		assert_int_equal(get(IA32_PMC0 + 1), p < 2 ? 0xffffffffff : 0xffffffffffff);
		if (p)
			assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 0);
		instructions(1);
		assert_int_equal(get(IA32_PMC0 + 1), 0);
		if (p)
			assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 2);
		instructions(4);
		assert_int_equal(get(IA32_PMC0 + 1), 4);
		/* Carry into the upper half, and a step that jumps over the top. */
		set(IA32_PMC0 + 1, 0x7fffffff);
		step(Q_INSTRUCTIONS, 2, 1, 0);
		assert_int_equal(get(IA32_PMC0 + 1), 0x80000001);
		set(IA32_PMC0 + 1, -3ll);
		step(Q_INSTRUCTIONS, 200, 1, 0);
		assert_int_equal(get(IA32_PMC0 + 1), 197);
		assert_false(intel_model.take_pmi(cpu));
	}
	power_up(&intel_skylake, "");
	program(0, INSTR);
	set(IA32_A_PMC0, 0xffffffff);
	instructions(1);
	assert_int_equal(get(IA32_PMC0), 0x100000000);
}

static void status(void **unused)
{
	(void)unused;
	power_up(&intel_core2, "");
	set(IA32_PERF_GLOBAL_CTRL, 0x700000003);
	program(0, INSTR);
	program(1, INSTR);
	set(IA32_FIXED_CTR_CTRL, 0x333);
	set(IA32_PMC0, -1ll);
	set(IA32_PMC0 + 1, -2ll);
	set(IA32_FIXED_CTR0, 0xffffffffff);
	set(IA32_FIXED_CTR0 + 2, 0xfffffffffe);
	instructions(1);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 0x100000001);
	instructions(5);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 0x500000003);
	set(IA32_PERF_GLOBAL_OVF_CTRL, 0x400000001);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 0x100000002);
	/* Status stays when the counter is stopped or written. */
	set(IA32_PERF_GLOBAL_CTRL, 0);
	set(IA32_PERFEVTSEL0 + 1, 0);
	set(IA32_PMC0 + 1, 0);
	set(IA32_FIXED_CTR_CTRL, 0);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 0x100000002);
	set(IA32_PERF_GLOBAL_OVF_CTRL, 0);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 0x100000002);
	set(IA32_PERF_GLOBAL_OVF_CTRL, 0x700000003);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 0);
}

static void interrupts(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < ALL_PROFILES; p++) {
		power_up(profiles[p], "");
		program(0, INSTR | EVTSEL_INT);
		set(IA32_PMC0, -2ll);
		instructions(1);
		assert_false(intel_model.take_pmi(cpu));
		instructions(1);
		assert_true(intel_model.take_pmi(cpu));
		assert_false(intel_model.take_pmi(cpu));
		instructions(10);
		assert_false(intel_model.take_pmi(cpu));
		/* Status that is still set does not hold the next request back. */
		set(IA32_PMC0, -1ll);
		instructions(1);
		assert_true(intel_model.take_pmi(cpu));
		/* No freezing without being asked. */
		instructions(3);
		assert_int_equal(get(IA32_PMC0), 3);

		program(0, INSTR);
		set(IA32_PMC0, -1ll);
		instructions(1);
		assert_false(intel_model.take_pmi(cpu));
	}
	power_up(&intel_nehalem, "");
	set(IA32_PERF_GLOBAL_CTRL, FIXED_BIT(0) | FIXED_BIT(1));
	set(IA32_FIXED_CTR_CTRL, 0x3b);
	set(IA32_FIXED_CTR0 + 1, 0xffffffffffff);
	instructions(1);
	assert_false(intel_model.take_pmi(cpu));
	set(IA32_FIXED_CTR0, 0xffffffffffff);
	instructions(1);
	assert_true(intel_model.take_pmi(cpu));
	assert_false(intel_model.take_pmi(cpu));
}

static void legacy_freeze(void **unused)
{
	(void)unused;
	for (unsigned p = 1; p < 3; p++) {
		power_up(profiles[p], "");
		set(IA32_DEBUGCTL, DEBUGCTL_LBR | DEBUGCTL_FREEZE_PERFMON_ON_PMI);
		set(IA32_PERF_GLOBAL_CTRL, FIXED_BIT(0) | 3);
		program(0, INSTR | EVTSEL_INT);
		program(1, INSTR);
		set(IA32_FIXED_CTR_CTRL, 3);
		set(IA32_PMC0, -2ll);
		instructions(5);
		/* The instruction whose PMI froze them is the last that all counted. */
		assert_int_equal(get(IA32_PMC0), 0);
		assert_int_equal(get(IA32_PMC0 + 1), 2);
		assert_int_equal(get(IA32_FIXED_CTR0), 2);
		assert_int_equal(get(IA32_PERF_GLOBAL_CTRL), 0);
		assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 1);
		assert_int_equal(get(IA32_DEBUGCTL), DEBUGCTL_LBR | DEBUGCTL_FREEZE_PERFMON_ON_PMI);
		/* An overflow without PMI freezes nothing. */
		set(IA32_PERF_GLOBAL_CTRL, 2);
		set(IA32_PMC0 + 1, -1ll);
		instructions(2);
		assert_int_equal(get(IA32_PERF_GLOBAL_CTRL), 2);

		set(IA32_DEBUGCTL, DEBUGCTL_LBR | DEBUGCTL_FREEZE_LBRS_ON_PMI);
		set(IA32_PERF_GLOBAL_CTRL, 1);
		set(IA32_PMC0, -1ll);
		instructions(1);
		assert_int_equal(get(IA32_DEBUGCTL), DEBUGCTL_FREEZE_LBRS_ON_PMI);
		assert_int_equal(get(IA32_PERF_GLOBAL_CTRL), 1);
	}
}

static void streamlined_freeze(void **unused)
{
	(void)unused;
	for (unsigned p = 3; p < ALL_PROFILES; p++) {
		power_up(profiles[p], "");
		set(IA32_DEBUGCTL,
		    DEBUGCTL_LBR | DEBUGCTL_FREEZE_PERFMON_ON_PMI | DEBUGCTL_FREEZE_LBRS_ON_PMI);
		set(IA32_PERF_GLOBAL_CTRL, FIXED_BIT(0) | 1);
		program(0, INSTR | EVTSEL_INT);
		set(IA32_FIXED_CTR_CTRL, 3);
		set(IA32_PMC0, -2ll);
		instructions(5);
		assert_int_equal(get(IA32_PMC0), 0);
		assert_int_equal(get(IA32_FIXED_CTR0), 2);
		assert_int_equal(get(IA32_PERF_GLOBAL_CTRL), FIXED_BIT(0) | 1);
		assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 1 | STATUS_CTR_FRZ | STATUS_LBR_FRZ);
		assert_int_equal(get(IA32_DEBUGCTL) & DEBUGCTL_LBR, DEBUGCTL_LBR);
		assert_false(intel_model.counting(cpu));
		set(IA32_PERF_GLOBAL_OVF_CTRL, 1 | STATUS_CTR_FRZ | STATUS_LBR_FRZ);
		instructions(3);
		assert_int_equal(get(IA32_PMC0), 3);
		assert_int_equal(get(IA32_FIXED_CTR0), 5);
	}
}

static void status_set(void **unused)
{
	(void)unused;
	power_up(&intel_skylake, "");
	set(IA32_PERF_GLOBAL_STATUS_SET, 5);
	set(IA32_PERF_GLOBAL_STATUS_SET, FIXED_BIT(2) | STATUS_OVF_BUF);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 5 | FIXED_BIT(2) | STATUS_OVF_BUF);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS_SET), 0);
	assert_false(intel_model.take_pmi(cpu));
	program(0, INSTR);
	instructions(1);
	set(IA32_PERF_GLOBAL_STATUS_SET, STATUS_CTR_FRZ);
	instructions(1);
	assert_int_equal(get(IA32_PMC0), 1);
	set(IA32_PERF_GLOBAL_OVF_CTRL, STATUS_CTR_FRZ | 4);
	instructions(1);
	assert_int_equal(get(IA32_PMC0), 2);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 1 | FIXED_BIT(2) | STATUS_OVF_BUF);
}

static void in_use_register(void **unused)
{
	(void)unused;
	power_up(&intel_skylake, "");
	assert_int_equal(get(IA32_PERF_GLOBAL_INUSE), 0);
	set(IA32_PERFEVTSEL0 + 2, 0xc0);
	assert_int_equal(get(IA32_PERF_GLOBAL_INUSE), 4);
	set(IA32_PERFEVTSEL0 + 1, EVTSEL_EN | 0x4f00);
	assert_int_equal(get(IA32_PERF_GLOBAL_INUSE), 4);
	set(IA32_FIXED_CTR_CTRL, 0x020);
	assert_int_equal(get(IA32_PERF_GLOBAL_INUSE), 4 | FIXED_BIT(1));
	set(IA32_FIXED_CTR_CTRL, 0x080);
	assert_int_equal(get(IA32_PERF_GLOBAL_INUSE), 4 | INUSE_PMI);
	set(IA32_FIXED_CTR_CTRL, 0);
	set(IA32_PERFEVTSEL0 + 3, EVTSEL_INT);
	assert_int_equal(get(IA32_PERF_GLOBAL_INUSE), 4 | INUSE_PMI);
}

#define MODEL_OVERFLOW_TESTS                                                                                 \
	cmocka_unit_test(wrap), cmocka_unit_test(status), cmocka_unit_test(interrupts),                      \
		cmocka_unit_test(legacy_freeze), cmocka_unit_test(streamlined_freeze),                       \
		cmocka_unit_test(status_set), cmocka_unit_test(in_use_register)

#endif
