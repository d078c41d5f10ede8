/*
 * Rules of the Intel model's branch traces and PEBS records, one test each. Included by the test of the model
 * as it is and by the one that breaks it.
 */
#ifndef TESTS_SELF_HOST_INTEL_DS_TESTS_H
#define TESTS_SELF_HOST_INTEL_DS_TESTS_H

#include "pmu/intel/records/ds.h"
#include "pmu/intel/events/extra.h"
#include "pmu/intel/records/pebs.h"
#include "tests/self/host/intel_lbr_tests.h"
#include "pmu/x86/general.h"

#define ROOM 4096

static struct ds_area *area;
static uint8_t *buffer;

/* Power up with a DS area in memory; buffers for `n` records of that size, the interrupt after `threshold`.
 */
static void boot_ds(const struct model_profile *p, const char *inject, size_t size, unsigned n,
		    unsigned threshold)
{
	boot(p, inject);
	area = fake_memory_create(sizeof *area + ROOM);
	buffer = (uint8_t *)area + sizeof *area;
	uint64_t base = (uintptr_t)buffer;
	area->bts = area->pebs = (struct ds_buffer){base, base, base + n * size, base + threshold * size};
	set(IA32_DS_AREA, (uintptr_t)area);
}

static unsigned bts_records(void)
{
	return (unsigned)((area->bts.index - area->bts.base) / sizeof(struct ds_branch));
}

static const struct ds_branch *bts(unsigned i)
{
	return (const struct ds_branch *)buffer + i;
}

#define BTS_ON (DEBUGCTL_TR | DEBUGCTL_BTS)

static void ds_registers(void **unused)
{
	(void)unused;
	boot(&intel_yonah, "");
	assert_true(faults(IA32_DS_AREA));
	assert_true(faults(IA32_PEBS_ENABLE));
	assert_int_equal(put(IA32_DS_AREA, 0), REGISTER_FAULT);
	assert_int_equal(put(IA32_PEBS_ENABLE, 0), REGISTER_FAULT);
	assert_int_equal(get(IA32_MISC_ENABLE), 0x1880);
	boot(&intel_core2, "");
	assert_int_equal(get(IA32_MISC_ENABLE), 0x80);
	set(IA32_MISC_ENABLE, 1);
	assert_int_equal(get(IA32_MISC_ENABLE), 0x81);
	refuses(IA32_MISC_ENABLE, MISC_ENABLE_NO_PEBS);
	set(IA32_DS_AREA, HIGH);
	assert_int_equal(get(IA32_DS_AREA), HIGH);
	refuses(IA32_DS_AREA, 1ull << 47);
}

static void pebs_registers(void **unused)
{
	static const struct {
		const struct model_profile *profile;
		uint64_t enable;
		bool adaptive;
	} of[] = {
		{&intel_core2, 1, false},
		{&intel_silvermont, 1, false},
		{&intel_nehalem, 0xf0000000f, false},
		{&intel_sandybridge, 0x800000000000000f | 0xfull << 32, false},
		{&intel_haswell, 0xf0000000f, false},
		{&intel_skylake, 0xf0000000f, false},
		{&intel_goldmont, 1, false},
		{&intel_goldmontplus, 0x70000000f, false},
		{&intel_icelake, 0xf000000ff, true},
		{&intel_tremont, 0x70000000f, true},
		{&intel_alderlake_e, 0x70000003f, true},
	};
	(void)unused;
	for (unsigned p = 0; p < sizeof of / sizeof of[0]; p++) {
		boot(of[p].profile, "");
		for (unsigned b = 0; b < 64; b++) {
			if (of[p].enable >> b & 1)
				set(IA32_PEBS_ENABLE, 1ull << b);
			else
				refuses(IA32_PEBS_ENABLE, 1ull << b);
			if (!of[p].adaptive)
				continue;
			if (0xff00000full >> b & 1)
				set(IA32_PEBS_DATA_CFG, 1ull << b);
			else
				refuses(IA32_PEBS_DATA_CFG, 1ull << b);
		}
		assert_int_equal(faults(IA32_PEBS_DATA_CFG), !of[p].adaptive);
		assert_int_equal(put(IA32_PEBS_DATA_CFG, 0), of[p].adaptive ? REGISTER_DONE : REGISTER_FAULT);
		assert_int_equal(put(IA32_PERFEVTSEL0, 1ull << 34),
				 of[p].adaptive ? REGISTER_DONE : REGISTER_FAULT);
		assert_int_equal(put(IA32_FIXED_CTR_CTRL, 1ull << 32),
				 of[p].adaptive ? REGISTER_DONE : REGISTER_FAULT);
	}
}

