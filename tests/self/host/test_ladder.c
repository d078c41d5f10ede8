/* The calibration ladder: a counter that fails a rung fails that one, for the reason that it has. */
#include "tests/judge/attribution.h"
#include "tests/self/host/support/scripted_pmu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define ODD 1 /* the counter that is otherwise */
#define BIT (UINT64_C(1) << ODD)

static struct ladder ladder;

static int setup(void **state)
{
	(void)state;
	scripted_start("IBC");
	return 0;
}

static void every_rung_is_climbed(void **state)
{
	(void)state;
	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_FULL);
	assert_int_equal(scripted.n_results, SCRIPTED_COUNTERS);
	for (unsigned c = 0; c < SCRIPTED_COUNTERS; c++) {
		assert_int_equal(ladder.reached[c], RUNG_INTERRUPTS);
		assert_string_equal(ladder.kernel[c]->name, "nop_loop");
		assert_int_equal(scripted.result[c].verdict, VERDICT_EXACT);
		assert_string_equal(scripted.result[c].event, "I");
		assert_string_equal(scripted.result[c].text, "");
		assert_true(ladder_allows(&ladder, c, RUNG_INTERRUPTS));
	}
	assert_int_equal(scripted.pmu.left_out, 0);
	assert_int_equal(scripted.n_facts, 0);
	assert_int_equal(scripted.programmed, 0);
}

/* The odd counter stops below `rung`, with this verdict and reason; the others are as they were. */
static void falls_at(enum rung rung, enum verdict verdict, const char *why)
{
	char text[128];

	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_PARTIAL);
	for (unsigned c = 0; c < SCRIPTED_COUNTERS; c++) {
		unsigned i = scripted_result(scripted.pmu.counter[c].name);

		if (c != ODD) {
			assert_int_equal(ladder.reached[c], RUNG_INTERRUPTS);
			assert_int_equal(scripted.result[i].verdict, VERDICT_EXACT);
			continue;
		}
		snprintf(text, sizeof text, "rung \"%s\": ", rung_name(rung));
		if (strncmp(scripted.result[i].text, text, strlen(text)) ||
		    !strstr(scripted.result[i].text, why))
			fail_msg("%s", scripted.result[i].text);
		assert_int_equal(scripted.result[i].verdict, verdict);
		assert_int_equal(ladder.reached[c], rung - 1);
		assert_false(ladder_allows(&ladder, c, rung));
		assert_true(ladder_allows(&ladder, c, rung - 1));
	}
	assert_int_equal(scripted.pmu.left_out, rung <= RUNG_EXACT_ON_NOPS ? BIT : 0);
}

static void widths_must_make_sense(void **state)
{
	static const struct {
		uint8_t width, write_width;
	} odd[] = {{0, 0}, {7, 7}, {65, 32}, {48, 7}, {40, 41}};

	(void)state;
	for (unsigned i = 0; i < sizeof odd / sizeof odd[0]; i++) {
		scripted_start("IBC");
		scripted.pmu.counter[ODD].width = odd[i].width;
		scripted.pmu.counter[ODD].write_width = odd[i].write_width;
		falls_at(RUNG_ENUMERATED, VERDICT_WRONG, "bits");
	}
	/* The limits themselves do. */
	scripted_start("IBC");
	scripted.pmu.counter[ODD].write_width = 8;
	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_FULL);
}

