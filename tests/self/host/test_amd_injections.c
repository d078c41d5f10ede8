/* Every deviation that can be injected into the AMD model shows, and the model without it does not show it.
 */
#include "tests/self/host/amd_record_injections.h"

static void terms(const struct qterm *t, unsigned n)
{
	struct step s = {.terms = t, .n_terms = n, .cycles = 1};
	amd_model.advance(cpu, &s);
}

/* Count instructions on counter c, from `start` on. */
static void count_instructions(unsigned c, uint64_t flags, uint64_t start)
{
	set(CTL(c), INSTR | flags);
	set(CTR(c), start);
}

/* Each function sets something up, and says whether the count, register or interrupt is other than the manual
 * says. */

static bool dropped_carry(void)
{
	count_instructions(0, 0, 0xffffffff);
	instructions(2);
	return get(CTR(0)) != 0x100000001;
}

static bool other_counts(void)
{
	const struct qterm one = {Q_INSTRUCTIONS, 1};
	struct step theirs = {.terms = &one, .n_terms = 1, .cycles = 1, .thread = 1};

	count_instructions(0, 0, 0);
	amd_model.advance(cpu, &theirs);
	return get(CTR(0)) == 1;
}

static bool written_in_both(void)
{
	static struct amd_state other;

	amd_model.reset(&other, &amd_fam15h, NULL);
	amd_model.join(cpu, &other);
	set(CTR(0), 7);
	return other.counter[0].value == 7;
}

static bool off_by_one(void)
{
	count_instructions(0, 0, 0);
	set(CTL(0), 0);
	set(CTR(0), 0);
	set(CTL(0), INSTR);
	instructions(10);
	return get(CTR(0)) != 10;
}

static bool stuck_status(void)
{
	count_instructions(0, 0, TOP);
	instructions(1);
	set(PERF_GLOBAL_STATUS_CLR, 1);
	return get(PERF_GLOBAL_STATUS) != 0;
}

static bool no_pmi(void)
{
	count_instructions(0, CTL_INT, TOP);
	instructions(1);
	return pmis() == 0;
}

static bool lost_status(void)
{
	count_instructions(0, 0, TOP);
	instructions(1);
	return get(PERF_GLOBAL_STATUS) != 1;
}

static bool ring_leak(void)
{
	set(CTL(0), INSTR & ~CTL_OS);
	instructions(3);
	return get(CTR(0)) != 0;
}

static bool neighbour(void)
{
	count_instructions(1, 0, 0);
	instructions(5);
	return get(CTR(0)) != 0;
}

static bool wrong_count(void)
{
	count_instructions(1, 0, 0);
	instructions(500);
	return get(CTR(1)) != 500;
}

static bool dead_counter(void)
{
	set(PERF_CTL0 + 10, INSTR);
	instructions(5);
	return get(PERF_CTR0 + 10) != 5;
}

static bool counts_down(void)
{
	set(PERF_CTL0 + 10, INSTR);
	set(PERF_CTR0 + 10, 100);
	instructions(5);
	return get(PERF_CTR0 + 10) == 95;
}

static bool rdpmc_index(void)
{
	uint64_t value;
	for (unsigned c = 0; c < 4; c++)
		set(CTR(c), c + 1);
	return pmc(2, true, &value) != REGISTER_DONE || value != 3;
}

static bool rdpmc_refused(void)
{
	uint64_t value;
	return pmc(0, true, &value) != REGISTER_DONE;
}

static bool other_northbridge_counter(void)
{
	uint64_t value;
	bool wrong = false;

	for (unsigned n = 0; n < AMD_NB; n++)
		set(PERF_NB_CTL0 + 2 * n + 1, n + 1);
	for (unsigned n = 0; n < AMD_NB; n++)
		wrong = wrong || pmc(RDPMC_NB + n, true, &value) != REGISTER_DONE || value != n + 1;
	return wrong;
}

static bool reserved_fault(void)
{
	return put(CTL(0), 1ull << 21) == REGISTER_FAULT;
}

static bool global_ignored(void)
{
	count_instructions(0, 0, 0);
	set(PERF_GLOBAL_CTL, 0);
	instructions(3);
	return get(CTR(0)) != 0;
}

static bool late_request(void)
{
	count_instructions(0, CTL_INT, TOP);
	for (unsigned i = 0; i < 3; i++) {
		instructions(1);
		if (pmis())
			return false;
	}
	instructions(1);
	return pmis() == 1;
}