static void extra_registers(void **unused)
{
	static const struct {
		const struct model_profile *profile;
		uint64_t valid[4];
	} of[] = {
		{&intel_core2, {0}},
		{&intel_nehalem, {0xffff, 0, 0xffff, 0}},
		{&intel_westmere, {0xffff, 0xffff, 0xffff, 0}},
		{&intel_skylake, {0x3fffff8fff, 0x3fffff8fff, 0xffff, 0x7fff17}},
		{&intel_silvermont, {0x768005ffff, 0x368005ffff, 0, 0}},
	};
	static const uint32_t address[] = {0x1a6, 0x1a7, 0x3f6, 0x3f7};
	(void)unused;
	for (unsigned p = 0; p < sizeof of / sizeof of[0]; p++) {
		boot(of[p].profile, "");
		for (unsigned i = 0; i < 4; i++) {
			assert_int_equal(faults(address[i]), !of[p].valid[i]);
			for (unsigned b = 0; b < 64; b++) {
				if (of[p].valid[i] >> b & 1) {
					set(address[i], 1ull << b);
					assert_int_equal(get(address[i]), 1ull << b);
				} else {
					refuses(address[i], 1ull << b);
				}
			}
		}
	}
}

static void bts_trace(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < 2; p++) {
		boot_ds(p ? &intel_alderlake_p : &intel_core2, "", sizeof(struct ds_branch), 10, 11);
		assert_false(intel_model.recording(cpu));
		set(IA32_DEBUGCTL, DEBUGCTL_BTS | DEBUGCTL_BTINT);
		assert_false(intel_model.recording(cpu));
		set(IA32_DEBUGCTL, BTS_ON | DEBUGCTL_BTINT);
		assert_true(intel_model.recording(cpu));
		jumps(1);
		fake_path_nops(&path, 3);
		fake_path_not_taken(&path);
		fake_path_mispredicted(&path, TRANSFER_CONDITIONAL, CODE);
		fake_path_event(&path, HIGH);
		assert_int_equal(bts_records(), 3);
		assert_int_equal(bts(0)->from, CODE);
		assert_int_equal(bts(0)->to, CODE + 16);
		assert_int_equal(bts(0)->flags, DS_BRANCH_PREDICTED);
		assert_int_equal(bts(1)->from, CODE + 21);
		assert_int_equal(bts(1)->to, CODE);
		assert_int_equal(bts(1)->flags, 0);
		assert_int_equal(bts(2)->from, CODE);
		assert_int_equal(bts(2)->to, HIGH);
		set(IA32_DEBUGCTL, 0);
		jumps(1);
		assert_int_equal(bts_records(), 3);
		assert_int_equal(fake_path_interrupts(&path), 0);
	}
}

