/*
 * Rules of version 6 and of the topdown metrics in the Intel model, one test each. Included by the test of
 * the model as it is and by the one that breaks it.
 */
#ifndef TESTS_SELF_HOST_INTEL_V6_TESTS_H
#define TESTS_SELF_HOST_INTEL_V6_TESTS_H

#include "tests/self/host/intel_model_shortcuts.h"

/* A part of version 6 whose first four general counters and fixed counters 0 and 1 reload, at the overflow of
 * general counters 0 and 1 or of fixed counter 0. */
static const struct cpuid_row reloading_cpuid[] = {
	{0x00, 0, 0x23, GENUINEINTEL},
	{0x01, 0, 0x000d06d0, 0, 0x8000, 0},
	{0x07, 0, 0, 0, 0, 0},
	{0x07, 1, 0x100, 0, 0, 0},
	{0x0a, 0, 0x0d300806, 0, 7, 0x8603},
	{0x23, 0, 0x0f, 3, 0, 0},
	{0x23, 1, 0x2ff, 0xf, 0, 0},
	{0x23, 2, 0x0f, 3, 3, 1},
	{0x23, 3, 0x1dff, 0, 0, 0},
};
static const struct intel_profile reloading_data = {
	.perf_capabilities = CAP_FULL_WIDTH | CAP_METRICS | CAP_METRICS_CLEAR, .slots = 8, .bus_ratio = 10};
static const struct model_profile reloading = {
	.model = &intel_model, .identity = CPUID_TABLE(reloading_cpuid), .data = &reloading_data};

static void v6_presence(void **unused)
{
	uint64_t value;
	(void)unused;
	power_up(&intel_icelake, "");
	for (uint32_t a = 0x1900; a < 0x1904; a++) {
		assert_true(faults(a));
		assert_int_equal(put(a, 0), REGISTER_FAULT);
	}
	power_up(&intel_lunarlake_p, "");
	for (unsigned i = 0; i < 12; i++) {
		bool general = i < 10, fixed = i < 4;
		assert_int_equal(faults(IA32_PMC0 + i), !general);
		assert_int_equal(faults(IA32_PERFEVTSEL0 + i), !general);
		assert_int_equal(faults(0x1900 + 4 * i), !general);
		assert_int_equal(faults(0x1901 + 4 * i), !general);
		assert_int_equal(faults(0x1980 + 4 * i), !fixed);
		assert_true(faults(0x1981 + 4 * i));
		/* No subleaf 2: nothing reloads. */
		assert_true(faults(0x1902 + 4 * i));
		assert_true(faults(0x1903 + 4 * i));
		assert_true(faults(0x1982 + 4 * i));
		assert_int_equal(pmc(i, true, &value), general ? REGISTER_DONE : REGISTER_FAULT);
		assert_int_equal(pmc(RDPMC_FIXED + i, true, &value), fixed ? REGISTER_DONE : REGISTER_FAULT);
	}
	assert_int_equal(get(IA32_PERF_GLOBAL_CTRL), 0x3ff);
	/* A bitmap with a hole. */
	power_up(&reloading, "");
	assert_true(faults(IA32_PMC0 + 8));
	assert_false(faults(IA32_PMC0 + 9));
	refuses(IA32_PERF_GLOBAL_CTRL, 1 << 8);
	set(IA32_PERF_GLOBAL_CTRL, 1 << 9);
	assert_int_equal(pmc(8, true, &value), REGISTER_FAULT);
}

static void v6_registers(void **unused)
{
	(void)unused;
	power_up(&reloading, "");
	for (unsigned b = 0; b < 64; b++) {
		bool valid = b < 32 ? b != 19 && b != 21 : b == 36 || (b >= 40 && b < 48);
		if (valid)
			set(0x1901, 1ull << b);
		else
			refuses(0x1901, 1ull << b);
		if (valid)
			assert_int_equal(get(IA32_PERFEVTSEL0), 1ull << b);
		if (0x100000003ull >> b & 1)
			set(0x1902, 1ull << b);
		else
			refuses(0x1902, 1ull << b);
		if (b < 32)
			set(0x1983, 1ull << b);
		else
			refuses(0x1983, 1ull << b);
	}
	set(0x1900, 0xffff80000000);
	assert_int_equal(get(IA32_PMC0), 0xffff80000000);
	refuses(0x1900, 1ull << 48);
	set(0x1984, 5);
	assert_int_equal(get(IA32_FIXED_CTR0 + 1), 5);
	assert_int_equal(get(0x1984), 5);
	assert_false(faults(0x190e));
	assert_true(faults(0x1912)); /* general counter 4 does not reload */
	assert_false(faults(0x1986));
	assert_true(faults(0x198a));
	/* Nor do selectors of parts without. */
	power_up(&intel_icelake, "");
	refuses(IA32_PERFEVTSEL0, EVTSEL_EQ);
	refuses(IA32_PERFEVTSEL0, EVTSEL_UMASK2);
}