static bool status_reserved(void)
{
	return get(PERF_GLOBAL_STATUS) >> 6;
}

static bool not_settable(void)
{
	uint64_t value;

	return model_wrmsr(&amd_model, cpu, PERF_GLOBAL_STATUS_SET, 1) == REGISTER_FAULT &&
	       model_rdmsr(&amd_model, cpu, PERF_GLOBAL_STATUS_SET, &value) == REGISTER_FAULT &&
	       get(PERF_GLOBAL_STATUS) == 0;
}

static bool filtered(void)
{
	count_instructions(1, 0, 0);
	set(CTL(0), 0x2cb | RINGS | CTL_EN);
	instructions(1);
	step(Q_INSN_MMX, 1, 1, 0);
	return get(CTR(0)) == 0 && get(CTR(1)) == 1;
}

static uint64_t branches_by(unsigned c, uint64_t code)
{
	set(PERF_CTL0 + 2 * c, code | RINGS | CTL_EN);
	set(PERF_CTR0 + 2 * c, 0);
	step(Q_BR_COND, 1, 1, 0);
	return get(PERF_CTR0 + 2 * c);
}

static bool nameless_code_counts(void)
{
	assert_int_equal(branches_by(0, 0x1ff), 0);
	assert_int_equal(branches_by(5, 0x2ff), 0);
	return branches_by(5, 0x1ff) == 1;
}

static bool worlds_alike(void)
{
	count_instructions(0, CTL_GUEST, 0);
	instructions(3);
	return get(CTR(0)) != 0;
}

/* Three instructions of the host and two of a guest. */
static uint64_t in_two_worlds(uint64_t only)
{
	struct qterm term = {Q_INSTRUCTIONS, 1};
	struct step s = {.terms = &term, .n_terms = 1, .cycles = 1, .guest = true};

	put(EFER, EFER_SVME);
	count_instructions(0, only, 0);
	instructions(3);
	amd_model.advance(cpu, &s);
	amd_model.advance(cpu, &s);
	return get(CTR(0));
}

static bool guest_leaks(void)
{
	return in_two_worlds(CTL_HOST) != 3;
}

static bool guest_lost(void)
{
	return in_two_worlds(CTL_GUEST) != 2;
}

static bool not_merged(void)
{
	set(CTL(1), CTL_MERGE | CTL_EN);
	set(CTL(0), 0x0103 | RINGS | CTL_EN);
	step(Q_FLOPS_SP_ADD, 16, 1, 0);
	return get(CTR(0)) != 16;
}

/* Time that a halt takes is what the TSC says of it, from the step before, where there was one. */
static bool counts_halted(void)
{
	uint64_t seen;

	set(CTL(0), CYCLES);
	amd_model.advance(cpu, &(struct step){.cycles = 100, .halted = true});
	seen = get(CTR(0));
	amd_model.advance(cpu, &(struct step){.cycles = 1, .clock = 1000});
	set(CTR(0), 0);
	amd_model.advance(cpu, &(struct step){.cycles = 100, .halted = true, .clock = 1500});
	assert_int_equal(get(CTR(0)), seen ? 500 : 0);
	amd_model.advance(cpu, &(struct step){.cycles = 1, .clock = 1501});
	set(CTR(0), 0);
	amd_model.advance(cpu, &(struct step){.cycles = 100, .halted = true, .clock = 1511});
	assert_int_equal(get(CTR(0)), seen ? 10 : 0);
	return seen != 0;
}

static bool carry_lost_when_stopped(void)
{
	count_instructions(0, 0, 0xfffffffe);
	instructions(4);
	set(CTL(0), 0);
	bool late = get(CTR(0)) != 0x100000002;
	count_instructions(0, 0, 0xfffffffd);
	step(Q_INSTRUCTIONS, 4, 1, 0);
	set(CTL(0), 0);
	return !late && get(CTR(0)) == 0x100000000;
}

#define FENCES(event) ((1ull << 32) | (event) | RINGS | CTL_EN)

static bool fences_count_twice(void)
{
	set(CTL(0), FENCES(0xd4));
	set(CTL(1), FENCES(0xd3));
	step(Q_INSN_FENCE, 1, 1, 0);
	return get(CTR(0)) > 1 && !get(CTR(1));
}

static bool doubles_overcount(void)
{
	set(CTL(0), 0x7cc | RINGS | CTL_EN);
	step(Q_INSTRUCTIONS, 1, 1, 0);
	return get(CTR(0)) > 1;
}

