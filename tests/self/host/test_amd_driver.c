/* The AMD driver against the AMD model, on every profile and on CPUs that make no sense. */
#include "pmu/amd/amd.h"
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/records/ibs.h"
#include "pmu/amd/records/record.h"
#include "pmu/amd/registers.h"
#include "pmu/events/grammar.h"
#include "pmu/events/schedule.h"
#include "tests/self/host/support/fake_cpu.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct pmu pmu;
static const struct pmu_driver *const drv = &amd_driver;

static const struct {
	const struct model_profile *profile;
	const char *name;
	unsigned version, counters;
} parts[] = {
	{&amd_k7, "AMD K7 PMU, legacy counters", 1, 4},
	{&amd_k8, "AMD K8 PMU, legacy counters", 1, 4},
	{&amd_fam10h, "AMD family 10H PMU, legacy counters", 1, 4},
	{&amd_fam11h, "AMD family 11H PMU, legacy counters", 1, 4},
	{&amd_fam12h, "AMD family 12H PMU, legacy counters", 1, 4},
	{&amd_fam14h, "AMD family 14H PMU, legacy counters", 1, 4},
	{&amd_fam16h, "AMD family 16H PMU, legacy counters", 1, 4},
	{&amd_fam15h, "AMD family 15H PMU, core extension", 2, 6},
	{&amd_zen1, "AMD Zen 1 PMU, core extension", 2, 6},
	{&amd_zen2, "AMD Zen 2 PMU, core extension", 2, 6},
	{&amd_zen3, "AMD Zen 3 PMU, core extension", 2, 6},
	{&amd_zen3_epyc, "AMD Zen 3 PMU, core extension", 2, 6},
	{&amd_zen4, "AMD Zen 4 PMU, PerfMonV2", 3, 6},
	{&amd_zen4_guest, "AMD Zen 4 PMU, PerfMonV2", 3, 6},
	{&amd_zen5, "AMD Zen 5 PMU, PerfMonV2", 3, 6},
};
#define PARTS (sizeof parts / sizeof parts[0])

static void start_cpu(const struct model_profile *p, const char *inject)
{
	const char *why = NULL;
	fake_cpu_start(p, inject);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_true(drv->reset(&pmu, &why));
}

/* What each has besides: merged counters since Zen 1 (PPR of family 17H, "Large Increment per Cycle Events"),
 * IRPERF, a stack of branch records (LbrExtV2) and a freeze at an interrupt (LbrAndPmcFreeze: APM vol. 3,
 * CPUID 80000022H:EAX). */
static const struct {
	const struct model_profile *profile;
	bool merges, irperf, stacks, freezes;
} besides[] = {
	{&amd_k7, false, false, false, false},        {&amd_k8, false, false, false, false},
	{&amd_fam10h, false, false, false, false},    {&amd_fam15h, false, false, false, false},
	{&amd_fam16h, false, false, false, false},    {&amd_zen1, true, true, false, false},
	{&amd_zen2, true, true, false, false},        {&amd_zen3, true, true, false, false},
	{&amd_zen3_epyc, true, true, false, false},   {&amd_zen4, true, true, true, false},
	{&amd_zen4_guest, true, false, false, false}, {&amd_zen5, true, true, true, true},
};

static void knows_what_each_has(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < sizeof besides / sizeof besides[0]; i++) {
		start_cpu(besides[i].profile, "");
		const struct amd_pmu *own = amd_pmu(&pmu);

		if (own->merges != besides[i].merges || own->has_irperf != besides[i].irperf ||
		    own->stacks != besides[i].stacks || own->freezes != besides[i].freezes)
			fail_msg("%s: merged counters %u, IRPERF %u, stack %u, freeze %u",
				 besides[i].profile->name, own->merges, own->has_irperf, own->stacks,
				 own->freezes);
	}
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

static void describes_each_part(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		start_cpu(parts[p].profile, "");
		assert_string_equal(pmu.name, parts[p].name);
		assert_int_equal(pmu.version, parts[p].version);
		assert_int_equal(pmu.n_counters, parts[p].counters);
		assert_int_equal(pmu.n_general, parts[p].counters);
		assert_int_equal(pmu.n_fixed, 0);
		assert_int_equal(pmu.has_global, parts[p].version == 3);
		assert_true(pmu.has_pmi);
		assert_true(pmu.line_stays);
		/* BKDG of K8: event selects of eight bits; from family 10H on twelve. */
		assert_int_equal(pmu.most_select,
				 parts[p].profile == &amd_k7 || parts[p].profile == &amd_k8 ? 0xff : 0);
		assert_in_range(pmu.n_events, 30, 400);
		for (unsigned c = 0; c < pmu.n_counters; c++) {
			assert_int_equal(pmu.counter[c].width, 48);
			assert_int_equal(pmu.counter[c].write_width, 48);
			assert_int_equal(pmu.counter[c].has_status, pmu.has_global);
			assert_int_equal(pmu.counter[c].selector, c);
		}
		assert_non_null(event_by_name(pmu.events, pmu.n_events, "RETIRED_INSTRUCTIONS"));
	}
}

