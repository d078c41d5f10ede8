/* The NetBurst driver against the NetBurst model, on every profile and on CPUs that are none of its own. */
#include "pmu/events/grammar.h"
#include "pmu/netburst/driver/parts.h"
#include "pmu/netburst/driver/state.h"
#include "pmu/netburst/netburst.h"
#include "tests/self/host/support/fake_cpu.h"

#include "arch/x86/cpu/msr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct pmu pmu;
static const struct pmu_driver *const drv = &netburst_driver;

static const struct {
	const struct model_profile *profile;
	unsigned model, escrs, events;
	bool hyper_threading;
} parts[] = {
	{&netburst_willamette, 1, 45, 208, false},  {&netburst_northwood, 2, 45, 208, false},
	{&netburst_northwood_ht, 2, 45, 208, true}, {&netburst_prescott, 4, 43, 210, true},
	{&netburst_presler, 6, 43, 210, false},     {&netburst_potomac, 4, 43, 210, true},
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

static struct pmu_config config_of(const char *text)
{
	struct event_request request;
	struct event_error error;

	if (event_parse(&pmu, text, &request, 1, &error) != 1)
		fail_msg("%s: %s", text, error.text);
	return request.config;
}

static bool program(unsigned c, const char *text)
{
	struct pmu_config config = config_of(text);

	return drv->program(&pmu, c, &config);
}

static uint64_t count(unsigned c)
{
	uint64_t value;

	assert_true(drv->read(&pmu, c, &value));
	return value;
}

static uint64_t msr(uint32_t address)
{
	uint64_t value;

	assert_true(msr_read(address, &value));
	return value;
}

static void describes_each_part(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PARTS; i++) {
		struct pmu_snapshot snapshot;

		start_cpu(parts[i].profile, NULL);
		assert_int_equal(pmu.n_counters, 18);
		assert_int_equal(pmu.n_events, parts[i].events);
		assert_false(pmu.has_global);
		assert_int_equal(netburst_cpu(&pmu)->model, parts[i].model);
		assert_int_equal(netburst_cpu(&pmu)->hyper_threading, parts[i].hyper_threading);
		drv->snapshot(&pmu, &snapshot);
		unsigned branches = parts[i].model < 3 ? 4 : 32;
		unsigned l3 = parts[i].profile == &netburst_potomac ? NETBURST_L3_COUNTERS : 0;

		assert_int_equal(snapshot.count, 9 + branches + 2 * 18 + parts[i].escrs + l3);
		assert_int_equal(netburst_has_l3(&pmu), l3 != 0);
		for (unsigned e = 0; e < snapshot.count; e++) {
			assert_true(snapshot.entry[e].readable);
			assert_false(snapshot.entry[e].enable);
		}
		assert_int_equal(fake_cpu_strays(), 0);
	}
}

static void declines_others(void **state)
{
	const char *why = NULL;

	(void)state;
	fake_cpu_start(model_profile_by_name("intel-core2"), NULL);
	assert_false(fake_cpu_identify(drv, &pmu, &why));
	assert_non_null(strstr(why, "family 0FH"));
	fake_cpu_start(&netburst_prescott, NULL);
	fake_cpu_set_leaf(1, 0, 0xf50, 0, 0, 0);
	assert_false(fake_cpu_identify(drv, &pmu, &why));
	assert_non_null(strstr(why, "model 5"));
	fake_cpu_start(&netburst_prescott, NULL);
	fake_cpu_break_msr(MSR_MISC_ENABLE);
	assert_false(fake_cpu_identify(drv, &pmu, &why));
	assert_non_null(strstr(why, "MSR_MISC_ENABLE"));
	start_cpu(&netburst_prescott, NULL);
	fake_cpu_break_msr(0x3cc);
	assert_false(drv->reset(&pmu, &why));
	assert_non_null(strstr(why, "CRU_ESCR2"));
}

/* Every event on every counter that may have it: accepted, at the place in the wiring that the code names. */
static void programs_everything(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PARTS; i++) {
		start_cpu(parts[i].profile, NULL);
		for (unsigned e = 0; e < pmu.n_events; e++)
			for (unsigned c = 0; c < 18; c++) {
				struct pmu_config config = {.code = pmu.events[e]->code,
							    .levels = LEVELS_ALL};

				if (!drv->can_count(&pmu, pmu.events[e], c))
					continue;
				assert_true(drv->program(&pmu, c, &config));
				assert_true(drv->start(&pmu, 1u << c));
				assert_true(msr(MSR_NETBURST_CCCR0 + c) & CCCR_ENABLE);
				assert_true(drv->stop(&pmu));
				assert_true(drv->release(&pmu, c));
				/* Nothing is left behind. */
				for (unsigned k = 0; k < 18; k++)
					assert_int_equal(msr(MSR_NETBURST_CCCR0 + k), 0);
				for (unsigned k = 0; k < ESCR_COUNT; k++)
					assert_int_equal(msr(netburst_escr[k].msr), 0);
				assert_int_equal(msr(MSR_PEBS_ENABLE), 0);
			}
		assert_int_equal(fake_cpu_strays(), 0);
	}
}

