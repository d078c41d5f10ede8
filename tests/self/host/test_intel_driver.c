/* The Intel driver against the Intel model, on every profile. */
#include "tests/self/host/intel_driver_shortcuts.h"
#include "arch/x86/cpu/cpuid_table.h"
#include "pmu/intel/driver/bracket.h"
#include "pmu/intel/events/events.h"
#include "pmu/intel/records/apebs.h"
#include "pmu/intel/registers.h"
#include "pmu/contract/record.h"

#include "arch/x86/cpu/msr.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const struct model_profile *profile;
	unsigned version, general, fixed, width, write_width, events;
	int records; /* registers of records and of single events in the snapshot */
} parts[] = {
	{&intel_yonah, 1, 2, 0, 40, 32, 7, 0},           {&intel_core2, 2, 2, 3, 40, 32, 10, 2},
	{&intel_nehalem, 3, 4, 3, 48, 32, 8, 5},         {&intel_skylake, 4, 4, 3, 48, 48, 10, 7},
	{&intel_icelake, 5, 8, 4, 48, 48, 12, 8},        {&intel_icelake_guest, 2, 8, 3, 48, 32, 10, -1},
	{&intel_westmere, 3, 4, 3, 48, 32, 9, 6},        {&intel_sandybridge, 3, 4, 3, 48, 48, 10, 6},
	{&intel_ivybridge, 3, 4, 3, 48, 48, 10, 6},      {&intel_haswell, 3, 4, 3, 48, 48, 10, 6},
	{&intel_broadwell, 3, 4, 3, 48, 48, 10, 6},      {&intel_alderlake_p, 5, 6, 3, 48, 48, 10, 8},
	{&intel_sapphirerapids, 5, 8, 4, 48, 48, 12, 8}, {&intel_silvermont, 3, 2, 3, 40, 40, 10, 5},
	{&intel_goldmont, 4, 4, 3, 48, 48, 10, 5},       {&intel_goldmontplus, 4, 4, 3, 48, 48, 10, 5},
	{&intel_tremont, 5, 4, 3, 48, 48, 10, 6},        {&intel_alderlake_e, 5, 6, 3, 48, 48, 10, 7},
	{&intel_lunarlake_p, 6, 10, 4, 48, 48, 12, 8},   {&intel_tigerlake, 5, 8, 4, 48, 48, 12, 8},
	{&intel_meteorlake_p, 5, 8, 4, 48, 48, 12, 8},   {&intel_meteorlake_e, 5, 8, 3, 48, 48, 10, 7},
	{&intel_graniterapids, 5, 8, 4, 48, 48, 12, 8},  {&intel_lunarlake_e, 6, 8, 6, 48, 48, 10, 15},
	{&intel_pantherlake_p, 6, 10, 4, 48, 48, 12, 8}, {&intel_pantherlake_e, 6, 8, 6, 48, 48, 10, 15},
};
#define PARTS (sizeof parts / sizeof parts[0])