static void v6_selectors(void **unused)
{
	static const unsigned amounts[] = {0, 1, 2, 3, 3, 0, 4, 1};
	(void)unused;
	power_up(&intel_lunarlake_p, "");
	set(IA32_PERF_GLOBAL_CTRL, 0xf);
	program(0, INSTR | CMASK(3) | EVTSEL_EQ);
	program(1, INSTR | CMASK(3) | EVTSEL_EQ | EVTSEL_INV);
	program(2, INSTR | CMASK(1) | EVTSEL_EQ | EVTSEL_E);
	program(3, INSTR | 1ull << EVTSEL_UMASK2_SHIFT);
	for (unsigned i = 0; i < 8; i++)
		step(Q_INSTRUCTIONS, amounts[i], 1, 0);
	assert_int_equal(get(IA32_PMC0), 2);
	assert_int_equal(get(IA32_PMC0 + 1), 6);
	assert_int_equal(get(IA32_PMC0 + 2), 2);
	assert_int_equal(get(IA32_PMC0 + 3), 0);
	/* Leaf 23H declares what leaf 0AH denies. */
	program(0, 0x01a4 | BOTH | EVTSEL_EN);
	step(Q_INSTRUCTIONS, 1, 3, 0);
	assert_int_equal(get(IA32_PMC0), 24);
}

/* A bit of the selector, or of the control of fixed counters, keeps a counter from RDPMC outside of ring 0.
 */
static void v6_kept_from_rdpmc(void **unused)
{
	static const struct model_profile *const parts[] = {&intel_version6, &intel_pantherlake_p};
	uint64_t value;
	(void)unused;
	for (unsigned without = 0; without < 2; without++)
		for (unsigned injected = 0; injected < 2; injected++) {
			power_up(parts[without], injected ? "rdpmc-user" : "");
			if (without) {
				refuses(IA32_PERFEVTSEL0, EVTSEL_RDPMC_USER);
				for (unsigned i = 0; i < 4; i++)
					refuses(IA32_FIXED_CTR_CTRL,
						1ull << (FIXED_RDPMC_USER_SHIFT + 4 * i));
				continue;
			}
			refuses(IA32_FIXED_CTR_CTRL, 1ull << (FIXED_RDPMC_USER_SHIFT + 16));
			set(IA32_PERFEVTSEL0, EVTSEL_RDPMC_USER | INSTR);
			set(IA32_FIXED_CTR_CTRL, 1ull << (FIXED_RDPMC_USER_SHIFT + 4));
			for (unsigned i = 0; i < 4; i++) {
				bool kept[2] = {i == 0 && !injected, i == 1 && !injected};

				set(IA32_PMC0 + i, 100 + i);
				set(IA32_FIXED_CTR0 + i, 200 + i);
				for (unsigned fixed = 0; fixed < 2; fixed++) {
					uint32_t index = (fixed ? RDPMC_FIXED : 0) + i;
					uint64_t whole = (fixed ? 200 : 100) + i;

					assert_int_equal(
						model_rdpmc(&intel_model, cpu, index, 0, false, &value),
						REGISTER_DONE);
					assert_int_equal(value, whole);
					assert_int_equal(
						model_rdpmc(&intel_model, cpu, index, 3, true, &value),
						REGISTER_DONE);
					assert_int_equal(value, kept[fixed] ? 0 : whole);
					assert_int_equal(
						model_rdpmc(&intel_model, cpu, index, 3, false, &value),
						REGISTER_FAULT);
				}
			}
		}
}

static void v6_reload(void **unused)
{
	(void)unused;
	power_up(&reloading, "");
	set(IA32_PERF_GLOBAL_CTRL, 3 | FIXED_BIT(0));
	program(0, INSTR | EVTSEL_INT);
	program(1, BRANCHES);
	set(IA32_FIXED_CTR_CTRL, 3);
	set(IA32_PMC0, -3ll);
	set(0x1903, 0xfffffffd);
	set(0x1902, 1); /* counter 0 by itself */
	set(0x1907, 100);
	set(0x1906, 1); /* counter 1 by counter 0 */
	step(Q_BRANCHES, 7, 1, 0);
	instructions(2);
	assert_int_equal(get(IA32_PMC0 + 1), 7);
	instructions(1);
	assert_int_equal(get(IA32_PMC0), 0xfffffffffffd);
	assert_int_equal(get(IA32_PMC0 + 1), 0xffff00000064);
	assert_int_equal(get(IA32_FIXED_CTR0), 3);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 1);
	assert_true(intel_model.take_pmi(cpu));
	instructions(3);
	assert_true(intel_model.take_pmi(cpu));
	/* Not named, not reloaded. */
	set(0x1906, 2);
	set(IA32_PMC0 + 1, 9);
	instructions(3);
	assert_int_equal(get(IA32_PMC0 + 1), 9);
	/* A fixed counter by itself, and general counter 1 by it. */
	set(0x1902, 0);
	set(0x1906, FIXED_BIT(0));
	set(0x1983, 0xfffffffe);
	set(0x1982, FIXED_BIT(0));
	set(IA32_FIXED_CTR0, 0xffffffffffff);
	instructions(2);
	assert_int_equal(get(IA32_FIXED_CTR0), 0xffffffffffff);
	assert_int_equal(get(IA32_PMC0 + 1), 0xffff00000064);
}

