/* The AMD driver's registers against the AMD model's, on every profile and on CPUs that make no sense. */
#include "tests/self/host/amd_driver_shortcuts.h"

static void snapshot_reads_everything(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		struct pmu_snapshot s;
		const char *why;
		unsigned enabled = 0;

		fake_cpu_start(parts[p].profile, "");
		assert_true(fake_cpu_identify(drv, &pmu, &why));
		assert_true(msr_write(PERF_LEGACY_CTL0 + 1, 0x4300c0)); /* firmware left it running */
		assert_true(msr_write(PERF_LEGACY_CTL0 + 2, 0x0300c0));
		drv->snapshot(&pmu, &s);
		unsigned ibs =
			(unsigned)__builtin_popcount(amd_ibs_features() &
						     (IBS_BRANCH | IBS_FETCH_EXT | IBS_DATA4 | IBS_VALID)) +
			(amd_ibs_features() & IBS_FETCH ? 3 : 0) + (amd_ibs_features() & IBS_OP ? 7 : 0);
		unsigned stack = cpuid(0x80000022, 0).eax & 2 ? 2 : cpu_has(CPU_BRS) ? 1 : 0;
		const struct amd_uncore_run *run = amd_uncore_runs(&pmu);
		unsigned uncore = 2u * (run[0].n + run[1].n + run[2].n);
		assert_int_equal(s.count, uncore + 2 * pmu.n_counters + (pmu.has_global ? 2 : 0) + ibs +
						  stack + (amd_pmu(&pmu)->has_aperf ? 2 : 0) +
						  (amd_pmu(&pmu)->has_irperf ? 1 : 0));
		for (unsigned i = 0; i < s.count; i++) {
			assert_true(s.entry[i].readable);
			enabled += s.entry[i].enable;
			for (unsigned j = 0; j < i; j++) {
				assert_int_not_equal(s.entry[i].address, s.entry[j].address);
				assert_string_not_equal(s.entry[i].name, s.entry[j].name);
			}
		}
		assert_int_equal(enabled, 1);
		assert_true(drv->reset(&pmu, &why));
		drv->snapshot(&pmu, &s);
		for (unsigned i = 0; i < s.count; i++) {
			uint32_t a = s.entry[i].address;
			/* What firmware sets up, what is always 1, what runs by itself. */
			if (a != IBS_CTL && a != DBG_EXTN_CFG && a != MPERF && a != APERF)
				assert_int_equal(s.entry[i].value, 0);
			assert_false(s.entry[i].enable);
		}
	}
	/* Sampling and branch records that firmware left on. */
	start_cpu(&amd_zen4, "");
	assert_true(msr_write(IBS_OP_CTL, OP_EN | 1));
	assert_true(msr_write(IBS_FETCH_CTL, FETCH_EN | 1));
	assert_true(msr_write(DBG_EXTN_CFG, DBG_EXTN_LBR));
	struct pmu_snapshot s;
	unsigned enabled = 0;
	drv->snapshot(&pmu, &s);
	for (unsigned i = 0; i < s.count; i++)
		enabled += s.entry[i].enable;
	assert_int_equal(enabled, 3);
}

/* What the list says is what the model does. */
static void accesses_are_true(void **unused)
{
	struct pmu_access list[16];
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		start_cpu(parts[p].profile, "");
		const char *why;
		bool narrow = parts[p].profile == &amd_k7 || parts[p].profile == &amd_k8;
		unsigned n = drv->accesses(&pmu, list, 16);

		assert_int_equal(n, amd_pmu(&pmu)->stacks ? 13 : pmu.has_global ? 10 : narrow ? 9 : 7);
		assert_true(drv->reset(&pmu, &why));
		for (unsigned i = 0; i < n; i++) {
			uint64_t value, before = 0;
			bool ok = true;

			if (list[i].kind == ACCESS_READ)
				ok = msr_read(list[i].address, &value);
			else if (list[i].kind == ACCESS_SELECTOR)
				ok = pmc_read(list[i].address, &value);
			else
				ok = msr_read(list[i].address, &before) &&
				     msr_write(list[i].address, list[i].value);
			if (ok == (list[i].faults != ACCESS_WORKS))
				fail_msg("%s on %s", list[i].name, pmu.name);
			if (list[i].kind == ACCESS_KEPT)
				before = list[i].value;
			if ((list[i].kind == ACCESS_KEPT || list[i].kind == ACCESS_IGNORED) &&
			    (!msr_read(list[i].address, &value) || value != before))
				fail_msg("%s on %s reads %#lx", list[i].name, pmu.name, (unsigned long)value);
		}
		assert_int_equal(drv->accesses(&pmu, list, 3), 3);
	}
}