static void bts_interrupt(void **unused)
{
	(void)unused;
	boot_ds(&intel_nehalem, "", sizeof(struct ds_branch), 5, 3);
	set(IA32_DEBUGCTL, BTS_ON | DEBUGCTL_BTINT);
	jumps(2);
	assert_int_equal(fake_path_interrupts(&path), 0);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 0);
	jumps(1);
	assert_int_equal(fake_path_interrupts(&path), 1);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), STATUS_OVF_BUF);
	jumps(4);
	assert_int_equal(fake_path_interrupts(&path), 0);
	assert_int_equal(bts_records(), 5);
	assert_int_equal(fake_memory_end_written(), sizeof *area + 5 * sizeof(struct ds_branch));
	assert_int_equal(bts(0)->from, CODE);
	set(IA32_PERF_GLOBAL_OVF_CTRL, STATUS_OVF_BUF);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 0);

	/* Circular: no interrupt, and the oldest is written over. */
	boot_ds(&intel_nehalem, "", sizeof(struct ds_branch), 5, 3);
	set(IA32_DEBUGCTL, BTS_ON);
	jumps(5);
	assert_int_equal(area->bts.index, area->bts.base);
	jumps(2);
	assert_int_equal(fake_path_interrupts(&path), 0);
	assert_int_equal(bts_records(), 2);
	assert_int_equal(bts(1)->from, CODE + 6 * 16);
	assert_int_equal(bts(2)->from, CODE + 2 * 16);

	/* Memory that is not there. */
	boot(&intel_nehalem, "");
	set(IA32_DEBUGCTL, BTS_ON);
	jumps(1);
	boot_ds(&intel_nehalem, "", sizeof(struct ds_branch), 5, 3);
	fake_memory_protect(buffer, ROOM);
	set(IA32_DEBUGCTL, BTS_ON);
	jumps(1);
	assert_int_equal(bts_records(), 0);
	assert_int_equal(fake_memory_refused(), 1);
}

static void bts_rings(void **unused)
{
	(void)unused;
	for (unsigned ring = 0; ring < 4; ring += 3) {
		boot_ds(&intel_nehalem, "", sizeof(struct ds_branch), 10, 11);
		set(IA32_DEBUGCTL,
		    BTS_ON | DEBUGCTL_BTINT | (ring ? DEBUGCTL_BTS_OFF_OS : DEBUGCTL_BTS_OFF_USR));
		jumps(1);
		fake_path_far(&path, CODE + 0x100, 3);
		jumps(1);
		fake_path_event(&path, CODE + 0x200);
		assert_int_equal(bts_records(), 2);
		assert_int_equal(bts(0)->to, ring ? CODE + 0x100 : CODE + 16);
		assert_int_equal(bts(1)->to, ring ? CODE + 0x110 : CODE + 0x200);
	}
}

/* PEBS */

static unsigned pebs_bytes(void)
{
	return (unsigned)(area->pebs.index - area->pebs.base);
}

static const struct pebs_record *pebs_at(size_t size, unsigned i)
{
	return (const struct pebs_record *)(buffer + i * size);
}

/* Counter 0 samples C0H, reloaded with -n; what is set is below. */
static void sample(uint64_t select, uint64_t n)
{
	area->reset[0] = -n;
	program(0, select);
	set(IA32_PMC0, -n);
	set(IA32_PEBS_ENABLE, 1);
	fake_path_start(&path, &intel_model, cpu, CODE);
}

