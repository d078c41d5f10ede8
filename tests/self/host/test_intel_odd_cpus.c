/* The Intel driver on CPUs that make no sense, lack what they declare, or declare less than they have. */
#include "tests/self/host/intel_driver_shortcuts.h"
#include "pmu/contract/record.h"
#include "pmu/intel/registers.h"

#include "arch/x86/cpu/msr.h"

#include <string.h>

static void refuses_nonsense(void **unused)
{
	static const struct {
		uint32_t eax, ebx, ecx, edx;
		const char *why;
	} cases[] = {
		{0x00000000, 0, 0, 0, "version 0"},
		{0x07300400, 0, 0, 0x603, "version 0"},
		{0x07000003, 0, 0, 0, "no counter"},
		{0x07000402, 0, 0, 0x000, "of 0 bits"},
		{0x07ff0402, 0, 0, 0x1fe3, "general counters of 255 bits"},
		{0x07300003, 0, 0, 0x61f, "fixed counter 30"},
		{0x0730ff03, 0, 0, 0x003, "255 general counters"},
	};
	const char *why;
	(void)unused;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		fake_cpu_start(&intel_nehalem, "");
		fake_cpu_set_leaf(0xa, 0, cases[i].eax, cases[i].ebx, cases[i].ecx, cases[i].edx);
		why = "";
		assert_false(fake_cpu_identify(drv, &pmu, &why));
		if (!strstr(why, cases[i].why))
			fail_msg("case %u: '%s' does not say '%s'", i, why, cases[i].why);
		assert_null(strchr(why, '\n'));
		assert_int_equal(fake_cpu_strays(), 0);
	}
	fake_cpu_start(&intel_nehalem, "");
	fake_cpu_set_leaf(0, 0, 9, 0x756e6547, 0x6c65746e, 0x49656e69);
	assert_false(fake_cpu_identify(drv, &pmu, &why));
	assert_non_null(strstr(why, "no CPUID leaf 0AH"));
}

/* Nonsense about one kind of counter takes that kind away, and is said in one line; the other kind stays and
 * counts. */
static void keeps_what_is_sound(void **unused)
{
	static const struct {
		uint32_t eax, ebx, ecx, edx;
		unsigned general, fixed;
		const char *said;
	} cases[] = {
		{0x07000403, 0, 0, 0x603, 0, 3, "general counters of 0 bits"},
		{0x07ff0403, 0, 0, 0x603, 0, 3, "general counters of 255 bits"},
		{0x07410403, 0, 0, 0x603, 0, 3, "general counters of 65 bits"},
		{0x071f0403, 0, 0, 0x603, 0, 3, "general counters of 31 bits"},
		{0x07300d03, 0, 0, 0x603, 0, 3, "13 general counters"},
		{0x07300004, 0, 0, 0x603, 0, 3, "version 4 without a general counter"},
		{0x0730ff03, 0, 0, 0x603, 0, 3, "255 general counters"},
		{0x07300403, 0, 0, 0x003, 4, 0, "fixed counters of 0 bits"},
		{0x07300403, 0, 0, 0x1fe3, 4, 0, "fixed counters of 255 bits"},
		{0x07300403, 0, 0, 0x61f, 4, 0, "fixed counter 30"},
		{0x07300405, 0, 1u << 16, 0x600, 4, 0, "fixed counter 16"},
		{0xff300403, 0, 0, 0x603, 4, 3, "255 architectural events"},
	};
	struct pmu_access list[64];
	const char *why;
	(void)unused;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		start_cpu(&intel_nehalem, "");
		assert_string_equal(pmu.remark[0], "");
		fake_cpu_set_leaf(0xa, 0, cases[i].eax, cases[i].ebx, cases[i].ecx, cases[i].edx);
		assert_true(fake_cpu_identify(drv, &pmu, &why));
		assert_int_equal(pmu.n_general, cases[i].general);
		assert_int_equal(pmu.n_fixed, cases[i].fixed);
		assert_int_equal(pmu.n_counters, cases[i].general + cases[i].fixed);
		if (!strstr(pmu.remark[0], cases[i].said))
			fail_msg("case %u: '%s' does not say '%s'", i, pmu.remark[0], cases[i].said);
		assert_string_equal(pmu.remark[1], "");
		assert_true(drv->reset(&pmu, &why));
		arm(0, LEVELS_USER, false);
		assert_true(drv->start(&pmu, 1));
		fake_cpu_run(&(struct qterm){Q_INSTRUCTIONS, 1}, 1, 1, 3, 5);
		assert_int_equal(count(0), 5);
		/* What is demanded of the registers holds on the CPU as it is. */
		unsigned n = drv->accesses(&pmu, list, 64);
		assert_in_range(n, 5, 63);
		for (unsigned a = 0; a < n; a++) {
			uint64_t value;
			bool done = list[a].kind == ACCESS_READ ? msr_read(list[a].address, &value)
				    : list[a].kind == ACCESS_SELECTOR
					    ? pmc_read(list[a].address, &value)
					    : msr_write(list[a].address, list[a].value);
			if (done == (list[a].faults != ACCESS_WORKS))
				fail_msg("case %u: %s", i, list[a].name);
		}
	}
}