/* A counter that wraps behind another value than all ones climbs as far as any other, if it says so. */
static void counters_may_end_below_all_ones(void **state)
{
	static const uint64_t nonsense[] = {1, 126, UINT64_C(1) << SCRIPTED_WIDTH};
	const uint64_t highest = 1100; /* the ladder's windows go across it */

	(void)state;
	scripted_wrap(ODD, highest, true);
	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_FULL);
	assert_int_equal(ladder.reached[ODD], RUNG_INTERRUPTS);
	assert_int_equal(scripted.n_facts, 0);
	/* A clock, whose windows are judged by their moving alone. */
	scripted_start("IBC");
	scripted.clocks = BIT;
	scripted_wrap(ODD, highest, true);
	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_FULL);
	assert_int_equal(ladder.reached[ODD], RUNG_INTERRUPTS);
	/* It does not say so; it says so and does not; it says nonsense. */
	scripted_start("IBC");
	scripted_wrap(ODD, highest, false);
	falls_at(RUNG_WRITABLE, VERDICT_WRONG, "wrote 0x555555555555, read");
	scripted_start("IBC");
	scripted.pmu.counter[ODD].highest = highest;
	falls_at(RUNG_INTERRUPTS, VERDICT_WRONG, "an overflow gave 0 interrupts");
	for (unsigned i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
		scripted_start("IBC");
		scripted.pmu.counter[ODD].highest = nonsense[i];
		falls_at(RUNG_ENUMERATED, VERDICT_WRONG, "highest value");
	}
}

static void what_is_written_must_be_read(void **state)
{
	static const struct {
		uint8_t access;
		const char *why;
	} refused[] = {
		{SCRIPTED_PROGRAM, "programming it was answered with a fault"},
		{SCRIPTED_WRITE, "writing and reading it was answered with a fault"},
		{SCRIPTED_READ, "writing and reading it was answered with a fault"},
	};

	(void)state;
	scripted.drops_bit_4 = BIT;
	falls_at(RUNG_WRITABLE, VERDICT_WRONG, "wrote 0x555555555555, read 0x555555555545");
	scripted_start("IBC");
	scripted.reads_zero = BIT;
	falls_at(RUNG_WRITABLE, VERDICT_DEAD, "reads 0 whatever is written");
	for (unsigned i = 0; i < sizeof refused / sizeof refused[0]; i++) {
		scripted_start("IBC");
		scripted.refuse = refused[i].access;
		scripted.refuse_counter = ODD;
		falls_at(RUNG_WRITABLE, VERDICT_DEAD, refused[i].why);
	}
}

/* What windows of the rung "ticks" move the odd counter by, beyond what they should. */
static int64_t script[3];

static int64_t by_script(unsigned c, const struct scripted_window *at)
{
	bool ladders = at->w->kernel == kernel_by_name("nop_loop") && at->n == 10;
	int64_t plain = scripted.clocks >> c & 1 ? 123 : 120 + SCRIPTED_SHARE;

	if (c != ODD || !ladders || at->of_kernel > 2)
		return 0;
	return script[at->of_kernel] - plain;
}

static void scripted_windows(int64_t first, int64_t second, int64_t third)
{
	script[0] = first;
	script[1] = second;
	script[2] = third;
	scripted.beyond = by_script;
}

static void a_counter_must_move(void **state)
{
	(void)state;
	scripted.never_ticks = BIT;
	falls_at(RUNG_TICKS, VERDICT_DEAD, "never ticks: stays at 1000");
	scripted_start("IBC");
	scripted.refuse = SCRIPTED_RELEASE;
	scripted.refuse_counter = ODD;
	falls_at(RUNG_TICKS, VERDICT_WRONG, "taking the counter out of use was refused");
}

/* Each of three windows, forwards: one of them alone that does not is told, whichever it is. */
static void each_window_must_move_it_forwards(void **state)
{
	(void)state;
	for (unsigned clock = 0; clock < 2; clock++)
		for (unsigned bad = 0; bad < 3; bad++)
			for (int64_t moved = -1; moved <= 0; moved++) {
				char why[32];

				scripted_start("IBC");
				scripted.clocks = clock ? BIT : 0;
				scripted_windows(130, 130, 130);
				script[bad] = moved;
				snprintf(why, sizeof why, "window %u of 3 moved it by %d", bad + 1,
					 (int)moved);
				falls_at(RUNG_MONOTONIC, VERDICT_WRONG, why);
			}
	/* A clock that ticks in one window of three. */
	for (unsigned good = 0; good < 3; good++) {
		scripted_start("IBC");
		scripted.clocks = BIT;
		scripted_windows(0, 0, 0);
		script[good] = 500;
		falls_at(RUNG_MONOTONIC, VERDICT_WRONG, good ? "window 1 of 3" : "window 2 of 3");
	}
}

