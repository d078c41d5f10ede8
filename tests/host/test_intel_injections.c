/* Every deviation that can be injected into the Intel model shows, and the model without it does not show it.
 */
#include "tests/host/intel_model_hands.h"
#include "pmu/intel/apebs.h"
#include "pmu/intel/ds.h"
#include "pmu/intel/pebs.h"
#include "tests/host/support/fake_memory.h"
#include "tests/host/support/fake_path.h"

#include <stdio.h>

#define RUN_ALL 0x70000000full

/* What is injected; for tests that need another part. */
static const char *active;

static void terms(const struct qterm *t, unsigned n, uint32_t cycles, uint8_t cpl)
{
	struct model_step s = {.terms = t, .n_terms = n, .cycles = cycles, .cpl = cpl};
	intel_model.advance(cpu, &s);
}

/* Count instructions on general counter c, from `start` on. */
static void count_instructions(unsigned c, uint64_t flags, uint64_t start)
{
	set(IA32_PERFEVTSEL0 + c, INSTR | flags);
	set(IA32_PMC0 + c, start);
}

/* Each function sets something up, and says whether the count, register or interrupt is other than the manual
 * says. */

static bool dropped_carry(void)
{
	count_instructions(0, 0, 0x7fffffff);
	for (unsigned i = 0; i < 0x1000000; i++)
		step(Q_INSTRUCTIONS, 128, 1, 0);
	step(Q_INSTRUCTIONS, 1, 1, 0);
	return get(IA32_PMC0) != 0x100000000;
}

static bool off_by_one(void)
{
	count_instructions(0, 0, 0);
	set(IA32_PERF_GLOBAL_CTRL, 0);
	set(IA32_PMC0, 0);
	set(IA32_PERF_GLOBAL_CTRL, 1);
	instructions(10);
	return get(IA32_PMC0) != 10;
}

static bool stuck_status(void)
{
	count_instructions(0, 0, -1ull);
	instructions(1);
	set(IA32_PERF_GLOBAL_OVF_CTRL, 1);
	return get(IA32_PERF_GLOBAL_STATUS) != 0;
}

static bool no_pmi(void)
{
	count_instructions(0, EVTSEL_INT, -1ull);
	instructions(1);
	return !intel_model.take_pmi(cpu);
}

static bool lost_status(void)
{
	count_instructions(0, 0, -1ull);
	instructions(1);
	return get(IA32_PERF_GLOBAL_STATUS) != 1;
}

static bool ring_leak(void)
{
	set(IA32_PERFEVTSEL0, INSTR & ~EVTSEL_OS);
	instructions(3);
	return get(IA32_PMC0) != 0;
}

static bool neighbour(void)
{
	count_instructions(1, 0, 0);
	instructions(5);
	return get(IA32_PMC0) != 0;
}

static bool wrong_count(void)
{
	count_instructions(1, 0, 0);
	instructions(500);
	return get(IA32_PMC0 + 1) != 500;
}

static bool short_width(void)
{
	count_instructions(0, 0, 0x7fffffff);
	for (unsigned i = 0; i < 0x1000001; i++)
		step(Q_INSTRUCTIONS, 128, 1, 0);
	return get(IA32_PMC0) >> 32 != 1;
}

static bool no_sign_extension(void)
{
	set(IA32_PMC0, 0x80000000);
	return get(IA32_PMC0) != 0xffff80000000;
}

static bool dead_counter(void)
{
	bool dead = false;
	for (unsigned c = 0; c < 4; c++)
		count_instructions(c, 0, 0);
	instructions(5);
	for (unsigned c = 0; c < 4; c++)
		dead |= get(IA32_PMC0 + c) == 0;
	return dead;
}

static bool rdpmc_index(void)
{
	uint64_t value;
	for (unsigned c = 0; c < 4; c++)
		set(IA32_PMC0 + c, c + 1);
	return pmc(2, true, &value) != MODEL_OK || value != 3;
}

static bool reserved_accepted(void)
{
	return put(IA32_PERFEVTSEL0, 1ull << 40) == MODEL_OK &&
	       put(IA32_PERF_GLOBAL_CTRL, 1ull << 20) == MODEL_OK;
}

/* What is missing answers; what is there refuses reserved bits all the same. */
static bool absent_answers(void)
{
	uint64_t value = 1;

	return intel_model.rdmsr(cpu, IA32_PMC0 + 4, &value) == MODEL_OK && !value &&
	       put(IA32_PMC0 + 4, 5) == MODEL_OK && pmc(4, true, &value) == MODEL_OK && !value &&
	       pmc(RDPMC_FIXED + 3, true, &value) == MODEL_OK &&
	       put(IA32_PERFEVTSEL0, 1ull << 40) == MODEL_FAULT;
}

