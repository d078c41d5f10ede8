/* Attribution: from slopes to the table, from the table to expectations, and what of it is a fact. */
#include "tests/judge/attribution_windows.h"
#include "tests/judge/expectation_level.h"
#include "tests/self/host/fake_kernels.h"
#include "tests/kernels/handled.h"

#include "arch/x86/step/insn.h"
#include "arch/x86/step/account.h"
#include "tests/kernels/x86/kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define USER KERNEL_USER_ONLY

FAKE_KERNEL(fault_user, "fake_fault_user", USER, FAKE_EXACT(INSTRUCTIONS, 5, 4), FAKE_EXACT(BRANCHES, 2, 2),
	    FAKE_EXACT(BR_FAR, 1, 0), FAKE_EXACT(EXCEPTIONS, 1, 0), FAKE_EXACT(RING_TO_KERNEL, 1, 0));
FAKE_KERNEL(fault, "fake_fault", KERNEL_PRIVILEGED, FAKE_EXACT(INSTRUCTIONS, 5, 4),
	    FAKE_EXACT(BRANCHES, 2, 2), FAKE_EXACT(BR_FAR, 1, 0), FAKE_EXACT(EXCEPTIONS, 1, 0));
FAKE_KERNEL(asked, "fake_asked", USER, FAKE_EXACT(INSTRUCTIONS, 9, 4), FAKE_EXACT(INTERRUPTS_HW, 1, 0),
	    FAKE_EXACT(RING_TO_KERNEL, 2, 0));
FAKE_KERNEL(entered, "fake_entered", USER | KERNEL_SERVICE_SYSENTER, FAKE_EXACT(INSTRUCTIONS, 4, 4),
	    FAKE_EXACT(RING_TO_KERNEL, 1, 0));
FAKE_KERNEL(endless_user, "fake_endless_user", USER, FAKE_RANGE(INSTRUCTIONS, 1, 4, 0, INT64_MAX),
	    FAKE_EXACT(RING_TO_KERNEL, 1, 0));
FAKE_KERNEL(plain, "fake_plain", 0, FAKE_EXACT(INSTRUCTIONS, 4, 4));
FAKE_KERNEL(clocked, "fake_clocked", 0, FAKE_RANGE(CYCLES, 1, 0, 9, 9));
FAKE_KERNEL(clocked_and_away, "fake_clocked_and_away", USER, FAKE_RANGE(CYCLES, 1, 0, 9, 9),
	    FAKE_EXACT(RING_TO_KERNEL, 1, 0));

static const struct pmu_event instructions = {
	.name = "I", .counters = 1, .fixed = -1, .terms = {{Q_INSTRUCTIONS, 1}}};
static const struct pmu_event on_fixed = {.name = "F", .fixed = 0, .terms = {{Q_INSTRUCTIONS, 1}}};
static const struct pmu_event near = {
	.name = "N", .counters = 1, .fixed = -1, .terms = {{Q_BRANCHES, 1}, {Q_BR_FAR, -1}}};
static const struct pmu_event clock_event = {
	.name = "C", .counters = 1, .fixed = -1, .judgement = EVENT_TIME, .terms = {{Q_INSTRUCTIONS, 1}}};

/* Handlers of three instructions. */
bool kernel_leaves_level(const struct kernel *k)
{
	return kernel_amount(k, Q_RING_TO_KERNEL, 1).high > 0;
}

struct amount kernel_handled(const struct kernel *k, enum quantity q, uint64_t n)
{
	int64_t all = q == Q_INSTRUCTIONS ? 3 * kernel_amount(k, Q_RING_TO_KERNEL, n).high : 0;

	return (struct amount){.defined = true, .low = all, .high = all};
}

/* --- from slopes to the table -------------------------------------------------------------------------- */