static void pebs_formats(void **unused)
{
	static const struct {
		const struct model_profile *profile;
		size_t size;
		unsigned format;
		uint64_t event;
	} of[] = {
		{&intel_core2, 144, 0, 0xc0},       {&intel_nehalem, 176, 1, 0xc0},
		{&intel_sandybridge, 176, 1, 0xc0}, {&intel_haswell, 192, 2, 0xc0},
		{&intel_skylake, 200, 3, 0xc0},     {&intel_goldmont, 200, 3, 0xc0},
		{&intel_silvermont, 192, 2, 0xc0},  {&intel_goldmontplus, 200, 3, 0xc0},
	};
	(void)unused;
	for (unsigned p = 0; p < sizeof of / sizeof of[0]; p++) {
		boot_ds(of[p].profile, "", of[p].size, 10, 11);
		bool trap = of[p].format > 0;

		sample(INSTR, 4);
		assert_int_equal(intel_model.recording(cpu), !trap);
		fake_path_nops(&path, 3);
		assert_false(path.changed);
		fake_path_nops(&path, 1);
		assert_true(path.changed);
		assert_true(intel_model.recording(cpu));
		assert_int_equal(pebs_bytes(), 0);
		assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 1);
		fake_path_nops(&path, 1);
		assert_true(path.changed);
		assert_int_equal(intel_model.recording(cpu), !trap);
		assert_int_equal(pebs_bytes(), of[p].size);
		assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 0);
		assert_int_equal((int32_t)get(IA32_PMC0), -4);
		assert_int_equal(fake_path_interrupts(&path), 0);
		fake_path_nops(&path, 5);
		assert_int_equal(pebs_bytes(), 2 * of[p].size);

		/* The fifth and the tenth NOP; RAX grows by 1 with each. */
		for (unsigned i = 0; i < 2; i++) {
			const struct pebs_record *r = pebs_at(of[p].size, i);
			unsigned ran = 5 * (i + 1);

			assert_int_equal(r->ip, CODE + ran - !trap);
			assert_int_equal(r->flags, 2);
			assert_int_equal(r->general[0], 0x1111000000000000 + ran - !trap);
			for (unsigned g = 1; g < 16; g++)
				assert_int_equal(r->general[g], 0x1111000000000000 + (g << 8));
			if (of[p].format >= 1) {
				assert_int_equal(r->status, 1);
				assert_int_equal(r->address, 0);
				assert_int_equal(r->source, 0);
				assert_int_equal(r->latency, 0);
			}
			if (of[p].format >= 2)
				assert_int_equal(r->eventing_ip, CODE + ran - 1);
			if (of[p].format >= 3)
				assert_int_equal(r->clock, 1000 + FAKE_PATH_CYCLE * ran);
		}
		/* Off: nothing is armed any more. */
		fake_path_nops(&path, 4);
		set(IA32_PEBS_ENABLE, 0);
		fake_path_nops(&path, 3);
		assert_int_equal(pebs_bytes(), 2 * of[p].size);
	}
}

static void pebs_buffer(void **unused)
{
	(void)unused;
	boot_ds(&intel_nehalem, "", 176, 3, 2);
	sample(INSTR, 1);
	fake_path_nops(&path, 2);
	assert_int_equal(fake_path_interrupts(&path), 0);
	fake_path_nops(&path, 2);
	assert_int_equal(fake_path_interrupts(&path), 1);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), STATUS_OVF_BUF);
	fake_path_nops(&path, 2);
	assert_int_equal(pebs_bytes(), 3 * 176);
	/* No room: no record, no reload, and it stays armed. */
	fake_path_nops(&path, 10);
	assert_int_equal(pebs_bytes(), 3 * 176);
	assert_int_equal(fake_path_interrupts(&path), 0);
	assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), STATUS_OVF_BUF | 1);
	assert_int_equal(get(IA32_PMC0), 9);
	assert_true(intel_model.recording(cpu));
	area->pebs.index = area->pebs.base;
	fake_path_nops(&path, 1);
	assert_int_equal(pebs_bytes(), 176);
	assert_false(intel_model.recording(cpu));
	/* The freeze takes the interrupt of the buffer as any other. */
	set(IA32_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON_ON_PMI);
	fake_path_nops(&path, 2);
	assert_int_equal(get(IA32_PERF_GLOBAL_CTRL), 0);
	/* An overflow has its own interrupt if it is asked for. */
	boot_ds(&intel_nehalem, "", 176, 3, 4);
	sample(INSTR | EVTSEL_INT, 1);
	fake_path_nops(&path, 1);
	assert_int_equal(fake_path_interrupts(&path), 1);
}

/* Two counters that are hit by one step share a record. */
static void pebs_shared(void **unused)
{
	(void)unused;
	boot_ds(&intel_skylake, "", 200, 5, 6);
	area->reset[1] = -100ll;
	sample(BRANCHES, 1);
	program(1, BRANCHES);
	set(IA32_PMC0 + 1, -1ll);
	set(IA32_PEBS_ENABLE, 3);
	jumps(1);
	fake_path_nops(&path, 4);
	jumps(1);
	assert_int_equal(pebs_bytes(), 200);
	assert_int_equal(pebs_at(200, 0)->status, 3);
	assert_int_equal(get(IA32_PMC0 + 1), 0x1000000000000 - 100);
	jumps(2);
	assert_int_equal(pebs_bytes(), 400);
	assert_int_equal(pebs_at(200, 1)->status, 1);
}