static void describes_each_part(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		char name[48];
		start_cpu(parts[p].profile, "");
		snprintf(name, sizeof name, "Intel architectural PMU version %u", parts[p].version);
		assert_string_equal(pmu.name, name);
		assert_int_equal(pmu.version, parts[p].version);
		assert_int_equal(pmu.n_general, parts[p].general);
		assert_int_equal(pmu.n_fixed, parts[p].fixed);
		assert_int_equal(pmu.n_counters, parts[p].general + parts[p].fixed);
		assert_int_equal(pmu.has_global, parts[p].version >= 2);
		assert_true(pmu.has_pmi);
		assert_false(pmu.virtual);
		unsigned architectural = 0;
		while (architectural < pmu.n_events && !(pmu.events[architectural]->flags & EVENT_OF_CORE))
			architectural++;
		assert_int_equal(architectural, parts[p].events);
		assert_in_range(pmu.n_events, architectural + 40, architectural + 1000);
		for (unsigned c = 0; c < pmu.n_counters; c++) {
			const struct pmu_counter *k = &pmu.counter[c];
			bool fixed = c >= parts[p].general;
			snprintf(name, sizeof name, fixed ? "FIXED_CTR%u" : "PMC%u", k->index);
			assert_string_equal(k->name, name);
			if (!fixed || k->index < 3)
				assert_int_equal(k->index, fixed ? c - parts[p].general : c);
			assert_int_equal(k->kind, fixed ? COUNTER_FIXED : COUNTER_GENERAL);
			assert_int_equal(k->width, parts[p].width);
			assert_int_equal(k->write_width, fixed ? parts[p].width : parts[p].write_width);
			assert_int_equal(k->has_status, parts[p].version >= 2);
			assert_int_equal(k->selector, fixed ? 0x40000000u + k->index : c);
		}
		for (unsigned e = 0; e < pmu.n_events; e++)
			for (unsigned c = 0; c < pmu.n_counters; c++)
				assert_int_equal(
					drv->can_count(&pmu, pmu.events[e], c),
					pmu.counter[c].kind == COUNTER_GENERAL
						? pmu.events[e]->fixed < 0 &&
							  pmu.events[e]->counters >> pmu.counter[c].index & 1
						: pmu.events[e]->fixed == pmu.counter[c].index);
	}
	start_cpu(&intel_nehalem, "");
	assert_null(event_by_name(pmu.events, pmu.n_events, "BR_MISP_RETIRED.ALL_BRANCHES"));
	assert_non_null(event_by_name(pmu.events, pmu.n_events, "br_inst_retired.all_branches"));
}

/* Every event on every counter that may count it; the counters beside it stay still. */
static void counts_events(void **unused)
{
	static const struct {
		const char *event;
		enum quantity q;
	} rows[] = {{"INST_RETIRED.ANY_P", Q_INSTRUCTIONS},
		    {"BR_INST_RETIRED.ALL_BRANCHES", Q_BRANCHES},
		    {"LONGEST_LAT_CACHE.REFERENCE", Q_LLC_REF},
		    {"LONGEST_LAT_CACHE.MISS", Q_LLC_MISS}};
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++)
		for (unsigned r = 0; r < 4; r++)
			for (unsigned c = 0; c < parts[p].general; c++) {
				start_cpu(parts[p].profile, "");
				struct pmu_config config = {.code = event(rows[r].event)->code,
							    .levels = LEVELS_ALL};
				assert_int_equal(event_coefficient(event(rows[r].event), rows[r].q), 1);
				assert_true(drv->program(&pmu, c, &config));
				fake_cpu_run(&(struct qterm){rows[r].q, 3}, 1, 1, 0, 10);
				assert_int_equal(count(c), 0);
				assert_true(drv->start(&pmu, 1ull << c));
				fake_cpu_run(&(struct qterm){rows[r].q, 3}, 1, 1, 0, 10);
				fake_cpu_run(&(struct qterm){Q_LOADS, 3}, 1, 1, 3, 10);
				assert_true(drv->stop(&pmu));
				uint64_t stopped = count(c);
				/* The accesses of stop() itself count as instructions where they run before
				 * it. */
				if (rows[r].q == Q_INSTRUCTIONS)
					assert_in_range(stopped, 30, 33);
				else
					assert_int_equal(stopped, 30);
				fake_cpu_run(&(struct qterm){rows[r].q, 3}, 1, 1, 0, 10);
				assert_int_equal(count(c), stopped);
				for (unsigned o = 0; o < pmu.n_counters; o++)
					assert_true(o == c || count(o) == 0);
				assert_true(drv->release(&pmu, c));
				assert_int_equal(fake_cpu_strays(), 0);
			}
}