/* A fault from ring 3, whose handler has 3 instructions, beside 2 of the kernel's loop: of these slopes. */
static struct trip_count fault_of(int64_t os, int64_t usr, int64_t all)
{
	return trip_judge(&(struct trip_slopes){.trip = TRIP_FAULT,
						.class = TRIP_INSTRUCTIONS,
						.from_user = true,
						.straight = true,
						.usr_straight = true,
						.os = os,
						.usr = usr,
						.all = all,
						.rest_os = 3,
						.rest_usr = 2});
}

static void assert_counts(struct trip_count t, int os, int usr)
{
	assert_int_equal(t.state, TRIP_COUNTED);
	assert_int_equal(t.counted.os, os);
	assert_int_equal(t.counted.usr, usr);
}

static void slopes_become_counts(void **state)
{
	(void)state;
	assert_counts(fault_of(3, 2, 5), 1, 0); /* the manual's: the IRET in ring 0 */
	assert_counts(fault_of(2, 3, 5), 0, 1); /* in the ring that it leads to */
	assert_counts(fault_of(3, 3, 6), 1, 1); /* or the delivery is one */
	assert_counts(fault_of(2, 4, 6), 0, 2); /* or both */
	assert_counts(fault_of(4, 2, 6), 2, 0);
	assert_int_equal(fault_of(3, 2, 5).manual.os, 1);
	assert_int_equal(fault_of(3, 2, 5).manual.usr, 0);
}

static void what_is_none_stays_with_the_manual(void **state)
{
	struct trip_slopes bent = {.trip = TRIP_NMI, .class = TRIP_BRANCHES, .os = 2, .all = 2, .rest_os = 1};

	(void)state;
	assert_int_equal(fault_of(3, 2, 6).state, TRIP_NO_SUM);
	assert_int_equal(fault_of(5, 2, 7).state, TRIP_OUTSIDE); /* three of two ways */
	assert_int_equal(fault_of(1, 2, 3).state, TRIP_OUTSIDE);
	assert_int_equal(fault_of(3, 1, 4).state, TRIP_OUTSIDE);
	assert_int_equal(fault_of(3, 5, 8).state, TRIP_OUTSIDE);
	assert_int_equal(trip_judge(&bent).state, TRIP_NO_LINE);
	bent.straight = bent.usr_straight = true;
	assert_counts(trip_judge(&bent), 2, 0);
	bent.usr = 1; /* from ring 0 there is nothing in ring 3 */
	bent.all = 3;
	assert_int_equal(trip_judge(&bent).state, TRIP_OUTSIDE);
}

static void of_ring_3_alone_something_may_be_known(void **state)
{
	struct trip_slopes s = {.trip = TRIP_FAULT,
				.class = TRIP_BRANCHES,
				.from_user = true,
				.usr_straight = true,
				.usr = 2,
				.rest_usr = 1,
				.os = 17};
	struct trip_count t = trip_judge(&s);

	(void)state;
	assert_int_equal(t.state, TRIP_IN_USER);
	assert_int_equal(t.counted.usr, 1);
	assert_int_equal(t.counted.os, t.manual.os);
	s.usr = 4;
	assert_int_equal(trip_judge(&s).state, TRIP_NO_LINE);
	s.from_user = false;
	assert_int_equal(trip_judge(&s).state, TRIP_NO_LINE);
}

/* A manual that has deliveries counted leaves room for one more; calls are instructions anyway. */
static void deliveries_of_the_manual(void **state)
{
	struct trip_slopes s = {.trip = TRIP_INTERRUPT,
				.class = TRIP_BRANCHES,
				.delivery = 1,
				.straight = true,
				.usr_straight = true,
				.os = 3,
				.all = 3,
				.rest_os = 3};

	(void)state;
	assert_counts(trip_judge(&s), 2, 0);
	s.os = s.all = 4;
	assert_counts(trip_judge(&s), 3, 0);
	s.os = s.all = 5;
	assert_int_equal(trip_judge(&s).state, TRIP_OUTSIDE);
	assert_int_equal(trip_manual(TRIP_INSTRUCTIONS, TRIP_INTERRUPT_BY_CODE, true, 1).usr, 1);
	assert_int_equal(trip_manual(TRIP_INSTRUCTIONS, TRIP_INTERRUPT_BY_CODE, true, 1).os, 1);
	assert_int_equal(trip_manual(TRIP_INSTRUCTIONS, TRIP_INTERRUPT_BY_CODE, false, 0).os, 2);
}