/* A family after the last that is known: counters as CPUID tells them, and the rows that all of Zen have. */
static void knows_what_newer_parts_keep(void **unused)
{
	struct pmu zen5;
	const char *why = "";

	(void)unused;
	start_cpu(&amd_zen5, "");
	zen5 = pmu;
	fake_cpu_set_leaf(1, 0, 0x00c00f10, cpuid(1, 0).ebx, cpuid(1, 0).ecx, cpuid(1, 0).edx);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_string_equal(pmu.name, "AMD post-Zen 5 PMU, PerfMonV2");
	assert_int_equal(pmu.n_counters, zen5.n_counters);
	assert_in_range(pmu.n_events, 8, zen5.n_events - 1);
	assert_non_null(event_by_name(pmu.events, pmu.n_events, "RETIRED_INSTRUCTIONS"));
	assert_non_null(event_by_name(pmu.events, pmu.n_events, "CYCLES_NOT_IN_HALT"));
	assert_null(event_by_name(pmu.events, pmu.n_events, "MISALIGNED_LOADS"));

	fake_cpu_set_leaf(0x80000001, 0, 0, 0, 0, 0);
	assert_false(fake_cpu_identify(drv, &pmu, &why));
	assert_non_null(strstr(why, "no counters are known for CPUID signature C00F10"));
	fake_cpu_stop();
}

static void finds_uncore_counters(void **unused)
{
	static const struct {
		const struct model_profile *profile;
		struct amd_uncore_run run[AMD_UNCORE_RUNS];
	} cpus[] = {
		{&amd_k8, {{.n = 0}}},
		{&amd_fam15h, {{"NB", 0, 4, 6, 0xc0010240}, {.n = 0}, {.n = 0}}},
		{&amd_fam16h, {{"NB", 0, 4, 6, 0xc0010240}, {.n = 0}, {"L2I", 0, 4, 10, 0xc0010230}}},
		{&amd_zen3, {{"DF", 0, 4, 6, 0xc0010240}, {.n = 0}, {"L3", 0, 6, 10, 0xc0010230}}},
		{&amd_zen5,
		 {{"DF", 0, 4, 6, 0xc0010240}, {"DF", 4, 12, 16, 0xc0010248}, {"L3", 0, 6, 10, 0xc0010230}}},
		{&amd_zen4_guest, {{.n = 0}}},
	};
	const struct amd_uncore_run *run = amd_uncore_runs(&pmu);
	const char *why;

	(void)unused;
	for (unsigned p = 0; p < sizeof cpus / sizeof cpus[0]; p++) {
		start_cpu(cpus[p].profile, "");
		assert_string_equal(pmu.remark[0], "");
		for (unsigned r = 0; r < AMD_UNCORE_RUNS; r++) {
			const struct amd_uncore_run *want = &cpus[p].run[r];

			assert_int_equal(run[r].n, want->n);
			if (!want->n)
				continue;
			assert_string_equal(run[r].name, want->name);
			assert_int_equal(run[r].first, want->first);
			assert_int_equal(run[r].rdpmc, want->rdpmc);
			assert_int_equal(run[r].select, want->select);
		}
	}
	/* More than there are registers for: said in one line, and left out. */
	fake_cpu_start(&amd_zen4, "");
	fake_cpu_set_leaf(0x80000022, 0, 3, 0x106 | 20 << 10, 0, 0);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_string_equal(
		pmu.remark[0],
		"CPUID declares 4 counters of the data fabric more than there are registers for: left out");
	assert_string_equal(pmu.remark[1], "");
	assert_int_equal(run[1].n, 12);
	/* No number is told. */
	fake_cpu_set_leaf(0x80000022, 0, 3, 0x106, 0, 0);
	assert_true(drv->identify(&pmu, &why));
	assert_string_equal(pmu.remark[0], "");
	assert_int_equal(run[0].n, 4);
	assert_int_equal(run[1].n, 0);
}