/* An event of the core's own is not let through, an architectural one is. */
static bool filtered(void)
{
	set(IA32_PERFEVTSEL0, EVTSEL_EN | EVTSEL_USR | EVTSEL_OS | 0x010b); /* MEM_INST_RETIRED.LOADS */
	count_instructions(1, 0, 0);
	step(Q_INSN_LOAD, 1, 1, 0);
	step(Q_INSTRUCTIONS, 1, 1, 0);
	assert_int_equal(get(IA32_PMC0 + 1), 1);
	return get(IA32_PMC0) == 0;
}

static bool start_counts(void)
{
	count_instructions(0, 0, 0);
	set(IA32_PERFEVTSEL0 + 1, BRANCHES);
	set(IA32_PERF_GLOBAL_CTRL, 0);
	set(IA32_PMC0, 0);
	set(IA32_PERF_GLOBAL_CTRL, 3);
	assert_int_equal(get(IA32_PMC0 + 1), 0);
	instructions(3);
	return get(IA32_PMC0) != 3;
}

static bool lvt_stays(void)
{
	return intel_model.lvt_stays(cpu);
}

static bool global_ignored(void)
{
	count_instructions(0, 0, 0);
	set(IA32_PERF_GLOBAL_CTRL, 0);
	instructions(3);
	return get(IA32_PMC0) != 0;
}

static bool armed_again(void)
{
	set(IA32_PERFEVTSEL0 + 3, 0);
	return get(IA32_PERFEVTSEL0 + 3) & EVTSEL_EN;
}

static bool branches_vary(void)
{
	set(IA32_PERFEVTSEL0, BRANCHES);
	for (unsigned i = 0; i < 64; i++)
		terms((struct qterm[]){{Q_INSTRUCTIONS, 1}, {Q_BRANCHES, 1}}, 2, 1, 0);
	return get(IA32_PMC0) > 64;
}

static bool cpuid_is_branch(void)
{
	program(0, BRANCHES);
	terms((struct qterm[]){{Q_INSTRUCTIONS, 1}, {Q_INSN_CPUID, 1}}, 2, 1, 0);
	return get(IA32_PMC0) != 0;
}

static bool another_request_counts(void)
{
	set(MSR_OFFCORE_RSP_0, 0xff02); /* any response to a request for ownership */
	program(0, 0x1b7 | BOTH | EVTSEL_EN);
	set(IA32_PERF_GLOBAL_CTRL, 1);
	step(Q_OFFCORE_CODE, 1, 1, 0);
	return get(IA32_PMC0) != 0;
}

static bool fixed_enabled_at_reset(void)
{
	return get(IA32_PERF_GLOBAL_CTRL) >> 32 != 0;
}

static unsigned pmis(void)
{
	unsigned n = 0;
	while (n < 9 && intel_model.take_pmi(cpu))
		n++;
	return n;
}

static bool two_interrupts(void)
{
	set(IA32_PERF_GLOBAL_CTRL, RUN_ALL);
	set(IA32_FIXED_CTR_CTRL, 0xb00);
	count_instructions(0, 0, -1ull);
	set(IA32_FIXED_CTR0 + 2, 0xffffffffffff);
	instructions(1000);
	return pmis() != 1;
}

static bool frozen_interrupts(void)
{
	set(IA32_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON_ON_PMI);
	set(IA32_PERF_GLOBAL_CTRL, RUN_ALL);
	set(IA32_FIXED_CTR_CTRL, 0x00b);
	set(IA32_FIXED_CTR0, 0xffffffffffff);
	instructions(1000);
	return pmis() != 1;
}

static bool second_fixed_lost(void)
{
	set(IA32_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON_ON_PMI);
	set(IA32_PERF_GLOBAL_CTRL, RUN_ALL);
	set(IA32_FIXED_CTR_CTRL, 0x0bb);
	set(IA32_FIXED_CTR0, 0xffffffffffff);
	set(IA32_FIXED_CTR0 + 1, 0xffffffffffff);
	instructions(1);
	return get(IA32_PERF_GLOBAL_STATUS) != 3ull << 32;
}

static bool corrupted_write(void)
{
	set(IA32_FIXED_CTR0 + 1, 0xffffffffffff);
	set(IA32_FIXED_CTR0 + 1, 0xfffffffe);
	return get(IA32_FIXED_CTR0 + 1) != 0xfffffffe;
}

static bool sticks_when_stopped(void)
{
	count_instructions(0, 0, -2ull);
	instructions(3);
	set(IA32_PERF_GLOBAL_CTRL, 0);
	set(IA32_PERF_GLOBAL_OVF_CTRL, 1);
	return get(IA32_PERF_GLOBAL_STATUS) != 0;
}

