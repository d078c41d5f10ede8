/*
 * Rules of architectural PEBS in the Intel model, one test each. Included by the test of the model as it is
 * and by the one that breaks it.
 */
#ifndef TESTS_SELF_HOST_INTEL_APEBS_TESTS_H
#define TESTS_SELF_HOST_INTEL_APEBS_TESTS_H

#include "pmu/intel/records/apebs.h"
#include "tests/self/host/intel_ds_tests.h"
#include "pmu/x86/general.h"

#define APEBS_HEAD (sizeof(struct apebs_header) + sizeof(struct apebs_basic))

static uint8_t *pages;

/* A buffer of one page in which `room` bytes are left, the interrupt after `threshold` of them. Counter 0
 * samples instructions, reloaded with -n, its records with these groups. */
static void boot_apebs(const struct model_profile *p, const char *inject, unsigned room, unsigned threshold,
		       uint64_t groups, uint64_t n)
{
	const uint64_t start = (APEBS_PAGE - room) / 16, at = (APEBS_PAGE - room + threshold) / 16;

	boot(p, inject);
	pages = fake_memory_create(2 * APEBS_PAGE);
	set(IA32_PEBS_BASE, (uintptr_t)pages);
	set(IA32_PEBS_INDEX, start << 4 | 1ull << 32 | at << 36);
	program(0, INSTR);
	set(IA32_PMC_GP0_CTR, -n & 0xffffffffffff);
	set(IA32_PMC_GP0_CFG_C, (-n & 0xffffffff) | groups | 1ull << 63);
	fake_path_start(&path, &intel_model, cpu, CODE);
}

static unsigned offset_now(void)
{
	return (get(IA32_PEBS_INDEX) >> 4 & 0x7fffff) * 16;
}

static void apebs_registers(void **unused)
{
	static const struct {
		const struct model_profile *profile;
		uint64_t groups;
		unsigned general;
		uint32_t fixed;
	} of[] = {{&intel_pantherlake_p, 0x60060378ull << 32, 10, 0x0f},
		  {&intel_pantherlake_e, 0x60060338ull << 32, 8, 0x77}};
	(void)unused;
	boot(&intel_lunarlake_p, "");
	assert_true(faults(IA32_PEBS_BASE));
	assert_true(faults(IA32_PEBS_INDEX));
	assert_int_equal(put(IA32_PEBS_INDEX, 0), REGISTER_FAULT);
	refuses(IA32_PERF_GLOBAL_OVF_CTRL, 1ull << 54);
	for (unsigned p = 0; p < 2; p++) {
		boot(of[p].profile, "");
		/* The form of the debug store is not there; branch traces are. */
		assert_int_equal(get(IA32_MISC_ENABLE), 0x1080);
		assert_true(faults(IA32_PEBS_ENABLE));
		assert_true(faults(IA32_PEBS_DATA_CFG));
		assert_false(faults(IA32_DS_AREA));
		refuses(IA32_PERFEVTSEL0, EVTSEL_ADAPTIVE);
		set(IA32_PERF_GLOBAL_OVF_CTRL, 1ull << 54);
		for (unsigned b = 0; b < 64; b++) {
			if (b < 4 || (b >= 12 && b < 52))
				set(IA32_PEBS_BASE, 1ull << b);
			else
				refuses(IA32_PEBS_BASE, 1ull << b);
			if ((b >= 4 && b < 27) || b == 31 || b == 32 || (b >= 36 && b < 59))
				set(IA32_PEBS_INDEX, 1ull << b);
			else
				refuses(IA32_PEBS_INDEX, 1ull << b);
			bool valid = b < 32 || b == 63 || of[p].groups >> b & 1;
			if (valid)
				set(0x1903, 1ull << b);
			else
				refuses(0x1903, 1ull << b);
			if (valid)
				assert_int_equal(get(0x1903), 1ull << b);
		}
		for (unsigned i = 0; i < 12; i++)
			assert_int_equal(faults(0x1903 + 4 * i), i >= of[p].general);
		for (unsigned i = 0; i < 8; i++)
			assert_int_equal(faults(0x1983 + 4 * i), !(of[p].fixed >> i & 1));
	}
}