/* The table of what returns and calls contribute, against the instructions themselves. */
static void manual_is_what_the_code_does(void **state)
{
	static const struct {
		enum trip trip;
		uint8_t call[4], back[4];
	} ways[] = {
		{TRIP_INTERRUPT_BY_CODE, {0xcd, 0x20}, {0x48, 0xcf}},
		{TRIP_CALL, {0x0f, 0x05}, {0x48, 0x0f, 0x07}},
		{TRIP_CALL_OTHER, {0x0f, 0x34}, {0x48, 0x0f, 0x35}},
		{TRIP_FAULT, {0}, {0x48, 0xcf}},
		{TRIP_NMI, {0}, {0x48, 0xcf}},
	};

	(void)state;
	for (unsigned w = 0; w < sizeof ways / sizeof ways[0]; w++) {
		struct qvec call = {0}, back = {0};
		struct qterm terms[ACCOUNT_TERMS];
		struct insn in;

		if (ways[w].call[0]) {
			assert_true(insn_decode(ways[w].call, sizeof ways[w].call, &in));
			qvec_add(&call, terms,
				 account_retired(&(struct insn_retired){.insn = &in, .cpl = 3}, terms));
		}
		assert_true(insn_decode(ways[w].back, sizeof ways[w].back, &in));
		qvec_add(&back, terms,
			 account_retired(&(struct insn_retired){.insn = &in, .cpl_after = 3}, terms));
		for (unsigned c = 0; c < TRIP_CLASSES; c++) {
			struct trip_levels m = trip_manual((enum trip_class)c, ways[w].trip, true, 0);

			assert_int_equal(m.usr, call.v[trip_quantity((enum trip_class)c)]);
			assert_int_equal(m.os, back.v[trip_quantity((enum trip_class)c)]);
		}
	}
}

/* --- from the table to expectations ------------------------------------------------------------------- */

/* The manual's numbers everywhere. */
static struct attribution by_the_manual(void)
{
	struct attribution a;

	for (unsigned c = 0; c < TRIP_CLASSES; c++)
		for (unsigned t = 0; t < TRIPS; t++)
			for (unsigned r = 0; r < 2; r++) {
				struct trip_count *e = &a.trip[c][t][r];

				e->state = TRIP_COUNTED;
				e->counted = e->manual = trip_manual((enum trip_class)c, (enum trip)t, r, 0);
			}
	return a;
}

static void add(struct attribution *a, enum trip_class c, enum trip t, int os, int usr)
{
	a->trip[c][t][1].counted.os = (int8_t)(a->trip[c][t][1].counted.os + os);
	a->trip[c][t][1].counted.usr = (int8_t)(a->trip[c][t][1].counted.usr + usr);
	a->trip[c][t][0].counted.os = (int8_t)(a->trip[c][t][0].counted.os + os + usr);
}

static void trips_are_counted(void **state)
{
	(void)state;
	assert_int_equal(trips_of(&fault_user, TRIP_FAULT, 7), 7);
	assert_int_equal(trips_of(&fault_user, TRIP_CALL, 7), 0);
	assert_int_equal(trips_of(&asked, TRIP_CALL, 7), 7);
	assert_int_equal(trips_of(&asked, TRIP_CALL_OTHER, 7), 0);
	assert_int_equal(trips_of(&asked, TRIP_INTERRUPT, 7), 7);
	assert_int_equal(trips_of(&entered, TRIP_CALL_OTHER, 7), 7);
	assert_int_equal(trips_of(&entered, TRIP_CALL, 7), 0);
	for (unsigned t = 0; t < TRIPS; t++)
		assert_int_equal(trips_of(&plain, (enum trip)t, 7), 0);
}