static bool interrupt_by_write(void)
{
	set(IA32_FIXED_CTR_CTRL, 0xb00);
	set(IA32_FIXED_CTR0 + 2, 0xfffffffffff0);
	set(IA32_FIXED_CTR0 + 2, 0);
	return pmis() != 0;
}

static bool iret_twice(void)
{
	count_instructions(0, 0, 0);
	terms((struct qterm[]){{Q_INSTRUCTIONS, 1}, {Q_BR_FAR, 1}, {Q_INSN_SERIALIZING, 1}}, 3, 1, 0);
	terms((struct qterm[]){{Q_INSTRUCTIONS, 1}, {Q_BR_FAR, 1}}, 2, 1, 0);
	return get(IA32_PMC0) != 2;
}

static bool far_extra(void)
{
	count_instructions(0, 0, 0);
	program(1, BRANCHES);
	terms((struct qterm[]){{Q_INSTRUCTIONS, 1}, {Q_BRANCHES, 1}, {Q_BR_FAR, 1}}, 3, 1, 0);
	return get(IA32_PMC0) != 1 && get(IA32_PMC0 + 1) != 1;
}

static bool excluded_ring_counts(void)
{
	set(IA32_PERFEVTSEL0, (CYCLES_CORE & ~EVTSEL_OS) | EVTSEL_INV | CMASK(2));
	step(Q_INSTRUCTIONS, 1, 5, 0);
	return get(IA32_PMC0) != 0;
}

static bool repeats(void)
{
	count_instructions(0, EVTSEL_INT, -1ull);
	instructions(1);
	assert_int_equal(pmis(), 1);
	instructions(1);
	bool more = pmis() == 1;
	set(IA32_PERF_GLOBAL_OVF_CTRL, 1);
	instructions(1);
	assert_int_equal(pmis(), 0);
	return more;
}

static bool local_before_global(void)
{
	set(IA32_FIXED_CTR_CTRL, 0x003);
	set(IA32_PERF_GLOBAL_CTRL, FIXED_BIT(0));
	instructions(10);
	return get(IA32_FIXED_CTR0) != 10;
}

static bool rep_extra(void)
{
	count_instructions(0, 0, 0);
	terms((struct qterm[]){{Q_INSTRUCTIONS, 1}, {Q_INSN_STRING, 1}, {Q_REP_ITERATIONS, 8}}, 3, 1, 0);
	return get(IA32_PMC0) != 1;
}

static bool ring_change_lost(void)
{
	set(IA32_PERFEVTSEL0, CYCLES_CORE & ~EVTSEL_OS);
	terms((struct qterm[]){{Q_INSTRUCTIONS, 1}, {Q_RING_TO_KERNEL, 1}}, 2, 4, 3);
	return get(IA32_PMC0) != 4;
}

static bool smi_comes(void)
{
	count_instructions(0, 0, 0);
	instructions(5000);
	return get(MSR_SMI_COUNT) == 1 && get(IA32_PMC0) > 5000;
}

static bool smi_counts_though_frozen(void)
{
	set(IA32_DEBUGCTL, DEBUGCTL_FREEZE_WHILE_SMM);
	return smi_comes();
}

static bool late_request(void)
{
	count_instructions(0, EVTSEL_INT, -1ull);
	for (unsigned i = 0; i < 3; i++) {
		instructions(1);
		if (pmis())
			return false;
	}
	instructions(1);
	return pmis() == 1;
}

static bool line_end_twice(void)
{
	const struct qterm one = {Q_INSTRUCTIONS, 1};

	count_instructions(0, 0, 0);
	for (unsigned ip = 0; ip < 128; ip++) {
		struct model_step s = {.terms = &one, .n_terms = 1, .cycles = 1, .ip = ip};
		intel_model.advance(cpu, &s);
	}
	return get(IA32_PMC0) == 130;
}

static bool odd_counter(void)
{
	for (unsigned c = 0; c < 4; c++)
		program(c, BRANCHES);
	step(Q_BRANCHES, 1, 1, 0);
	return get(IA32_PMC0 + 2) == 1 && get(IA32_PMC0 + 3) == 2;
}