static unsigned metric(unsigned i)
{
	return get(MSR_PERF_METRICS) >> 8 * i & 0xff;
}

static void metrics(void **unused)
{
	uint64_t value;
	(void)unused;
	power_up(&intel_skylake, "");
	assert_true(faults(MSR_PERF_METRICS));
	assert_int_equal(put(MSR_PERF_METRICS, 0), REGISTER_FAULT);
	assert_int_equal(pmc(RDPMC_METRICS, true, &value), REGISTER_FAULT);
	refuses(IA32_PERF_GLOBAL_CTRL, GLOBAL_METRICS);

	power_up(&intel_icelake, "");
	assert_int_equal(get(MSR_PERF_METRICS), 0);
	set(IA32_FIXED_CTR_CTRL, 0x3000);
	set(IA32_PERF_GLOBAL_CTRL, FIXED_BIT(3));
	instructions(10);
	assert_int_equal(get(MSR_PERF_METRICS), 0);
	set(IA32_PERF_GLOBAL_CTRL, GLOBAL_METRICS);
	instructions(10);
	assert_int_equal(get(MSR_PERF_METRICS), 0);
	set(IA32_PERF_GLOBAL_CTRL, GLOBAL_METRICS | FIXED_BIT(3));
	instructions(10); /* of five slots one retires, four wait for the back end */
	assert_int_equal(metric(0), 51);
	assert_int_equal(metric(3), 204);
	assert_int_equal(metric(4), 0); /* heavy operations: there are none */
	assert_int_equal(metric(1) + metric(2), 0);
	struct qterm wrong[] = {{Q_INSTRUCTIONS, 1}, {Q_BR_MISPRED, 1}};
	struct qterm fetch[] = {{Q_INSTRUCTIONS, 1}, {Q_L1I_MISS, 1}};
	struct step s = {.terms = wrong, .n_terms = 2, .cycles = 2};
	for (unsigned i = 0; i < 7; i++) {
		intel_model.advance(cpu, &s);
		assert_int_equal(metric(0) + metric(1) + metric(2) + metric(3), 255);
	}
	s.terms = fetch;
	for (unsigned i = 0; i < 4; i++)
		intel_model.advance(cpu, &s);
	/* 160 slots: 21 retire, 63 after mispredictions, 36 without code, 40 at the back end */
	assert_int_equal(metric(0), 33);
	assert_int_equal(metric(0) + metric(1), 84 * 255 / 160);
	assert_int_equal(metric(0) + metric(1) + metric(2) + metric(3), 255);
	assert_int_equal(metric(5), 63 * 255 / 160);
	assert_int_equal(metric(6), 36 * 255 / 160);
	assert_int_equal(pmc(RDPMC_METRICS, true, &value), REGISTER_DONE);
	assert_int_equal(value, get(MSR_PERF_METRICS));
	assert_int_equal(pmc(RDPMC_METRICS, true, &value), REGISTER_DONE);
	assert_int_equal(get(IA32_FIXED_CTR0 + 3), 50 + 160);
	refuses(IA32_FIXED_CTR_CTRL, FIXED_METRICS_CLEAR);
	set(MSR_PERF_METRICS, 0);
	assert_int_equal(get(MSR_PERF_METRICS), 0);
	/* What is written stands for as many slots as its first four parts: it is read back, whichever is
	 * large. */
	for (unsigned i = 0; i < 4; i++) {
		uint64_t part[4] = {8, 12, 16, 20}, written = 0;

		part[i] += 255 - (8 + 12 + 16 + 20);
		for (unsigned k = 0; k < 4; k++)
			written |= part[k] << 8 * k;
		set(MSR_PERF_METRICS, written);
		assert_int_equal(metric(0) + metric(1) + metric(2) + metric(3), 255);
		assert_int_equal(get(MSR_PERF_METRICS) & 0xffffffff, written);
	}
	set(MSR_PERF_METRICS, 0);

	/* RDPMC that clears. */
	power_up(&reloading, "");
	set(IA32_FIXED_CTR_CTRL, 0x3000 | FIXED_METRICS_CLEAR);
	set(IA32_PERF_GLOBAL_CTRL, GLOBAL_METRICS | FIXED_BIT(3));
	instructions(4);
	assert_int_equal(pmc(RDPMC_METRICS, true, &value), REGISTER_DONE);
	assert_int_equal(value & 0xff, 31);
	assert_int_equal(get(MSR_PERF_METRICS), 0);
	assert_int_equal(get(IA32_FIXED_CTR0 + 3), 0);
}

#define MODEL_V6_TESTS                                                                                       \
	cmocka_unit_test(v6_presence), cmocka_unit_test(v6_registers), cmocka_unit_test(v6_selectors),       \
		cmocka_unit_test(v6_reload), cmocka_unit_test(v6_kept_from_rdpmc), cmocka_unit_test(metrics)

#endif
