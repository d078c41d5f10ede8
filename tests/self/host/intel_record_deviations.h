/*
 * Deviations of records, metrics and version 6 in the Intel model: each function sets something up, and says
 * whether what comes of it is other than the manual says. Included by the test of injections alone, which
 * names in `active` what is injected.
 */
#ifndef TESTS_SELF_HOST_INTEL_RECORD_DEVIATIONS_H
#define TESTS_SELF_HOST_INTEL_RECORD_DEVIATIONS_H

#include "tests/self/host/intel_model_shortcuts.h"
#include "pmu/intel/records/apebs.h"
#include "pmu/intel/records/ds.h"
#include "pmu/intel/records/pebs.h"
#include "tests/self/host/support/fake_memory.h"
#include "tests/self/host/support/fake_path.h"

/* What is injected; for tests that need another part. */
static const char *active;

static void terms(const struct qterm *t, unsigned n, uint32_t cycles, uint8_t cpl)
{
	struct step s = {.terms = t, .n_terms = n, .cycles = cycles, .level = cpl};
	intel_model.advance(cpu, &s);
}

/* Count instructions on general counter c, from `start` on. */
static void count_instructions(unsigned c, uint64_t flags, uint64_t start)
{
	set(IA32_PERFEVTSEL0 + c, INSTR | flags);
	set(IA32_PMC0 + c, start);
}

static unsigned pmis(void)
{
	unsigned n = 0;
	while (n < 9 && intel_model.take_pmi(cpu))
		n++;
	return n;
}

/* Three jumps while last branches are recorded; with the third the counter of branches overflows. */
static struct fake_path path;
static bool lbr_is_wrong(unsigned jumps)
{
	program(0, BRANCHES | EVTSEL_INT);
	set(IA32_PMC0, -(uint64_t)jumps);
	set(IA32_DEBUGCTL, DEBUGCTL_LBR | DEBUGCTL_FREEZE_LBRS_ON_PMI);
	fake_path_start(&path, &intel_model, cpu, 0x1000);
	for (unsigned i = 0; i < jumps; i++)
		fake_path_branch(&path, TRANSFER_JUMP, path.regs.ip + 16);
	assert_false(intel_model.recording(cpu));
	for (unsigned i = 0; i < jumps; i++)
		if (get(0x681 + i) != 0x1000 + 16 * i || get(0x6c1 + i) != 0x1010 + 16 * i)
			return true;
	return false;
}

static bool lbr_source(void)
{
	return lbr_is_wrong(3);
}

static bool lbr_missing(void)
{
	return lbr_is_wrong(6);
}

static bool call_stays(void)
{
	power_up(&intel_skylake, active);
	fake_path_start(&path, &intel_model, cpu, 0x1000);
	set(MSR_LBR_SELECT, SELECT_CALL_STACK | SELECT_JCC | SELECT_JUMP | SELECT_JUMP_INDIRECT | SELECT_FAR);
	set(IA32_DEBUGCTL, DEBUGCTL_LBR);
	fake_path_branch(&path, TRANSFER_CALL, 0x2000);
	fake_path_branch(&path, TRANSFER_RETURN, 0x1002);
	return get(0x681) != 0;
}

static struct ds_area *area;

/* A debug store with room for 20 records of that size each, the interrupt after `threshold`. */
static uint8_t *debug_store(size_t size, unsigned threshold)
{
	area = fake_memory_create(sizeof *area + 20 * size);
	uint64_t base = (uintptr_t)(area + 1);
	area->bts = area->pebs = (struct ds_buffer){base, base, base + 20 * size, base + threshold * size};
	intel_model.attach(cpu, &fake_memory);
	set(IA32_DS_AREA, (uintptr_t)area);
	fake_path_start(&path, &intel_model, cpu, 0x1000);
	return (uint8_t *)base;
}

/* Ten branches, some of them to the other ring and back; with a filter the trace is of ring 3. */
static bool bts_is_wrong(uint64_t filter)
{
	const struct ds_branch *r = (const struct ds_branch *)debug_store(sizeof *r, 21);
	bool wrong = false;

	set(IA32_DEBUGCTL, DEBUGCTL_TR | DEBUGCTL_BTS | DEBUGCTL_BTINT | filter);
	for (unsigned i = 0; i < 10; i++) {
		uint64_t from = path.regs.ip, to = from + 16;
		uint8_t cpl = i == 2 || i == 3 ? 3 : 0;

		fake_path_far(&path, to, cpl);
		if (filter && !cpl)
			continue;
		wrong |= r->from != from || r->to != to || r->flags != DS_BRANCH_PREDICTED;
		r++;
	}
	return wrong;
}