static bool interrupt_counts(void)
{
	count_instructions(0, 0, 0);
	step(Q_EXCEPTIONS, 1, 1, 0);
	step(Q_INTERRUPTS_HW, 1, 1, 0);
	return get(IA32_PMC0) == 2;
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
	struct model_step jump = {.terms = &one,
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
	struct model_step s = {.terms = &load, .n_terms = 1, .cycles = 1};
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

static const struct {
	const char *name;
	bool (*shows)(void);
} rows[] = {
	{"ler-stale", last_exception_stays},
	{"full-unsaid", full_and_says_nothing},
	{"snapshot-early", snapshot_is_early},
	{"reload-ignored", reloads_itself_alone},
	{"log-lost", records_tell_no_counts},
	{"latency-ignored", fast_loads_too},
	{"metrics-short", metrics_do_not_add_up},
	{"eq-ignored", more_is_equal},
	{"bts-lost", bts_wrong},
	{"pebs-late", pebs_address},
	{"pdir-skids", pebs_skids},
	{"extended-lost", pebs_extended},
	{"pebs-off", pebs_off},
	{"counter-unnamed", pebs_names},
	{"w125", bts_wrong_by_ring},
	{"w126", pebs_ring},
	{"w127", pebs_threshold},
	{"aj69", pebs_status},
	{"bj101", pebs_full},
	{"hsd53", bts_wrong},
	{"hsd110", pebs_address},
	{"skl88", bts_wrong},
	{"skl104", pebs_stopped},
	{"skl120", pebs_eventing},
	{"lbr-stale-from", lbr_source},
	{"lbr-lost", lbr_missing},
	{"calls-stay", call_stays},
	{"bj94", lbr_source},
	{"skl186", lbr_source},
	{"dropped-carry", dropped_carry},
	{"off-by-one", off_by_one},
	{"stuck-status", stuck_status},
	{"no-pmi", no_pmi},
	{"lost-status", lost_status},
	{"ring-leak", ring_leak},
	{"neighbour-coupling", neighbour},
	{"overcount-x16", wrong_count},
	{"short-width", short_width},
	{"no-sign-extension", no_sign_extension},
	{"dead-counter", dead_counter},
	{"dead", wrong_count},
	{"noisy", wrong_count},
	{"noisy-branches", branches_vary},
	{"firmware-arms", armed_again},
	{"rdpmc-wrong-index", rdpmc_index},
	{"reserved-accepted", reserved_accepted},
	{"absent-zero", absent_answers},
	{"event-filter", filtered},
	{"start-counted", start_counts},
	{"lvt-stays", lvt_stays},
	{"global-ignored", global_ignored},
	{"smi", smi_comes},
	{"smm-counted", smi_counts_though_frozen},
	{"late-pmi", late_request},
	{"line-end", line_end_twice},
	{"odd-counter", odd_counter},
	{"interrupt-extra", interrupt_counts},
	{"offcore-every", another_request_counts},
	{"w146", cpuid_is_branch},
	{"aaj83", fixed_enabled_at_reset},
	{"aaj119", two_interrupts},
	{"aaj125", frozen_interrupts},
	{"aaj148", second_fixed_lost},
	{"bj54", corrupted_write},
	{"bj58", sticks_when_stopped},
	{"bj77", interrupt_by_write},
	{"bv52", iret_twice},
	{"hsd73", excluded_ring_counts},
	{"hsd91", repeats},
	{"hsd143", local_before_global},
	{"skl91", rep_extra},
	{"skl117", ring_change_lost},
	{"srf7", far_extra},
};
#define ROWS (sizeof rows / sizeof rows[0])

static void each_shows(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < ROWS; i++) {
		active = "";
		power_up(&intel_nehalem, active);
		if (rows[i].shows())
			fail_msg("%s shows without having been injected", rows[i].name);
		active = rows[i].name;
		power_up(&intel_nehalem, active);
		if (!rows[i].shows())
			fail_msg("%s does not show", rows[i].name);
	}
}

static void none_is_forgotten(void **unused)
{
	(void)unused;
	unsigned n = 0;
	for (; intel_model.injections[n].name; n++) {
		unsigned i = 0;
		assert_non_null(intel_model.injections[n].summary);
		while (i < ROWS && strcmp(rows[i].name, intel_model.injections[n].name))
			i++;
		if (i == ROWS)
			fail_msg("%s has no test", intel_model.injections[n].name);
	}
	assert_int_equal(n, ROWS);
}

static void only_the_last_counter_is_dead(void **unused)
{
	(void)unused;
	power_up(&intel_nehalem, "dead-counter");
	for (unsigned c = 0; c < 4; c++)
		count_instructions(c, 0, 0);
	instructions(5);
	for (unsigned c = 0; c < 4; c++)
		assert_int_equal(get(IA32_PMC0 + c), c == 3 ? 0 : 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_is_forgotten),
		cmocka_unit_test(each_shows),
		cmocka_unit_test(only_the_last_counter_is_dead),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(cpu);
	return failed;
}