static void wiring_is_told(void **unused)
{
	const struct pmu_event *cycles, *instructions;
	(void)unused;
	start_cpu(&amd_fam15h, "");
	cycles = event_by_name(pmu.events, pmu.n_events, "CPU_CLK_UNHALTED");
	instructions = event_by_name(pmu.events, pmu.n_events, "RETIRED_INSTRUCTIONS");
	for (unsigned c = 0; c < 8; c++) {
		assert_int_equal(drv->can_count(&pmu, cycles, c), c < 3);
		assert_int_equal(drv->can_count(&pmu, instructions, c), c < 6);
	}
	start_cpu(&amd_zen1, "");
	cycles = event_by_name(pmu.events, pmu.n_events, "CYCLES_NOT_IN_HALT");
	for (unsigned c = 0; c < 8; c++)
		assert_int_equal(drv->can_count(&pmu, cycles, c), c < 6);
}

static void run_flops(void)
{
	fake_cpu_run(&(struct qterm){Q_FLOPS_SP_ADD, 16}, 1, 1, 0, 10);
}

/* Events of large increments take an even counter and the one behind it. */
static void merges_counters(void **unused)
{
	static const struct model_profile *const profiles[] = {&amd_zen1, &amd_zen2, &amd_zen3, &amd_zen4,
							       &amd_zen5};
	const char *why;
	(void)unused;
	for (unsigned p = 0; p < 5; p++) {
		start_cpu(profiles[p], "");
		const struct pmu_event *e = event_by_name(pmu.events, pmu.n_events,
							  p ? "RETIRED_SSE_AVX_FLOPS.ANY"
							    : "RETIRED_SSE_AVX_OPERATIONS.SP_ADD_SUB_FLOPS");
		assert_non_null(e);
		const struct pmu_config config = {.code = e->code, .levels = LEVELS_ALL, .interrupt = true},
					plain = {.code = 0xc0, .levels = LEVELS_ALL};
		for (unsigned c = 0; c < 6; c++) {
			assert_int_equal(drv->can_count(&pmu, e, c), c % 2 == 0);
			assert_int_equal(event_takes(&pmu, e, c), (c % 2 ? 1ull : 3ull) << c);
			assert_int_equal(drv->program(&pmu, c, &config), c % 2 == 0);
			assert_true(drv->release(&pmu, c));
		}
		for (unsigned c = 0; c < 6; c += 2) {
			struct pmu_bracket bracket;
			assert_true(drv->program(&pmu, c, &config));
			assert_true(drv->bracket_enable(&pmu, 1ull << c, &bracket));
			assert_int_equal(bracket.args[0], pmu.has_global ? 3ull << c : PERF_CTL0 + 2 * c);
			assert_true(drv->start(&pmu, 1ull << c));
			run_flops();
			assert_true(drv->stop(&pmu));
			run_flops();
			assert_int_equal(count(c), 160);
			assert_true(drv->start(&pmu, 1ull << c));
			run_flops();
			assert_true(drv->stop(&pmu));
			assert_int_equal(count(c), 320);
			/* It overflows at 48 bits, again and again, and says so for the lower one alone. */
			fake_cpu_interrupts();
			for (unsigned again = 0; again < 2; again++) {
				assert_true(drv->write(&pmu, c, (1ull << 48) - 8));
				assert_true(drv->start(&pmu, 1ull << c));
				run_flops();
				assert_true(drv->stop(&pmu));
				assert_int_equal(count(c), 152);
				assert_int_equal(overflows(), 1ull << c);
				assert_int_equal(fake_cpu_interrupts(), 1);
				assert_true(drv->acknowledge(&pmu, 1ull << c));
				assert_int_equal(overflows(), 0);
			}
			/* Another event takes the lower one, or the upper one: the pair is undone. */
			assert_true(drv->program(&pmu, c, &plain));
			uint64_t upper;
			assert_true(msr_read(PERF_CTL0 + 2 * (c + 1), &upper));
			assert_int_equal(upper, 0);
			assert_true(drv->release(&pmu, c));
		}
	}
	start_cpu(&amd_zen2, "merge-ignored");
	assert_true(drv->program(&pmu, 0, &(struct pmu_config){.code = 0x0f03, .levels = LEVELS_ALL}));
	assert_true(drv->start(&pmu, 1));
	run_flops();
	assert_int_not_equal(count(0), 160);

	/* Requests: on an odd counter, the merge event alone, four pairs at once. */
	struct event_request request[4] = {{0}};
	struct event_error error;
	struct sched_place place[4];
	struct sched_result result;
	char text[200];

	assert_int_equal(event_parse(&pmu, "RETIRED_SSE_AVX_FLOPS.ANY@PERF_CTR1", request, 1, &error), 1);
	assert_false(schedule_events(&pmu, request, 1, place, &result, &why));
	assert_string_equal(why, "PERF_CTR1 cannot count amd::RETIRED_SSE_AVX_FLOPS.ANY: take PERF_CTR0, "
				 "PERF_CTR2 or PERF_CTR4");
	assert_int_equal(event_parse(&pmu, "rf000000ff", request, 1, &error), 1);
	assert_false(schedule_events(&pmu, request, 1, place, &result, &why));
	assert_non_null(strstr(why, "it merges two counters, and is programmed together with the event that "
				    "needs it"));
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(
			event_parse(&pmu, i ? "RETIRED_SSE_AVX_FLOPS.ANY" : "r0f03", &request[i], 1, &error),
			1);
	assert_true(schedule_events(&pmu, request, 3, place, &result, &why));
	assert_int_equal(result.passes, 1);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(place[i].alternative % 2, 0);
	assert_true(schedule_events(&pmu, request, 4, place, &result, &why));
	assert_int_equal(result.passes, 2);
	schedule_explain(&pmu, request, 4, text, sizeof text);
	assert_non_null(strstr(text, "only"));
	/* One pair and five others do not fit six counters, one pair and four do. */
	struct event_request mixed[6];
	struct sched_place places[6];
	for (unsigned i = 0; i < 6; i++)
		event_parse(&pmu, i ? "RETIRED_INSTRUCTIONS" : "RETIRED_SSE_AVX_FLOPS.ANY", &mixed[i], 1,
			    &error);
	assert_true(schedule_events(&pmu, mixed, 6, places, &result, &why));
	assert_int_equal(result.passes, 2);
	assert_true(schedule_events(&pmu, mixed, 5, places, &result, &why));
	assert_int_equal(result.passes, 1);
	/* Before Zen 003H is an event like others, and FFFH none. */
	start_cpu(&amd_fam10h, "");
	assert_int_equal(event_parse(&pmu, "r7f03@PERF_CTR1", request, 1, &error), 1);
	assert_true(schedule_events(&pmu, request, 1, place, &result, &why));
}