static bool bts_wrong(void)
{
	return bts_is_wrong(0);
}

static bool bts_wrong_by_ring(void)
{
	return bts_is_wrong(DEBUGCTL_BTS_OFF_OS);
}

/* Counter 0 samples instructions of the rings that `select` has, every third, until it has run `n` of them.
 */
static unsigned samples(uint64_t select, unsigned n, unsigned threshold)
{
	debug_store(176, threshold);
	area->reset[0] = -2ull;
	program(0, 0xc0 | EVTSEL_EN | select);
	set(IA32_PMC0, -2ull);
	set(IA32_PEBS_ENABLE, 1);
	fake_path_nops(&path, n);
	return (unsigned)((area->pebs.index - area->pebs.base) / 176);
}

static bool pebs_address(void)
{
	samples(BOTH, 7, 21);
	const struct pebs_record *r = (const struct pebs_record *)(area + 1);
	return r->ip != 0x1003;
}

static bool pebs_ring(void)
{
	return samples(EVTSEL_USR, 9, 21) != 0;
}

static bool pebs_threshold(void)
{
	return samples(BOTH, 6, 2) != 2 || pmis() != 1;
}

static bool pebs_status(void)
{
	samples(BOTH, 6, 2);
	return get(IA32_PERF_GLOBAL_STATUS) != STATUS_OVF_BUF;
}

static bool pebs_full(void)
{
	samples(BOTH, 100, 21);
	return pmis() != 0;
}

static bool pebs_stopped(void)
{
	samples(BOTH, 2, 21);
	set(IA32_PERF_GLOBAL_CTRL, 0);
	fake_path_nops(&path, 3);
	return area->pebs.index != area->pebs.base;
}

/* General counter 1 with precise distribution, and without. */
static bool pebs_skids(void)
{
	bool late[2];

	for (unsigned i = 0; i < 2; i++) {
		uint64_t reset = i ? -3ull : -128ull;

		power_up(&intel_haswell, active);
		debug_store(192, 21);
		area->reset[1] = reset;
		program(1, 0x1c0 | EVTSEL_EN | BOTH);
		set(IA32_PMC0 + 1, reset & 0xffffffff);
		set(IA32_PEBS_ENABLE, 2);
		fake_path_nops(&path, 3 * (1 - reset));
		late[i] = area->pebs.index - area->pebs.base != 3 * 192;
	}
	return late[0] && !late[1];
}

/* General counter 1 of Goldmont Plus: instructions, or cycles, of which no record is. */
static const struct pebs_record *sampled(uint64_t code)
{
	power_up(&intel_goldmontplus, active);
	debug_store(200, 21);
	area->reset[1] = -6ull;
	program(1, code | EVTSEL_EN | BOTH);
	set(IA32_PMC0 + 1, -6ull & 0xffffffff);
	set(IA32_PEBS_ENABLE, 2);
	fake_path_nops(&path, 10);
	return area->pebs.index == area->pebs.base ? NULL : (const struct pebs_record *)(area + 1);
}

static bool pebs_extended(void)
{
	return sampled(0xc0) && !sampled(0x3c);
}

static bool pebs_names(void)
{
	return sampled(0xc0) && sampled(0xc0)->status != 2;
}

static bool pebs_off(void)
{
	return samples(BOTH, 9, 21) == 0;
}

static bool pebs_eventing(void)
{
	power_up(&intel_haswell, active);
	debug_store(192, 21);
	area->reset[0] = -2ull;
	program(0, INSTR);
	set(IA32_PMC0, -2ull);
	set(IA32_PEBS_ENABLE, 1);
	fake_path_nops(&path, 3);
	return ((const struct pebs_record *)(area + 1))->eventing_ip != 0x1002;
}

