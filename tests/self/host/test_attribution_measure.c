/*
 * Measuring an attribution: a class of round trips is taken from events that tick, and from no others. A
 * class of two events is: branches that are taken, but for those that were mispredicted, and these.
 */
#include "tests/judge/attribution_windows.h"
#include "tests/judge/truth.h"
#include "tests/kernels/handled.h"
#include "tests/kernels/services.h"
#include "tests/measure/pass.h"
#include "tests/self/host/fake_kernels.h"

#include "arch/exceptions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define BRANCHES_OF_A_TRIP 2 /* the loop's and the handler's return */

/* Two sources of round trips, which cannot be the kernel that has what they lack: they want a service. */
FAKE_KERNEL(fault_ud, "fault_ud_ring0", KERNEL_SERVICE_ABSENT, FAKE_EXACT(BRANCHES, BRANCHES_OF_A_TRIP, 0),
	    FAKE_EXACT(BR_FAR, 1, 0), FAKE_EXACT(EXCEPTIONS, 1, 0));
FAKE_KERNEL(fault_gp, "fault_gp_ring0", KERNEL_SERVICE_ABSENT, FAKE_EXACT(BRANCHES, BRANCHES_OF_A_TRIP, 0),
	    FAKE_EXACT(BR_FAR, 1, 0), FAKE_EXACT(EXCEPTIONS, 1, 0));
FAKE_KERNEL(mover, "fake_mover", 0, FAKE_EXACT(BRANCHES, 3, 0), FAKE_EXACT(BR_MISPRED_TAKEN, 1, 0));
/* And two that show nothing: one cannot run without its service, the other has as much however long it runs.
 */
FAKE_KERNEL(served, "fake_served", KERNEL_SERVICE_UC, FAKE_EXACT(BRANCHES, 3, 0),
	    FAKE_EXACT(BR_MISPRED_TAKEN, 1, 0));
FAKE_KERNEL(steady, "fake_steady", 0, FAKE_EXACT(BRANCHES, 0, 3), FAKE_EXACT(BR_MISPRED_TAKEN, 0, 1));

static const struct pmu_event predicted = {
	.name = "PREDICTED",
	.code = 1,
	.counters = 3,
	.fixed = -1,
	.terms = {{Q_BRANCHES, 1}, {Q_BR_COND_NTAKEN, -1}, {Q_BR_MISPRED_TAKEN, -1}}};
static const struct pmu_event mispredicted = {
	.name = "MISPREDICTED", .code = 2, .counters = 3, .fixed = -1, .terms = {{Q_BR_MISPRED_TAKEN, 1}}};
static const struct pmu_event *const events[] = {&predicted, &mispredicted};

/* What is so, and what was done. */
static struct {
	const struct pmu_event *dead;
	bool mispredicts;      /* one branch of each round trip */
	bool untrue, refuses;  /* of the mover: its signature does not hold, no pass with it succeeds */
	unsigned passes_apart; /* without round trips */
	unsigned taken, facts;
	struct trip_count count;
	char fact[ATTRIBUTION_FACT];
} script;

/* --- in place of the machine --------------------------------------------------------------------------- */

static bool makes_trips(const struct kernel *k)
{
	return k == &fault_ud || k == &fault_gp;
}

static uint64_t counted_of(const struct slot *s, const struct kernel *k, uint64_t n)
{
	int64_t missed = makes_trips(k) ? (int64_t)n * script.mispredicts
					: kernel_amount(k, Q_BR_MISPRED_TAKEN, n).low;

	if (s->event == script.dead || !(s->config.levels & LEVELS_SYSTEM))
		return 0;
	return (uint64_t)(s->event == &mispredicted ? missed : kernel_amount(k, Q_BRANCHES, n).low - missed);
}

void pass_run_plain(struct pass *p)
{
	if (!makes_trips(p->kernel)) {
		script.passes_apart++;
		p->failure = script.refuses ? "refused" : NULL;
	}
	for (unsigned i = 0; i < p->n_count; i++)
		for (unsigned rep = 0; rep < p->reps; rep++)
			for (unsigned s = 0; s < p->n_slots; s++)
				p->raw[(i * p->reps + rep) * p->n_slots + s] =
					counted_of(&p->slot[s], p->kernel, p->n[i]);
}

void truth_check(const struct kernel *k, uint8_t level, uint64_t n, struct result *r)
{
	(void)level, (void)n;
	if (k == &mover && script.untrue)
		judgement_set(&r->judgement, VERDICT_ERROR, "its signature does not hold");
}

const char *kernel_unfit(const struct kernel *k, uint8_t level)
{
	(void)k, (void)level;
	return NULL;
}

bool kernel_leaves_level(const struct kernel *k)
{
	(void)k;
	return false;
}

struct amount kernel_handled(const struct kernel *k, enum quantity q, uint64_t n)
{
	(void)k, (void)q, (void)n;
	return (struct amount){.defined = true};
}

