/* Every deviation that can be injected into the Intel model shows, and the model without it does not show it.
 */
#include "tests/self/host/intel_record_deviations.h"

#include "pmu/intel/errata/errata.h"

#include <stdio.h>

#define RUN_ALL 0x70000000full

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

static bool counts_down(void)
{
	bool down = false;
	for (unsigned c = 0; c < 4; c++)
		count_instructions(c, 0, 100);
	instructions(5);
	for (unsigned c = 0; c < 4; c++)
		down |= get(IA32_PMC0 + c) == 95;
	return down;
}

static bool rdpmc_index(void)
{
	uint64_t value;
	for (unsigned c = 0; c < 4; c++)
		set(IA32_PMC0 + c, c + 1);
	return pmc(2, true, &value) != REGISTER_DONE || value != 3;
}

static bool kept_and_read(void)
{
	uint64_t value;

	power_up(&intel_version6, active);
	set(IA32_PERFEVTSEL0, EVTSEL_RDPMC_USER);
	set(IA32_PMC0, 5);
	return model_rdpmc(&intel_model, cpu, 0, 3, true, &value) != REGISTER_DONE || value != 0;
}

static bool reserved_accepted(void)
{
	return put(IA32_PERFEVTSEL0, 1ull << 40) == REGISTER_DONE &&
	       put(IA32_PERF_GLOBAL_CTRL, 1ull << 20) == REGISTER_DONE;
}

