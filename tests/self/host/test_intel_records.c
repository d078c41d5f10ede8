/* The Intel driver's branch records and traces against the Intel model: what it sets up, starts, stops and
 * takes out; and what it says where there are no records. */
#include "tests/self/host/intel_record_shortcuts.h"

#define VIRTUAL (sizeof all / sizeof all[0])

static const struct model_profile *const all[] = {
	&intel_yonah,       &intel_core2,         &intel_nehalem,      &intel_westmere, &intel_sandybridge,
	&intel_ivybridge,   &intel_haswell,       &intel_broadwell,    &intel_skylake,  &intel_icelake,
	&intel_silvermont,  &intel_goldmont,      &intel_goldmontplus, &intel_tremont,  &intel_alderlake_p,
	&intel_alderlake_e, &intel_sapphirerapids};

static struct pmu_recording lbr(uint8_t ring)
{
	struct pmu_recording r = {.source = record_source(&pmu, RECORD_LAST_BRANCHES), .levels = ring};

	assert_non_null(r.source);
	return r;
}

static void lbr_of_each_part(void **unused)
{
	static const struct {
		const char *name;
		uint32_t fields;
	} of[VIRTUAL] = {
		{"LBR format 0, 8 entries", RECORD_HAS_BRANCH},
		{"LBR format 2, 4 entries", RECORD_HAS_BRANCH},
		{"LBR format 3, 16 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED},
		{"LBR format 3, 16 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED},
		{"LBR format 3, 16 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED},
		{"LBR format 3, 16 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED},
		{"LBR format 4, 16 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED},
		{"LBR format 4, 16 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED},
		{"LBR format 5, 32 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED | RECORD_HAS_CYCLES},
		{"LBR format 5, 32 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED | RECORD_HAS_CYCLES},
		{"LBR format 1, 8 entries", RECORD_HAS_BRANCH},
		{"LBR format 6, 32 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED | RECORD_HAS_CYCLES},
		{"LBR format 7, 32 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED | RECORD_HAS_CYCLES},
		{"LBR format 7, 32 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED | RECORD_HAS_CYCLES},
		{"architectural LBR, 32 entries",
		 RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED | RECORD_HAS_CYCLES},
		{"architectural LBR, 32 entries",
		 RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED | RECORD_HAS_CYCLES},
		{"architectural LBR, 32 entries",
		 RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED | RECORD_HAS_CYCLES},
	};
	(void)unused;
	for (unsigned p = 0; p < VIRTUAL; p++) {
		struct pmu_record_state state;

		start_cpu(all[p], "");
		struct pmu_recording r = lbr(LEVELS_ALL);
		unsigned depth = r.source->depth;

		assert_string_equal(r.source->name, of[p].name);
		assert_int_equal(r.source->fields, of[p].fields);
		assert_null(record_absent(&pmu, RECORD_LAST_BRANCHES));
		assert_int_equal(record_memory(&pmu, &r), 0);

		/* Fewer than there is room for, twice; then more. */
		for (unsigned round = 0; round < 3; round++) {
			unsigned n = round == 2 ? depth + 3 : 3, kept = n < depth ? n : depth;

			begin(&r);
			fake_cpu_path()->regs.ip = CODE;
			fake_cpu_nops(16);
			jumps(n - 1);
			fake_cpu_nops(2);
			fake_path_mispredicted(fake_cpu_path(), TRANSFER_CONDITIONAL, CODE);
			assert_true(record_state(&pmu, &r, &state));
			assert_int_equal(state.records, kept);
			assert_int_equal(state.full, n >= depth);
			assert_int_equal(finish(&r), kept);
			for (unsigned i = 0; i < kept; i++) {
				uint64_t from = CODE + 16 * (n - kept + i + 1);
				bool last = i == kept - 1;

				assert_int_equal(got[i].kind, RECORD_LAST_BRANCHES);
				assert_int_equal(got[i].has, of[p].fields);
				assert_int_equal(got[i].from, from + (last ? 2 : 0));
				assert_int_equal(got[i].to, last ? CODE : from + 16);
				if (got[i].has & RECORD_HAS_MISPREDICTED)
					assert_int_equal(got[i].mispredicted, last);
				if (got[i].has & RECORD_HAS_CYCLES && i)
					assert_int_equal(got[i].cycles, last ? 3 : 1);
			}
		}
		assert_int_equal(fake_cpu_strays(), 0);
	}
}

static void lbr_by_ring(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < VIRTUAL; p++) {
		const char *why = NULL;
		uint64_t value;

		start_cpu(all[p], "");
		for (uint8_t ring = LEVELS_SYSTEM; ring <= LEVELS_USER; ring++) {
			struct pmu_recording r = lbr(ring);

			if (all[p] == &intel_yonah || all[p] == &intel_core2) {
				assert_false(record_setup(&pmu, &r, &why));
				assert_non_null(strstr(why, "every ring"));
				continue;
			}
			begin(&r);
			fake_cpu_path()->regs.ip = CODE;
			jumps(1);
			fake_path_far(fake_cpu_path(), CODE, 3);
			jumps(1);
			fake_path_event(fake_cpu_path(), CODE + 0x100);
			assert_int_equal(finish(&r), 2);
			if (ring == LEVELS_SYSTEM) {
				assert_int_equal(got[0].from, CODE);
				assert_int_equal(got[1].to, CODE + 0x100);
			} else {
				assert_int_equal(got[0].to, CODE);
				assert_int_equal(got[1].from, CODE);
			}
			/* Only the architectural stack keeps the other ring's addresses to itself. */
			bool hides = got[ring == LEVELS_SYSTEM].from == RECORD_HIDDEN;
			assert_int_equal(hides, p >= VIRTUAL - 3);
			assert_true(msr_read(IA32_DEBUGCTL, &value));
			assert_int_equal(value & DEBUGCTL_LBR, 0);
		}
	}
}

/* What is left out is left out, and nothing else. */
static void lbr_by_kind(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < VIRTUAL; p++) {
		start_cpu(all[p], "");
		bool filters = lbr(LEVELS_ALL).source->filters;

		assert_int_equal(filters, all[p] != &intel_yonah && all[p] != &intel_core2);
		assert_int_equal(lbr(LEVELS_ALL).source->address_bits, all[p] == &intel_yonah ? 32 : 0);
		for (unsigned t = TRANSFER_CONDITIONAL; t <= TRANSFER_SYSTEM && filters; t++) {
			struct pmu_recording r = lbr(LEVELS_ALL);
			struct fake_path *path = fake_cpu_path();

			r.without = 1u << t;
			assert_true(r.source->filters & r.without);
			begin(&r);
			for (unsigned k = TRANSFER_CONDITIONAL; k <= TRANSFER_EVENT; k++) {
				path->regs.ip = CODE + 16 * k;
				if (k == TRANSFER_EVENT)
					fake_path_event(path, CODE);
				else
					fake_path_branch(path, (enum step_transfer)k, CODE);
			}
			assert_int_equal(finish(&r), t == TRANSFER_SYSTEM ? 6 : 7);
			for (unsigned i = 0; i < (t == TRANSFER_SYSTEM ? 6 : 7); i++)
				assert_int_equal(got[i].from, CODE + 16 * (i + 1 < t ? i + 1 : i + 2));
		}
	}
}

/* Of calls and returns, among other branches, the calls that are open stay. */
static void lbr_of_open_calls(void **unused)
{
	unsigned with = 0;
	(void)unused;
	for (unsigned p = 0; p < VIRTUAL; p++) {
		const char *why = NULL;

		start_cpu(all[p], "");
		struct pmu_recording r = lbr(LEVELS_ALL);
		struct fake_path *path = fake_cpu_path();

		r.call_stack = true;
		with += r.source->call_stack;
		if (!r.source->call_stack) {
			assert_false(record_setup(&pmu, &r, &why));
			assert_non_null(strstr(why, "no mode for call stacks"));
			continue;
		}
		begin(&r);
		path->regs.ip = CODE;
		fake_path_branch(path, TRANSFER_RETURN, CODE + 8); /* of nothing */
		fake_path_branch(path, TRANSFER_CALL, CODE + 0x100);
		fake_path_branch(path, TRANSFER_JUMP, CODE + 0x180);
		fake_path_branch(path, TRANSFER_CALL_INDIRECT, CODE + 0x200);
		fake_path_branch(path, TRANSFER_RETURN, CODE + 0x182);
		fake_path_branch(path, TRANSFER_CALL, CODE + 0x300);
		fake_path_event(path, CODE + 0x400);
		assert_int_equal(finish(&r), 2);
		assert_int_equal(got[0].to, CODE + 0x100);
		assert_int_equal(got[1].to, CODE + 0x300);
	}
	assert_in_range(with, 8, VIRTUAL - 4);
}

/* The bracket starts and stops it, and is not part of the trace. */
static void lbr_by_bracket(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < VIRTUAL; p++) {
		struct pmu_bracket b;
		const char *why;

		start_cpu(all[p], "");
		struct pmu_recording r = lbr(LEVELS_ALL);
		assert_true(record_setup(&pmu, &r, &why));
		assert_true(record_bracket(&pmu, &r, &b));
		uint64_t regs[4] = {b.args[0], b.args[1], b.args[2], b.args[3]};
		fake_cpu_execute(b.start, (unsigned)(b.start_end - b.start), regs);
		fake_cpu_path()->regs.ip = CODE;
		jumps(2);
		fake_cpu_execute(b.stop, (unsigned)(b.stop_end - b.stop), regs);
		jumps(2);
		assert_int_equal(record_drain(&pmu, &r, got, MAX), 2);
		assert_int_equal(got[1].from, CODE + 16);
		assert_int_equal(record_drain(&pmu, &r, got, MAX), 0);
	}
}

/* A register that faults though CPUID or the model promises it: no source, one line that says so. */
static void lbr_that_faults(void **unused)
{
	(void)unused;
	start_cpu(&intel_alderlake_p, "");
	fake_cpu_break_msr(IA32_LBR_CTL);
	assert_null(record_source(&pmu, RECORD_LAST_BRANCHES));
	assert_non_null(strstr(record_absent(&pmu, RECORD_LAST_BRANCHES), "raise #GP"));
	start_cpu(&intel_nehalem, "");
	fake_cpu_break_msr(0x68f);
	assert_null(record_source(&pmu, RECORD_LAST_BRANCHES));
	assert_non_null(strstr(record_absent(&pmu, RECORD_LAST_BRANCHES), "raise #GP"));
	/* Depths that make no sense, and a model that nobody knows. */
	start_cpu(&intel_sapphirerapids, "");
	fake_cpu_set_leaf(0x1c, 0, 0, 7, 7, 0);
	fake_cpu_set_leaf(1, 0, 0x000806f8, 0, 0x8000, 0x200);
	assert_null(record_source(&pmu, RECORD_LAST_BRANCHES));
	assert_non_null(strstr(record_absent(&pmu, RECORD_LAST_BRANCHES), "leaf 1CH"));
	start_cpu(&intel_nehalem, "");
	fake_cpu_set_leaf(1, 0, 0x00000f4a, 0, 0x8000, 0x200);
	assert_non_null(strstr(record_absent(&pmu, RECORD_LAST_BRANCHES), "this model"));
	/* A kind that the family does not know has no reason. */
	assert_null(record_absent(&pmu, RECORD_OPERATION));
}

static const struct model_profile *const with_ds[] = {
	&intel_core2,       &intel_nehalem,     &intel_sandybridge,    &intel_haswell,
	&intel_skylake,     &intel_icelake,     &intel_goldmont,       &intel_silvermont,
	&intel_alderlake_p, &intel_alderlake_e, &intel_sapphirerapids, &intel_goldmontplus};
#define WITH_DS (sizeof with_ds / sizeof with_ds[0])

static void bts(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < WITH_DS; p++) {
		struct pmu_record_state state;

		start_cpu(with_ds[p], "");
		struct pmu_recording r = in_memory(RECORD_BRANCH_TRACE, 8, 5);
		assert_string_equal(r.source->name, "BTS");
		begin(&r);
		fake_cpu_path()->regs.ip = CODE;
		jumps(4);
		assert_int_equal(fake_cpu_interrupts(), 0);
		fake_path_mispredicted(fake_cpu_path(), TRANSFER_CONDITIONAL, CODE);
		assert_int_equal(fake_cpu_interrupts(), 1);
		assert_true(record_state(&pmu, &r, &state));
		assert_int_equal(state.records, 5);
		assert_true(state.overflow);
		assert_false(state.full);
		/* In two parts, as a handler may. */
		assert_int_equal(record_drain(&pmu, &r, got, 2), 2);
		assert_int_equal(record_drain(&pmu, &r, got + 2, MAX), 3);
		for (unsigned i = 0; i < 5; i++) {
			assert_int_equal(got[i].kind, RECORD_BRANCH_TRACE);
			assert_int_equal(got[i].has, r.source->fields);
			assert_int_equal(got[i].from, CODE + 16 * i);
			assert_int_equal(got[i].to, i == 4 ? CODE : CODE + 16 * (i + 1));
			assert_int_equal(got[i].mispredicted, i == 4);
		}
		assert_true(record_state(&pmu, &r, &state));
		assert_int_equal(state.records, 0);
		assert_false(state.overflow);
		/* It goes on, until it is full. */
		fake_cpu_path()->regs.ip = CODE;
		jumps(12);
		assert_true(record_state(&pmu, &r, &state));
		assert_int_equal(state.records, 8);
		assert_true(state.full);
		assert_int_equal(finish(&r), 8);
		assert_int_equal(got[7].from, CODE + 16 * 7);
		assert_int_equal(fake_memory_refused(), 0);
		assert_true(fake_memory_end_written() <= r.size);
		assert_int_equal(fake_cpu_strays(), 0);
	}
}

static void bts_circular(void **unused)
{
	(void)unused;
	start_cpu(&intel_skylake, "");
	for (unsigned n = 1; n < 20; n++) {
		struct pmu_record_state state;
		struct pmu_recording r = in_memory(RECORD_BRANCH_TRACE, 6, 0);
		unsigned kept = n < 6 ? n : 6;

		r.circular = true;
		begin(&r);
		fake_cpu_path()->regs.ip = CODE;
		jumps(n);
		assert_true(record_state(&pmu, &r, &state));
		assert_int_equal(state.records, kept);
		assert_int_equal(state.full, n >= 6);
		assert_int_equal(finish(&r), kept);
		for (unsigned i = 0; i < kept; i++)
			assert_int_equal(got[i].from, CODE + 16 * (n - kept + i));
		assert_int_equal(fake_cpu_interrupts(), 0);
	}
}

static void bts_by_ring_and_bracket(void **unused)
{
	struct pmu_bracket b;
	const char *why;
	(void)unused;
	start_cpu(&intel_nehalem, "");
	for (uint8_t ring = LEVELS_SYSTEM; ring <= LEVELS_USER; ring++) {
		struct pmu_recording r = in_memory(RECORD_BRANCH_TRACE, 8, 0);

		r.levels = ring;
		assert_true(record_setup(&pmu, &r, &why));
		assert_true(record_bracket(&pmu, &r, &b));
		uint64_t regs[4] = {b.args[0], b.args[1], b.args[2], b.args[3]};
		fake_cpu_execute(b.start, (unsigned)(b.start_end - b.start), regs);
		fake_cpu_path()->regs.ip = CODE;
		fake_path_far(fake_cpu_path(), CODE, 3);
		jumps(1);
		fake_path_event(fake_cpu_path(), CODE);
		fake_cpu_execute(b.stop, (unsigned)(b.stop_end - b.stop), regs);
		jumps(1);
		assert_int_equal(record_drain(&pmu, &r, got, MAX), ring == LEVELS_SYSTEM ? 1 : 2);
		assert_int_equal(got[0].from, ring == LEVELS_SYSTEM ? CODE + 16 : CODE);
		assert_true(record_release(&pmu, &r));
	}
}

static void ds_that_is_missing(void **unused)
{
	static const struct {
		const struct model_profile *profile;
		uint32_t broken, ecx, edx;
		const char *bts, *pebs;
	} rows[] = {
		{&intel_yonah, 0, 0, 0, "no form for 64-bit code", "no form for 64-bit code"},
		{&intel_nehalem, 0, 0x8004, 0x200, "EDX[21]", "EDX[21]"},
		{&intel_nehalem, 0, 0x80008000, 0x200, "hypervisor", "hypervisor"},
		{&intel_nehalem, IA32_DS_AREA, 0, 0, "IA32_DS_AREA raises", "IA32_DS_AREA raises"},
		{&intel_nehalem, IA32_PEBS_ENABLE, 0, 0, NULL, "PEBS registers raise"},
		{&intel_icelake, IA32_PEBS_DATA_CFG, 0, 0, NULL, "PEBS registers raise"},
		{&intel_pantherlake_p, IA32_PEBS_BASE, 0, 0, NULL, "PEBS registers raise"},
		{&intel_pantherlake_e, IA32_PEBS_INDEX, 0, 0, NULL, "PEBS registers raise"},
		{&intel_nehalem, IA32_DEBUGCTL, 0, 0, "IA32_DEBUGCTL", NULL},
	};
	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *why;

		start_cpu(rows[i].profile, "");
		if (rows[i].edx)
			fake_cpu_set_leaf(1, 0, 0x106a5, 0, rows[i].ecx, rows[i].edx);
		fake_cpu_break_msr(rows[i].broken);
		assert_int_equal(record_source(&pmu, RECORD_BRANCH_TRACE) == NULL, rows[i].bts != NULL);
		assert_int_equal(record_source(&pmu, RECORD_PRECISE) == NULL, rows[i].pebs != NULL);
		if (rows[i].bts && !strstr(record_absent(&pmu, RECORD_BRANCH_TRACE), rows[i].bts))
			fail_msg("%s", record_absent(&pmu, RECORD_BRANCH_TRACE));
		if (rows[i].pebs && !strstr(record_absent(&pmu, RECORD_PRECISE), rows[i].pebs))
			fail_msg("%s", record_absent(&pmu, RECORD_PRECISE));
		/* Counting goes on without. */
		assert_true(intel_driver.reset(&pmu, &why));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lbr_of_each_part),
		cmocka_unit_test(lbr_by_ring),
		cmocka_unit_test(lbr_by_kind),
		cmocka_unit_test(lbr_of_open_calls),
		cmocka_unit_test(lbr_by_bracket),
		cmocka_unit_test(lbr_that_faults),
		cmocka_unit_test(bts),
		cmocka_unit_test(bts_circular),
		cmocka_unit_test(bts_by_ring_and_bracket),
		cmocka_unit_test(ds_that_is_missing),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	fake_cpu_stop();
	return failed;
}