static void counts_on_fixed_counters(void **unused)
{
	(void)unused;
	for (unsigned p = 1; p < PARTS; p++) {
		start_cpu(parts[p].profile, "");
		for (unsigned c = parts[p].general; c < parts[p].general + 3; c++)
			arm(c, c == parts[p].general ? LEVELS_USER : LEVELS_SYSTEM, false);
		assert_true(drv->start(&pmu, 7ull << parts[p].general));
		fake_cpu_run(&(struct qterm){Q_INSTRUCTIONS, 1}, 1, 4, 3, 10);
		assert_int_equal(count(parts[p].general), 10);
		uint64_t before = count(parts[p].general + 1);
		fake_cpu_run(&(struct qterm){Q_INSTRUCTIONS, 1}, 1, 4, 0, 10);
		/* The two RDMSR in between are one cycle each. */
		assert_int_equal(count(parts[p].general + 1) - before, 41);
		assert_int_equal(count(parts[p].general), 10);
		assert_true(drv->release(&pmu, parts[p].general + 1));
		uint64_t frozen = count(parts[p].general + 1);
		fake_cpu_nops(10);
		assert_int_equal(count(parts[p].general + 1), frozen);
		assert_true(count(parts[p].general + 2) > frozen);
	}
}

static void writes_counters(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		start_cpu(parts[p].profile, "");
		for (unsigned c = 0; c < pmu.n_counters; c++) {
			const struct pmu_counter *k = &pmu.counter[c];
			uint64_t mask = (1ull << k->width) - 1;
			for (unsigned bit = 0; bit < 64; bit++) {
				uint64_t value = 1ull << bit, kept = value & mask;
				assert_true(drv->write(&pmu, c, value));
				if (k->write_width == 32)
					kept = (kept & 0x7fffffff) |
					       (kept >> 31 & 1 ? mask & ~0x7fffffffull : 0);
				assert_int_equal(count(c), kept);
			}
			assert_true(drv->write(&pmu, c, -5ull));
			assert_int_equal(count(c), mask - 4);
		}
	}
}

static void sees_overflow(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		start_cpu(parts[p].profile, "");
		for (unsigned c = 0; c < pmu.n_counters; c++) {
			if (!counts_instructions(c))
				continue;
			arm(c, LEVELS_USER, true);
			assert_true(drv->write(&pmu, c, -3ull));
			assert_true(drv->start(&pmu, 1ull << c));
			fake_cpu_run(&(struct qterm){Q_INSTRUCTIONS, 1}, 1, 1, 3, 2);
			assert_int_equal(overflows(), 0);
			assert_int_equal(fake_cpu_interrupts(), 0);
			fake_cpu_run(&(struct qterm){Q_INSTRUCTIONS, 1}, 1, 1, 3, 2);
			assert_int_equal(overflows(), 1ull << c);
			assert_int_equal(fake_cpu_interrupts(), 1);
			assert_int_equal(count(c), 1);
			assert_true(drv->acknowledge(&pmu, ~(1ull << c)));
			assert_int_equal(overflows(), 1ull << c);
			assert_true(drv->acknowledge(&pmu, 1ull << c));
			assert_int_equal(overflows(), 0);
			assert_true(drv->stop(&pmu));
			assert_true(drv->release(&pmu, c));
		}
	}
}

