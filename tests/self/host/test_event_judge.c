/* What the suite events makes of counts: what a hypervisor excuses and what it does not, and what is said. */
#include "tests/judge/event_judge.h"
#include "tests/self/host/fake_kernels.h"
#include "tests/self/host/support/scripted_pmu.h"

#include "arch/x86/step/hypervisor_exits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define SHARE 3

static const struct event_rule by_guests = {.text = "of guests", .source = "here", .hypervisor = true};
static const struct event_rule also = {.text = "branches as well",
				       .source = "there",
				       .also = {{Q_BRANCHES, 1}},
				       .may = {{Q_LOADS, false, 1}}};
static const struct event_rule unprovoked = {.text = "nothing makes it", .source = "there"};

FAKE_KERNEL(loads, "loads", 0, FAKE_EXACT(INSTRUCTIONS, 2, 0), FAKE_EXACT(LOADS, 1, 0));

static struct pmu_event event;
static struct pmu pmu;
static struct event_place place;
static struct observation o[2];
static struct expectation x;
static struct judgement j;

static int setup(void **state)
{
	(void)state;
	scripted_start("I");
	event = *scripted_event('I');
	pmu = (struct pmu){.deterministic = true};
	place = (struct event_place){.pmu = &pmu,
				     .event = &event,
				     .kernel = kernel_by_name("nop_loop"),
				     .highest = (UINT64_C(1) << 48) - 1,
				     .share = SHARE};
	return 0;
}

static void in_guest(void)
{
	pmu.under_hypervisor = true;
	strcpy(pmu.hypervisor, "Somebody");
}

/* Two values at N = 10, two at N = 20, less the share. */
static enum verdict judged(int64_t a, int64_t b, int64_t c, int64_t d)
{
	const int64_t seen[2][2] = {{a, b}, {c, d}};

	memset(o, 0, sizeof o);
	for (unsigned i = 0; i < 2; i++) {
		o[i].n = 10 * (i + 1);
		assert_int_equal(event_expected(&place, o[i].n, &x), EXPECTATION_OK);
		o[i].low = x.low;
		o[i].high = x.high;
		for (unsigned v = 0; v < 2; v++)
			histogram_add(&o[i].seen, seen[i][v]);
	}
	j = (struct judgement){0};
	event_judge(&place, o, 2, &x, &j);
	return j.verdict;
}

static void counts_are_judged_without_a_guest(void **state)
{
	(void)state;
	assert_int_equal(judged(120, 120, 240, 240), VERDICT_EXACT);
	assert_string_equal(j.text, "");
	assert_int_equal(judged(121, 121, 241, 241), VERDICT_BIASED);
	assert_int_equal(judged(0, 0, 0, 0), VERDICT_DEAD);
	assert_int_equal(judged(-SHARE, -SHARE, -SHARE, -SHARE), VERDICT_WRONG);
}

/* A counter whose every raw count is 0 is what the hypervisor does not provide; nothing else is. */
static void only_what_never_moved_is_lacking(void **state)
{
	(void)state;
	in_guest();
	assert_int_equal(judged(-SHARE, -SHARE, -SHARE, -SHARE), VERDICT_SKIPPED);
	assert_non_null(strstr(j.text, "Somebody does not provide this event"));
	for (unsigned i = 0; i < 4; i++) {
		int64_t v[4] = {-SHARE, -SHARE, -SHARE, -SHARE};

		v[i] = 5;
		assert_true(verdict_is_bad(judged(v[0], v[1], v[2], v[3])));
		v[i] = -SHARE - 1;
		assert_true(verdict_is_bad(judged(v[0], v[1], v[2], v[3])));
	}
	assert_true(verdict_is_bad(judged(0, 0, 0, 0)));
	/* CPUID promises it. */
	event.flags = EVENT_ENUMERATED;
	assert_true(verdict_is_bad(judged(-SHARE, -SHARE, -SHARE, -SHARE)));
	event.flags = 0;
	pmu.under_hypervisor = false;
	assert_true(verdict_is_bad(judged(-SHARE, -SHARE, -SHARE, -SHARE)));
}

static void what_a_hypervisor_causes_is_judged_outside_of_one(void **state)
{
	(void)state;
	event.rule = &by_guests;
	assert_true(verdict_is_bad(judged(130, 130, 250, 250)));
	in_guest();
	assert_int_equal(judged(130, 130, 250, 250), VERDICT_SKIPPED);
	assert_non_null(strstr(j.text, "itself causes what it counts"));
	assert_int_equal(judged(120, 120, 240, 240), VERDICT_EXACT);
	event.rule = &also;
	assert_true(verdict_is_bad(judged(150, 150, 290, 290)));
	event.rule = NULL;
	assert_true(verdict_is_bad(judged(130, 130, 250, 250)));
}

/* What VMware's counters have of the host. */
static void a_hypervisor_that_adds_its_own_is_believed_where_it_may(void **state)
{
	static const struct pmu_event uops = {.name = "U", .terms = {{Q_BRANCHES, 2}}};

	(void)state;
	place.event = &uops;
	in_guest();
	assert_true(verdict_is_bad(judged(30, 40, 50, 60)));
	strcpy(pmu.hypervisor, "VMwareVMware");
	assert_int_equal(judged(30, 40, 50, 60), VERDICT_SKIPPED);
	assert_true(verdict_is_bad(judged(19, 40, 50, 60)));
	place.event = &event; /* not of instructions */
	assert_true(verdict_is_bad(judged(130, 140, 250, 260)));
}