static void counts_and_stops(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		start_cpu(parts[p].profile, "");
		for (unsigned c = 0; c < pmu.n_counters; c++) {
			arm(c, LEVELS_USER, false);
			fake_cpu_run(&(struct qterm){Q_INSTRUCTIONS, 1}, 1, 1, 3, 10);
			assert_int_equal(count(c), 0);
			assert_true(drv->start(&pmu, 1ull << c));
			fake_cpu_run(&(struct qterm){Q_INSTRUCTIONS, 1}, 1, 1, 3, 10);
			fake_cpu_nops(10);
			assert_true(drv->stop(&pmu));
			fake_cpu_run(&(struct qterm){Q_INSTRUCTIONS, 1}, 1, 1, 3, 10);
			assert_int_equal(count(c), 10);
			for (unsigned o = 0; o < pmu.n_counters; o++)
				assert_int_equal(count(o), o == c ? 10 : 0);
			assert_true(drv->release(&pmu, c));
			assert_true(drv->write(&pmu, c, 0));
		}
		assert_int_equal(fake_cpu_strays(), 0);
	}
}

static void sees_overflow(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		start_cpu(parts[p].profile, "");
		for (unsigned c = 0; c < pmu.n_counters; c++) {
			arm(c, LEVELS_USER, true);
			assert_true(drv->write(&pmu, c, -3ull));
			assert_int_equal(count(c), 0xfffffffffffd);
			assert_true(drv->start(&pmu, 1ull << c));
			fake_cpu_run(&(struct qterm){Q_INSTRUCTIONS, 1}, 1, 1, 3, 2);
			assert_int_equal(overflows(), 0);
			assert_int_equal(fake_cpu_interrupts(), 0);
			fake_cpu_run(&(struct qterm){Q_INSTRUCTIONS, 1}, 1, 1, 3, 2);
			assert_int_equal(overflows(), 1ull << c);
			assert_int_equal(fake_cpu_interrupts(), 1);
			assert_true(drv->acknowledge(&pmu, ~(1ull << c)));
			assert_int_equal(overflows(), 1ull << c);
			assert_true(drv->acknowledge(&pmu, 1ull << c));
			assert_int_equal(overflows(), 0);
			assert_true(drv->stop(&pmu));
			assert_true(drv->release(&pmu, c));
		}
	}
	start_cpu(&amd_zen4, "status-reserved");
	assert_int_equal(overflows(), 0);
}