static void takes_modifiers(void **unused)
{
	struct pmu_config config = {.code = 0xc0, .levels = LEVELS_USER, .cmask = 2};
	(void)unused;
	start_cpu(&intel_core2, "");
	assert_true(drv->program(&pmu, 0, &config));
	config.invert = true;
	assert_true(drv->program(&pmu, 1, &config));
	assert_true(drv->start(&pmu, 3));
	for (unsigned i = 0; i < 5; i++)
		fake_cpu_run(&(struct qterm){Q_INSTRUCTIONS, i}, 1, 1, 3, 1);
	assert_int_equal(count(0), 3);
	assert_int_equal(count(1), 2);
	/* One that is asked for takes the place of the event's own: 2 for 1, and 4 for 3. */
	for (unsigned own = 0; own < 4; own++) {
		config = (struct pmu_config){.code = 0xc0 | own << 24, .levels = LEVELS_USER};
		assert_true(drv->program(&pmu, 0, &config));
		config.cmask = (uint8_t)(own + 1);
		assert_true(drv->program(&pmu, 1, &config));
		assert_true(drv->start(&pmu, 3));
		for (unsigned i = 0; i < 6; i++)
			fake_cpu_run(&(struct qterm){Q_INSTRUCTIONS, i}, 1, 1, 3, 1);
		assert_int_equal(count(0), own ? 6 - own : 15);
		assert_int_equal(count(1), 6 - (own + 1));
	}
	config = (struct pmu_config){.code = 0xc0, .levels = LEVELS_USER, .edge = true};
	assert_true(drv->program(&pmu, 0, &config));
	assert_true(drv->start(&pmu, 1));
	for (unsigned i = 0; i < 6; i++)
		fake_cpu_run(&(struct qterm){Q_INSTRUCTIONS, i & 1}, 1, 1, 3, 1);
	assert_int_equal(count(0), 3);
}

/* Each field of a configuration in the register of each counter: SDM vol. 3, figures 18-1 and 18-2, and
 * 18.2.3 for the bits of all threads. */
static void fields_have_their_bits(void **unused)
{
	static const struct {
		const char *name;
		struct pmu_config config;
		uint64_t general, fixed; /* of the selector; of the counter's four bits */
	} fields[] = {
		{"ring 0", {.levels = LEVELS_SYSTEM}, 1 << 17, 1},
		{"ring 3", {.levels = LEVELS_USER}, 1 << 16, 2},
		{"both", {.levels = LEVELS_ALL}, 3 << 16, 3},
		{"interrupt", {.levels = LEVELS_USER, .interrupt = true}, 1 << 20 | 1 << 16, 8 | 2},
		{"all threads", {.levels = LEVELS_USER, .any_thread = true}, 1 << 21 | 1 << 16, 4 | 2},
		{"all of them",
		 {.levels = LEVELS_ALL, .any_thread = true, .interrupt = true},
		 1 << 21 | 1 << 20 | 3 << 16,
		 15},
	};
	const uint64_t enable = 1 << 22;
	unsigned fixed = 0;

	(void)unused;
	for (unsigned f = 0; f < sizeof fields / sizeof fields[0]; f++) {
		start_cpu(&intel_haswell, "");
		for (unsigned c = 0; c < pmu.n_counters; c++) {
			const struct pmu_counter *k = &pmu.counter[c];
			struct pmu_config config = fields[f].config;
			uint64_t value = 0;

			config.code = 0xc0;
			assert_true(drv->program(&pmu, c, &config));
			if (k->kind == COUNTER_FIXED) {
				assert_true(msr_read(0x38d, &value));
				assert_int_equal(value >> 4 * k->index & 15, fields[f].fixed);
				fixed++;
			} else {
				assert_true(msr_read(0x186 + k->index, &value));
				assert_int_equal(value & ~enable, fields[f].general | 0xc0);
			}
			assert_true(drv->release(&pmu, c));
		}
	}
	assert_true(fixed);
}

/* brackets */

/* A window as the harness composes it: bracket, kernel of n NOPs, bracket; run on the real processor with the
 * fake CPU answering. */
static uint64_t run_window(const struct pmu_bracket *b, unsigned n)
{
	uint8_t code[4096];
	uint64_t regs[4];
	unsigned size = 0;

	memcpy(regs, b->args, sizeof regs);
	memcpy(code, b->start, b->start_end - b->start);
	size += b->start_end - b->start;
	memset(code + size, 0x90, n);
	size += n;
	memcpy(code + size, b->stop, b->stop_end - b->stop);
	size += b->stop_end - b->stop;
	return fake_cpu_execute(code, size, regs);
}