static int64_t in_long_windows(unsigned c, const struct scripted_window *at)
{
	return c == ODD && at->n == 20 ? script[at->of_kernel % 3] : 0;
}

static int64_t in_each_window(unsigned c, const struct scripted_window *at)
{
	return c == ODD && at->w->kernel == kernel_by_name("nop_loop") ? 2 : 0;
}

static int64_t in_empty_windows(unsigned c, const struct scripted_window *at)
{
	return c == ODD && at->w->kernel == share_kernel(0) ? at->of_kernel % 2 : 0;
}

static int64_t long_rows_twice(unsigned c, const struct scripted_window *at)
{
	return c == ODD && at->w->kernel == share_kernel(SHARE_LENGTHS - 1) ? 100 : 0;
}

static void nops_must_be_counted_by_their_number(void **state)
{
	static const struct {
		int64_t (*beyond)(unsigned c, const struct scripted_window *at);
		int64_t script[3];
		enum verdict verdict;
		const char *why;
	} odd[] = {
		{in_long_windows, {1, 1, 1}, VERDICT_WRONG, ""},
		{in_long_windows, {0, 0, 1}, VERDICT_NOISY, ""},
		{in_each_window, {0}, VERDICT_BIASED, ""},
		{in_empty_windows,
		 {0},
		 VERDICT_NOISY,
		 "what an empty window counts is not the same each time"},
		{long_rows_twice, {0}, VERDICT_WRONG, "NOPs in a row are not counted by their number"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof odd / sizeof odd[0]; i++) {
		scripted_start("IBC");
		memcpy(script, odd[i].script, sizeof script);
		scripted.beyond = odd[i].beyond;
		falls_at(RUNG_EXACT_ON_NOPS, odd[i].verdict, odd[i].why);
	}
	/* A hypervisor that counts what it executes itself adds, and takes nothing away: a counter that falls
	 * short in one window of many is not its doing. */
	scripted_start("IBC");
	scripted.pmu.under_hypervisor = true;
	strcpy(scripted.pmu.hypervisor, "VMwareVMware");
	scripted.beyond = in_long_windows;
	memcpy(script, (int64_t[]){0, 0, 1}, sizeof script);
	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_FULL);
	assert_true(ladder.reached[ODD] < RUNG_EXACT_ON_NOPS);
	assert_int_equal(scripted.result[scripted_result(scripted.pmu.counter[ODD].name)].verdict,
			 VERDICT_SKIPPED);
	for (unsigned at = 0; at < 3; at++) {
		scripted_start("IBC");
		scripted.pmu.under_hypervisor = true;
		strcpy(scripted.pmu.hypervisor, "VMwareVMware");
		scripted.beyond = in_long_windows;
		memcpy(script, (int64_t[]){2, 2, 2}, sizeof script);
		script[at] = -1;
		falls_at(RUNG_EXACT_ON_NOPS, VERDICT_NOISY, "");
	}
	/* A clock has no such number. */
	scripted_start("IBC");
	scripted.clocks = BIT;
	scripted.beyond = in_each_window;
	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_FULL);
}

