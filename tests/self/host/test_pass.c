/* A pass: what it counts, what it takes again, what it refuses to believe, and which shares it measures
 * before. */
#include "tests/self/host/support/scripted_pmu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define REPS 4

static uint64_t raw[2 * REPS * SCRIPTED_COUNTERS];
static unsigned at_window, times; /* what `during` does, and how often */

static int setup(void **state)
{
	(void)state;
	scripted_start("IBCX");
	pass_report_retaken(&scripted.run, "left over"); /* forgets what other tests did */
	scripted.n_facts = 0;
	return 0;
}

static struct pass pass_on(unsigned n_slots, const char *events)
{
	struct pass p = {.pmu = &scripted.pmu,
			 .kernel = kernel_by_name("nop_loop"),
			 .n_slots = n_slots,
			 .n_count = 2,
			 .n = {10, 20},
			 .reps = REPS,
			 .raw = raw};

	for (unsigned s = 0; s < n_slots; s++)
		p.slot[s] = pass_slot(scripted_event(events[s]), s, LEVELS_ALL);
	memset(raw, 0xaa, sizeof raw);
	return p;
}

/* Every sample of every slot is what signature and bracket declare. */
static void all_as_declared(const struct pass *p)
{
	assert_null(p->failure);
	for (unsigned i = 0; i < p->n_count; i++)
		for (unsigned rep = 0; rep < p->reps; rep++)
			for (unsigned s = 0; s < p->n_slots; s++) {
				bool branches = p->slot[s].event->name[0] == 'B';
				uint64_t each = branches ? 1 : 12;

				assert_int_equal(pass_raw(p, i, rep, s),
						 each * p->n[i] +
							 (branches ? 0 : (uint64_t)pass_share(p, s)));
			}
}

static void each_count_of_each_counter_is_kept(void **state)
{
	struct pass p = pass_on(3, "IBI");

	(void)state;
	pass_run(&p);
	all_as_declared(&p);
	assert_int_equal(pass_share(&p, 0), SCRIPTED_SHARE);
	assert_int_equal(pass_share(&p, 1), 0);
	assert_int_equal(scripted.programmed, 0);
	/* Counters run on from sample to sample, across their highest value as well. */
	p = pass_on(2, "IB");
	p.preset = (UINT64_C(1) << SCRIPTED_WIDTH) - 5;
	p.slot[1].start = 7;
	pass_run(&p);
	all_as_declared(&p);
}

/* Likewise where that is not all ones. */
static void counters_run_across_any_highest_value(void **state)
{
	struct pass p = pass_on(2, "IB");

	(void)state;
	scripted_wrap(0, 300, true); /* one window of the longer ones fits */
	pass_run(&p);
	all_as_declared(&p);
	assert_int_equal(pass_share(&p, 0), SCRIPTED_SHARE);
	/* Taken for plain, a window across the end counts something else. */
	scripted.pmu.counter[0].highest = 0;
	p = pass_on(2, "IB");
	pass_run(&p);
	assert_null(p.failure);
	assert_int_equal(pass_raw(&p, 0, 2, 0), 123 + (UINT64_C(1) << SCRIPTED_WIDTH) - 301);
}

static void differences_of_readings_and_windows_in_ring_3(void **state)
{
	struct pass p = pass_on(1, "I");

	(void)state;
	p.bracketing = BRACKET_READ;
	pass_run(&p);
	all_as_declared(&p);
	p = pass_on(1, "I");
	p.level = 3;
	p.slot[0].config.levels = LEVELS_USER;
	scripted.counts_start = scripted.counts_stop = ~UINT64_C(0); /* in ring 0: not seen there */
	pass_run(&p);
	all_as_declared(&p);
	assert_int_equal(pass_share(&p, 0), 3);
	/* Of several counters none can be read. */
	p = pass_on(2, "II");
	p.bracketing = BRACKET_READ;
	pass_run(&p);
	assert_string_equal(p.failure, "the PMU has no bracket by reading");
}

static unsigned windows_for_shares(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < SHARE_LENGTHS; i++)
		n += scripted.windows_of[i];
	return n;
}