static void enable_bracket_counts_its_own(void **unused)
{
	static const unsigned sizes[] = {0, 1, 10, 1000};
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		struct pmu_bracket b;
		start_cpu(parts[p].profile, "");
		for (unsigned c = 0; c < pmu.n_counters; c++) {
			if (!counts_instructions(c))
				continue;
			for (unsigned i = 0; i < 4; i++) {
				arm(c, LEVELS_ALL, false);
				assert_true(drv->bracket_enable(&pmu, 1ull << c, &b));
				assert_true(b.privileged);
				assert_int_equal(b.own[0].quantity, Q_INSTRUCTIONS);
				assert_true(b.own[0].amount <= 4);
				assert_int_equal(b.own[1].amount, 0);
				run_window(&b, sizes[i]);
				assert_int_equal(count(c), sizes[i] + b.own[0].amount);
			}
			assert_true(drv->release(&pmu, c));
		}
	}
	/* Several at once, from version 2 on. */
	struct pmu_bracket b;
	start_cpu(&intel_nehalem, "");
	for (unsigned c = 0; c < 5; c++)
		arm(c, LEVELS_ALL, false);
	assert_true(drv->bracket_enable(&pmu, 0x1d, &b));
	run_window(&b, 7);
	for (unsigned c = 0; c < 5; c++)
		assert_int_equal(count(c), c == 1 ? 0 : 10);
	start_cpu(&intel_yonah, "");
	arm(0, LEVELS_ALL, false);
	assert_false(drv->bracket_enable(&pmu, 3, &b));
	assert_false(drv->bracket_enable(&pmu, 0, &b));
	assert_false(drv->bracket_enable(&pmu, 4, &b));
}

static void read_bracket_counts_its_own(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		struct pmu_bracket b;
		start_cpu(parts[p].profile, "");
		for (unsigned c = 0; c < pmu.n_counters; c++) {
			if (!counts_instructions(c))
				continue;
			arm(c, LEVELS_ALL, false);
			assert_true(drv->bracket_read(&pmu, c, &b));
			assert_false(b.privileged);
			assert_true(drv->start(&pmu, 1ull << c));
			assert_int_equal(run_window(&b, 0), b.own[0].amount);
			assert_int_equal(run_window(&b, 100), 100 + b.own[0].amount);
			/* Across the wrap of the counter. */
			assert_true(drv->stop(&pmu));
			assert_true(drv->write(&pmu, c, -20ull));
			assert_true(drv->start(&pmu, 1ull << c));
			assert_int_equal(run_window(&b, 100), 100 + b.own[0].amount);
			assert_true(drv->release(&pmu, c));
		}
	}
}

/* hand-over */

static void snapshot_reads_everything(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		/* Two per general counter, IA32_DEBUGCTL; from version 2 on one per fixed counter, their
		   control, three global registers and IA32_PERF_CAPABILITIES (the guest's lacks it, and has
		   one less); from version 4 on one more. */
		unsigned registers = 2 * parts[p].general + 1 +
				     (parts[p].version >= 2 ? parts[p].fixed + 4 : 0) +
				     (parts[p].version >= 4) + (unsigned)parts[p].records;
		struct pmu_snapshot s;
		unsigned enabled = 0;
		const char *why;
		fake_cpu_start(parts[p].profile, "");
		assert_true(fake_cpu_identify(drv, &pmu, &why));
		/* Firmware left counter 1 running, and fixed counter 0 where there is one. */
		assert_true(msr_write(IA32_PERFEVTSEL0 + 1, 0x4300c0));
		assert_true(msr_write(IA32_PERFEVTSEL0, 0x0300c0));
		if (p) {
			assert_true(msr_write(IA32_FIXED_CTR_CTRL, 0x33));
			assert_true(msr_write(IA32_PERF_GLOBAL_CTRL, 0x100000003));
		}
		/* A place in the buffer of records does not run them. */
		bool buffer = msr_write(IA32_PEBS_INDEX, 3 << 4);
		drv->snapshot(&pmu, &s);
		assert_int_equal(s.count, registers);
		for (unsigned i = 0; i < s.count; i++) {
			uint64_t value;
			assert_true(s.entry[i].readable);
			assert_non_null(s.entry[i].name);
			assert_true(msr_read(s.entry[i].address, &value));
			enabled += s.entry[i].enable;
			for (unsigned j = 0; j < i; j++)
				assert_int_not_equal(s.entry[i].address, s.entry[j].address);
		}
		assert_int_equal(enabled, p ? 2 : 1);
		assert_int_equal(fake_cpu_strays(), 0);
		if (buffer) {
			assert_true(msr_write(IA32_PEBS_INDEX, 3 << 4 | APEBS_ENABLE));
			drv->snapshot(&pmu, &s);
			enabled = 0;
			for (unsigned i = 0; i < s.count; i++)
				enabled += s.entry[i].enable;
			assert_int_equal(enabled, 3);
		}

		assert_true(drv->reset(&pmu, &why));
		drv->snapshot(&pmu, &s);
		for (unsigned i = 0; i < s.count; i++)
			if (s.entry[i].address != IA32_PERF_CAPABILITIES) {
				assert_int_equal(s.entry[i].value, 0);
				assert_false(s.entry[i].enable);
			}
	}
}

