/* The Intel driver against the Intel model, on every profile and on CPUs that make no sense. */
#include "arch/x86/cpu/cpuid_table.h"
#include "pmu/intel/driver/bracket.h"
#include "pmu/intel/events/events.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/records/apebs.h"
#include "pmu/intel/registers.h"
#include "pmu/contract/record.h"
#include "tests/self/host/support/fake_cpu.h"

#include "arch/x86/cpu/msr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct pmu pmu;
static const struct pmu_driver *const drv = &intel_driver;

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

static void start_cpu(const struct model_profile *p, const char *inject)
{
	const char *why = NULL;
	fake_cpu_start(p, inject);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_true(drv->reset(&pmu, &why));
	assert_int_equal(fake_cpu_strays(), 0);
}

static const struct pmu_event *event(const char *name)
{
	const struct pmu_event *e = event_by_name(pmu.events, pmu.n_events, name);
	assert_non_null(e);
	return e;
}

static uint64_t count(unsigned c)
{
	uint64_t value;
	assert_true(drv->read(&pmu, c, &value));
	return value;
}

static uint64_t overflows(void)
{
	uint64_t mask;
	assert_true(drv->overflowed(&pmu, &mask));
	return mask;
}

/* Count instructions on counter c. */
static void arm(unsigned c, uint8_t ring, bool interrupt)
{
	struct pmu_config config = {.code = 0xc0, .levels = ring, .interrupt = interrupt};
	assert_true(drv->program(&pmu, c, &config));
}

static bool counts_instructions(unsigned c)
{
	return pmu.counter[c].kind == COUNTER_GENERAL || pmu.counter[c].index == 0;
}

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
	config = (struct pmu_config){.code = 0xc0, .levels = LEVELS_USER, .edge = true};
	assert_true(drv->program(&pmu, 0, &config));
	assert_true(drv->start(&pmu, 1));
	for (unsigned i = 0; i < 6; i++)
		fake_cpu_run(&(struct qterm){Q_INSTRUCTIONS, i & 1}, 1, 1, 3, 1);
	assert_int_equal(count(0), 3);
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

/* CPUs that make no sense */

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
		assert_non_null(record_absent(&pmu, RECORD_LBR));
		assert_non_null(strstr(record_absent(&pmu, RECORD_LBR), "hypervisor"));
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
	assert_non_null(record_source(&pmu, RECORD_LBR));
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

static int cleanup(void **unused)
{
	(void)unused;
	fake_cpu_stop();
	return 0;
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
		cmocka_unit_test(undeclared_fixed_counters_are_tried),
		cmocka_unit_test(describes_each_part),
		cmocka_unit_test(counts_events),
		cmocka_unit_test(counts_on_fixed_counters),
		cmocka_unit_test(writes_counters),
		cmocka_unit_test(sees_overflow),
		cmocka_unit_test(takes_modifiers),
		cmocka_unit_test(enable_bracket_counts_its_own),
		cmocka_unit_test(read_bracket_counts_its_own),
		cmocka_unit_test(snapshot_reads_everything),
		cmocka_unit_test(refuses_nonsense),
		cmocka_unit_test(keeps_what_is_sound),
		cmocka_unit_test(leaves_out_what_faults),
		cmocka_unit_test(guests_lack_things),
		cmocka_unit_test(accepts_the_unusual),
		cmocka_unit_test(names_the_register_that_faults),
		cmocka_unit_test(clears_what_it_found),
		cmocka_unit_test(registry_finds),
	};
	return cmocka_run_group_tests(tests, NULL, cleanup);
}