static void counts(void **state)
{
	(void)state;
	start_cpu(&netburst_prescott, NULL);
	assert_true(program(12, "instr_retired:NBOGUSNTAG"));
	fake_cpu_nops(5);
	assert_int_equal(count(12), 0);
	assert_true(drv->start(&pmu, 1 << 12));
	fake_cpu_nops(5);
	assert_true(drv->stop(&pmu));
	assert_int_equal(count(12), 5);
	fake_cpu_nops(5);
	assert_int_equal(count(12), 5);
	assert_true(program(12, "instr_retired:NBOGUSNTAG:u"));
	assert_true(drv->start(&pmu, 1 << 12));
	fake_cpu_nops(5);
	assert_true(drv->stop(&pmu));
	assert_int_equal(count(12), 0);
}

/* Tagging metrics: both halves and what keeps them awake are set up, and the tagged uops alone are counted.
 */
static void counts_tagged_uops(void **state)
{
	static const struct {
		const char *metric;
		struct qterm term;
	} metrics[] = {
		{"memory_loads", {Q_LOADS, 1}},
		{"memory_stores", {Q_STORES, 1}},
		{"packed_SP_retired", {Q_FP_128_SP, 1}},
		{"packed_DP_retired", {Q_FP_128_DP, 1}},
		{"scalar_SP_retired", {Q_FP_SCALAR_SP, 1}},
		{"scalar_DP_retired", {Q_FP_SCALAR_DP, 1}},
		{"64_bit_MMX_retired", {Q_INSN_MMX, 1}},
		{"128_bit_MMX_retired", {Q_INSN_SSE, 1}},
		{"X87_FP_retired", {Q_X87_OPS, 1}},
		{"X87_SIMD_memory_moves_retired", {Q_INSN_X87, 1}},
		{"1stL_cache_load_miss_retired", {Q_L1D_LOAD_MISS, 1}},
		{"2ndL_cache_load_miss_retired", {Q_L2_LOAD_MISS, 1}},
		{"DTLB_load_miss_retired", {Q_DTLB_LOAD_MISS, 1}},
		{"DTLB_store_miss_retired", {Q_DTLB_STORE_MISS, 1}},
		{"DTLB_all_miss_retired", {Q_DTLB_STORE_MISS, 1}},
		{"Tagged_mispred_branch", {Q_BR_MISPRED, 1}},
		{"MOB_load_replay_retired", {Q_STORE_FORWARD_BLOCK, 1}},
		{"split_load_retired", {Q_LOADS_SPLIT_LINE, 1}},
		{"split_store_retired", {Q_STORES_SPLIT_LINE, 1}},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
		for (unsigned c = 12; c < 18; c++) {
			start_cpu(&netburst_prescott, NULL);
			assert_true(program(c, metrics[i].metric));
			assert_true(drv->start(&pmu, 1u << c));
			fake_cpu_run(&metrics[i].term, 1, 1, 0, 3);
			fake_cpu_nops(4);
			assert_true(drv->stop(&pmu));
			if (count(c) != 3)
				fail_msg("%s on counter %u: %lu", metrics[i].metric, c,
					 (unsigned long)count(c));
			assert_true(drv->release(&pmu, c));
			assert_int_equal(msr(MSR_PEBS_ENABLE), 0);
		}
}

/* Two uses of one ESCR go together only if they want the same of it; so do tags of one mechanism. */
static void refuses_conflicts(void **state)
{
	(void)state;
	start_cpu(&netburst_prescott, NULL);
	assert_true(program(12, "instr_retired:NBOGUSNTAG"));
	assert_true(program(13, "instr_retired:NBOGUSNTAG"));
	assert_false(program(13, "uops_retired:NBOGUS")); /* CRU_ESCR0 is taken */
	assert_true(program(13, "branch_retired:MMTP"));
	assert_true(program(14, "uops_retired:NBOGUS")); /* CRU_ESCR1 is free */
	assert_false(program(4, "uops_retired:NBOGUS")); /* there is no such wire in MS */
	assert_true(drv->release(&pmu, 12) && drv->release(&pmu, 13) && drv->release(&pmu, 14));
	/* Replay tagging has one set of registers; execution tagging two ESCRs. */
	assert_true(program(12, "DTLB_load_miss_retired"));
	assert_false(program(14, "DTLB_store_miss_retired"));
	assert_true(program(14, "DTLB_load_miss_retired"));
	assert_true(drv->release(&pmu, 12));
	assert_int_equal(msr(MSR_PEBS_ENABLE), PEBS_REPLAY_TAG | 1 << 2);
	assert_true(program(12, "packed_SP_retired"));
	/* The counter that keeps FIRM's ESCR awake is not to be had. */
	assert_false(program(8, "x87_FP_uop:ALL"));
	assert_true(program(14, "X87_FP_retired"));
}

static void handles_overflow(void **state)
{
	uint64_t mask;

	(void)state;
	start_cpu(&netburst_prescott, NULL);
	for (unsigned c = 12; c < 18; c++) {
		struct pmu_config config = config_of("instr_retired:NBOGUSNTAG");

		config.interrupt = true;
		assert_true(drv->program(&pmu, c, &config));
		assert_true(drv->write(&pmu, c, -3ull));
		assert_int_equal(count(c), (1ull << 40) - 3);
		assert_true(drv->start(&pmu, 1u << c));
		fake_cpu_nops(5);
		assert_true(drv->stop(&pmu));
		assert_int_equal(fake_cpu_interrupts(), 1);
		assert_true(drv->overflowed(&pmu, &mask));
		assert_int_equal(mask, 1u << c);
		assert_true(drv->release(&pmu, c));
		assert_true(drv->overflowed(&pmu, &mask));
		assert_int_equal(mask, 1u << c); /* still to be seen */
		assert_true(drv->acknowledge(&pmu, 1u << c));
		assert_true(drv->overflowed(&pmu, &mask));
		assert_int_equal(mask, 0);
	}
}

static uint64_t run_bracket(const struct pmu_bracket *b, unsigned nops, uint64_t regs[4])
{
	uint8_t code[2048];
	unsigned size = 0, n = (unsigned)(b->start_end - b->start), m = (unsigned)(b->stop_end - b->stop);

	memcpy(code, b->start, n);
	size += n;
	memset(code + size, 0x90, nops);
	size += nops;
	memcpy(code + size, b->stop, m);
	return fake_cpu_execute(code, size + m, regs);
}

/* One counter and several: each sees the kernel and the bracket's constant share, and no overflow at the
 * window's last instruction is lost. */
static void brackets(void **state)
{
	static const uint64_t masks[] = {1 << 12, 1 << 17, 1 << 12 | 1 << 13, 1 << 12 | 1 << 14,
					 7 << 12 | 1 << 0 | 1 << 4};
	struct pmu_bracket b, again;

	(void)state;
	for (unsigned i = 0; i < sizeof masks / sizeof masks[0]; i++) {
		uint64_t regs[4] = {0}, status;

		start_cpu(&netburst_prescott, NULL);
		for (unsigned c = 0; c < 18; c++)
			if (masks[i] >> c & 1)
				assert_true(program(c, c < 4    ? "global_power_events:RUNNING"
						       : c < 12 ? "TC_deliver_mode:DI"
								: "instr_retired:NBOGUSNTAG"));
		assert_true(drv->bracket_enable(&pmu, masks[i], &b));
		assert_true(drv->bracket_enable(&pmu, masks[i], &again));
		assert_int_not_equal(b.version, again.version);
		unsigned own = b.own[0].amount;

		for (unsigned c = 12; c < 18; c++)
			if (masks[i] >> c & 1)
				assert_true(drv->write(&pmu, c, (1ull << 40) - 20 - own));
		run_bracket(&again, 20, regs);
		assert_true(drv->overflowed(&pmu, &status));
		for (unsigned c = 12; c < 18; c++)
			if (masks[i] >> c & 1) {
				assert_int_equal(count(c), 0);
				assert_true(status >> c & 1);
			}
		/* Everything is off afterwards. */
		fake_cpu_nops(3);
		for (unsigned c = 12; c < 18; c++)
			if (masks[i] >> c & 1)
				assert_int_equal(count(c), 0);
	}
	start_cpu(&netburst_prescott, NULL);
	assert_false(drv->bracket_enable(&pmu, 1 << 12, &b)); /* nothing is programmed */
	assert_true(program(12, "instr_retired:NBOGUSNTAG"));
	assert_true(drv->bracket_read(&pmu, 12, &b));
	assert_true(drv->start(&pmu, 1 << 12));
	uint64_t regs[4] = {b.args[0], b.args[1], b.args[2], b.args[3]};
	assert_int_equal(run_bracket(&b, 20, regs), 20 + b.own[0].amount);
}

/* "CCCR/ESCR" in hexadecimal, and counters as in ECX of RDPMC, whose bit 31 chooses how it reads. */
static void halves_of_selectors(void **state)
{
	static const char *const bad[] = {"0x100000000/0x1200020c",        "0x3b000/0x100000000",
					  "0x10003b000/0x1200020c",        "0x3b000",
					  "0x3b000/0x1200020c@0x4000000c", "0x3b000/0x1200020c@0x12",
					  "0x3b000/0x1200020c@18"};
	struct event_request request, same;
	struct event_error error;

	(void)state;
	start_cpu(&netburst_prescott, NULL);
	assert_int_equal(event_parse(&pmu, "0x3b000/0x1200020c", &request, 1, &error), 1);
	assert_int_equal(CODE_ESCR(request.config.code), 0x1200020c);
	assert_int_equal(CODE_CCCR(request.config.code) & CCCR_SELECT, 5u << CCCR_SELECT_SHIFT);
	assert_int_equal(request.config.levels, LEVELS_ALL);
	assert_int_equal(request.counter, 0);
	for (unsigned c = 0; c < 18; c++)
		for (unsigned fast = 0; fast < 2; fast++) {
			char text[64];

			snprintf(text, sizeof text, "0x3b000/0x1200020c@%#x", c | fast << 31);
			assert_int_equal(event_parse(&pmu, text, &same, 1, &error), 1);
			assert_int_equal(same.counter, c + 1);
			assert_int_equal(same.config.code, request.config.code);
		}
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (event_parse(&pmu, bad[i], &request, 1, &error))
			fail_msg("%s is taken", bad[i]);
}

static void cascades(void **state)
{
	struct pmu_config config;

	(void)state;
	start_cpu(&netburst_prescott, NULL);
	config = config_of("instr_retired:NBOGUSNTAG");
	assert_false(drv->cascade(&pmu, 12, 13, &config));
	assert_false(drv->cascade(&pmu, 0, 14, &config));
	assert_true(drv->cascade(&pmu, 12, 14, &config));
	assert_true(drv->program(&pmu, 14, &config));
	assert_true(program(12, "instr_retired:NBOGUSNTAG"));
	/* Accesses to registers are instructions here, too. */
	assert_true(drv->write(&pmu, 12, -40ull));
	assert_true(drv->start(&pmu, 1 << 12 | 1 << 14));
	fake_cpu_nops(20);
	assert_int_equal(count(14), 0);
	fake_cpu_nops(40);
	assert_in_range(count(14), 20, 40);
	/* Extended cascading, where the plain one does not reach. */
	config = config_of("instr_retired:NBOGUSNTAG");
	assert_true(drv->cascade(&pmu, 17, 15, &config));
	assert_int_equal(config.code & (CCCR_CASCADE | CCCR_EXTENDED_CASCADE), CCCR_EXTENDED_CASCADE);
	start_cpu(&netburst_willamette, NULL);
	assert_false(drv->cascade(&pmu, 17, 15, &config));
}

/* What the scheduler is told can be programmed, all of a pass at once. */
static void schedules(void **state)
{
	static const char *const wanted[] = {"instr_retired:NBOGUSNTAG",    "uops_retired:NBOGUS",
					     "packed_SP_retired",           "X87_FP_retired",
					     "split_load_retired",          "memory_loads",
					     "global_power_events:RUNNING", "uops_retired:BOGUS"};
	enum { N = sizeof wanted / sizeof wanted[0] };
	struct event_request request[N];
	struct sched_place place[N];
	struct sched_result result;
	struct event_error error;
	const char *why;

	(void)state;
	start_cpu(&netburst_prescott, NULL);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(event_parse(&pmu, wanted[i], &request[i], 1, &error), 1);
	assert_true(schedule_events(&pmu, request, N, place, &result, &why));
	for (unsigned pass = 0; pass < result.passes; pass++) {
		assert_true(drv->reset(&pmu, &why));
		for (unsigned i = 0; i < N; i++) {
			struct pmu_config config = event_placed(&request[i], &place[i]);

			if (place[i].pass == pass && !drv->program(&pmu, place[i].alternative, &config))
				fail_msg("pass %u: %s on counter %u", pass, wanted[i], place[i].alternative);
		}
	}
	assert_in_range(result.passes, 2, 3);
	assert_string_equal(drv->resource_name(&pmu, PMU_COUNTERS_MAX + CRU_ESCR2), "CRU_ESCR2");
}

/* Two kinds of execution tags go side by side, each with a colour; front-end tags have one. What counts
 * untagged instructions goes with no tags at all. */
static void tags_side_by_side(void **state)
{
	static const struct {
		const char *wanted[3];
		unsigned passes;
	} rows[] = {
		{{"packed_SP_retired:u", "X87_FP_retired:u"}, 1},
		{{"packed_SP_retired:u", "X87_FP_retired:u", "scalar_DP_retired:u"}, 2},
		{{"packed_SP_retired:u", "execution_event:NBOGUS0:u"}, 2},
		{{"memory_loads:u", "memory_loads:u"}, 1},
		{{"memory_loads:u", "memory_stores:u"}, 2},
		{{"memory_loads:u", "uop_type:TAGSTORES:u"}, 2},
		{{"memory_loads:u", "instr_retired:NBOGUSNTAG:u"}, 2},
		{{"memory_loads:u", "packed_SP_retired:u"}, 1},
		{{"DTLB_load_miss_retired:u", "DTLB_store_miss_retired:u"}, 2},
		{{"DTLB_load_miss_retired:u", "replay_event:NBOGUS:u"}, 2},
	};

	(void)state;
	start_cpu(&netburst_prescott, NULL);
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct event_request request[3];
		struct sched_place place[3];
		struct sched_result result;
		struct event_error error;
		const char *why;
		unsigned n = 0;

		for (; n < 3 && rows[i].wanted[n]; n++)
			assert_int_equal(event_parse(&pmu, rows[i].wanted[n], &request[n], 1, &error), 1);
		assert_true(schedule_events(&pmu, request, n, place, &result, &why));
		if (result.passes != rows[i].passes)
			fail_msg("%s and %s: %u passes", rows[i].wanted[0], rows[i].wanted[1], result.passes);
	}

	/* The driver by itself: what it can give is given, the rest refused. */
	assert_true(program(12, "packed_SP_retired"));
	assert_true(program(14, "X87_FP_retired"));
	assert_false(program(13, "scalar_DP_retired"));
	uint64_t first, second;
	assert_true(msr_read(netburst_escr[FIRM_ESCR0].msr, &first));
	assert_true(msr_read(netburst_escr[FIRM_ESCR1].msr, &second));
	assert_int_equal((first | second) & ESCR_TAG, 3 << ESCR_TAG_SHIFT);
	assert_int_equal(first & second & ESCR_TAG, 0);
	start_cpu(&netburst_prescott, NULL);
	assert_true(program(12, "memory_loads"));
	assert_false(program(14, "memory_stores"));
	fake_cpu_stop();
}