static void clears_what_it_found(void **unused)
{
	uint64_t value;
	const char *why;
	(void)unused;
	start_cpu(&intel_nehalem, "");
	arm(0, LEVELS_ALL, true);
	assert_true(drv->write(&pmu, 0, -1ull));
	assert_true(drv->start(&pmu, 1));
	fake_cpu_nops(2);
	assert_true(msr_write(IA32_DEBUGCTL, DEBUGCTL_BTF | DEBUGCTL_FREEZE_PERFMON_ON_PMI));
	assert_true(drv->reset(&pmu, &why));
	assert_int_equal(overflows(), 0);
	assert_int_equal(count(0), 0);
	assert_true(msr_read(IA32_PERF_GLOBAL_CTRL, &value));
	assert_int_equal(value, 0);
	assert_true(msr_read(IA32_DEBUGCTL, &value));
	assert_int_equal(value, DEBUGCTL_BTF);
}

/* registry */

static void registry_finds(void **unused)
{
	const char *why = NULL;
	(void)unused;
	fake_cpu_start(&intel_core2, "");
	assert_true(pmu_find(NULL, &pmu, &why));
	assert_ptr_equal(pmu.driver, &intel_driver);
	assert_true(pmu_find("intel", &pmu, &why));
	assert_false(pmu_find("nothing", &pmu, &why));
	assert_non_null(strstr(why, "nothing"));
	fake_cpu_set_leaf(0xa, 0, 0, 0, 0, 0);
	assert_false(pmu_find(NULL, &pmu, &why));
	assert_non_null(strstr(why, "intel: "));
	assert_non_null(strstr(why, "version 0"));

	for (unsigned i = 0; i < PARTS; i++)
		assert_ptr_equal(model_profile_by_name(parts[i].profile->name), parts[i].profile);
	assert_null(model_profile_by_name("intel-cor"));
	for (unsigned i = 0; model_profile(i); i++) {
		assert_int_equal(cpuid_table_of(model_profile(i)->identity)->row[0].leaf, 0);
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(model_profile(i)->name, model_profile(j)->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(describes_each_part),
		cmocka_unit_test(counts_events),
		cmocka_unit_test(counts_on_fixed_counters),
		cmocka_unit_test(writes_counters),
		cmocka_unit_test(sees_overflow),
		cmocka_unit_test(takes_modifiers),
		cmocka_unit_test(fields_have_their_bits),
		cmocka_unit_test(enable_bracket_counts_its_own),
		cmocka_unit_test(read_bracket_counts_its_own),
		cmocka_unit_test(snapshot_reads_everything),
		cmocka_unit_test(clears_what_it_found),
		cmocka_unit_test(registry_finds),
	};
	return cmocka_run_group_tests(tests, NULL, cleanup);
}