/* What is missing answers; what is there refuses reserved bits all the same. */
static bool absent_answers(void)
{
	uint64_t value = 1;

	return model_rdmsr(&intel_model, cpu, IA32_PMC0 + 4, &value) == REGISTER_DONE && !value &&
	       put(IA32_PMC0 + 4, 5) == REGISTER_DONE && pmc(4, true, &value) == REGISTER_DONE && !value &&
	       pmc(RDPMC_FIXED + 3, true, &value) == REGISTER_DONE &&
	       put(IA32_PERFEVTSEL0, 1ull << 40) == REGISTER_FAULT;
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

static uint64_t branches_by(unsigned c, uint64_t code)
{
	set(IA32_PERFEVTSEL0 + c, EVTSEL_EN | EVTSEL_USR | EVTSEL_OS | code);
	step(Q_BR_COND, 1, 1, 0);
	step(Q_BRANCHES, 1, 1, 0);
	return get(IA32_PMC0 + c);
}

static bool nameless_code_counts(void)
{
	assert_int_equal(branches_by(0, 0x1ff), 0);
	assert_int_equal(branches_by(3, 0x2ff), 0);
	return branches_by(3, 0x1ff) == 1;
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

static bool line_stays(void)
{
	return intel_model.line_stays(cpu);
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
	terms((struct qterm[]){{Q_INSTRUCTIONS, 1}, {Q_STORES, 8}, {Q_REP_ITERATIONS, 8}}, 3, 1, 0);
	terms((struct qterm[]){{Q_INSTRUCTIONS, 1}, {Q_LOADS, 8}, {Q_REP_ITERATIONS, 8}}, 3, 1, 0);
	return get(IA32_PMC0) == 3;
}

static bool x87_control_twice(void)
{
	count_instructions(0, 0, 0);
	terms((struct qterm[]){{Q_INSTRUCTIONS, 1}, {Q_INSN_X87, 1}, {Q_INSN_X87_CONTROL, 1}}, 3, 1, 0);
	terms((struct qterm[]){{Q_INSTRUCTIONS, 1}, {Q_INSN_X87, 1}}, 2, 1, 0);
	return get(IA32_PMC0) == 3;
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

/* The core halts behind the step that overflows. */
static void halts_at_overflow(void)
{
	count_instructions(0, EVTSEL_INT, -1ull);
	instructions(1);
	intel_model.advance(cpu, &(struct step){.cycles = 50, .halted = true});
}

static bool halt_loses_request(void)
{
	halts_at_overflow();
	instructions(5);
	return !pmis();
}

static bool halt_hangs(void)
{
	halts_at_overflow();
	return put(IA32_PERF_GLOBAL_CTRL, 0) == REGISTER_HANGS;
}

static bool line_end_twice(void)
{
	const struct qterm one = {Q_INSTRUCTIONS, 1};

	count_instructions(0, 0, 0);
	for (unsigned ip = 0; ip < 128; ip++) {
		struct step s = {.terms = &one, .n_terms = 1, .cycles = 1, .ip = ip};
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

static bool sibling_counts(void)
{
	struct qterm one = {Q_INSTRUCTIONS, 1};
	struct step alone = {.terms = &one, .n_terms = 1, .cycles = 1}, beside = alone;

	beside.sibling = true;
	count_instructions(0, 0, 0);
	intel_model.advance(cpu, &alone);
	intel_model.advance(cpu, &beside);
	return get(IA32_PMC0) == 3;
}

/* The core's other logical processor retires `n` instructions. */
static void other_instructions(unsigned n)
{
	static struct step theirs;
	static const struct qterm one = {Q_INSTRUCTIONS, 1};

	theirs = (struct step){.terms = &one, .n_terms = 1, .cycles = 1, .thread = 1};
	while (n--)
		intel_model.advance(cpu, &theirs);
}

static bool other_counts(void)
{
	count_instructions(0, 0, 0);
	other_instructions(3);
	return get(IA32_PMC0) == 3;
}

static bool any_counts_one(void)
{
	count_instructions(0, EVTSEL_ANY, 0);
	instructions(2);
	other_instructions(3);
	return get(IA32_PMC0) == 2;
}

static bool written_in_both(void)
{
	static struct intel_state other;
	struct register_access a = {.space = SPACE_MSR, .number = IA32_PMC0};

	intel_model.reset(&other, &intel_nehalem, NULL);
	intel_model.join(cpu, &other);
	set(IA32_PMC0, 7);
	intel_model.access(&other, &a);
	return a.value == 7;
}

static bool others_count(void)
{
	struct qterm one = {Q_INSTRUCTIONS, 1};
	struct step alone = {.terms = &one, .n_terms = 1, .cycles = 1}, beside = alone;

	beside.others = true;
	count_instructions(0, 0, 0);
	intel_model.advance(cpu, &alone);
	intel_model.advance(cpu, &beside);
	return get(IA32_PMC0) == 3;
}

static bool interrupt_counts(void)
{
	count_instructions(0, 0, 0);
	step(Q_EXCEPTIONS, 1, 1, 0);
	step(Q_INTERRUPTS_HW, 1, 1, 0);
	return get(IA32_PMC0) == 2;
}

/* A write that must not hang while nothing counts, and must not while something does. */
static bool switching_hangs(void)
{
	bool before = put(IA32_PEBS_ENABLE, 1) == REGISTER_DONE;

	count_instructions(0, 0, 0);
	return before && put(IA32_PEBS_ENABLE, 0) == REGISTER_HANGS;
}

static bool large_buffer_hangs(void)
{
	debug_store(4096 / 20, 21);
	bool small = put(IA32_PEBS_ENABLE, 1) == REGISTER_DONE &&
		     put(IA32_PERF_GLOBAL_CTRL, 1) == REGISTER_DONE &&
		     put(IA32_PERF_GLOBAL_CTRL, 0) == REGISTER_DONE;

	debug_store(4096 / 20 + 1, 21);
	return small && put(IA32_PERF_GLOBAL_CTRL, 1) == REGISTER_HANGS;
}

static const struct {
	const char *name;
	bool (*shows)(void);
} rows[] = {
	{"bj106", switching_hangs},
	{"c2-bigpebs", large_buffer_hangs},
	{"aaj113", halt_loses_request},
	{"aaj134", halt_hangs},
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
	{"backwards", counts_down},
	{"dead", wrong_count},
	{"noisy", wrong_count},
	{"noisy-branches", branches_vary},
	{"firmware-arms", armed_again},
	{"rdpmc-wrong-index", rdpmc_index},
	{"rdpmc-user", kept_and_read},
	{"reserved-accepted", reserved_accepted},
	{"absent-zero", absent_answers},
	{"event-filter", filtered},
	{"undocumented", nameless_code_counts},
	{"start-emulated", start_counts},
	{"lvt-stays", line_stays},
	{"global-ignored", global_ignored},
	{"smi", smi_comes},
	{"smm-counted", smi_counts_though_frozen},
	{"late-pmi", late_request},
	{"line-end", line_end_twice},
	{"odd-counter", odd_counter},
	{"x87-control-twice", x87_control_twice},
	{"sibling-leak", sibling_counts},
	{"sibling-counted", other_counts},
	{"any-alone", any_counts_one},
	{"threads-alike", written_in_both},
	{"others-leak", others_count},
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

/* Those that a boot of the test image looks for (tests/self/mutants/catches.c). */
static bool is_tried(const char *name)
{
	static const char *const tried[] = {
#define ERRATUM_TRIAL(profile, inject, ...) inject,
#define ERRATUM_OF_RULE(...)
#define ERRATUM_WORKED(profile, inject, ...) inject,
#include "pmu/intel/errata/catches.def"
#undef ERRATUM_TRIAL
#undef ERRATUM_OF_RULE
#undef ERRATUM_WORKED
	};

	for (unsigned i = 0; i < sizeof tried / sizeof *tried; i++)
		if (errata_same(&intel_known_errata, tried[i], name))
			return true;
	return false;
}

static void none_is_forgotten(void **unused)
{
	(void)unused;
	unsigned n = 0, here = 0;
	for (; intel_model.injections[n].name; n++) {
		unsigned i = 0;
		assert_non_null(intel_model.injections[n].summary);
		while (i < ROWS && strcmp(rows[i].name, intel_model.injections[n].name))
			i++;
		here += i < ROWS;
		if (i == ROWS && !is_tried(intel_model.injections[n].name))
			fail_msg("%s has no test", intel_model.injections[n].name);
	}
	assert_int_equal(here, ROWS);
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

/* Errata of the counters that are there if the core's other logical processor is not: of each of the four,
 * and of none of the first four. */
static void the_upper_four_are_deviant(void **unused)
{
	(void)unused;
	power_up(&intel_ivybridge_8, "bv80");
	for (unsigned c = 0; c < 8; c++) {
		set(IA32_PERFEVTSEL0 + c, INSTR);
		assert_int_equal(get(IA32_PERFEVTSEL0 + c) != INSTR, c >= 4);
	}
	power_up(&intel_broadwell_8, "bdd116");
	set(IA32_PERF_GLOBAL_CTRL, 0xff);
	for (unsigned c = 0; c < 8; c++)
		set(IA32_PERFEVTSEL0 + c, INSTR & ~EVTSEL_OS);
	step(Q_INSTRUCTIONS, 5, 1, 3);
	for (unsigned c = 0; c < 8; c++)
		assert_int_equal(get(IA32_PMC0 + c), c >= 4 ? 0 : 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_is_forgotten),
		cmocka_unit_test(the_upper_four_are_deviant),
		cmocka_unit_test(each_shows),
		cmocka_unit_test(only_the_last_counter_is_dead),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(cpu);
	return failed;
}