static bool holds(const struct pmu_access *a)
{
	uint64_t before = 0, value = 0;

	switch (a->kind) {
	case ACCESS_READ:
		return msr_read(a->address, &value) != (a->faults != ACCESS_WORKS);
	case ACCESS_WRITE:
		return msr_write(a->address, a->value) != (a->faults != ACCESS_WORKS);
	case ACCESS_SELECTOR:
		return pmc_read(a->address, &value) != (a->faults != ACCESS_WORKS);
	default:
		return msr_read(a->address, &before) && msr_write(a->address, a->value) &&
		       msr_read(a->address, &value) && value == (a->kind == ACCESS_KEPT ? a->value : before);
	}
}

static void accesses_hold(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PARTS; i++) {
		struct pmu_access list[64];
		unsigned n;

		start_cpu(parts[i].profile, NULL);
		n = drv->accesses(&pmu, list, 64);
		assert_in_range(n, 10, 63);
		assert_int_equal(drv->accesses(&pmu, list, 3), 3);
		n = drv->accesses(&pmu, list, 64);
		for (unsigned a = 0; a < n; a++)
			if (!holds(&list[a]))
				fail_msg("%s: %s", parts[i].profile->name, list[a].name);
	}
}

/* Bits that the manual reserves; some of them are kept all the same. */
static uint64_t reserved(uint32_t address)
{
	if (address - MSR_NETBURST_CCCR0 < NETBURST_COUNTERS)
		return CCCR_RESERVED;
	if (address >= 0x3a0 && address <= 0x3e1)
		return ESCR_RESERVED;
	switch (address) {
	case MSR_PEBS_ENABLE:
		return 0xfe0000; /* bits 15 and 16 are named in table 19-33 only */
	case MSR_PEBS_MATRIX_VERT:
		return ~UINT64_C(0x13);
	default:
		return 0;
	}
}