/* What CPUID declares and no register has is left out, in one line, and the rest stays. */
static void leaves_out_what_faults(void **unused)
{
	const char *why;
	(void)unused;
	fake_cpu_start(&amd_zen4, "");
	fake_cpu_set_leaf(0x80000022, 0, 1, 15, 0, 0);
	assert_true(drv->identify(&pmu, &why));
	assert_string_equal(
		pmu.remark[0],
		"registers of PERF_CTR6 raise #GP though CPUID declares it: 9 counters are left out");
	assert_int_equal(pmu.n_counters, 6);
	assert_true(pmu.has_global);
	assert_true(drv->reset(&pmu, &why));
	/* PerfMonV2 without its registers, the core extension without its own. */
	fake_cpu_start(&amd_zen2, "");
	fake_cpu_set_leaf(0x80000000, 0, 0x80000022, 0x68747541, 0x444d4163, 0x69746e65);
	fake_cpu_set_leaf(0x80000022, 0, 1, 6, 0, 0);
	assert_true(drv->identify(&pmu, &why));
	assert_non_null(strstr(pmu.remark[0], "judged as if it did not"));
	assert_false(pmu.has_global);
	assert_int_equal(pmu.n_counters, 6);
	assert_true(drv->reset(&pmu, &why));
	fake_cpu_start(&amd_fam10h, "");
	fake_cpu_set_leaf(0x80000001, 0, 0x00100f42, 0, 1u << 23, 0);
	assert_true(drv->identify(&pmu, &why));
	assert_non_null(strstr(pmu.remark[0], "core extension: judged as if it did not"));
	assert_int_equal(pmu.n_counters, 4);
	assert_true(drv->reset(&pmu, &why));
}