static bool metrics_do_not_add_up(void)
{
	power_up(&intel_icelake, active);
	set(IA32_FIXED_CTR_CTRL, 0x3000);
	set(IA32_PERF_GLOBAL_CTRL, GLOBAL_METRICS | 1ull << 35);
	instructions(10);
	uint64_t m = get(MSR_PERF_METRICS);
	return (m & 0xff) + (m >> 8 & 0xff) + (m >> 16 & 0xff) + (m >> 24 & 0xff) != 255;
}

static bool more_is_equal(void)
{
	power_up(&intel_lunarlake_p, active);
	program(0, INSTR | EVTSEL_EQ | CMASK(1));
	step(Q_INSTRUCTIONS, 2, 1, 0);
	return get(IA32_PMC0) != 0;
}

static bool records_tell_no_counts(void)
{
	struct qterm one = {Q_INSTRUCTIONS, 1};
	struct step jump = {.terms = &one,
			    .n_terms = 1,
			    .cycles = 1,
			    .ip = 0x1000,
			    .next = 0x2000,
			    .length = 2,
			    .transfer = TRANSFER_JUMP};

	power_up(&intel_lunarlake_p, active);
	set(IA32_PERF_GLOBAL_CTRL, 1);
	program(0, INSTR | EVTSEL_LBR_LOG);
	set(IA32_LBR_CTL, LBR_CTL_ENABLE | LBR_CTL_OS | LBR_CTL_USR | LBR_CTL_ALL_KINDS);
	intel_model.advance(cpu, &jump);
	return (get(IA32_LBR_0_INFO) >> LBR_INFO_LOG & 0xff) != 1;
}

static bool fast_loads_too(void)
{
	struct qterm load = {Q_LOADS, 1};

	power_up(&intel_icelake, active);
	set(MSR_PEBS_LD_LAT, 100);
	program(0, 0x01cd | BOTH | EVTSEL_EN);
	struct step s = {.terms = &load, .n_terms = 1, .cycles = 1};
	intel_model.advance(cpu, &s);
	return get(IA32_PMC0) != 0;
}

static bool reloads_itself_alone(void)
{
	power_up(&intel_lunarlake_e, active);
	set(IA32_PERF_GLOBAL_CTRL, 0xc);
	program(2, INSTR);
	program(3, INSTR);
	set(IA32_PMC0 + 3, -1ll);
	set(0x190a, 8); /* counter 2 by counter 3 */
	instructions(2);
	return get(IA32_PMC0 + 2) == 2;
}

static bool last_exception_stays(void)
{
	static struct fake_path path;

	set(IA32_DEBUGCTL, DEBUGCTL_LBR);
	fake_path_start(&path, &intel_model, cpu, 0x401000);
	fake_path_branch(&path, TRANSFER_JUMP, 0x402000);
	fake_path_event(&path, 0x403000);
	fake_path_branch(&path, TRANSFER_JUMP, 0x404000);
	fake_path_event(&path, 0x403000);
	return get(MSR_LER_TO_LIP) != 0x404000;
}

/* A record of counter 0, with this in its configuration, in front of the end of the buffer's page. */
static const uint64_t *record_of_nops(uint64_t groups, unsigned room, unsigned nops)
{
	static struct fake_path path;

	power_up(&intel_pantherlake_p, active);
	intel_model.attach(cpu, &fake_memory);
	uint8_t *base = fake_memory_create(2 * APEBS_PAGE);
	set(IA32_PERF_GLOBAL_CTRL, 1);
	set(IA32_PEBS_BASE, (uintptr_t)base);
	set(IA32_PEBS_INDEX, (uint64_t)(APEBS_PAGE - room) | APEBS_ENABLE);
	program(0, INSTR);
	set(IA32_PMC_GP0_CTR, 0xffffffffffff);
	set(IA32_PMC_GP0_CFG_C, 0xffffffff | APEBS_ENABLED | groups);
	fake_path_start(&path, &intel_model, cpu, 0x401000);
	fake_path_nops(&path, nops);
	return (const uint64_t *)(base + APEBS_PAGE - room);
}

/* Of two records one has room. */
static bool full_and_says_nothing(void)
{
	record_of_nops(0, 64, 4);
	return !(get(IA32_PEBS_INDEX) & APEBS_FULL);
}

/* The counter itself, which the second instruction has made 1. */
static bool snapshot_is_early(void)
{
	const uint64_t *r = record_of_nops(APEBS_GENERAL | APEBS_ALLOW, 96, 2);

	return r[10] != 1;
}

#endif