/* Every register that a CPU has, no other; what it holds at reset; that the bits have names that the manual
 * does not reserve, and no others (but for MSR_MISC_ENABLE, whose other bits are none of monitoring). */
static void registers_are_complete(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PARTS; i++) {
		static struct pmu_snapshot found;
		unsigned escrs = 0, counters = 0, cccrs = 0;
		char text[200];

		fake_cpu_start(parts[i].profile, NULL);
		const char *why;
		assert_true(fake_cpu_identify(drv, &pmu, &why));
		drv->snapshot(&pmu, &found);
		for (unsigned r = 0; r < found.count; r++) {
			const struct pmu_snapshot_entry *e = &found.entry[r];
			uint64_t value;

			assert_true(e->readable);
			escrs += e->address >= 0x3a0 && e->address <= 0x3e1;
			counters += e->address >= 0x300 && e->address <= 0x311;
			cccrs += e->address >= 0x360 && e->address <= 0x371;
			if (e->address == MSR_MISC_ENABLE)
				assert_true(e->value & MISC_ENABLE_PERFMON);
			else
				assert_int_equal(e->value, e->address == MSR_TC_PRECISE_EVENT ? 0xfc00 : 0);
			for (unsigned bit = 0; bit < 64 && e->address != MSR_MISC_ENABLE; bit++) {
				if (!msr_write(e->address, 1ull << bit) || !msr_read(e->address, &value))
					continue;
				register_format(drv->fields, e->address, value, text, sizeof text);
				bool kept = value >> bit & 1, named = !strchr(text, '?');
				if (kept && named == (reserved(e->address) >> bit & 1))
					fail_msg("%s, bit %u: %s", e->name, bit, text);
				msr_write(e->address, 0);
			}
			register_format(drv->fields, e->address, e->value, text, sizeof text);
			if (strchr(text, '?') && e->address != MSR_MISC_ENABLE)
				fail_msg("%s: %s", e->name, text);
		}
		assert_int_equal(escrs, parts[i].escrs);
		assert_int_equal(counters, NETBURST_COUNTERS);
		assert_int_equal(cccrs, NETBURST_COUNTERS);
		fake_cpu_stop();
	}
}