/* Terms of a load that missed so and so deep. */
static void slow_load(uint64_t at, unsigned depth)
{
	struct qterm terms[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 1},    {Q_L1D_LOAD_MISS, 1},
				{Q_L2_LOAD_MISS, 1}, {Q_LLC_MISS, 1}, {Q_DTLB_LOAD_MISS, 1}};
	const struct step_access access = {.address = at, .size = 8};

	fake_path_access(&path, 3, terms, 2 + depth, &access, 1);
}

static void pebs_latency(void **unused)
{
	static const struct {
		unsigned depth, latency, source;
	} loads[] = {{0, 4, 1}, {1, 14, 3}, {2, 42, 4}, {3, 210, 0xc}, {4, 240, 0x1c}};
	(void)unused;
	for (unsigned p = 0; p < 3; p++) {
		static const struct model_profile *const of[] = {&intel_nehalem, &intel_haswell,
								 &intel_icelake};
		static const size_t size[] = {176, 192, 64};

		boot_ds(of[p], "", size[p], 9, 10);
		set(MSR_PEBS_LD_LAT, 13);
		sample((p ? 0x01cd : 0x100b) | BOTH | EVTSEL_EN | (p == 2 ? EVTSEL_ADAPTIVE : 0), 1);
		if (p == 2) {
			set(IA32_PEBS_DATA_CFG, PEBS_CFG_MEMORY);
		} else {
			/* Not before its own bit is set. */
			slow_load(0x5000, 3);
			assert_int_equal((int32_t)get(IA32_PMC0), -1);
			set(IA32_PEBS_ENABLE, 1 | 1ull << 32);
		}
		/* All that a latency depends on is asked for. */
		static const quantity_number asked[] = {Q_LOADS, Q_L1D_LOAD_MISS, Q_L2_LOAD_MISS, Q_LLC_MISS,
							Q_DTLB_LOAD_MISS};
		for (unsigned i = 0; i < sizeof asked / sizeof asked[0]; i++)
			assert_true(intel_model.counts(cpu, (enum quantity)asked[i]));
		assert_false(intel_model.counts(cpu, Q_BR_MISPRED));
		for (unsigned i = 0; i < 5; i++) {
			slow_load(0x5000 + i, loads[i].depth);
			slow_load(0x6000 + i, loads[i].depth);
			assert_int_equal(pebs_bytes(), i * size[p]);
			if (!i)
				continue;
			const uint64_t *m = p == 2 ? (const uint64_t *)(buffer + (i - 1) * 64 + 32)
						   : &pebs_at(size[p], i - 1)->address;
			assert_int_equal(m[0], 0x6000 + i);
			assert_int_equal(m[1], loads[i].source);
			assert_int_equal(m[2], loads[i].latency);
		}
	}
	/* An instruction that loads here and stores there: whose address it is the event says. */
	static const struct {
		uint32_t event;
		uint64_t address;
	} events[] = {{0x02d1, 0x7100}, {0x01d1, 0x7100}, {0x81d0, 0x7100}, {0x82d0, 0x7200}};
	const struct step_access both[] = {{.address = 0x7100, .size = 8},
					   {.address = 0x7200, .size = 8, .store = true}};
	const struct qterm terms[] = {{Q_INSTRUCTIONS, 1}, {Q_INSN_LOAD, 1}, {Q_LOADS, 1},
				      {Q_INSN_STORE, 1},   {Q_STORES, 1},    {Q_LOADS_SOME, 1}};

	for (unsigned e = 0; e < sizeof events / sizeof *events; e++) {
		boot_ds(&intel_haswell, "", 192, 9, 10);
		sample(events[e].event | BOTH | EVTSEL_EN, 1);
		fake_path_access(&path, 3, terms, 6, both, 2);
		fake_path_access(&path, 3, terms, 6, both, 2);
		assert_int_equal(pebs_at(192, 0)->address, events[e].address);
	}
	/* Events without addresses. */
	boot_ds(&intel_haswell, "", 192, 9, 10);
	sample(INSTR, 1);
	fake_path_load(&path, 0x7000);
	fake_path_load(&path, 0x7008);
	assert_int_equal(pebs_at(192, 0)->address, 0);
}