static void apebs_records(void **unused)
{
	const size_t size = APEBS_HEAD + sizeof(struct apebs_aux) + sizeof(struct apebs_gprs);
	(void)unused;
	boot_apebs(&intel_pantherlake_p, "", APEBS_PAGE, 2 * size, APEBS_AUX | APEBS_GPRS, 4);
	assert_false(intel_model.recording(cpu));
	fake_path_nops(&path, 4);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 1);
	assert_true(intel_model.recording(cpu));
	assert_int_equal(offset_now(), 0);
	fake_path_nops(&path, 1);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 0);
	assert_int_equal(get(IA32_PMC0), 0xfffffffffffc);
	assert_int_equal(offset_now(), size);
	assert_int_equal(fake_path_interrupts(&path), 0);
	fake_path_nops(&path, 5);
	assert_int_equal(offset_now(), 2 * size);
	assert_int_equal(fake_path_interrupts(&path), 1);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 1ull << 54);
	set(IA32_PERF_GLOBAL_OVF_CTRL, 1ull << 54);
	fake_path_nops(&path, 5);
	assert_int_equal(fake_path_interrupts(&path), 0);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 0);
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t *r = (const uint64_t *)(pages + i * size);
		unsigned ran = 5 * (i + 1);

		assert_int_equal(r[0], size | 1ull << 30 | 7ull << 61);
		assert_int_equal(r[1], 0);
		assert_int_equal(r[2], CODE + ran - 1);
		assert_int_equal(r[3], 1);
		assert_int_equal(r[4], 1000 + FAKE_PATH_CYCLE * ran);
		assert_int_equal(r[5], 1 << 16 | 1);
		for (unsigned k = 8; k < 16; k++)
			assert_int_equal(r[k], 0); /* nothing of a memory access */
		assert_int_equal(r[16], 2);
		assert_int_equal(r[17], CODE + ran);
		assert_int_equal(r[18], 0x1111000000000000 + ran);
		const unsigned order[] = {GPR_RCX, GPR_RDX, GPR_RBX, GPR_RSP, GPR_RBP, GPR_RSI, GPR_RDI};
		for (unsigned k = 0; k < 15; k++)
			assert_int_equal(r[19 + k], 0x1111000000000000 + ((k < 7 ? order[k] : k + 1) << 8));
	}
	/* Nobody samples any more. */
	fake_path_nops(&path, 4);
	set(IA32_PMC_GP0_CFG_C, 0);
	fake_path_nops(&path, 3);
	assert_int_equal(offset_now(), 3 * size);
}

static void apebs_buffer(void **unused)
{
	(void)unused;
	boot_apebs(&intel_pantherlake_p, "", 2 * APEBS_HEAD, APEBS_PAGE, 0, 1);
	fake_path_nops(&path, 4);
	assert_int_equal(offset_now(), APEBS_PAGE);
	assert_int_equal(get(IA32_PEBS_INDEX) & APEBS_FULL, 0);
	fake_path_nops(&path, 2);
	assert_int_equal(get(IA32_PEBS_INDEX) & APEBS_FULL, APEBS_FULL);
	assert_int_equal(fake_memory_end_written(), APEBS_PAGE);
	/* Nothing before FULL is cleared. */
	set(IA32_PEBS_INDEX, APEBS_FULL | APEBS_ENABLE);
	fake_path_nops(&path, 3);
	assert_int_equal(offset_now(), 0);
	set(IA32_PEBS_INDEX, APEBS_ENABLE);
	fake_path_nops(&path, 1);
	assert_int_equal(offset_now(), APEBS_HEAD);
	/* Two pages. */
	boot_apebs(&intel_pantherlake_p, "", APEBS_HEAD, APEBS_PAGE, 0, 1);
	set(IA32_PEBS_BASE, (uintptr_t)pages | 1);
	fake_path_nops(&path, 4);
	assert_int_equal(offset_now(), APEBS_PAGE + APEBS_HEAD);
	/* Memory that is not there. */
	fake_memory_protect(pages, 2 * APEBS_PAGE);
	fake_path_nops(&path, 4);
	assert_int_equal(offset_now(), APEBS_PAGE + APEBS_HEAD);
	/* Not while IA32_PEBS_INDEX does not enable it. */
	boot_apebs(&intel_pantherlake_p, "", APEBS_PAGE, APEBS_PAGE, 0, 1);
	set(IA32_PEBS_INDEX, 0);
	fake_path_nops(&path, 5);
	assert_int_equal(offset_now(), 0);
}