/* People read the names that the wiring has. */
static void registers_have_names(void **state)
{
	char name[32];

	(void)state;
	for (unsigned e = 0; e < ESCR_COUNT; e++)
		assert_string_equal(register_name(netburst_fields, netburst_escr[e].msr, name, sizeof name),
				    netburst_escr[e].name);
	for (unsigned c = 0; c < NETBURST_COUNTERS; c++) {
		assert_string_equal(register_name(netburst_fields, MSR_NETBURST_CCCR0 + c, name, sizeof name),
				    netburst_counter[c].cccr);
		assert_string_equal(
			register_name(netburst_fields, MSR_NETBURST_COUNTER0 + c, name, sizeof name),
			netburst_counter[c].name);
	}
}

/* perfex's raw form: the registers as they are, and the counter by its RDPMC index. */
static void raw_as_perfex_has_it(void **state)
{
	struct event_request request;
	struct event_error error;

	(void)state;
	start_cpu(&netburst_prescott, NULL);
	assert_int_equal(event_parse(&pmu, "0x0003b000/0x0c00180c@0x8000000e", &request, 1, &error), 1);
	assert_null(request.event);
	assert_int_equal(request.counter, 14 + 1);
	assert_int_equal(request.config.levels, LEVELS_ALL);
	assert_true((request.config.code & ~netburst_grammar.code_how) ==
		    (config_of("branch_retired:MMTP:MMTM").code & ~netburst_grammar.code_how));
	assert_true(netburst_grammar.written(&request.config) == UINT64_C(0x0c00180c0003a000));
	assert_int_equal(event_counters(&pmu, &request), 1 << 14);
	/* In one ring: uops_retired in IQ, page_walk_type in BPU. The counter says which. */
	assert_int_equal(event_parse(&pmu, "0x1279000/0x02000208", &request, 1, &error), 1);
	assert_int_equal(request.config.levels, LEVELS_SYSTEM);
	assert_int_equal(request.config.cmask, 2);
	assert_true(request.config.edge);
	assert_int_equal(event_counters(&pmu, &request), 0);
	assert_int_equal(event_parse(&pmu, "0x1279000/0x02000208@0x8000000e", &request, 1, &error), 1);
	assert_int_equal(event_counters(&pmu, &request), 1 << 14);
	assert_int_equal(event_parse(&pmu, "0x0003b000/0x0c00180c", &request, 1, &error), 1);
	assert_int_equal(event_counters(&pmu, &request), 0x3f000);
	assert_int_equal(event_parse(&pmu, "0x3b000", &request, 1, &error), 0);
	assert_int_equal(error.column, 7);
	assert_non_null(strstr(error.text, "CCCR/ESCR@counter"));
	assert_int_equal(event_parse(&pmu, "0x3b000/0x123456789", &request, 1, &error), 0);
	assert_int_equal(error.column, 8);
	assert_int_equal(event_parse(&pmu, "0x3b400/0x0c00180c", &request, 1, &error), 0);
	assert_non_null(strstr(error.text, "0x400"));
	assert_int_equal(event_parse(&pmu, "0x3b000/0x0c00180c@0x12", &request, 1, &error), 0);
}