static void refuses_nonsense(void **unused)
{
	const char *why;
	(void)unused;
	fake_cpu_start(&amd_zen4, "");
	fake_cpu_set_leaf(0x80000022, 0, 1, 0, 0, 0);
	/* The counters of the core extension are sound. */
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_non_null(strstr(pmu.remark[0], "no core counter"));
	assert_string_equal(pmu.remark[1], "");
	assert_int_equal(pmu.n_counters, 6);
	assert_false(pmu.has_global);
	assert_non_null(strstr(pmu.name, "core extension"));
	fake_cpu_set_leaf(0x80000022, 0, 1, 6, 0, 0);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_string_equal(pmu.remark[0], "");
	assert_int_equal(pmu.n_counters, 6);
	fake_cpu_set_leaf(1, 0, 0x00400f10, 0, 0, 0x078bfbff);
	assert_false(fake_cpu_identify(drv, &pmu, &why));
	assert_non_null(strstr(why, "400F10"));
	fake_cpu_set_leaf(0, 0, 0x16, 0x756e6547, 0x6c65746e, 0x49656e69);
	assert_false(fake_cpu_identify(drv, &pmu, &why));
	assert_non_null(strstr(why, "neither AMD nor Hygon"));
	/* A hypervisor that hides the extended leaves leaves the legacy counters. */
	fake_cpu_start(&amd_zen2, "");
	fake_cpu_set_leaf(0x80000000, 0, 0, 0, 0, 0);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_int_equal(pmu.n_counters, 4);
	/* A hypervisor that has the counters, and one that has not. Without one, nothing is touched. */
	fake_cpu_start(&amd_zen2, "");
	fake_cpu_set_leaf(1, 0, 0x00870f10, 0x00100800, 0xfed8320b, 0x178bfbff);
	uint64_t found;
	assert_true(msr_write(PERF_CTL0, 0x4300c0));
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_true(msr_read(PERF_CTL0, &found));
	assert_int_equal(found, 0x4300c0);
	/* Without the core extension's registers there are the legacy ones; without these nothing. */
	fake_cpu_break_msr(PERF_CTL0);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_int_equal(pmu.n_counters, 4);
	fake_cpu_set_leaf(0x80000001, 0, 0x00870f10, 0, 0, 0);
	fake_cpu_break_msr(PERF_LEGACY_CTL0);
	assert_false(fake_cpu_identify(drv, &pmu, &why));
	assert_non_null(strstr(why, "PERF_CTL0 raises #GP or keeps nothing"));
	fake_cpu_set_leaf(1, 0, 0x00870f10, 0x00100800, 0x7ed8320b, 0x178bfbff);
	assert_false(fake_cpu_identify(drv, &pmu, &why));
	fake_cpu_break_msr(0);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	/* Hygon's Zen 1. */
	fake_cpu_start(&amd_zen1, "");
	fake_cpu_set_leaf(0, 0, 0xd, 0x6f677948, 0x656e6975, 0x6e65476e);
	fake_cpu_set_leaf(1, 0, 0x00900f02, 0x00100800, 0x7ed8320b, 0x178bfbff);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_string_equal(pmu.name, "AMD Zen 1 PMU, core extension");
}

static void names_the_register_that_faults(void **unused)
{
	static const struct {
		uint32_t address;
		const char *why;
	} cases[] = {{PERF_CTL0 + 2, "PERF_CTL1"},
		     {PERF_CTR0 + 4, "PERF_CTR2"},
		     {PERF_GLOBAL_CTL, "PerfCntrGlobalCtl"}};
	const char *why;
	(void)unused;
	for (unsigned i = 0; i < 3; i++) {
		start_cpu(&amd_zen5, "");
		fake_cpu_break_msr(cases[i].address);
		assert_false(drv->reset(&pmu, &why));
		assert_non_null(strstr(why, cases[i].why));
		assert_non_null(strstr(why, "#GP"));
	}
}

static void clears_what_it_found(void **unused)
{
	uint64_t value;
	const char *why;
	(void)unused;
	start_cpu(&amd_zen5, "");
	arm(0, LEVELS_ALL, true);
	assert_true(drv->write(&pmu, 0, -1ull));
	assert_true(drv->start(&pmu, 1));
	fake_cpu_nops(2);
	assert_true(msr_write(DEBUGCTL, DEBUGCTL_BTF | DEBUGCTL_FREEZE_PMC));
	assert_true(drv->reset(&pmu, &why));
	assert_int_equal(overflows(), 0);
	assert_int_equal(count(0), 0);
	assert_true(msr_read(DEBUGCTL, &value));
	assert_int_equal(value, DEBUGCTL_BTF);
}

static void registry_finds(void **unused)
{
	const char *why = NULL;
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		fake_cpu_start(parts[p].profile, "");
		assert_true(pmu_find(NULL, &pmu, &why));
		assert_ptr_equal(pmu.driver, &amd_driver);
		assert_ptr_equal(model_profile_by_name(parts[p].profile->name), parts[p].profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(snapshot_reads_everything),
		cmocka_unit_test(accesses_are_true),
		cmocka_unit_test(knows_what_newer_parts_keep),
		cmocka_unit_test(finds_uncore_counters),
		cmocka_unit_test(refuses_nonsense),
		cmocka_unit_test(leaves_out_what_faults),
		cmocka_unit_test(names_the_register_that_faults),
		cmocka_unit_test(clears_what_it_found),
		cmocka_unit_test(registry_finds),
	};
	return cmocka_run_group_tests(tests, NULL, cleanup);
}
