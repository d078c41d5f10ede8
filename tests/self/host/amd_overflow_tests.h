/*
 * Rules of overflow in the AMD model, one test each: wrapping, status, interrupts, freezing, and counters
 * that run freely.
 */
#ifndef TESTS_SELF_HOST_AMD_OVERFLOW_TESTS_H
#define TESTS_SELF_HOST_AMD_OVERFLOW_TESTS_H

#include "tests/self/host/amd_model_parts.h"

static void wrap(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		power_up(parts[p].profile, "");
		program(0, INSTR);
		set(CTR(0), TOP - 1);
		assert_false(step(Q_INSTRUCTIONS, 1, 1, 0));
		assert_int_equal(get(CTR(0)), TOP);
		if (parts[p].v2)
			assert_int_equal(get(PERF_GLOBAL_STATUS), 0);
		assert_true(step(Q_INSTRUCTIONS, 3, 1, 0));
		assert_int_equal(get(CTR(0)), 2);
	}
}

static void status(void **unused)
{
	(void)unused;
	power_up(&amd_zen4, "");
	program(3, INSTR);
	set(CTR(3), TOP);
	instructions(1);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 8);
	instructions(5);
	set(CTL(3), 0);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 8);
	set(PERF_GLOBAL_STATUS_CLR, 8);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 0);
}

static void interrupts(void **unused)
{
	(void)unused;
	assert_true(amd_model.line_stays(cpu));
	for (unsigned p = 0; p < PARTS; p++) {
		power_up(parts[p].profile, "");
		program(0, INSTR | CTL_INT);
		program(1, INSTR);
		set(CTR(0), TOP);
		set(CTR(1), TOP - 1);
		assert_int_equal(pmis(), 0);
		instructions(1);
		assert_int_equal(pmis(), 1);
		instructions(2);
		assert_int_equal(pmis(), 0);
		/* It goes on counting, and interrupts again. */
		set(CTR(0), TOP);
		instructions(1);
		assert_int_equal(pmis(), 1);
		set(CTL(0), INSTR | CTL_INT);
		assert_int_equal(get(CTR(0)), 0);
		if (parts[p].v2)
			assert_int_equal(get(PERF_GLOBAL_CTL), 0x3f);
	}
	/* Before PerfMonV2 a status set in secret would show as a freeze. */
	power_up(&amd_zen3, "");
	program(0, INSTR | CTL_INT);
	set(CTR(0), TOP);
	instructions(5);
	assert_int_equal(get(CTR(0)), 4);
}

static void freeze(void **unused)
{
	const uint64_t frozen = STATUS_PMC_FROZEN | STATUS_LBR_FROZEN;
	(void)unused;
	power_up(&amd_zen5, "");
	set(DEBUGCTL, ~0ull);
	assert_int_equal(get(DEBUGCTL), 0x187f);
	set(DEBUGCTL, DEBUGCTL_FREEZE_LBR | DEBUGCTL_FREEZE_PMC);
	program(0, INSTR | CTL_INT);
	program(1, INSTR);
	set(CTR(0), TOP - 1);
	instructions(6);
	assert_int_equal(get(CTR(0)), 0);
	assert_int_equal(get(CTR(1)), 2);
	assert_int_equal(get(PERF_GLOBAL_STATUS), frozen | 1);
	assert_int_equal(get(PERF_GLOBAL_CTL), 0x3f);
	assert_false(amd_model.counting(cpu));
	set(PERF_GLOBAL_STATUS_CLR, frozen | 1);
	instructions(2);
	assert_int_equal(get(CTR(1)), 4);
	set(PERF_GLOBAL_STATUS_SET, STATUS_PMC_FROZEN);
	instructions(2);
	assert_int_equal(get(CTR(1)), 4);
	/* Without being asked nothing freezes. */
	power_up(&amd_zen5, "");
	program(0, INSTR | CTL_INT);
	set(CTR(0), TOP);
	instructions(4);
	assert_int_equal(get(CTR(0)), 3);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 1);
}

/* MPERF, APERF, IRPERF */
static void free_running_counters(void **unused)
{
	(void)unused;
	power_up(&amd_zen2, "");
	set(HWCR, ~0ull);
	assert_int_equal(get(HWCR), HWCR_IRPERF | HWCR_LOCK);
	assert_true(amd_model.counting(cpu));
	instructions(5);
	assert_int_equal(get(IRPERF), 5);
	set(IRPERF, 100);
	assert_int_equal(get(IRPERF), 5);
	set(HWCR, 0);
	assert_int_equal(get(HWCR), HWCR_LOCK);
	instructions(5);
	assert_int_equal(get(IRPERF), 5);
	set(MPERF, 1000);
	set(APERF, ~0ull);
	step(Q_INSTRUCTIONS, 1, 4, 3);
	amd_model.advance(cpu, &(struct step){.cycles = 100, .halted = true});
	assert_int_equal(get(MPERF), 1004);
	assert_int_equal(get(APERF), 3);
	assert_int_equal(pmis(), 0);
}

/* A free-running counter's overflow is nobody's status. */
static void no_status_of_missing_counters(void **unused)
{
	(void)unused;
	power_up(&amd_zen4, "");
	set(APERF, ~0ull);
	instructions(2);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 0);
	assert_int_equal(pmis(), 0);
}

static void pairs_carry(void **unused)
{
	static const struct model_profile *const profiles[] = {&amd_zen1, &amd_zen5};
	(void)unused;
	for (unsigned p = 0; p < 2; p++) {
		power_up(profiles[p], "");
		program(1, CTL_MERGE | CTL_EN);
		program(0, INSTR | CTL_INT);
		set(CTR(0), TOP - 1);
		set(CTR(1), 0xfffe);
		instructions(2);
		assert_int_equal(get(CTR(0)), 0);
		assert_int_equal(get(CTR(1)), 0xffff);
		assert_int_equal(pmis(), 0);
		set(CTR(0), TOP);
		instructions(1);
		assert_int_equal(get(CTR(0)), 0);
		assert_int_equal(get(CTR(1)), 0);
		assert_int_equal(pmis(), 1);
		if (p)
			assert_int_equal(get(PERF_GLOBAL_STATUS), 1);
	}
	/* With PerfMonV2 the upper one needs its bit of the common enable too. */
	set(PERF_GLOBAL_CTL, 1);
	set(CTR(0), TOP);
	instructions(1);
	assert_int_equal(get(CTR(1)), 0);
	assert_int_equal(pmis(), 1);
}

#endif