void trap_set_context(const char *description)
{
	(void)description;
}

static bool can_count(const struct pmu *pmu, const struct pmu_event *e, unsigned c)
{
	(void)pmu;
	return e->counters >> c & 1;
}

static const struct pmu_driver driver = {.name = "scripted", .can_count = can_count};

/* --- the run ------------------------------------------------------------------------------------------- */

static bool call(struct run *run, void (*fn)(void *), void *arg, unsigned ms, struct result *r)
{
	(void)run, (void)ms, (void)r;
	fn(arg);
	return true;
}

static void take(struct run *run, const struct attribution_report *r)
{
	(void)run;
	if (!r->windows.source)
		return;
	assert_int_equal(r->class, TRIP_BRANCHES);
	assert_int_equal(r->windows.n_events, 2);
	script.count = r->count;
	script.taken++;
}

static void fact(struct run *run, const char *suite, const char *name, const char *text)
{
	(void)run;
	if (!strcmp(suite, "attribution") && !strcmp(name, trip_class_name(TRIP_BRANCHES))) {
		script.facts++;
		snprintf(script.fact, sizeof script.fact, "%s", text);
	}
}

static void measure(bool joint)
{
	struct pmu pmu = {.driver = &driver,
			  .n_counters = 2,
			  .n_general = 2,
			  .events = events,
			  .n_events = sizeof events / sizeof events[0],
			  .joint = joint,
			  .virtual = true,
			  .deterministic = true};
	struct run run = {.pmu = &pmu, .call = call, .fact = fact, .attribution = take};

	for (unsigned c = 0; c < pmu.n_counters; c++)
		pmu.counter[c] = (struct pmu_counter){.index = (uint8_t)c, .width = 48, .write_width = 48};
	script.passes_apart = script.taken = script.facts = 0;
	attribution_measure(&run, NULL);
	assert_non_null(pmu.attribution);
}

/* Of both sources alike: the handler's return, which is one branch. */
static void assert_taken(unsigned passes_apart)
{
	for (int joint = 0; joint < 2; joint++) {
		measure(joint);
		assert_int_equal(script.taken, 2);
		assert_int_equal(script.count.state, TRIP_COUNTED);
		assert_int_equal(script.count.counted.os, 1);
		assert_int_equal(script.facts, 0);
		assert_int_equal(script.passes_apart, passes_apart);
	}
}

/* And it is said once, of one event. */
static void assert_left_out(const struct pmu_event *e, unsigned passes_apart)
{
	char text[ATTRIBUTION_FACT];

	snprintf(text, sizeof text, "not measured: no kernel showed %s to count", e->name);
	for (int joint = 0; joint < 2; joint++) {
		measure(joint);
		assert_int_equal(script.taken, 0);
		assert_int_equal(script.facts, 1);
		assert_string_equal(script.fact, text);
		assert_int_equal(script.passes_apart, passes_apart);
	}
}

static int plain(void **state)
{
	(void)state;
	memset(&script, 0, sizeof script);
	mover.needs = 0;
	return 0;
}

/* --- tests --------------------------------------------------------------------------------------------- */

static void round_trips_show_that_both_tick(void **state)
{
	(void)state;
	script.mispredicts = true;
	assert_taken(0);
}

static void another_kernel_shows_what_round_trips_lack(void **state)
{
	(void)state;
	assert_taken(1);
}

static void a_dead_first_event_leaves_the_class_out(void **state)
{
	(void)state;
	script.mispredicts = true;
	script.dead = &predicted;
	assert_left_out(&predicted, 1);
}

/* By the first alone a round trip would count one branch less. */
static void so_does_a_dead_second_event(void **state)
{
	(void)state;
	script.dead = &mispredicted;
	assert_left_out(&mispredicted, 1);
	script.mispredicts = true;
	assert_left_out(&mispredicted, 1);
}

static void and_one_that_no_kernel_moves(void **state)
{
	(void)state;
	mover.needs = 1;
	assert_left_out(&mispredicted, 0);
}

static void a_kernel_whose_signature_does_not_hold_shows_nothing(void **state)
{
	(void)state;
	script.untrue = true;
	assert_left_out(&mispredicted, 0);
}

static void nor_does_one_whose_pass_fails(void **state)
{
	(void)state;
	script.refuses = true;
	assert_left_out(&mispredicted, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(round_trips_show_that_both_tick, plain),
		cmocka_unit_test_setup(another_kernel_shows_what_round_trips_lack, plain),
		cmocka_unit_test_setup(a_dead_first_event_leaves_the_class_out, plain),
		cmocka_unit_test_setup(so_does_a_dead_second_event, plain),
		cmocka_unit_test_setup(and_one_that_no_kernel_moves, plain),
		cmocka_unit_test_setup(a_kernel_whose_signature_does_not_hold_shows_nothing, plain),
		cmocka_unit_test_setup(nor_does_one_whose_pass_fails, plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