/* Counters that CPUID declares and whose registers fault are left out, in one line; the others stay and
 * count. Where none answers the PMU is taken as declared, and is dead. */
static void leaves_out_what_faults(void **unused)
{
	static const struct {
		uint32_t eax, edx;
		unsigned general, fixed;
		const char *said;
	} cases[] = {
		{0x07300403, 0x603, 4, 3, ""},
		{0x07300803, 0x603, 4, 3, "registers of PMC4 raise #GP though CPUID declares it: 4 counters"},
		{0x07300c03, 0x603, 4, 3, "registers of PMC4 raise #GP though CPUID declares it: 8 counters"},
		{0x07300403, 0x605, 4, 3,
		 "registers of FIXED_CTR3 raise #GP though CPUID declares it: 2 counters"},
	};
	const char *why;
	(void)unused;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		fake_cpu_start(&intel_nehalem, "");
		fake_cpu_set_leaf(0xa, 0, cases[i].eax, 0, 0, cases[i].edx);
		assert_true(drv->identify(&pmu, &why)); /* the registers stay the profile's */
		assert_int_equal(pmu.n_general, cases[i].general);
		assert_int_equal(pmu.n_fixed, cases[i].fixed);
		assert_int_equal(!*cases[i].said, !*pmu.remark[0]);
		assert_non_null(strstr(pmu.remark[0], cases[i].said));
		assert_string_equal(pmu.remark[1], "");
		assert_true(drv->reset(&pmu, &why));
	}
}

/* A hypervisor's PMU: what goes by the model alone is gone without a fault of the driver's, and said. */
static void guests_lack_things(void **unused)
{
	static const char *const injections[] = {"", "absent-zero"};
	const char *why;
	(void)unused;
	for (unsigned i = 0; i < 2; i++) {
		start_cpu(&intel_icelake_guest, injections[i]);
		assert_non_null(strstr(pmu.remark[0], "does not pass on MSR 1A6H"));
		assert_non_null(record_absent(&pmu, RECORD_LAST_BRANCHES));
		assert_non_null(strstr(record_absent(&pmu, RECORD_LAST_BRANCHES), "hypervisor"));
		for (unsigned e = 0; e < pmu.n_events; e++)
			assert_int_equal(pmu.events[e]->extra_register, 0);
		assert_in_range(pmu.n_events, 100, 1000);
	}
	/* Bits above a fixed counter's width are dropped, as the row of that access allows, and no others. */
	struct pmu_access list[64];
	unsigned n = drv->accesses(&pmu, list, 64), taken = 0;

	start_cpu(&intel_icelake_guest, "");
	for (unsigned a = 0; a < n; a++) {
		if (list[a].kind != ACCESS_WRITE || list[a].faults == ACCESS_WORKS ||
		    !msr_write(list[a].address, list[a].value))
			continue;
		taken++;
		assert_int_equal(list[a].faults, ACCESS_FAULTS_ON_SILICON);
		assert_int_equal(list[a].address, IA32_FIXED_CTR0);
	}
	assert_int_equal(taken, 1);
	start_cpu(&intel_icelake, "");
	assert_false(msr_write(IA32_FIXED_CTR0, 1ull << 48));
	/* With the same bit and everything there, nothing is left out. */
	fake_cpu_start(&intel_icelake, "");
	fake_cpu_set_leaf(1, 0, 0x000706e5, 0x00100800, 0xf7faf3bf, 0xbfebfbff);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_string_equal(pmu.remark[0], "");
	assert_non_null(record_source(&pmu, RECORD_LAST_BRANCHES));
}