static bool arithmetic_is_a_fence(void)
{
	set(CTL(0), FENCES(0xd3));
	step(Q_X87_OPS, 1, 1, 0);
	return get(CTR(0)) == 1;
}

static bool overcounts_mmx(void)
{
	set(CTL(0), 0x2cb | RINGS | CTL_EN);
	for (unsigned i = 0; i < 200; i++)
		step(Q_INSN_MMX, 1, 1, 0);
	return get(CTR(0)) != 200;
}

static bool second_interrupt_lost(void)
{
	count_instructions(0, CTL_INT, TOP);
	count_instructions(1, CTL_INT, TOP - 3);
	instructions(6);
	return pmis() != 2;
}

static bool mmx_stores_missed(void)
{
	static const struct qterm store[] = {{Q_INSTRUCTIONS, 1}, {Q_INSN_MMX, 1}, {Q_STORES, 1}};
	set(CTL(0), 0x2cb | RINGS | CTL_EN);
	terms(store, 3);
	step(Q_INSN_MMX, 1, 1, 0);
	return get(CTR(0)) == 1;
}

static bool irperf_pairs(void)
{
	static const struct qterm jcc[] = {{Q_INSTRUCTIONS, 1}, {Q_BR_COND, 1}};
	set(HWCR, HWCR_IRPERF);
	terms(jcc, 2);
	return get(IRPERF) != 1;
}

static bool control_loads_count(void)
{
	static const struct qterm load[] = {{Q_INSTRUCTIONS, 1}, {Q_INSN_MXCSR, 1}, {Q_LOADS, 1}},
				  store[] = {{Q_INSTRUCTIONS, 1}, {Q_INSN_MXCSR, 1}, {Q_STORES, 1}};

	set(CTL(0), 0xff03 | RINGS | CTL_EN);
	amd_model.advance(cpu, &(struct step){.terms = store, .n_terms = 3, .cycles = 1, .length = 4});
	assert_int_equal(get(CTR(0)), 0);
	amd_model.advance(cpu, &(struct step){.terms = load, .n_terms = 3, .cycles = 1, .length = 4});
	return get(CTR(0)) != 0;
}

static bool unlocked_cycles_count(void)
{
	set(CTL(0), 0x424 | RINGS | CTL_EN);
	instructions(4);
	return get(CTR(0)) != 0;
}

static bool locks_are_branches(void)
{
	set(CTL(0), 0xd1 | RINGS | CTL_EN);
	for (unsigned i = 0; i < 3; i++)
		step(Q_INSN_LOCKED, 1, 1, 0);
	return get(CTR(0)) != 0;
}

static bool dispatches_nothing(void)
{
	set(CTL(0), 0x1aa | RINGS | CTL_EN);
	step(Q_UOPS_DECODED, 4, 1, 0);
	return get(CTR(0)) == 0;
}

/* All but the specially configured counter 2, on the part that has it. */
static bool counter_2_is_right(void)
{
	count_instructions(0, 0, 0);
	count_instructions(1, CTL_1292, 0);
	count_instructions(2, CTL_1292, 0);
	instructions(500);
	return get(CTR(0)) > 500 && get(CTR(1)) > 500 && get(CTR(2)) == 500;
}