static void expectations_take_it(void **state)
{
	struct attribution a = by_the_manual();
	struct expectation x;

	(void)state;
	assert_int_equal(attribution_beyond(NULL, &instructions, &fault_user, LEVELS_USER, 9), 0);
	assert_int_equal(attribution_beyond(&a, &instructions, &fault_user, LEVELS_USER, 9), 0);
	add(&a, TRIP_INSTRUCTIONS, TRIP_FAULT, -1, 2);
	assert_int_equal(attribution_beyond(&a, &instructions, &fault_user, LEVELS_USER, 9), 18);
	assert_int_equal(attribution_beyond(&a, &instructions, &fault_user, LEVELS_SYSTEM, 9), -9);
	assert_int_equal(attribution_beyond(&a, &instructions, &fault_user, LEVELS_ALL, 9), 9);
	assert_int_equal(attribution_beyond(&a, &instructions, &fault, LEVELS_ALL, 9), 9);
	assert_int_equal(attribution_beyond(&a, &instructions, &plain, LEVELS_ALL, 9), 0);
	assert_int_equal(attribution_beyond(&a, &on_fixed, &fault_user, LEVELS_USER, 9), 0);
	assert_int_equal(attribution_beyond(&a, &clock_event, &fault_user, LEVELS_USER, 9), 0);
	assert_int_equal(attribution_beyond(&a, &instructions, &asked, LEVELS_USER, 9), 0);
	assert_int_equal(expectation_at_level(&instructions, &fault, 0, 9, NULL, &x), EXPECTATION_OK);
	assert_int_equal(x.low, 49);
	assert_int_equal(expectation_at_level(&instructions, &fault, 0, 9, &a, &x), EXPECTATION_OK);
	assert_int_equal(x.low, 58);
	assert_int_equal(x.high, 58);
	assert_int_equal(expectation_at_level(&instructions, &fault_user, 3, 9, NULL, &x), EXPECTATION_OK);
	assert_int_equal(x.low, 22);
	assert_int_equal(expectation_at_level(&instructions, &fault_user, 3, 9, &a, &x), EXPECTATION_OK);
	assert_int_equal(x.low, 40);
	assert_int_equal(x.high, 40);
	add(&a, TRIP_BRANCHES, TRIP_FAULT, 0, 1); /* and near ones stay what they are */
	add(&a, TRIP_SYSTEM_BRANCHES, TRIP_FAULT, 0, 1);
	assert_int_equal(attribution_beyond(&a, &near, &fault_user, LEVELS_USER, 9), 0);
	add(&a, TRIP_INSTRUCTIONS, TRIP_INTERRUPT_BY_CODE, -1, 1);
	assert_int_equal(attribution_beyond_way(&a, &instructions, LEVELS_USER), 1);
	assert_int_equal(attribution_beyond_way(&a, &instructions, LEVELS_ALL), 0);
	a.trip[TRIP_INSTRUCTIONS][TRIP_FAULT][1].state = TRIP_NO_SUM;
	assert_int_equal(attribution_beyond(&a, &instructions, &fault_user, LEVELS_USER, 9), 0);
}

/* What has no upper end has none in one ring either, and what is at least so much is not less than nothing.
 */
static void open_ends_stay_open(void **state)
{
	struct expectation x;

	(void)state;
	assert_int_equal(expectation_at_level(&instructions, &endless_user, 0, 9, NULL, &x), EXPECTATION_OK);
	assert_int_equal(x.low, 13);
	assert_true(x.high == INT64_MAX);
	assert_int_equal(expectation_at_level(&instructions, &endless_user, 3, 1, NULL, &x), EXPECTATION_OK);
	assert_int_equal(x.low, 2);
	assert_true(x.high == INT64_MAX);
	assert_int_equal(expectation_at_level(&instructions, &endless_user, 3, 9, NULL, &x), EXPECTATION_OK);
	assert_int_equal(x.low, 0);
	assert_true(x.high == INT64_MAX);
}