/* What a CPU cannot do is refused in the words that were written. */
static void words_are_refused_as_they_were_written(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"0x3b000/0x18000205", "raw ESCR 18000205 asks for the other logical processor, and this CPU "
				       "has one: clear bits 1 and 0"},
		{"0x2b000/0x18000204",
		 "raw CCCR 0002B000: bits 17 and 16 must be 11B where there is one logical processor"},
		{"0xc03b000/0x18000204", "raw CCCR 0C03B000 interrupts the other logical processor, and this "
					 "CPU has one: clear bit 27"},
		{"0x3b000/0x18000200",
		 "raw ESCR 18000200 counts in no ring: set some of bits 3 to 0, or add :u or :k"},
	};
	struct event_request request;
	struct event_error error;

	(void)state;
	start_cpu(&netburst_northwood, NULL);
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		bool taken = event_parse(&pmu, cases[i].text, &request, 1, &error);

		assert_string_equal(taken ? "taken" : error.text, cases[i].why);
	}
	assert_int_equal(event_parse(&pmu, "IOQ_allocation:ALL_READ", &request, 1, &error), 1);
	assert_int_equal(event_counters(&pmu, &request), 15);
	start_cpu(&netburst_northwood_ht, NULL);
	assert_int_equal(event_parse(&pmu, "0x3b000/0x18000205", &request, 1, &error), 1);
	assert_int_equal(CODE_ESCR(request.config.code), 0x18000205);
	assert_int_equal(event_parse(&pmu, "0x803b000/0x18000204", &request, 1, &error), 0);
	assert_string_equal(error.text,
			    "raw CCCR 0803B000 interrupts the other logical processor alone: set bit 26");
	/* Rings and filters said behind a word replace its own. */
	assert_int_equal(event_parse(&pmu, "0x3b000/0x1800020c:u", &request, 1, &error), 1);
	assert_int_equal(CODE_ESCR(request.config.code), 0x18000204);
	assert_false(request.config.code & CCCR_COMPARE);
	assert_int_equal(event_parse(&pmu, "0x3b000/0x1800020c:thr=2", &request, 1, &error), 1);
	assert_true(request.config.code & CCCR_COMPARE);
	assert_int_equal(event_parse(&pmu, "0x23b000/0x1800020c", &request, 1, &error), 1);
	assert_false(request.config.code & CCCR_COMPARE);
	start_cpu(&netburst_willamette, NULL);
	/* FSB_ESCR1 has no IOQ_allocation before signature 0F27H, by name nor as words. */
	assert_int_equal(event_parse(&pmu, "IOQ_allocation:ALL_READ", &request, 1, &error), 1);
	assert_int_equal(event_counters(&pmu, &request), 3);
	assert_int_equal(event_parse(&pmu, "0x3d000/0x0600420c", &request, 1, &error), 1);
	assert_int_equal(event_counters(&pmu, &request), 3);
	assert_int_equal(event_parse(&pmu, "0x3b800/0x18000204", &request, 1, &error), 0);
	assert_string_equal(error.text, "raw CCCR 0003B800: bit 11 is reserved on model 1");
}