static void a_bracket_that_exits_may_be_missing(void **state)
{
	static const struct pmu_bracket bracket = {.own = {{Q_INSTRUCTIONS, 3}, {Q_INSN_WRMSR, 1}}};

	(void)state;
	place.bracket = &bracket;
	in_guest();
	pmu.hypervisor_exits_lost = UINT64_C(1) << EXIT_WRMSR;
	assert_int_equal(judged(119, 119, 239, 239), VERDICT_SKIPPED);
	assert_int_equal(judged(119, 120, 239, 240), VERDICT_SKIPPED);
	assert_true(verdict_is_bad(judged(118, 118, 238, 238)));
	assert_true(verdict_is_bad(judged(119, 119, 241, 239)));
	pmu.hypervisor_exits_lost = 0;
	assert_true(verdict_is_bad(judged(119, 119, 239, 239)));
}

static void verdicts_are_explained(void **state)
{
	static const struct pmu_event misses = {
		.name = "M", .terms = {{Q_L1D_LOAD_MISS, 1}}, .errata = "ABC1"};

	(void)state;
	event.errata = "ABC1 ABC2";
	assert_true(verdict_is_bad(judged(121, 121, 241, 241)));
	assert_non_null(strstr(j.text, " (errata: ABC1 ABC2)"));
	assert_int_equal(judged(120, 120, 240, 240), VERDICT_EXACT);
	assert_string_equal(j.text, "");
	event.rule = &also;
	event.terms[1] = (struct event_term){Q_BRANCHES, 1};
	assert_int_equal(judged(130, 130, 260, 260), VERDICT_EXACT);
	assert_string_equal(j.text, "by rule: branches as well (there)");
	place.event = &misses;
	assert_int_equal(judged(0, 10, 3, 4), VERDICT_WITHIN);
	assert_string_equal(j.text, "fake reason");
	assert_int_equal(judged(0, 11, 3, 4), VERDICT_WRONG);
	assert_non_null(strstr(j.text, " (errata: ABC1)"));
	place.event = &event;
	event.terms[0] = (struct event_term){Q_NOT_PROVOKED, 1};
	event.terms[1] = (struct event_term){0};
	event.rule = &unprovoked;
	assert_int_equal(judged(0, 0, 0, 0), VERDICT_EXACT);
	assert_string_equal(j.text, "nothing makes it");
}

/* The share counts as well towards what a counter holds; and what may be more is for silicon alone. */
static void expectations_are_of_the_place(void **state)
{
	(void)state;
	place.highest = 255;
	assert_int_equal(event_expected(&place, 21, &x), EXPECTATION_OK); /* 252 and 3 */
	place.share = 4;
	assert_int_equal(event_expected(&place, 21, &x), EXPECTATION_TOO_WIDE);
	place.share = SHARE;
	place.highest = (UINT64_C(1) << 48) - 1;
	event.judgement = EVENT_AT_LEAST;
	event.rule = &also;
	place.kernel = kernel_by_name("loads");
	assert_int_equal(event_expected(&place, 10, &x), EXPECTATION_OK);
	assert_int_equal(x.low, 20);
	assert_int_equal(x.high, 20);
	pmu.deterministic = false;
	assert_int_equal(event_expected(&place, 10, &x), EXPECTATION_OK);
	assert_int_equal(x.low, 20);
	assert_int_equal(x.high, 30);
	assert_int_equal(
		event_expected(&(struct event_place){.pmu = &pmu, .event = &event, .kernel = place.kernel},
			       UINT64_MAX, &x),
		EXPECTATION_OVERFLOW);
}

/* In ring 3 what handlers execute is not seen: it is taken off, if it fits a number. */
static void handlers_are_taken_off_in_ring_3(void **state)
{
	(void)state;
	place.kernel = kernel_by_name("loads");
	scripted.handled = 4;
	assert_int_equal(event_expected(&place, 10, &x), EXPECTATION_OK);
	assert_int_equal(x.low, 20);
	place.level = 3;
	assert_int_equal(event_expected(&place, 10, &x), EXPECTATION_OK);
	assert_int_equal(x.low, 16);
	assert_int_equal(x.high, 16);
	scripted.handled = 21;
	assert_int_equal(event_expected(&place, 10, &x), EXPECTATION_NEGATIVE);
	scripted.handled = INT64_MAX / 2 + 1;
	event.terms[1] = (struct event_term){Q_LOADS, 1};
	assert_int_equal(event_expected(&place, 10, &x), EXPECTATION_OVERFLOW);
	assert_int_equal(x.quantity, Q_LOADS);
	event.terms[0].coefficient = 2;
	assert_int_equal(event_expected(&place, 10, &x), EXPECTATION_OVERFLOW);
	assert_int_equal(x.quantity, Q_INSTRUCTIONS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(counts_are_judged_without_a_guest, setup),
		cmocka_unit_test_setup(only_what_never_moved_is_lacking, setup),
		cmocka_unit_test_setup(what_a_hypervisor_causes_is_judged_outside_of_one, setup),
		cmocka_unit_test_setup(a_hypervisor_that_adds_its_own_is_believed_where_it_may, setup),
		cmocka_unit_test_setup(a_bracket_that_exits_may_be_missing, setup),
		cmocka_unit_test_setup(verdicts_are_explained, setup),
		cmocka_unit_test_setup(expectations_are_of_the_place, setup),
		cmocka_unit_test_setup(handlers_are_taken_off_in_ring_3, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