static void pebs_adaptive(void **unused)
{
	const uint64_t groups = PEBS_CFG_MEMORY | PEBS_CFG_GPRS | PEBS_CFG_XMM | PEBS_CFG_BRANCHES | 3u << 24;
	const size_t full = 32 + 32 + 144 + 256 + 4 * 24;
	(void)unused;
	boot_ds(&intel_icelake, "", full, 3, 4);
	set(IA32_DEBUGCTL, DEBUGCTL_LBR);
	set(IA32_PEBS_DATA_CFG, groups);
	sample(INSTR | EVTSEL_ADAPTIVE, 3);
	jumps(4);
	assert_int_equal(pebs_bytes(), full);
	const struct pebs_basic *basic = (const struct pebs_basic *)buffer;
	assert_int_equal(basic->format, groups | (uint64_t)full << 48);
	assert_int_equal(basic->ip, CODE + 48);
	assert_int_equal(basic->counters, 1);
	assert_int_equal(basic->clock, 1000 + 4 * FAKE_PATH_CYCLE);
	const struct pebs_memory *m = (const struct pebs_memory *)(basic + 1);
	assert_int_equal(m->address, 0);
	const struct pebs_gprs *g = (const struct pebs_gprs *)(m + 1);
	assert_int_equal(g->flags, 2);
	assert_int_equal(g->ip, CODE + 64);
	const unsigned order[] = {GPR_RAX, GPR_RCX, GPR_RDX, GPR_RBX, GPR_RSP, GPR_RBP, GPR_RSI, GPR_RDI};
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal((&g->ax)[i], 0x1111000000000000 + (order[i] << 8));
		assert_int_equal(g->r8[i], 0x1111000000000000 + ((8 + i) << 8));
	}
	assert_memory_equal(g + 1, path.vectors, 256);
	assert_int_equal(((const uint8_t *)(g + 1))[1], 1);
	const struct pebs_branch *b = (const struct pebs_branch *)((const uint8_t *)(g + 1) + 256);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(b[i].from, CODE + 16 * (3 - i));
		assert_int_equal(b[i].to, CODE + 16 * (4 - i));
		assert_int_equal(b[i].info, 1);
	}
	/* Without its bit a counter has the basic group alone; fixed counters sample, too. */
	boot_ds(&intel_icelake, "", full, 3, 4);
	set(IA32_PEBS_DATA_CFG, groups);
	sample(INSTR, 1);
	fake_path_nops(&path, 2);
	assert_int_equal(pebs_bytes(), 32);
	set(IA32_PEBS_ENABLE, 1ull << 32);
	set(IA32_PERF_GLOBAL_CTRL, FIXED_BIT(0));
	area->reset[ds_reset(4, true, 0)] = -7ull;
	set(IA32_FIXED_CTR0, 0xffffffffffff);
	set(IA32_FIXED_CTR_CTRL, 3 | 1ull << 32);
	fake_path_nops(&path, 2);
	assert_int_equal(pebs_bytes(), 32 + full);
	basic = (const struct pebs_basic *)(buffer + 32);
	assert_int_equal(basic->counters, FIXED_BIT(0));
	assert_int_equal(get(IA32_FIXED_CTR0), 0xfffffffffff9);
}

/* One record of NOPs by counter c, `distance` in front of its overflow: which one it is of, the first is 1.
 */
