/*
 * Registers of the AMD model, one test each: which there are, which bits they keep, and what RDPMC reads.
 */
#ifndef TESTS_SELF_HOST_AMD_REGISTER_TESTS_H
#define TESTS_SELF_HOST_AMD_REGISTER_TESTS_H

#include "tests/self/host/amd_model_parts.h"

static void reset_state(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		power_up(parts[p].profile, "");
		assert_false(amd_model.counting(cpu));
		for (unsigned c = 0; c < 4; c++) {
			assert_int_equal(get(CTL(c)), 0);
			assert_int_equal(get(CTR(c)), 0);
		}
		if (parts[p].v2) {
			assert_int_equal(get(PERF_GLOBAL_CTL), 0x3f);
			assert_int_equal(get(PERF_GLOBAL_STATUS), 0);
		}
	}
}

static void presence(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		uint64_t value;
		power_up(parts[p].profile, "");
		for (unsigned c = 0; c < 16; c++) {
			bool there = parts[p].extended && c < parts[p].counters;
			assert_int_equal(faults(PERF_CTL0 + 2 * c), !there);
			assert_int_equal(faults(PERF_CTR0 + 2 * c), !there);
		}
		for (uint32_t a = PERF_GLOBAL_STATUS; a <= PERF_GLOBAL_STATUS_SET; a++)
			assert_int_equal(faults(a), !parts[p].v2);
		assert_int_equal(faults(MPERF), !parts[p].aperf);
		assert_int_equal(faults(APERF), !parts[p].aperf);
		bool locked = parts[p].profile == &amd_zen4 || parts[p].profile == &amd_zen5;
		assert_int_equal(model_rdmsr(&amd_model, cpu, IRPERF, &value),
				 parts[p].irperf ? REGISTER_DONE : REGISTER_FAULT);
		assert_int_equal(put(IRPERF, 0), parts[p].irperf && !locked ? REGISTER_DONE : REGISTER_FAULT);
		assert_int_equal(model_rdmsr(&amd_model, cpu, HWCR, &value),
				 parts[p].irperf ? REGISTER_DONE : REGISTER_NOT_MINE);
		assert_int_equal(model_rdmsr(&amd_model, cpu, DEBUGCTL, &value), REGISTER_DONE);
		assert_int_equal(put(DEBUGCTL, ~0ull), REGISTER_DONE);
		assert_int_equal(get(DEBUGCTL), parts[p].freezes ? 0x187f : 0x7f);
		assert_int_equal(model_rdmsr(&amd_model, cpu, 0xc0010008, &value), REGISTER_NOT_MINE);
		assert_int_equal(put(0xc0010220, 0), REGISTER_NOT_MINE);
		assert_int_equal(put(0xc001102f, 0), REGISTER_NOT_MINE);
	}
}

static void aliases(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		if (!parts[p].extended)
			continue;
		power_up(parts[p].profile, "");
		for (unsigned c = 0; c < 4; c++) {
			set(PERF_CTL0 + 2 * c, 0x1234 + c);
			set(PERF_CTR0 + 2 * c, 0x5678 + c);
			assert_int_equal(get(CTL(c)), 0x1234 + c);
			assert_int_equal(get(CTR(c)), 0x5678 + c);
			set(CTL(c), c);
			assert_int_equal(get(PERF_CTL0 + 2 * c), c);
		}
		set(PERF_CTR0 + 10, 77);
		assert_int_equal(get(CTR(1)), 0x5679);
	}
}

/* Reserved bits are ignored. */
static void selector_bits(void **unused)
{
	const uint64_t low = 0xffffffff & ~(1ull << 19 | 1ull << 21), high = 0xfull << 32 | 3ull << 40;
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		bool narrow = parts[p].profile == &amd_k7 || parts[p].profile == &amd_k8;
		uint64_t kept = narrow ? low | 1ull << 19 : low | high;
		if (parts[p].profile == &amd_zen3 || parts[p].profile == &amd_zen3_epyc)
			kept |= 1ull << 43; /* the way around erratum 1292 */
		power_up(parts[p].profile, "");
		set(CTL(1), ~0ull);
		assert_int_equal(get(CTL(1)), kept);
		set(CTL(1), 0);
		assert_int_equal(get(CTL(1)), 0);
	}
}

static void counter_write(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		power_up(parts[p].profile, "");
		set(CTR(2), 0x80000000);
		assert_int_equal(get(CTR(2)), 0x80000000);
		set(CTR(2), ~0ull);
		assert_int_equal(get(CTR(2)), TOP);
	}
}