#define WORDS 10000

/* A generator that gives the same words everywhere: Knuth's MMIX. */
static uint32_t drawn(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 32);
}

/* A word with reserved bits and unlikely settings in one of eight, so that most can be programmed. */
static uint64_t word_of(uint64_t *seed)
{
	const struct netburst_event *e = &netburst_event[drawn(seed) % NB_EVENTS];
	uint32_t odd = drawn(seed), escr, cccr;

	escr = (drawn(seed) & ~ESCR_EVENT) | (uint32_t)e->select << ESCR_EVENT_SHIFT;
	cccr = (drawn(seed) & ~CCCR_SELECT) | (uint32_t)e->escr_select << CCCR_SELECT_SHIFT;
	if (odd & 7)
		escr &= ~(1u << 31);
	if (odd >> 3 & 7)
		cccr &= ~(uint32_t)CCCR_RESERVED;
	if (odd >> 6 & 7)
		cccr &= ~(CCCR_CASCADE | CCCR_EXTENDED_CASCADE);
	if (odd >> 9 & 7)
		cccr |= CCCR_THREAD_ANY;
	if (odd >> 12 & 3)
		escr &= ~(ESCR_T1_OS | ESCR_T1_USR);
	if (odd >> 14 & 3)
		cccr &= ~CCCR_OVF_PMI_T1;
	return (uint64_t)escr << 32 | cccr;
}

/* What the manual reserves on this CPU, or what counts nowhere. */
static bool is_reserved(uint64_t word, unsigned model, bool hyper_threading)
{
	uint32_t escr = (uint32_t)(word >> 32), cccr = (uint32_t)word;

	if (escr >> 31 || cccr & 0x300007ff || !(escr & 0xf))
		return true;
	if (cccr & 1u << 11 && model < 2)
		return true;
	if (cccr >> 27 & 1 && !(cccr >> 26 & 1)) /* the other processor's interrupt alone */
		return true;
	return !hyper_threading && (escr & 3 || (cccr >> 16 & 3) != 3 || cccr >> 27 & 1);
}