static void apebs_groups(void **unused)
{
	const uint64_t groups = APEBS_XMM | APEBS_YMM | 1ull << APEBS_LBR | APEBS_COUNTERS;
	(void)unused;
	boot_apebs(&intel_pantherlake_p, "", APEBS_PAGE, APEBS_PAGE, groups, 3);
	set(0x1907, APEBS_ALLOW);
	set(0x1983, APEBS_ALLOW);
	program(1, BRANCHES);
	set(IA32_FIXED_CTR_CTRL, 0x3003);
	set(IA32_PERF_GLOBAL_CTRL, 3 | FIXED_BIT(0) | FIXED_BIT(3) | GLOBAL_METRICS);
	set(IA32_LBR_CTL, LBR_CTL_ENABLE | LBR_CTL_OS | LBR_CTL_USR | LBR_CTL_ALL_KINDS);
	jumps(4);
	const uint64_t *r = (const uint64_t *)pages;
	const size_t size = APEBS_HEAD + 16 + 512 + 48 + 8 * 24 + 16 + 2 * 8 + 2 * 8;
	assert_int_equal(offset_now(), size);
	assert_int_equal(r[0], size | 1ull << 30 | groups | 1ull << 63);
	r += APEBS_HEAD / 8;
	assert_int_equal(r[0], 6); /* SSE and AVX */
	assert_memory_equal(r + 2, path.vectors, 512);
	r += 2 + 64;
	assert_int_equal(r[1], 0x7f0007);
	assert_int_equal(r[2], 32);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(r[6 + 3 * i], CODE + 16 * (3 - i));
		assert_int_equal(r[7 + 3 * i], CODE + 16 * (4 - i));
	}
	r += 6 + 24;
	assert_int_equal(r[0], 2 | 1ull << 32);
	assert_int_equal(r[1], 3);
	assert_int_equal(r[2], 4);
	assert_int_equal(r[3], 4);
	assert_int_equal(r[4], 32); /* slots */
	assert_int_equal(r[5] & 0xff, 31);
	/* Counters that share a record share its groups; 16 branches, and all. */
	boot_apebs(&intel_pantherlake_e, "", APEBS_PAGE, APEBS_PAGE, 2ull << APEBS_LBR, 1);
	set(IA32_PERF_GLOBAL_CTRL, 1 | FIXED_BIT(0));
	set(IA32_FIXED_CTR_CTRL, 3);
	set(0x1983, 0xffffffff | APEBS_GPRS | 1ull << 63);
	set(IA32_FIXED_CTR0, 0xffffffffffff);
	fake_path_nops(&path, 2);
	r = (const uint64_t *)pages;
	assert_int_equal(offset_now(), APEBS_HEAD + sizeof(struct apebs_gprs) + 48 + 16 * 24);
	assert_int_equal(r[3], 1 | FIXED_BIT(0));
	assert_int_equal(get(IA32_FIXED_CTR0), 0xffffffffffff);
	boot_apebs(&intel_pantherlake_e, "", APEBS_PAGE, APEBS_PAGE, 3ull << APEBS_LBR, 1);
	fake_path_nops(&path, 2);
	assert_int_equal(offset_now(), APEBS_HEAD + 48 + 32 * 24);
	/* An odd number of values is filled up. */
	boot_apebs(&intel_pantherlake_e, "", APEBS_PAGE, APEBS_PAGE, APEBS_GENERAL, 1);
	set(0x190b, APEBS_ALLOW);
	fake_path_nops(&path, 2);
	assert_int_equal(offset_now(), APEBS_HEAD + 32);
	assert_int_equal(((const uint64_t *)pages)[8], 4);
}

static void apebs_loads(void **unused)
{
	(void)unused;
	boot_apebs(&intel_pantherlake_p, "", APEBS_PAGE, APEBS_PAGE, APEBS_AUX, 1);
	program(0, 0x01cd | BOTH | EVTSEL_EN);
	set(IA32_PMC_GP0_CTR, 0xffffffffffff);
	set(MSR_PEBS_LD_LAT, 13);
	slow_load(0x5000, 3);
	slow_load(0x6000, 0); /* not above the threshold */
	slow_load(0x6008, 2);
	const struct apebs_aux *aux = (const struct apebs_aux *)(pages + APEBS_HEAD);
	assert_int_equal(offset_now(), APEBS_HEAD + sizeof *aux);
	assert_int_equal(aux->address, 0x6008);
	assert_int_equal(aux->source, 4);
	assert_int_equal(aux->latency, 42 | 42ull << 32);
}

#define MODEL_APEBS_TESTS                                                                                    \
	cmocka_unit_test(apebs_registers), cmocka_unit_test(apebs_records), cmocka_unit_test(apebs_buffer),  \
		cmocka_unit_test(apebs_groups), cmocka_unit_test(apebs_loads)

#endif