static void a_share_is_measured_once(void **state)
{
	struct pass p = pass_on(1, "I");
	unsigned n;

	(void)state;
	pass_run(&p);
	n = windows_for_shares();
	assert_int_equal(scripted.windows_of[0], 3);
	assert_int_equal(n, 3 + SHARE_LENGTHS - 1);
	assert_int_equal(scripted.windows, n + 2 * REPS);
	pass_run(&p);
	assert_int_equal(windows_for_shares(), n);
	/* Of a place that is not known yet it is: another event beside it, another counter, another ring. */
	p = pass_on(2, "IB");
	pass_run(&p);
	assert_int_equal(windows_for_shares(), 2 * n);
	p = pass_on(1, "I");
	p.slot[0].counter = 2;
	pass_run(&p);
	assert_int_equal(windows_for_shares(), 3 * n);
	p.slot[0].config.levels = LEVELS_SYSTEM;
	pass_run(&p);
	assert_int_equal(windows_for_shares(), 4 * n);
	/* Not of a clock on a model, and not by who looks for shares himself. */
	p = pass_on(1, "C");
	pass_run(&p);
	p = pass_on(1, "I");
	p.slot[0].counter = 3;
	pass_run_plain(&p);
	assert_int_equal(windows_for_shares(), 4 * n);
}

static void hardware_takes_a_thousand_windows_of_each_length(void **state)
{
	struct pass p = pass_on(2, "IC");

	(void)state;
	scripted.pmu.virtual = scripted.pmu.deterministic = false;
	pass_run(&p);
	assert_null(p.failure);
	for (unsigned i = 0; i < SHARE_LENGTHS; i++)
		assert_in_range(scripted.windows_of[i], 1000, 1001); /* and one to warm up */
	for (unsigned s = 0; s < 2; s++) {
		const struct share_place at = pass_share_place(&p, s);

		assert_int_equal(share_find(&at).state, SHARE_STEADY);
	}
}

static void not_overflowed(const struct scripted_window *at)
{
	uint64_t status = 1;

	scripted.pmu.driver->overflowed(&scripted.pmu, &status);
	assert_true(!status || at->w->kernel == kernel_by_name("nop_loop"));
}

/* Shares of counters that are near their overflow are measured away from it. */
static void shares_are_measured_from_0(void **state)
{
	uint64_t near = (UINT64_C(1) << SCRIPTED_WIDTH) - 2;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct pass p;

		scripted_start("IB");
		scripted.during = not_overflowed;
		p = pass_on(1, "I");
		if (i)
			p.preset = near;
		else
			p.slot[0].start = near;
		p.n_count = 1;
		p.reps = 1;
		pass_run(&p);
		assert_null(p.failure);
		assert_int_equal(scripted.value[0], 120 + SCRIPTED_SHARE - 2);
	}
}

/* On the odd counter, every other window of one length is one more; or each NOP counts twice. */
static int64_t by_turns(unsigned c, const struct scripted_window *at)
{
	return c == 1 && at->w->kernel == share_kernel(times) ? at->of_kernel % 2 : 0;
}

static int64_t nops_twice(unsigned c, const struct scripted_window *at)
{
	const struct kernel *k = at->w->kernel;

	return c == 1 && k->code ? k->code_end - k->code : 0;
}

static enum share_state state_of(const struct pass *p, unsigned s)
{
	const struct share_place at = pass_share_place(p, s);

	return share_find(&at).state;
}

static void an_unsteady_share_is_told_from_a_steady_one(void **state)
{
	struct pass p;

	(void)state;
	for (times = 0; times < 2; times++) {
		scripted_start("IB");
		scripted.pmu.deterministic = false; /* more windows than one of each length */
		scripted.beyond = by_turns;
		p = pass_on(2, "II");
		pass_run(&p);
		assert_int_equal(state_of(&p, 0), SHARE_STEADY);
		assert_int_equal(state_of(&p, 1), SHARE_UNSTEADY);
		assert_int_equal(pass_share(&p, 1), SCRIPTED_SHARE); /* what is implied */
	}
	scripted_start("IB");
	scripted.beyond = nops_twice;
	p = pass_on(2, "II");
	pass_run(&p);
	assert_int_equal(state_of(&p, 0), SHARE_STEADY);
	assert_int_equal(state_of(&p, 1), SHARE_SLOPE);
}