static void takes_modifiers(void **unused)
{
	struct pmu_config config = {.code = 0xc0, .levels = LEVELS_USER, .cmask = 2};
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		start_cpu(parts[p].profile, "");
		config.invert = config.edge = false;
		assert_true(drv->program(&pmu, 0, &config));
		config.invert = true;
		assert_true(drv->program(&pmu, 1, &config));
		config.edge = true;
		assert_true(drv->program(&pmu, 2, &config));
		assert_true(drv->start(&pmu, 7));
		for (unsigned i = 0; i < 5; i++)
			fake_cpu_run(&(struct qterm){Q_INSTRUCTIONS, i}, 1, 1, 3, 1);
		assert_int_equal(count(0), 3);
		assert_int_equal(count(1), 2);
		assert_int_equal(count(2), 1);
	}
}

/* A window as the harness composes it: bracket, kernel of n NOPs, bracket; run on the real processor with the
 * fake CPU answering. */
static uint64_t run_window(const struct pmu_bracket *b, unsigned n)
{
	uint8_t code[4096];
	uint64_t regs[4];
	unsigned size = b->start_end - b->start;

	memcpy(regs, b->args, sizeof regs);
	memcpy(code, b->start, size);
	memset(code + size, 0x90, n);
	size += n;
	memcpy(code + size, b->stop, b->stop_end - b->stop);
	size += b->stop_end - b->stop;
	return fake_cpu_execute(code, size, regs);
}

static void brackets_count_their_own(void **unused)
{
	static const unsigned sizes[] = {0, 1, 1000};
	struct pmu_bracket b;
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		start_cpu(parts[p].profile, "");
		for (unsigned c = 0; c < pmu.n_counters; c++)
			for (unsigned i = 0; i < 3; i++) {
				arm(c, LEVELS_ALL, false);
				assert_true(drv->bracket_enable(&pmu, 1ull << c, &b));
				assert_true(b.privileged);
				run_window(&b, sizes[i]);
				assert_int_equal(count(c), sizes[i] + b.own[0].amount);
				assert_true(drv->bracket_read(&pmu, c, &b));
				assert_true(drv->start(&pmu, 1ull << c));
				assert_int_equal(run_window(&b, sizes[i]), sizes[i] + b.own[0].amount);
				assert_true(drv->stop(&pmu));
				assert_true(drv->write(&pmu, c, -20ull));
				assert_true(drv->start(&pmu, 1ull << c));
				assert_int_equal(run_window(&b, sizes[i]), sizes[i] + b.own[0].amount);
				assert_true(drv->release(&pmu, c));
			}
		/* Several at once only where there is a common enable. */
		arm(0, LEVELS_ALL, false);
		arm(2, LEVELS_ALL, false);
		assert_int_equal(drv->bracket_enable(&pmu, 5, &b), pmu.has_global);
		if (!pmu.has_global)
			continue;
		assert_true(drv->write(&pmu, 1, 0));
		run_window(&b, 7);
		assert_int_equal(count(0), 10);
		assert_int_equal(count(1), 0);
		assert_int_equal(count(2), 10);
	}
	/* The upper half of a selector survives. */
	start_cpu(&amd_zen3, "");
	assert_true(drv->program(&pmu, 0, &(struct pmu_config){.code = 0x1000000c9, .levels = LEVELS_ALL}));
	assert_true(drv->bracket_enable(&pmu, 1, &b));
	uint64_t select;
	run_window(&b, 1);
	assert_true(msr_read(PERF_CTL0, &select));
	assert_int_equal(select, 0x1000000c9 | CTL_USR | CTL_OS);
}

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

static int cleanup(void **unused)
{
	(void)unused;
	fake_cpu_stop();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_what_each_has),
		cmocka_unit_test(describes_each_part),
		cmocka_unit_test(wiring_is_told),
		cmocka_unit_test(merges_counters),
		cmocka_unit_test(counts_and_stops),
		cmocka_unit_test(sees_overflow),
		cmocka_unit_test(takes_modifiers),
		cmocka_unit_test(brackets_count_their_own),
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