/* Each word is in the registers bit for bit, but for ENABLE and OVF, or refused with a reason. */
static void words_are_written_as_they_are(void **state)
{
	static const struct {
		const struct model_profile *cpu;
		uint8_t model;
		bool hyper_threading;
	} cpus[] = {{&netburst_prescott, 4, true},
		    {&netburst_northwood, 2, false},
		    {&netburst_northwood_ht, 2, true},
		    {&netburst_willamette, 1, false}};
	uint64_t seed = 1;
	unsigned written = 0, refused = 0, without_counter = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
		start_cpu(cpus[i].cpu, NULL);
		for (unsigned n = 0; n < WORDS / 4; n++) {
			uint64_t word = word_of(&seed), escr, cccr;
			bool interrupt = drawn(&seed) & 1;
			struct sched_alternative way[SCHEDULE_ALTERNATIVES];
			struct event_request request;
			struct event_error error;
			const char *why;
			char text[64], again[96];

			snprintf(text, sizeof text, "%#x/%#x", (unsigned)word, (unsigned)(word >> 32));
			bool taken = event_parse(&pmu, text, &request, 1, &error);

			if (taken == is_reserved(word, cpus[i].model, cpus[i].hyper_threading))
				fail_msg("%s of %s: %s", text, pmu.name, taken ? "taken" : error.text);
			if (!taken) {
				assert_true(error.text[0]);
				refused++;
				continue;
			}
			if (!drv->alternatives(&pmu, &request, way, &why)) {
				assert_non_null(why);
				without_counter++;
				continue;
			}
			event_format(&pmu, &request, again, sizeof again);
			assert_int_equal(event_parse(&pmu, again, &request, 1, &error), 1);
			unsigned c = way[0].use[0].resource;

			request.config.interrupt = interrupt;
			assert_true(drv->program(&pmu, c, &request.config));
			assert_true(drv->start(&pmu, 1ull << c));
			assert_true(msr_read(MSR_NETBURST_CCCR0 + c, &cccr));
			assert_true(msr_read(netburst_escr[netburst_use(&pmu)[c].escr].msr, &escr));
			assert_true(drv->stop(&pmu));
			uint64_t wanted = word & 0xffffffff & ~(uint64_t)(CCCR_ENABLE | CCCR_OVF);
			if (!interrupt)
				wanted &= ~(uint64_t)(CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1);
			else if (!(wanted & (CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1)))
				wanted |= CCCR_OVF_PMI_T0;
			if ((cccr & ~(uint64_t)(CCCR_ENABLE | CCCR_OVF)) != wanted)
				fail_msg("%s of %s: the CCCR has %#x", text, pmu.name, (unsigned)cccr);
			/* What the ESCR's unit lacks it does not keep; what it keeps is of the word. */
			if ((escr & 0x7fffffff) & ~(word >> 32) || (escr ^ word >> 32) & 0xf)
				fail_msg("%s of %s: the ESCR has %#x", text, pmu.name, (unsigned)escr);
			assert_true(drv->release(&pmu, c));
			assert_true(drv->acknowledge(&pmu, 1ull << c));
			written++;
		}
		fake_cpu_stop();
	}
	/* Most can be written: a driver that refuses all is none. */
	assert_true(written > WORDS / 3);
	assert_true(refused > WORDS / 20 && without_counter > 0);
	print_message("%u words written, %u refused, %u without a counter\n", written, refused,
		      without_counter);
}

static int cleanup(void **state)
{
	(void)state;
	fake_cpu_stop();
	return 0;
}

/* Pentium D: two cores in one package, each with counters of its own. */
static void cores_are_no_threads(void **state)
{
	const char *why;

	(void)state;
	fake_cpu_start(&netburst_presler, "");
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_false(netburst_cpu(&pmu)->hyper_threading);
	assert_int_equal(netburst_cpu(&pmu)->thread, 0);
	assert_null(strstr(pmu.name, "Hyper-Threading"));
	/* Pentium Extreme Edition: two cores of two threads. */
	fake_cpu_set_leaf(1, 0, 0xf64, 4 << 16 | 1 << 24, 0, 1u << 28 | 1u << 9 | 1u << 21);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_true(netburst_cpu(&pmu)->hyper_threading);
	assert_int_equal(netburst_cpu(&pmu)->thread, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cores_are_no_threads),
		cmocka_unit_test(describes_each_part),
		cmocka_unit_test(declines_others),
		cmocka_unit_test(programs_everything),
		cmocka_unit_test(counts),
		cmocka_unit_test(counts_tagged_uops),
		cmocka_unit_test(refuses_conflicts),
		cmocka_unit_test(handles_overflow),
		cmocka_unit_test(brackets),
		cmocka_unit_test(halves_of_selectors),
		cmocka_unit_test(cascades),
		cmocka_unit_test(words_are_refused_as_they_were_written),
		cmocka_unit_test(words_are_written_as_they_are),
		cmocka_unit_test(schedules),
		cmocka_unit_test(tags_side_by_side),
		cmocka_unit_test(accesses_hold),
		cmocka_unit_test(registers_are_complete),
		cmocka_unit_test(registers_have_names),
		cmocka_unit_test(raw_as_perfex_has_it),
	};

	return cmocka_run_group_tests(tests, NULL, cleanup);
}
