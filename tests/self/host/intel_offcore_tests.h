/*
 * Rules of offcore responses in the Intel model. Included by the test of the model as it is and by the one
 * that breaks it.
 */
#ifndef TESTS_SELF_HOST_INTEL_OFFCORE_TESTS_H
#define TESTS_SELF_HOST_INTEL_OFFCORE_TESTS_H

#include "tests/self/host/intel_model_shortcuts.h"

#define OFFCORE_FIRST_SELECTOR  (0x1b7 | BOTH | EVTSEL_EN)
#define OFFCORE_SECOND_SELECTOR (0x1bb | BOTH | EVTSEL_EN)

/* Skylake's bits: any response; a supplier and a snoop result of the last level and of memory. */
#define OFFCORE_RSP_ANY  (1ull << 16)
#define OFFCORE_RSP_HIT  (1ull << 19 | 1ull << 32)
#define OFFCORE_RSP_DRAM (1ull << 26 | 1ull << 32)

/* What one request that the last level has, and one that misses, add to the counter. */
static inline uint64_t requests(uint64_t value, enum quantity all, enum quantity missed)
{
	set(MSR_OFFCORE_RSP_0, value);
	set(IA32_PMC0, 0);
	step(all, 1, 1, 0);
	step(all, 1, 1, 0);
	step(missed, 1, 1, 0);
	return get(IA32_PMC0);
}

static void offcore_requests(void **unused)
{
	static const struct {
		uint64_t bit;
		quantity_number all, missed;
	} kind[] = {{1, Q_OFFCORE_DATA, Q_OFFCORE_DATA_MISS},
		    {2, Q_OFFCORE_RFO, Q_OFFCORE_RFO_MISS},
		    {4, Q_OFFCORE_CODE, Q_OFFCORE_CODE_MISS}};
	(void)unused;
	power_up(&intel_skylake, "");
	set(IA32_PERF_GLOBAL_CTRL, 1);
	program(0, OFFCORE_FIRST_SELECTOR);
	for (unsigned asked = 0; asked < 3; asked++)
		for (unsigned made = 0; made < 3; made++) {
			uint64_t bit = kind[asked].bit;
			uint64_t one = asked == made;

			assert_int_equal(requests(bit | OFFCORE_RSP_ANY, kind[made].all, kind[made].missed),
					 2 * one);
			assert_int_equal(requests(bit | OFFCORE_RSP_DRAM, kind[made].all, kind[made].missed),
					 one);
		}
	/* Nothing is asked for, or nothing of what comes. */
	assert_int_equal(requests(OFFCORE_RSP_ANY, Q_OFFCORE_DATA, Q_OFFCORE_DATA_MISS), 0);
	assert_int_equal(requests(1, Q_OFFCORE_DATA, Q_OFFCORE_DATA_MISS), 0);
}

static uint64_t reads(uint64_t response)
{
	struct qterm hit = {Q_OFFCORE_DATA, 1}, miss[] = {{Q_OFFCORE_DATA, 1}, {Q_OFFCORE_DATA_MISS, 1}};
	struct step s = {.terms = &hit, .n_terms = 1, .cycles = 1};

	set(MSR_OFFCORE_RSP_0, 1 | response);
	set(IA32_PMC0, 0);
	intel_model.advance(cpu, &s);
	intel_model.advance(cpu, &s);
	s.terms = miss;
	s.n_terms = 2;
	intel_model.advance(cpu, &s);
	return get(IA32_PMC0);
}

/* Two that the last level has, one that misses. */
static void offcore_responses(void **unused)
{
	(void)unused;
	power_up(&intel_skylake, "");
	set(IA32_PERF_GLOBAL_CTRL, 1);
	program(0, OFFCORE_FIRST_SELECTOR);
	assert_int_equal(reads(OFFCORE_RSP_ANY), 3);
	assert_int_equal(reads(OFFCORE_RSP_HIT), 2);
	assert_int_equal(reads(OFFCORE_RSP_DRAM), 1);
	assert_int_equal(reads(OFFCORE_RSP_HIT | OFFCORE_RSP_DRAM), 3);
	/* A modified line elsewhere; no snoop result; no supplier; another supplier. */
	assert_int_equal(reads(1ull << 19 | 1ull << 36), 0);
	assert_int_equal(reads(1ull << 19), 0);
	assert_int_equal(reads(1ull << 32), 0);
	assert_int_equal(reads(1ull << 18 | 1ull << 32), 0);
}

/* Each selector goes by its own register, whichever is written first; another core's is none. */
static void offcore_registers(void **unused)
{
	(void)unused;
	power_up(&intel_skylake, "");
	set(MSR_OFFCORE_RSP_0, 1 | OFFCORE_RSP_ANY);
	set(MSR_OFFCORE_RSP_1, 2 | OFFCORE_RSP_ANY);
	program(0, OFFCORE_FIRST_SELECTOR);
	program(1, OFFCORE_SECOND_SELECTOR);
	set(IA32_PERF_GLOBAL_CTRL, 3);
	step(Q_OFFCORE_DATA, 1, 1, 0);
	step(Q_OFFCORE_RFO, 1, 1, 0);
	step(Q_OFFCORE_RFO, 1, 1, 0);
	assert_int_equal(get(IA32_PMC0), 1);
	assert_int_equal(get(IA32_PMC0 + 1), 2);
	set(MSR_OFFCORE_RSP_1, 4 | OFFCORE_RSP_ANY);
	step(Q_OFFCORE_RFO, 1, 1, 0);
	step(Q_OFFCORE_CODE, 1, 1, 0);
	assert_int_equal(get(IA32_PMC0 + 1), 3);

	power_up(&intel_nehalem, "");
	set(MSR_OFFCORE_RSP_0, 0xff01);
	set(IA32_PERF_GLOBAL_CTRL, 3);
	program(0, OFFCORE_FIRST_SELECTOR);
	program(1, OFFCORE_SECOND_SELECTOR);
	step(Q_OFFCORE_DATA, 1, 1, 0);
	assert_int_equal(get(IA32_PMC0), 1);
	assert_int_equal(get(IA32_PMC0 + 1), 0);
	/* Memory alone; the last level alone; neither. */
	set(MSR_OFFCORE_RSP_0, 0x4001);
	step(Q_OFFCORE_DATA, 1, 1, 0);
	step(Q_OFFCORE_DATA_MISS, 1, 1, 0);
	assert_int_equal(get(IA32_PMC0), 2);
	set(MSR_OFFCORE_RSP_0, 0x0401);
	step(Q_OFFCORE_DATA, 1, 1, 0);
	assert_int_equal(get(IA32_PMC0), 2);
}

#define MODEL_OFFCORE_TESTS                                                                                  \
	cmocka_unit_test(offcore_requests), cmocka_unit_test(offcore_responses),                             \
		cmocka_unit_test(offcore_registers)

#endif