static void what_the_writes_count_is_taken_off(void **state)
{
	struct pass p = pass_on(2, "II");

	(void)state;
	scripted.counts_start = 1;
	scripted.counts_stop = 3;
	pass_run(&p);
	all_as_declared(&p);
	assert_int_equal(pass_share(&p, 0), SCRIPTED_SHARE + 2);
	assert_int_equal(pass_share(&p, 1), SCRIPTED_SHARE + 1);
}

/* --- samples that are taken again ------------------------------------------------------------------- */

enum disturbance { SMI = 1, STRAY = 2, TICK = 4 };
static unsigned what;
static uint64_t harm; /* what a counter counts of it */
static unsigned harmed;

static void disturb(const struct scripted_window *at)
{
	if (at->w->kernel != kernel_by_name("nop_loop") || at->n != 20 || !times || at->of_kernel < at_window)
		return;
	times--;
	scripted.smis += what & SMI;
	scripted.strays += !!(what & STRAY);
	scripted.ticks += !!(what & TICK);
	scripted.value[harmed] += harm;
}

static struct pass disturbed(unsigned by, unsigned how_often, uint64_t counted)
{
	struct pass p = pass_on(2, "IB");

	what = by;
	times = how_often;
	at_window = 1;
	harm = counted;
	scripted.during = disturb;
	pass_run(&p);
	scripted.during = NULL;
	return p;
}

static void a_sample_that_was_broken_into_is_taken_again(void **state)
{
	static const unsigned by[] = {SMI, STRAY, TICK, SMI | TICK};

	(void)state;
	for (unsigned i = 0; i < sizeof by / sizeof by[0]; i++) {
		struct pass p = disturbed(by[i], 2, 1000);

		assert_int_equal(times, 0);
		all_as_declared(&p);
		assert_int_equal(p.retaken, 2);
		assert_int_equal(p.intrusion_source, INTRUSION_COUNTER);
	}
	pass_report_retaken(&scripted.run, "events");
	assert_int_equal(scripted_facts("taken again after an SMI: 8 of "), 1);
	assert_int_equal(scripted_facts("MSR_SMI_COUNT"), 1);
	assert_int_equal(scripted_facts("FREEZE_WHILE_SMM"), 0);
}

static void undisturbed_samples_are_not(void **state)
{
	struct pass p = pass_on(2, "IB");

	(void)state;
	pass_run(&p);
	assert_int_equal(p.retaken, 0);
	pass_report_retaken(&scripted.run, "events");
	assert_int_equal(scripted_facts("taken again after an SMI: 0 of "), 1);
}

static void always(const struct scripted_window *at)
{
	(void)at;
	scripted.smis++;
}

/* What a window took is kept beside its counts: of the one that is kept, if others were thrown away. */
static void lasts(const struct scripted_window *at)
{
	static unsigned windows;

	scripted.passed += 1000 * ++windows;
	disturb(at);
}

static void each_window_has_its_time(void **state)
{
	uint64_t ticks[2 * REPS] = {0};
	struct pass p = pass_on(2, "IB");

	(void)state;
	p.ticks = ticks;
	what = SMI;
	harm = 0;
	for (times = 0; times < 2; times++) {
		unsigned again = times;

		at_window = 1;
		scripted.during = lasts;
		pass_run_plain(&p);
		assert_null(p.failure);
		assert_int_equal(p.retaken, again);
		/* The second length's second window is the one that an SMI broke into: its time went with it. */
		for (unsigned i = 1; i < 2 * REPS; i++)
			assert_int_equal(ticks[i] / 1000 - ticks[i - 1] / 1000, again && i == REPS + 1 ? 2 : 1);
		times = again;
	}
}