static void accepts_the_unusual(void **unused)
{
	const char *why;
	(void)unused;
	/* Another vendor with the leaf; a fixed bitmap with a hole; only fixed counters; few architectural
	 * events. */
	fake_cpu_start(&intel_icelake, "");
	fake_cpu_set_leaf(0, 0, 0x1b, 0x68532020, 0x20206961, 0x68676e61);
	fake_cpu_set_leaf(0xa, 0, 0x02300805, 0, 0xa, 0x8600);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_int_equal(pmu.n_fixed, 2);
	assert_string_equal(pmu.counter[8].name, "FIXED_CTR1");
	assert_string_equal(pmu.counter[9].name, "FIXED_CTR3");
	assert_int_equal(pmu.n_events, 2 + 2);
	fake_cpu_set_leaf(0xa, 0, 0x07300005, 0, 0xf, 0x8604);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_int_equal(pmu.n_counters, 4);
	assert_int_equal(pmu.n_events, 4);

	/* A Core 2 that calls itself version 2 without having its registers. */
	fake_cpu_start(&intel_core2, "");
	fake_cpu_break_msr(IA32_PERF_GLOBAL_CTRL);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_string_equal(pmu.name, "Intel architectural PMU version 1 (says 2)");
	assert_int_equal(pmu.n_fixed, 0);
	assert_false(pmu.has_global);
	assert_true(drv->reset(&pmu, &why));
}

static void names_the_register_that_faults(void **unused)
{
	static const struct {
		uint32_t address;
		const char *why;
	} cases[] = {{IA32_FIXED_CTR_CTRL, "IA32_FIXED_CTR_CTRL"},
		     {IA32_PERFEVTSEL0 + 1, "IA32_PERFEVTSELx"},
		     {IA32_PMC0 + 1, "PMC1"},
		     {IA32_FIXED_CTR0 + 2, "FIXED_CTR2"},
		     {IA32_PERF_GLOBAL_STATUS, "IA32_PERF_GLOBAL_STATUS"}};
	const char *why;
	(void)unused;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		start_cpu(&intel_core2, "");
		fake_cpu_break_msr(cases[i].address);
		assert_false(drv->reset(&pmu, &why));
		assert_non_null(strstr(why, cases[i].why));
		assert_non_null(strstr(why, "#GP"));
	}
	start_cpu(&intel_core2, "");
	fake_cpu_break_msr(IA32_PERFEVTSEL0);
	assert_false(drv->program(&pmu, 0, &(struct pmu_config){.code = 0xc0, .levels = LEVELS_ALL}));
	assert_true(drv->program(&pmu, 1, &(struct pmu_config){.code = 0xc0, .levels = LEVELS_ALL}));
	uint64_t value;
	fake_cpu_break_msr(IA32_PMC0);
	assert_false(drv->read(&pmu, 0, &value));
	assert_false(drv->write(&pmu, 0, 0));
}

static unsigned fixed_if_undeclared(const struct model_profile *profile, uint32_t version, uint32_t broken)
{
	const char *why;

	fake_cpu_start(profile, "");
	fake_cpu_set_leaf(0xa, 0, 0x07280200 | version, 0, 0, 0);
	fake_cpu_break_msr(broken);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	return pmu.n_fixed;
}

/* The first Core 2 parts do not declare what they have; a guest is taken at its word. */
static void undeclared_fixed_counters_are_tried(void **unused)
{
	const char *why;

	(void)unused;
	assert_int_equal(fixed_if_undeclared(&intel_core2, 2, 0), 3);
	assert_int_equal(pmu.counter[pmu.n_general].width, 40);
	assert_non_null(strstr(pmu.remark[0], "declares no fixed counters, but 3 answer"));
	assert_true(drv->reset(&pmu, &why));
	arm(pmu.n_general, LEVELS_ALL, false);
	/* Registers that fault are none. */
	assert_int_equal(fixed_if_undeclared(&intel_core2, 2, IA32_FIXED_CTR_CTRL), 0);
	assert_string_equal(pmu.remark[0], "");
	assert_int_equal(fixed_if_undeclared(&intel_core2, 2, IA32_FIXED_CTR0 + 2), 0);
	/* Nor is anybody else's word doubted. */
	assert_int_equal(fixed_if_undeclared(&intel_nehalem, 3, 0), 0);
	assert_int_equal(fixed_if_undeclared(&intel_icelake_guest, 2, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_nonsense),
		cmocka_unit_test(keeps_what_is_sound),
		cmocka_unit_test(leaves_out_what_faults),
		cmocka_unit_test(guests_lack_things),
		cmocka_unit_test(accepts_the_unusual),
		cmocka_unit_test(names_the_register_that_faults),
		cmocka_unit_test(undeclared_fixed_counters_are_tried),
	};

	return cmocka_run_group_tests(tests, NULL, cleanup);
}