static void an_overflow_interrupts_once_and_is_acknowledged(void **state)
{
	(void)state;
	scripted.no_interrupt = BIT;
	falls_at(RUNG_INTERRUPTS, VERDICT_WRONG, "an overflow gave 0 interrupts, status bit 1, and 0");
	scripted_start("IBC");
	scripted.two_interrupts = BIT;
	falls_at(RUNG_INTERRUPTS, VERDICT_WRONG, "an overflow gave 2 interrupts, status bit 1, and 0");
	scripted_start("IBC");
	scripted.no_status = BIT;
	falls_at(RUNG_INTERRUPTS, VERDICT_WRONG, "an overflow gave 1 interrupts, status bit 0, and 0");
	scripted_start("IBC");
	scripted.sticky_status = BIT;
	falls_at(RUNG_INTERRUPTS, VERDICT_WRONG, "an overflow gave 1 interrupts, status bit 1, and 1");
	/* What has none is not asked for it. */
	scripted_start("IBC");
	scripted.no_interrupt = BIT;
	scripted.pmu.counter[ODD].has_interrupt = false;
	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_FULL);
	assert_int_equal(ladder.reached[ODD], RUNG_EXACT_ON_NOPS);
	/* A hypervisor may not pass one on: that is no fault, but no counter to interrupt with either. */
	scripted_start("IBC");
	scripted.no_interrupt = BIT;
	scripted.pmu.under_hypervisor = true;
	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_FULL);
	assert_int_equal(ladder.reached[ODD], RUNG_EXACT_ON_NOPS);
	assert_int_equal(scripted.result[ODD].verdict, VERDICT_SKIPPED);
}

/* Only what did not come at all may be a hypervisor's doing. */
static void guests_are_no_excuse_for_what_came(void **state)
{
	(void)state;
	scripted.pmu.under_hypervisor = true;
	scripted.two_interrupts = BIT;
	falls_at(RUNG_INTERRUPTS, VERDICT_WRONG, "an overflow gave 2 interrupts");
}

/* Of the processor before: nothing is held for this one. */
static void what_was_found_before_is_forgotten(void **state)
{
	static struct attribution before;

	(void)state;
	ladder_climb(&scripted.run, &ladder);
	assert_int_equal(scripted.pmu.counts_start, 0);
	scripted.pmu.hypervisor_exits_lost = 5;
	scripted.pmu.attribution = &before;
	scripted.pmu.counts_reading[1] = 1;
	scripted.pmu.counts_stop = 1;
	scripted.pmu.left_out = BIT;
	scripted.counts_start = ~UINT64_C(0);
	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_FULL);
	assert_int_equal(scripted.pmu.counts_start, UINT64_MAX);
	assert_int_equal(scripted.pmu.counts_stop, 0);
	assert_int_equal(scripted.pmu.counts_reading[1], 0);
	assert_int_equal(scripted.pmu.hypervisor_exits_lost, 0);
	assert_null(scripted.pmu.attribution);
	assert_int_equal(scripted.pmu.left_out, 0);
	scripted.counts_start = 0;
	ladder_climb(&scripted.run, &ladder);
	assert_int_equal(scripted.pmu.counts_start, 0);
}

static void counters_that_are_all_dead_are_told_once(void **state)
{
	(void)state;
	scripted.never_ticks = ~UINT64_C(0);
	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_DEAD);
	assert_int_equal(scripted.n_results, 1);
	assert_int_equal(scripted.result[0].verdict, VERDICT_DEAD);
	assert_non_null(strstr(scripted.result[0].text, "none of 4 advertised counters ticks"));
	/* But for one they are told one by one. */
	scripted_start("IBC");
	scripted.never_ticks = ~BIT;
	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_PARTIAL);
	assert_int_equal(scripted.n_results, SCRIPTED_COUNTERS);
	assert_int_equal(scripted.pmu.left_out, 0xf & ~BIT);
	scripted_start("IBC");
	scripted.pmu.n_counters = 0;
	scripted.pmu.left_out = 2; /* of a PMU before it */
	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_NONE);
	assert_int_equal(scripted.n_results, 0);
	assert_int_equal(scripted.pmu.left_out, 0);
}

