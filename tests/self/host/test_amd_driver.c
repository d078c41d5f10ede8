/* The AMD driver against the AMD model, on every profile: what it finds, and what it counts. */
#include "tests/self/host/amd_driver_shortcuts.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_what_each_has), cmocka_unit_test(describes_each_part),
		cmocka_unit_test(wiring_is_told),      cmocka_unit_test(merges_counters),
		cmocka_unit_test(counts_and_stops),    cmocka_unit_test(sees_overflow),
		cmocka_unit_test(takes_modifiers),     cmocka_unit_test(brackets_count_their_own),
	};
	return cmocka_run_group_tests(tests, NULL, cleanup);
}