/* A counter of ring 3 sees no cycle of ring 0; what the ways there and back look like to it, no manual says.
 */
static void other_rings_alone(void **state)
{
	static const struct pmu_event ring_0 = {.name = "R0", .terms = {{Q_CYCLES, 1}, {Q_CYCLES_USER, -1}}};
	static const struct pmu_event twice = {.name = "T", .terms = {{Q_CYCLES, 2}, {Q_CYCLES_USER, -1}}};
	struct expectation x;

	(void)state;
	assert_int_equal(expectation_at_level(&ring_0, &clocked, 3, 9, NULL, &x), EXPECTATION_OK);
	assert_int_equal(x.low, 0);
	assert_int_equal(x.high, 0);
	assert_int_equal(expectation_at_level(&twice, &clocked, 3, 9, NULL, &x), EXPECTATION_OK);
	assert_true(x.high > 0);
	assert_int_equal(expectation_at_level(&ring_0, &clocked_and_away, 3, 9, NULL, &x), EXPECTATION_OK);
	assert_true(x.high > 0);
}

static void it_covers_what_was_measured(void **state)
{
	struct attribution a = by_the_manual();

	(void)state;
	assert_false(attribution_covers(NULL, &instructions, &fault_user));
	assert_true(attribution_covers(&a, &instructions, &fault_user));
	assert_true(attribution_covers(&a, &instructions, &asked));
	assert_false(attribution_covers(&a, &instructions, &plain));
	a.trip[TRIP_INSTRUCTIONS][TRIP_CALL][1].state = TRIP_OUTSIDE;
	assert_true(attribution_covers(&a, &instructions, &fault_user));
	assert_false(attribution_covers(&a, &instructions, &asked));
	assert_true(attribution_covers(&a, &on_fixed, &asked));
}

/* As on hardware: a rule that leaves deliveries open leaves nothing open of what was measured. */
static void measured_is_not_left_open(void **state)
{
	static const struct event_deliveries open = {
		.text = "nobody says", .all = {{Q_EXCEPTIONS, false, 2}}, .user = {{Q_EXCEPTIONS, false, 1}}};
	static const struct event_rule rule = {.text = "rule", .deliveries = &open};
	struct attribution a = by_the_manual();
	struct pmu_event e = instructions;
	struct expectation x;

	(void)state;
	e.rule = &rule;
	assert_int_equal(expectation_at_level(&e, &fault_user, 3, 3, NULL, &x), EXPECTATION_OK);
	attribution_allow_more(NULL, &x, &e, &fault_user, 3, 3);
	assert_true(x.high > x.low);
	assert_int_equal(expectation_at_level(&e, &fault_user, 3, 3, &a, &x), EXPECTATION_OK);
	attribution_allow_more(&a, &x, &e, &fault_user, 3, 3);
	assert_int_equal(x.high, x.low);
	a.trip[TRIP_INSTRUCTIONS][TRIP_FAULT][1].state = TRIP_OUTSIDE;
	attribution_allow_more(&a, &x, &e, &fault_user, 3, 3);
	assert_true(x.high > x.low);
}

/* --- facts -------------------------------------------------------------------------------------------- */

static char names[4][ATTRIBUTION_FACT], texts[4][ATTRIBUTION_FACT];

/* --- from windows to the table ------------------------------------------------------------------------ */

static const struct pmu_event taken = {.name = "TAKEN",
				       .counters = 1,
				       .fixed = -1,
				       .terms = {{Q_BRANCHES, 1}, {Q_BR_COND_NTAKEN, -1}, {Q_BR_FAR, -1}}};
static const struct pmu_event far_branches = {
	.name = "FAR", .counters = 1, .fixed = -1, .terms = {{Q_BR_FAR, 1}}};
static const struct trip_source faults = {"fake_faults", TRIP_FAULT, false},
				asks = {"fake_asked", TRIP_INTERRUPT, true},
				gone = {"fake_gone", TRIP_FAULT, false};