static const struct {
	const char *name;
	bool (*shows)(void);
} rows[] = {
	{"dropped-carry", dropped_carry},
	{"sibling-counted", other_counts},
	{"threads-alike", written_in_both},
	{"off-by-one", off_by_one},
	{"stuck-status", stuck_status},
	{"no-pmi", no_pmi},
	{"lost-status", lost_status},
	{"ring-leak", ring_leak},
	{"neighbour-coupling", neighbour},
	{"overcount-x16", wrong_count},
	{"short-width", dropped_carry},
	{"dead-counter", dead_counter},
	{"backwards", counts_down},
	{"dead", wrong_count},
	{"noisy", wrong_count},
	{"rdpmc-wrong-index", rdpmc_index},
	{"rdpmc-refused", rdpmc_refused},
	{"reserved-fault", reserved_fault},
	{"global-ignored", global_ignored},
	{"late-pmi", late_request},
	{"status-reserved", status_reserved},
	{"no-status-set", not_settable},
	{"event-filter", filtered},
	{"undocumented", nameless_code_counts},
	{"worlds-alike", worlds_alike},
	{"guest-leak", guest_leaks},
	{"guest-lost", guest_lost},
	{"merge-ignored", not_merged},
	{"ibs-skid", sample_skids},
	{"ibs-taken", sample_tells_untaken},
	{"ibs-physical", other_page},
	{"ibs-times", times_swapped},
	{"ibs-levels", outer_alone},
	{"ibs-source", reserved_source},
	{"ibs-far", far_source},
	{"ibs-filter", filter_passes},
	{"ibs-latency", short_load_passes},
	{"lbr-lost", branch_missing},
	{"brs-lost", sampled_branch_missing},
	{"brs-early", sampled_early},
	{"ibs-line", line_of_ibs},
	{"336", period_passed_over},
	{"337", address_behind},
	{"420", request_stays},
	{"301", fences_count_twice},
	{"393", doubles_overcount},
	{"421", arithmetic_is_a_fence},
	{"443", store_untold},
	{"580", period_passed_over},
	{"693", control_loads_count},
	{"707", unlocked_cycles_count},
	{"717", line_asked_for},
	{"718", miss_stays},
	{"719", fetch_comes_early},
	{"781", other_northbridge_counter},
	{"794", counts_halted},
	{"795", carry_lost_when_stopped},
	{"990", overcounts_mmx},
	{"1023", second_interrupt_lost},
	{"zen-speclock", locks_are_branches},
	{"ibs-fetchrst", count_is_kept},
	{"1212", times_swapped},
	{"1238", fetch_misses},
	{"1266", mmx_stores_missed},
	{"1267", irperf_pairs},
	{"1287", dispatches_nothing},
	{"1293", source_of_prefetch},
	{"1291", wrong_count},
	{"1292", wrong_count},
	{"1452", branch_missing},
};
#define ROWS (sizeof rows / sizeof rows[0])

static void each_shows(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < ROWS; i++) {
		/* Branch sampling is Zen 3's, the filter of latencies Zen 5's; the firmware of family 10H
		 * need not set IBS up. */
		const struct model_profile *profile = !strncmp(rows[i].name, "brs", 3)       ? &amd_zen3_epyc
						      : !strcmp(rows[i].name, "ibs-line")    ? &amd_fam10h
						      : !strcmp(rows[i].name, "ibs-latency") ? &amd_zen5
											     : &amd_zen4;

		power_up(profile, "");
		if (rows[i].shows())
			fail_msg("%s shows without having been injected", rows[i].name);
		power_up(profile, rows[i].name);
		if (!rows[i].shows())
			fail_msg("%s does not show", rows[i].name);
	}
}

/* Those that a boot of the test image looks for (tests/self/mutants/catches.c). */
static bool is_tried(const char *name)
{
	static const char *const tried[] = {
#define ERRATUM_TRIAL(profile, inject, ...) inject,
#define ERRATUM_OF_RULE(...)
#define ERRATUM_WORKED(profile, inject, ...)
#include "pmu/amd/errata/catches.def"
#undef ERRATUM_TRIAL
#undef ERRATUM_OF_RULE
#undef ERRATUM_WORKED
	};

	for (unsigned i = 0; i < sizeof tried / sizeof *tried; i++)
		if (!strcmp(tried[i], name))
			return true;
	return false;
}

static void none_is_forgotten(void **unused)
{
	(void)unused;
	unsigned n = 0, here = 0;
	for (; amd_model.injections[n].name; n++) {
		unsigned i = 0;
		assert_non_null(amd_model.injections[n].summary);
		while (i < ROWS && strcmp(rows[i].name, amd_model.injections[n].name))
			i++;
		here += i < ROWS;
		if (i == ROWS && !is_tried(amd_model.injections[n].name))
			fail_msg("%s has no test", amd_model.injections[n].name);
	}
	assert_int_equal(here, ROWS);
	assert_true(n <= MODEL_INJECTIONS_MAX);
}

static void way_around_1292(void **unused)
{
	(void)unused;
	power_up(&amd_zen3, "1292");
	assert_true(counter_2_is_right());
	power_up(&amd_zen3, "1291");
	assert_false(counter_2_is_right());
	power_up(&amd_zen3, "1292");
	count_instructions(2, CTL_1292 | CTL_INT, 0);
	instructions(500);
	assert_int_not_equal(get(CTR(2)), 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_is_forgotten),
		cmocka_unit_test(each_shows),
		cmocka_unit_test(way_around_1292),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(cpu);
	return failed;
}