static uint64_t sampled(const struct model_profile *p, const char *inject, unsigned c, uint64_t code,
			unsigned distance, unsigned skipped)
{
	const struct intel_state *s;
	const bool is_fixed = c >= 100;
	const unsigned i = is_fixed ? c - 100 : c;
	uint64_t ip = 0;

	boot_ds(p, inject, 1024, 1, 2);
	s = cpu;
	area->pebs.max =
		area->pebs.base + (s->pebs.at.adaptive ? sizeof(struct pebs_basic) : s->pebs.at.size);
	area->reset[ds_reset(s->pebs.at.format, is_fixed, i)] = -(uint64_t)distance;
	if (is_fixed)
		set(IA32_FIXED_CTR_CTRL, 3ull << 4 * i);
	else
		set(IA32_PERFEVTSEL0 + i, code | EVTSEL_OS | EVTSEL_USR | EVTSEL_EN);
	set(IA32_PEBS_ENABLE, is_fixed ? FIXED_BIT(i) : 1ull << i);
	set(IA32_PERF_GLOBAL_CTRL, is_fixed ? FIXED_BIT(i) : 1ull << i);
	fake_path_start(&path, &intel_model, cpu, CODE);
	for (unsigned k = 0; k <= skipped; k++) {
		area->pebs.index = area->pebs.base;
		set((is_fixed ? IA32_FIXED_CTR0 : IA32_PMC0) + i, -(uint64_t)distance & s->counter[0].mask);
		uint64_t from = path.regs.ip;
		while (area->pebs.index == area->pebs.base && path.regs.ip < from + 1000) {
			/* What a record tells is asked for in time. */
			bool recording = intel_model.recording(cpu);
			fake_path_nops(&path, 1);
			if (area->pebs.index != area->pebs.base)
				assert_true(recording);
		}
		const struct pebs_record *plain = (const struct pebs_record *)buffer;
		ip = (s->pebs.at.adaptive ? ((const struct pebs_basic *)buffer)->ip : plain->eventing_ip) -
		     from + 1;
	}
	return ip;
}

/* Where there is skid, and where there is none: on a profile whose records are late, the first three of each
 * kind. Fixed counter i is 100 + i. */
static void pebs_skids(void **unused)
{
	enum { INSTRUCTIONS = 0xc0, DISTRIBUTION = 0x1c0, CYCLES = 0x3c };
	static const struct {
		const struct model_profile *profile;
		unsigned counter;
		uint64_t code;
		unsigned distance, record; /* without skid */
		bool exact;
	} rows[] = {
		{&intel_broadwell, 1, DISTRIBUTION, 128, 129, true},
		{&intel_broadwell, 1, DISTRIBUTION, 127, 128, false},
		{&intel_goldmont, 0, INSTRUCTIONS, 128, 129, true},
		{&intel_goldmont, 0, INSTRUCTIONS, 127, 128, false},
		{&intel_goldmont, 0, CYCLES, 128, 129, true},
		{&intel_goldmontplus, 0, INSTRUCTIONS, 128, 129, true},
		{&intel_goldmontplus, 1, INSTRUCTIONS, 128, 129, false},
		{&intel_icelake, 100, 0, 128, 129, true},
		{&intel_icelake, 0, INSTRUCTIONS, 128, 129, false},
		{&intel_icelake, 101, 0, 20, 21, true},
		{&intel_sapphirerapids, 100, 0, 128, 129, true},
		{&intel_sapphirerapids, 0, INSTRUCTIONS, 128, 128, true},
		{&intel_sapphirerapids, 0, INSTRUCTIONS, 127, 128, false},
		{&intel_sapphirerapids, 1, INSTRUCTIONS, 200, 201, false},
		{&intel_tremont, 0, INSTRUCTIONS, 128, 129, true},
		{&intel_alderlake_e, 0, INSTRUCTIONS, 128, 129, true},
		{&intel_alderlake_e, 1, INSTRUCTIONS, 128, 129, false},
		{&intel_meteorlake_e, 1, INSTRUCTIONS, 128, 128, true},
		{&intel_meteorlake_e, 2, INSTRUCTIONS, 128, 129, false},
		{&intel_meteorlake_e, 100, 0, 128, 129, true},
	};

	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
		for (unsigned late = 0; late < 2; late++)
			for (unsigned k = 0; k < 4; k++) {
				struct model_profile p = *rows[i].profile;
				unsigned skid = late && !rows[i].exact ? k % 3 : 0;

				p.late = late;
				assert_int_equal(
					sampled(&p, "", rows[i].counter, rows[i].code, rows[i].distance, k),
					rows[i].record + skid);
			}
}