FAKE_KERNEL(fake_faults, "fake_faults", USER, FAKE_EXACT(INSTRUCTIONS, 5, 4), FAKE_EXACT(BRANCHES, 2, 2),
	    FAKE_EXACT(BR_FAR, 1, 0), FAKE_EXACT(EXCEPTIONS, 1, 0), FAKE_EXACT(RING_TO_KERNEL, 1, 0));

static struct trip_event events[2];

/* Windows of 1, 2 and 10 round trips: each adds so many to what the bracket counts. */
static struct trip_windows windows_of(const struct trip_source *s, enum trip_class c,
				      const struct pmu_event *e, int64_t os, int64_t usr)
{
	static const uint8_t turns[] = {1, 2, 10};
	const int64_t each[TRIP_FILTERS] = {os, usr, os + usr};

	memset(events, 0, sizeof events);
	events[0].event = e;
	for (unsigned f = 0; f < TRIP_FILTERS; f++)
		for (unsigned i = 0; i < sizeof turns; i++) {
			struct observation *o = &events[0].seen[f][i];

			o->n = turns[i];
			histogram_add(&o->seen, 7 + turns[i] * each[f]);
		}
	return (struct trip_windows){
		.source = s, .class = c, .n_events = 1, .n_turns = sizeof turns, .events = events};
}

static void windows_become_counts(void **state)
{
	struct attribution a = {0};
	struct trip_windows w = windows_of(&faults, TRIP_INSTRUCTIONS, &instructions, 3, 2);
	struct trip_count t;

	(void)state;
	assert_true(attribution_take(&a, &w, &t)); /* the handler has 3 instructions, the IRET one of them */
	assert_counts(t, 1, 0);
	assert_counts(a.trip[TRIP_INSTRUCTIONS][TRIP_FAULT][1], 1, 0);
	/* Another vector that says the same changes nothing, and one that does not agree ends it. */
	assert_true(attribution_take(&a, &w, &t));
	assert_counts(a.trip[TRIP_INSTRUCTIONS][TRIP_FAULT][1], 1, 0);
	w = windows_of(&faults, TRIP_INSTRUCTIONS, &instructions, 2, 3);
	assert_true(attribution_take(&a, &w, &t));
	assert_counts(t, 0, 1);
	assert_int_equal(a.trip[TRIP_INSTRUCTIONS][TRIP_FAULT][1].state, TRIP_DIFFERS);
	/* A bent line, and levels that do not add up. */
	a = (struct attribution){0};
	w = windows_of(&faults, TRIP_INSTRUCTIONS, &instructions, 3, 2);
	events[0].seen[TRIP_FILTER_USR][2].seen = (struct histogram){0};
	histogram_add(&events[0].seen[TRIP_FILTER_USR][2].seen, 28);
	assert_true(attribution_take(&a, &w, &t));
	assert_int_equal(t.state, TRIP_NO_LINE);
	w = windows_of(&faults, TRIP_INSTRUCTIONS, &instructions, 3, 2);
	memcpy(events[0].seen[TRIP_FILTER_ALL], events[0].seen[TRIP_FILTER_OS], sizeof events[0].seen[0]);
	assert_true(attribution_take(&a, &w, &t));
	assert_int_equal(t.state, TRIP_NO_SUM);
}