static void what_never_comes_clean_is_no_fault_of_the_pmu(void **state)
{
	struct pass p = disturbed(SMI, INTRUSION_TRIES - 1, 1);

	(void)state;
	all_as_declared(&p);
	p = disturbed(SMI, INTRUSION_TRIES, 1);
	assert_non_null(p.failure);
	assert_true(p.disturbed);
	assert_int_equal(pass_failure_verdict(&p), VERDICT_ERROR);
	/* Nor what comes while shares are measured. */
	scripted_start("IB");
	scripted.during = always;
	p = pass_on(1, "I");
	pass_run(&p);
	assert_non_null(p.failure);
	assert_true(p.disturbed);
	assert_int_equal(scripted.windows, INTRUSION_TRIES);
	/* Where only time tells, a sample that stays long is believed. */
	scripted_start("IB");
	scripted.no_smi_counter = true;
	p = disturbed(STRAY, INTRUSION_TRIES, 0);
	assert_null(p.failure);
	assert_false(p.disturbed);
	assert_int_equal(p.retaken, INTRUSION_TRIES);
}

/* With FREEZE_WHILE_SMM an SMI must not move what is counted exactly; a foreign interrupt may. */
static void counters_are_held_during_smis_alone(void **state)
{
	static const struct {
		unsigned by;
		uint64_t counted;
		const char *told;
		bool wrong;
	} cases[] = {
		{SMI, 0, "counted on in spite of FREEZE_WHILE_SMM: 0 of 1 samples", false},
		{SMI, 5, "counted on in spite of FREEZE_WHILE_SMM: 1 of 1 samples", true},
		{STRAY, 5, NULL, false},
		{TICK, 5, NULL, false},
		{SMI | STRAY, 5, NULL, false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct pass p;

		scripted_start("IB");
		scripted.freezes = true;
		scripted.debugctl = 1;
		pass_held_begin();
		p = disturbed(cases[i].by, 1, cases[i].counted);
		all_as_declared(&p);
		assert_int_equal(scripted.debugctl, 1);
		pass_held_report(&scripted.run, "events");
		assert_int_equal(scripted.n_results, cases[i].by == SMI);
		if (cases[i].by == SMI)
			assert_int_equal(scripted.result[0].verdict,
					 cases[i].wrong ? VERDICT_WRONG : VERDICT_EXACT);
		pass_report_retaken(&scripted.run, "events");
		assert_int_equal(scripted_facts("FREEZE_WHILE_SMM"), cases[i].told != NULL);
		if (cases[i].told)
			assert_int_equal(scripted_facts(cases[i].told), 1);
	}
	/* A clock goes on where nobody holds it to anything. */
	scripted_start("IBC");
	scripted.freezes = true;
	harmed = 2;
	what = SMI;
	times = 1;
	scripted.during = disturb;
	pass_held_begin();
	struct pass p = pass_on(3, "IBC");
	pass_run(&p);
	assert_int_equal(p.retaken, 1);
	harmed = 0;
	pass_held_report(&scripted.run, "events");
	assert_int_equal(scripted.n_results, 1);
	assert_int_equal(scripted.result[0].verdict, VERDICT_EXACT);
	pass_report_retaken(&scripted.run, "events");
	/* Without the freeze all may. */
	scripted_start("IB");
	disturbed(SMI, 1, 5);
	pass_report_retaken(&scripted.run, "events");
	assert_int_equal(scripted_facts("FREEZE_WHILE_SMM"), 0);
}

/* --- what the hardware refuses ---------------------------------------------------------------------- */

static void what_is_refused_is_told_with_its_counter(void **state)
{
	static const struct {
		uint8_t access;
		unsigned counter, from, failed;
		uint8_t ring;
		const char *failure;
	} cases[] = {
		{SCRIPTED_PROGRAM, 1, 0, 1, 0, "programming was refused"},
		{SCRIPTED_WRITE, 1, 0, 1, 0, "writing the counter was refused"},
		{SCRIPTED_READ, 1, 0, 1, 0, "reading the counter was refused"},
		{SCRIPTED_READ, 1, 4, 1, 0, "reading the counter was refused"},
		{SCRIPTED_BRACKET, 0, 0, 0, 0, "the PMU cannot start and stop these counters together"},
		{SCRIPTED_START, 0, 0, 0, 3, "starting was refused"},
		{SCRIPTED_STOP, 0, 1, 0, 3, "stopping was refused"},
		{SCRIPTED_RELEASE, 1, 0, 1, 0, "taking the counter out of use was refused"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct pass p;

		scripted_start("IB");
		scripted.refuse = cases[i].access;
		scripted.refuse_counter = cases[i].counter;
		scripted.refuse_from = cases[i].from;
		p = pass_on(2, "IB");
		p.preset = 1000;
		p.level = cases[i].ring;
		if (p.level)
			p.slot[0].config.levels = p.slot[1].config.levels = LEVELS_USER;
		pass_run(&p);
		assert_non_null(p.failure);
		assert_string_equal(p.failure, cases[i].failure);
		assert_int_equal(p.failed_counter, cases[i].failed);
		assert_false(p.disturbed);
		assert_int_equal(pass_failure_verdict(&p), VERDICT_WRONG);
	}
}

/* --- warmth ----------------------------------------------------------------------------------------- */

static int64_t cold(unsigned c, const struct scripted_window *at)
{
	(void)c;
	return at->w->kernel == kernel_by_name("nop_loop") && at->number == at_window ? 50 : 0;
}

/* The first run of a kernel on hardware is no sample. */
static void caches_are_warm(void **state)
{
	struct pass p = pass_on(1, "I");

	(void)state;
	scripted.pmu.deterministic = scripted.pmu.virtual = false;
	scripted.beyond = cold;
	at_window = 0;
	pass_run_plain(&p);
	p.slot[0].counter = 1;
	all_as_declared(&p);
	assert_int_equal(scripted.windows, 2 * REPS + 1);
	/* Nor does it count where the first value matters. */
	scripted_start("IB");
	scripted.pmu.deterministic = scripted.pmu.virtual = false;
	p = pass_on(1, "I");
	p.preset = 1000;
	pass_run_plain(&p);
	all_as_declared(&p);
	assert_int_equal(scripted.windows, 2 * REPS + 1);
	/* A counter that is to overflow does so once. */
	scripted_start("IB");
	scripted.pmu.deterministic = scripted.pmu.virtual = false;
	p = pass_on(1, "I");
	p.slot[0].start = (UINT64_C(1) << SCRIPTED_WIDTH) - 100;
	p.n_count = p.reps = 1;
	pass_run_plain(&p);
	assert_int_equal(scripted.value[0], 120 + SCRIPTED_SHARE - 100);
	/* A model does not need it. */
	scripted_start("IB");
	p = pass_on(1, "I");
	pass_run_plain(&p);
	assert_int_equal(scripted.windows, 2 * REPS);
	assert_int_equal(scripted.cools, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_count_of_each_counter_is_kept, setup),
		cmocka_unit_test_setup(counters_run_across_any_highest_value, setup),
		cmocka_unit_test_setup(differences_of_readings_and_windows_in_ring_3, setup),
		cmocka_unit_test_setup(a_share_is_measured_once, setup),
		cmocka_unit_test_setup(hardware_takes_a_thousand_windows_of_each_length, setup),
		cmocka_unit_test_setup(shares_are_measured_from_0, setup),
		cmocka_unit_test_setup(an_unsteady_share_is_told_from_a_steady_one, setup),
		cmocka_unit_test_setup(what_the_writes_count_is_taken_off, setup),
		cmocka_unit_test_setup(a_sample_that_was_broken_into_is_taken_again, setup),
		cmocka_unit_test_setup(undisturbed_samples_are_not, setup),
		cmocka_unit_test_setup(each_window_has_its_time, setup),
		cmocka_unit_test_setup(what_never_comes_clean_is_no_fault_of_the_pmu, setup),
		cmocka_unit_test_setup(counters_are_held_during_smis_alone, setup),
		cmocka_unit_test_setup(what_is_refused_is_told_with_its_counter, setup),
		cmocka_unit_test_setup(caches_are_warm, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