/* Format 6, which no virtual CPU has: values of counters. */
static void pebs_counters(void **unused)
{
	const uint64_t groups = PEBS_CFG_COUNTERS | PEBS_CFG_METRICS | 0xf02ull << 32 | 0x81ull << 48;
	static struct intel_profile data;
	static struct model_profile profile;
	(void)unused;
	data = *(const struct intel_profile *)intel_sapphirerapids.data;
	profile = intel_sapphirerapids;
	data.perf_capabilities = (data.perf_capabilities & ~0xf00ull) | 0x600;
	profile.data = &data;
	profile.late = false;
	boot_ds(&intel_sapphirerapids, "", 32, 3, 4);
	refuses(IA32_PEBS_DATA_CFG, PEBS_CFG_COUNTERS);
	boot_ds(&profile, "", 256, 3, 4);
	for (unsigned b = 0; b < 64; b++)
		if (b < 6 || (b >= 24 && b < 56))
			set(IA32_PEBS_DATA_CFG, 1ull << b);
		else
			refuses(IA32_PEBS_DATA_CFG, 1ull << b);
	set(IA32_PEBS_DATA_CFG, groups);
	program(1, BRANCHES);
	set(IA32_FIXED_CTR_CTRL, 0x3003);
	sample(INSTR | EVTSEL_ADAPTIVE, 3);
	set(IA32_PERF_GLOBAL_CTRL, 3 | FIXED_BIT(0) | FIXED_BIT(3) | GLOBAL_METRICS);
	jumps(4);
	/* Of the counters that are named two exist. */
	const uint64_t *r = (const uint64_t *)buffer;
	assert_int_equal(pebs_bytes(), 32 + 16 + 16 + 16);
	assert_int_equal(r[0] >> 48, pebs_bytes());
	assert_int_equal(r[0] & 0xffffffff, 0x30);
	assert_int_equal(r[4], 2 | 1ull << 32);
	assert_int_equal(r[5], 3);
	assert_int_equal(r[6], 4);
	assert_int_equal(r[7], 4);
	assert_int_equal(r[8], 24); /* slots */
	assert_int_equal(r[9] & 0xff, 42);
}

static void freeze_in_smm(void **unused)
{
	(void)unused;
	for (unsigned freeze = 0; freeze < 2; freeze++) {
		boot(&intel_nehalem, "smi");
		set(IA32_DEBUGCTL, freeze ? DEBUGCTL_FREEZE_WHILE_SMM : 0);
		program(0, INSTR);
		instructions(5000);
		assert_int_equal(get(MSR_SMI_COUNT), 1);
		assert_int_equal(get(IA32_PMC0) > 5000, !freeze);
	}
}

#define MODEL_DS_TESTS                                                                                       \
	cmocka_unit_test(ds_registers), cmocka_unit_test(pebs_registers), cmocka_unit_test(extra_registers), \
		cmocka_unit_test(bts_trace), cmocka_unit_test(bts_interrupt), cmocka_unit_test(bts_rings),   \
		cmocka_unit_test(pebs_formats), cmocka_unit_test(pebs_buffer),                               \
		cmocka_unit_test(pebs_shared), cmocka_unit_test(pebs_latency),                               \
		cmocka_unit_test(pebs_adaptive), cmocka_unit_test(pebs_counters),                            \
		cmocka_unit_test(pebs_skids), cmocka_unit_test(freeze_in_smm)

#endif