static void what_nothing_can_be_made_of_is_unknown(void **state)
{
	struct attribution a = {0};
	struct trip_windows w = windows_of(&gone, TRIP_INSTRUCTIONS, &instructions, 3, 2);
	struct trip_count t = {.state = TRIP_COUNTED};

	(void)state;
	assert_false(attribution_take(&a, &w, &t)); /* no such kernel */
	assert_int_equal(t.state, TRIP_UNKNOWN);
	w = windows_of(&faults, TRIP_BRANCHES, &instructions, 3, 2);
	assert_false(attribution_take(&a, &w, &t)); /* the event does not stand for the class */
	w = windows_of(&asks, TRIP_INSTRUCTIONS, &instructions, 8, 3);
	assert_false(attribution_take(&a, &w, &t)); /* what its SYSCALL counts is not known */
	a = by_the_manual();
	memset(a.trip[TRIP_INSTRUCTIONS][TRIP_INTERRUPT], 0, sizeof a.trip[0][0]);
	assert_true(attribution_take(&a, &w, &t));
	assert_int_equal(t.state, TRIP_OUTSIDE);
	w = windows_of(&asks, TRIP_INSTRUCTIONS, &instructions, 6, 3);
	assert_true(attribution_take(&a, &w, &t));
	assert_counts(t, 1, 0);
}

static void events_stand_for_a_class(void **state)
{
	struct pmu_event sum, inexact = taken;

	(void)state;
	assert_true(trip_stands_for(TRIP_INSTRUCTIONS, &instructions, NULL, NULL));
	assert_false(trip_stands_for(TRIP_BRANCHES, &instructions, NULL, NULL));
	assert_false(trip_stands_for(TRIP_BRANCHES, &near, NULL, NULL));
	assert_true(trip_stands_for(TRIP_BRANCHES, &taken, &far_branches, &sum));
	assert_int_equal(event_coefficient(&sum, Q_BR_FAR), 0);
	assert_int_equal(event_coefficient(&sum, Q_BR_COND_NTAKEN), -1);
	assert_false(trip_stands_for(TRIP_BRANCHES, &taken, &instructions, NULL));
	inexact.judgement = EVENT_AT_LEAST;
	assert_false(trip_stands_for(TRIP_BRANCHES, &inexact, &far_branches, NULL));
}

static void irets_follow_from_deliveries(void **state)
{
	struct attribution a = by_the_manual();
	struct trip_count t;

	(void)state;
	assert_true(attribution_return(&a, TRIP_INSTRUCTIONS, &t));
	assert_counts(t, 1, 0);
	assert_true(attribution_return(&a, TRIP_LOADS, &t));
	assert_counts(t, 5, 0);
	assert_false(attribution_return(&a, TRIP_STORES, &t)); /* it stores nothing */
	add(&a, TRIP_INSTRUCTIONS, TRIP_FAULT, -1, 1);
	add(&a, TRIP_INSTRUCTIONS, TRIP_INTERRUPT, -1, 1);
	assert_true(attribution_return(&a, TRIP_INSTRUCTIONS, &t));
	assert_counts(t, 0, 1);
	add(&a, TRIP_INSTRUCTIONS, TRIP_FAULT, 0, 1); /* the delivery as well, in the same ring */
	assert_true(attribution_return(&a, TRIP_INSTRUCTIONS, &t));
	assert_counts(t, 0, 1);
	add(&a, TRIP_INSTRUCTIONS, TRIP_FAULT, 1, 0); /* now either may be the IRET: the interrupts tell */
	assert_true(attribution_return(&a, TRIP_INSTRUCTIONS, &t));
	assert_counts(t, 0, 1);
	a.trip[TRIP_INSTRUCTIONS][TRIP_INTERRUPT][1].state = TRIP_UNKNOWN;
	assert_false(attribution_return(&a, TRIP_INSTRUCTIONS, &t));
}

/* --- facts -------------------------------------------------------------------------------------------- */

static unsigned facts_of(const struct attribution *a)
{
	unsigned next = 0, n = 0;

	while (n < 4 && attribution_fact(a, &next, names[n], texts[n]))
		n++;
	return n;
}

