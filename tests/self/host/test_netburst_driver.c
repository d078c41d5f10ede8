/* The NetBurst driver against the NetBurst model, on every profile and on CPUs that are none of its own. */
#include "tests/self/host/netburst_driver_shortcuts.h"
#include "pmu/netburst/driver/parts.h"
#include "pmu/netburst/driver/state.h"

#include <stdio.h>
#include <string.h>

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

/* What a counter counts in front of the kernel is what ran behind the write that started its ESCR, whether the
 * ESCR is its own or shared. */
static void a_bracket_knows_what_runs_in_front(void **state)
{
	unsigned shared = 0;

	(void)state;
	for (uint64_t counters = 1; counters < 64; counters++) {
		uint64_t regs[4] = {0}, mask = counters << 12, value[6];
		struct pmu_bracket b;
		bool later = false;

		start_cpu(&netburst_prescott, NULL);
		for (unsigned c = 12; c < 18; c++)
			if (mask >> c & 1)
				assert_true(program(c, "instr_retired:NBOGUSNTAG"));
		assert_true(drv->bracket_enable(&pmu, mask, &b));
		b.stop_end = b.stop;
		run_bracket(&b, 0, regs);
		for (unsigned c = 12; c < 18; c++)
			value[c - 12] = msr(MSR_NETBURST_COUNTER0 + c);
		for (unsigned c = 12; c < 18; c++)
			if (mask >> c & 1) {
				/* Each reading of a counter before this one was an instruction, too. */
				assert_int_equal(value[c - 12], b.ahead[c] + (c - 12));
				later = later || b.ahead[c] != b.ahead[12 + (unsigned)__builtin_ctzll(counters)];
			}
		shared += later && __builtin_popcountll(counters) > 2;
	}
	assert_in_range(shared, 10, 63);
}

/* Erratum N15's workaround stops a counter that is written, and starts it again. */
static void a_written_counter_runs_on(void **state)
{
	static const struct model_profile *const parts[] = {&netburst_willamette, &netburst_northwood,
							    &netburst_prescott};

	(void)state;
	for (unsigned p = 0; p < sizeof parts / sizeof *parts; p++)
		for (unsigned i = 0; i < 4; i++) {
			unsigned running = i & 1, around = i >> 1;
			uint64_t value;

			start_cpu(parts[p], NULL);
			pmu.works_around = around ? UINT32_MAX : 0; /* the signature's choice on a CPU */
			assert_true(program(12, "instr_retired:NBOGUSNTAG"));
			if (running)
				assert_true(drv->start(&pmu, 1 << 12));
			fake_cpu_nops(3);
			assert_true(drv->write(&pmu, 12, 1000));
			value = msr(MSR_NETBURST_COUNTER0 + 12);
			assert_in_range(value, 1000, 1000 + 2 * running);
			fake_cpu_nops(7);
			/* The first reading is an instruction, too. */
			assert_int_equal(msr(MSR_NETBURST_COUNTER0 + 12) - value, running ? 8 : 0);
		}
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
		cmocka_unit_test(a_bracket_knows_what_runs_in_front),
		cmocka_unit_test(a_written_counter_runs_on),
		cmocka_unit_test(halves_of_selectors),
		cmocka_unit_test(cascades),
		cmocka_unit_test(schedules),
		cmocka_unit_test(tags_side_by_side),
		cmocka_unit_test(accesses_hold),
		cmocka_unit_test(registers_are_complete),
		cmocka_unit_test(registers_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, cleanup);
}