/* A kernel that does not do what it says is told, and another one taken. */
static void kernels_are_confirmed_first(void **state)
{
	(void)state;
	scripted.untrue = "nop_loop";
	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_FULL);
	assert_string_equal(ladder.kernel[0]->name, "loop");
	assert_int_equal(scripted.result[scripted_result("ground truth/nop_loop")].verdict, VERDICT_ERROR);
}

static void what_does_not_come_to_its_end_is_an_error(void **state)
{
	(void)state;
	scripted.call_fails = true;
	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_PARTIAL);
	for (unsigned c = 0; c < SCRIPTED_COUNTERS; c++) {
		assert_int_equal(scripted.result[c].verdict, VERDICT_ERROR);
		assert_int_equal(ladder.reached[c], RUNG_ENUMERATED);
	}
}

/* What was found of another PMU is forgotten. */
static void findings_start_anew(void **state)
{
	static const struct attribution other;

	(void)state;
	scripted.pmu.left_out = 2;
	scripted.pmu.counts_start = scripted.pmu.counts_stop = 4;
	scripted.pmu.counts_reading[0] = 1;
	scripted.pmu.hypervisor_exits_lost = 1;
	scripted.pmu.attribution = &other;
	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_FULL);
	assert_int_equal(scripted.pmu.left_out, 0);
	assert_int_equal(scripted.pmu.counts_start, 0);
	assert_int_equal(scripted.pmu.counts_stop, 0);
	assert_int_equal(scripted.pmu.counts_reading[0], 0);
	assert_int_equal(scripted.pmu.hypervisor_exits_lost, 0);
	assert_null(scripted.pmu.attribution);
	scripted_start("IBC");
	ladder_presume(&scripted.run, &ladder);
	for (unsigned c = 0; c < SCRIPTED_COUNTERS; c++)
		assert_int_equal(ladder.reached[c], RUNG_INTERRUPTS);
	assert_int_equal(scripted.n_results, 0);
}

/* What no kernel moves may stand still, and is no clock. */
static void nothing_must_move_what_nothing_causes(void **state)
{
	(void)state;
	scripted_start("X");
	scripted.never_ticks = BIT;
	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_FULL);
	assert_int_equal(scripted.result[ODD].verdict, VERDICT_SKIPPED);
	assert_int_equal(ladder.reached[ODD], RUNG_WRITABLE);
	/* A clock must tick, though no kernel says how often. */
	scripted_start("IR");
	scripted.clocks = scripted.never_ticks = BIT;
	falls_at(RUNG_TICKS, VERDICT_DEAD, "never ticks");
	scripted_start("");
	assert_int_equal(ladder_climb(&scripted.run, &ladder), LADDER_FULL);
	assert_int_equal(scripted.result[ODD].verdict, VERDICT_SKIPPED);
	assert_int_equal(ladder.reached[ODD], RUNG_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_rung_is_climbed, setup),
		cmocka_unit_test_setup(widths_must_make_sense, setup),
		cmocka_unit_test_setup(counters_may_end_below_all_ones, setup),
		cmocka_unit_test_setup(what_is_written_must_be_read, setup),
		cmocka_unit_test_setup(a_counter_must_move, setup),
		cmocka_unit_test_setup(each_window_must_move_it_forwards, setup),
		cmocka_unit_test_setup(nops_must_be_counted_by_their_number, setup),
		cmocka_unit_test_setup(an_overflow_interrupts_once_and_is_acknowledged, setup),
		cmocka_unit_test_setup(guests_are_no_excuse_for_what_came, setup),
		cmocka_unit_test_setup(what_was_found_before_is_forgotten, setup),
		cmocka_unit_test_setup(counters_that_are_all_dead_are_told_once, setup),
		cmocka_unit_test_setup(kernels_are_confirmed_first, setup),
		cmocka_unit_test_setup(what_does_not_come_to_its_end_is_an_error, setup),
		cmocka_unit_test_setup(findings_start_anew, setup),
		cmocka_unit_test_setup(nothing_must_move_what_nothing_causes, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