static void what_is_alike_is_one_fact(void **state)
{
	static const uint8_t four[] = {TRIP_INSTRUCTIONS, TRIP_INSTRUCTIONS_FIXED, TRIP_BRANCHES,
				       TRIP_SYSTEM_BRANCHES};
	struct attribution a = by_the_manual();

	(void)state;
	assert_int_equal(facts_of(&a), 0);
	assert_int_equal(facts_of(&(struct attribution){0}), 0);
	for (unsigned t = 0; t < TRIP_NMI; t++)
		for (unsigned i = 0; i < sizeof four; i++)
			add(&a, (enum trip_class)four[i], (enum trip)t, -1, 1);
	add(&a, TRIP_LOADING, TRIP_INTERRUPT_BY_CODE, -1, 1); /* SYSRET loads nothing */
	add(&a, TRIP_LOADING, TRIP_FAULT, -1, 1);
	add(&a, TRIP_LOADING, TRIP_INTERRUPT, -1, 1);
	memset(&a.trip[TRIP_LOADS], 0, sizeof a.trip[TRIP_LOADS]);
	assert_int_equal(facts_of(&a), 1);
	assert_string_equal(names[0], "INT n, SYSCALL, SYSENTER, faults, interrupts from ring 3");
	assert_non_null(strstr(texts[0], "far branches, instructions that load: +1 in ring 3, -1 in ring 0"));
	a = by_the_manual(); /* NMIs have no kernel in ring 3 */
	for (unsigned t = TRIP_FAULT; t < TRIPS; t++)
		add(&a, TRIP_INSTRUCTIONS, (enum trip)t, 0, 1);
	a.trip[TRIP_INSTRUCTIONS][TRIP_NMI][1].state = TRIP_UNKNOWN;
	assert_int_equal(facts_of(&a), 1);
	assert_string_equal(names[0], "faults, interrupts from ring 3");
	add(&a, TRIP_BRANCHES, TRIP_FAULT, 0, 1); /* one of them does otherwise */
	assert_int_equal(facts_of(&a), 2);
	assert_string_equal(names[0], "faults from ring 3");
	assert_string_equal(names[1], "interrupts from ring 3");
}

static void sums_that_fail_are_facts(void **state)
{
	struct attribution a = by_the_manual();

	(void)state;
	a.trip[TRIP_BRANCHES][TRIP_INTERRUPT_BY_CODE][1].state = TRIP_NO_SUM;
	assert_int_equal(facts_of(&a), 1);
	assert_non_null(strstr(texts[0], "branches: OS and USR do not add up"));
	/* From ring 0 likewise: that is another fact, though it says the same. */
	a.trip[TRIP_BRANCHES][TRIP_INTERRUPT_BY_CODE][0].state = TRIP_NO_SUM;
	assert_int_equal(facts_of(&a), 2);
	assert_string_equal(names[0], "INT n from ring 0");
	assert_string_equal(names[1], "INT n from ring 3");
	assert_non_null(strstr(texts[1], "branches: OS and USR do not add up"));
	a.trip[TRIP_BRANCHES][TRIP_INTERRUPT_BY_CODE][0].state = TRIP_OUTSIDE;
	a.trip[TRIP_BRANCHES][TRIP_INTERRUPT_BY_CODE][1].state = TRIP_OUTSIDE; /* rows tell that */
	assert_int_equal(facts_of(&a), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slopes_become_counts),
		cmocka_unit_test(measured_is_not_left_open),
		cmocka_unit_test(what_is_none_stays_with_the_manual),
		cmocka_unit_test(of_ring_3_alone_something_may_be_known),
		cmocka_unit_test(deliveries_of_the_manual),
		cmocka_unit_test(manual_is_what_the_code_does),
		cmocka_unit_test(trips_are_counted),
		cmocka_unit_test(expectations_take_it),
		cmocka_unit_test(open_ends_stay_open),
		cmocka_unit_test(other_rings_alone),
		cmocka_unit_test(it_covers_what_was_measured),
		cmocka_unit_test(what_is_alike_is_one_fact),
		cmocka_unit_test(sums_that_fail_are_facts),
		cmocka_unit_test(windows_become_counts),
		cmocka_unit_test(what_nothing_can_be_made_of_is_unknown),
		cmocka_unit_test(events_stand_for_a_class),
		cmocka_unit_test(irets_follow_from_deliveries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