static void global_bits(void **unused)
{
	(void)unused;
	power_up(&amd_zen4, "");
	set(PERF_GLOBAL_CTL, ~0ull);
	assert_int_equal(get(PERF_GLOBAL_CTL), 0x3f);
	set(PERF_GLOBAL_STATUS_SET, 5);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 5);
	set(PERF_GLOBAL_STATUS_SET, ~0ull);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 0x3f);
	set(PERF_GLOBAL_STATUS_CLR, 1);
	set(PERF_GLOBAL_STATUS, 0xfff);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 0x3e);
	set(PERF_GLOBAL_STATUS_SET, 1);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 0x3f);
	set(PERF_GLOBAL_STATUS_CLR, 0x1e);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 0x21);
	assert_int_equal(get(PERF_GLOBAL_STATUS_CLR), 0);
	assert_int_equal(get(PERF_GLOBAL_STATUS_SET), 0);
	assert_int_equal(pmis(), 0);
}

static void rdpmc_rules(void **unused)
{
	uint64_t value;
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		power_up(parts[p].profile, "");
		for (unsigned c = 0; c < parts[p].counters; c++) {
			set(parts[p].extended ? PERF_CTR0 + 2 * c : CTR(c), 100 + c);
			assert_int_equal(pmc(c, true, &value), REGISTER_DONE);
			assert_int_equal(value, 100 + c);
			assert_int_equal(pmc(c, false, &value), REGISTER_FAULT);
			assert_int_equal(value, 0);
		}
		assert_int_equal(pmc(5, true, &value),
				 parts[p].counters > 5 ? REGISTER_DONE : REGISTER_FAULT);
		assert_int_equal(pmc(0x100, true, &value), REGISTER_FAULT);
		assert_int_equal(pmc(0x40000000, true, &value), REGISTER_FAULT);
	}
}

/* By index: whose counter it reads, as the number of its register; 0: none. */
static void rdpmc_map(void **unused)
{
	enum { NB = 0xc0010241, LLC = 0xc0010231 };
	static const struct {
		const struct model_profile *profile;
		uint32_t map[29]; /* from index 6 on */
	} cpus[] = {
		{&amd_k8, {0}},
		{&amd_fam10h, {0}},
		{&amd_fam15h, {NB, NB + 2, NB + 4, NB + 6}},
		{&amd_fam16h, {NB, NB + 2, NB + 4, NB + 6, LLC, LLC + 2, LLC + 4, LLC + 6}},
		{&amd_zen1, {NB, NB + 2, NB + 4, NB + 6, LLC, LLC + 2, LLC + 4, LLC + 6, LLC + 8, LLC + 10}},
		{&amd_zen4, {NB,      NB + 2,   NB + 4,  NB + 6,  LLC,     LLC + 2, LLC + 4, LLC + 6,
			     LLC + 8, LLC + 10, NB + 8,  NB + 10, NB + 12, NB + 14, NB + 16, NB + 18,
			     NB + 20, NB + 22,  NB + 24, NB + 26, NB + 28, NB + 30}},
		{&amd_zen4_guest, {0}},
	};
	uint64_t value;

	(void)unused;
	for (unsigned p = 0; p < sizeof cpus / sizeof cpus[0]; p++) {
		const uint32_t *map = cpus[p].map;

		power_up(cpus[p].profile, "");
		for (unsigned i = 0; i < 29; i++)
			if (map[i]) {
				set(map[i], ~0ull << 40 | i);
				set(map[i] - 1, 0x4000000000c0 + i);
			}
		for (unsigned i = 0; i < 29; i++) {
			assert_int_equal(pmc(6 + i, true, &value), map[i] ? REGISTER_DONE : REGISTER_FAULT);
			assert_int_equal(value, map[i] ? 0xff0000000000 + i : 0);
			assert_int_equal(pmc(6 + i, false, &value), REGISTER_FAULT);
			if (!map[i])
				continue;
			assert_int_equal(get(map[i]), 0xff0000000000 + i);
			assert_int_equal(get(map[i] - 1), 0x4000000000c0 + i);
		}
		for (uint32_t address = 0xc0010230; address < 0xc0010260; address++) {
			bool there = false;

			for (unsigned i = 0; i < 29; i++)
				there = there || (map[i] && (address | 1) == map[i]);
			if (address < 0xc001023c || address >= 0xc0010240)
				assert_int_equal(faults(address), !there);
		}
	}
}

#endif
