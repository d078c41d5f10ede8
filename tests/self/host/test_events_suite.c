/*
 * The suite `events` on a PMU by script: which counters an event goes to, kernel by kernel, and what is
 * counted beside what.
 */
#include "tests/suites/events.c"

#include "pmu/contract/state.h"
#include "tests/self/host/fake_kernels.h"
#include "tests/self/host/support/scripted_pmu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

/* The scheduler has no reason to give here. */
const char *pmu_reason(const struct pmu *pmu, const char *format, ...)
{
	(void)pmu;
	return format;
}

/* What kernels answer to and what moves is not asked here; results are told at once. */
void response_begin(struct run *run, uint64_t n, unsigned reps)
{
	(void)run;
	(void)n;
	(void)reps;
}

void response_measure(const struct kernel *k)
{
	(void)k;
}

void response_report(void)
{
}

void movers_note(struct movers *m, const struct kernel *k, bool counted, const struct judgement *j)
{
	(void)m;
	(void)k;
	(void)counted;
	(void)j;
}

void movers_report(struct run *run, const struct movers *by_event)
{
	(void)run;
	(void)by_event;
}

void held_results_take(struct held_results *held, struct run *run, const struct result *r)
{
	(void)held;
	run->report(run, r);
}

void held_results_report(struct held_results *held, struct run *run)
{
	(void)held;
	(void)run;
}

FAKE_KERNEL(turns, "turns", 0, FAKE_EXACT(INSTRUCTIONS, 20, 0), FAKE_EXACT(BRANCHES, 3, 0),
	    FAKE_EXACT(CYCLES, 20, 0));

#define EVENTS 3

static struct pmu_event events[EVENTS];
static const struct pmu_event *offered[EVENTS];
static struct pmu_driver driver;
static struct plan plan;
static int tear_down(void **state)
{
	(void)state;
	plan_free(&plan);
	memset(&plan, 0, sizeof plan);
	return 0;
}

static uint64_t takes_only[EVENTS]; /* counters that may count each */

static bool can_count(const struct pmu *pmu, const struct pmu_event *e, unsigned c)
{
	(void)pmu;
	return takes_only[e - events] >> c & 1;
}

static void start(bool common, uint32_t flags)
{
	static const char letters[] = "IBC";

	scripted_start("IBC");
	driver = *scripted.pmu.driver;
	driver.can_count = can_count;
	scripted.pmu.driver = &driver;
	scripted.pmu.has_global = common;
	for (unsigned i = 0; i < EVENTS; i++) {
		events[i] = *scripted_event(letters[i]);
		events[i].flags |= flags;
		offered[i] = &events[i];
		takes_only[i] = (1u << SCRIPTED_COUNTERS) - 1;
	}
	scripted.pmu.events = offered;
	scripted.pmu.n_events = EVENTS;
	scripted.options.event_glob = "*";
	tear_down(NULL); /* of the round before */
	assert_true(plan_create(&plan, &scripted.run));
	plan.kernel = &turns;
	plan.n = 5;
}

/* Counters that an event is planned on, this turn. */
static uint64_t planned(unsigned event)
{
	uint64_t mask = 0;

	for (unsigned c = 0; c < SCRIPTED_COUNTERS; c++)
		for (unsigned i = 0; i < plan.n_events[c]; i++)
			if (plan.event[c][i] == event) {
				assert_false(mask >> c & 1); /* once */
				mask |= UINT64_C(1) << c;
			}
	return mask;
}

static void counters_that_start_together_count_all(void **state)
{
	(void)state;
	start(true, 0);
	takes_only[1] = 6;
	for (plan.turn = 0; plan.turn < 5; plan.turn++) {
		make_plan(&plan);
		for (unsigned e = 0; e < EVENTS; e++)
			assert_int_equal(planned(e), takes_only[e]);
	}
}

/* One at a time: each turn on one counter, and all of them in as many turns, whichever they are. */
static void others_move_on_from_kernel_to_kernel(void **state)
{
	static const uint64_t sets[] = {15, 7, 9, 12, 4};

	(void)state;
	for (unsigned core = 0; core < 2; core++)
		for (unsigned s = 0; s < sizeof sets / sizeof sets[0]; s++) {
			unsigned n = (unsigned)__builtin_popcountll(sets[s]);
			uint64_t seen[EVENTS] = {0};

			/* Without a common start, and of hundreds of events with one. */
			start(core, core ? EVENT_OF_CORE : 0);
			for (unsigned e = 0; e < EVENTS; e++)
				takes_only[e] = sets[s];
			for (plan.turn = 0; plan.turn < n; plan.turn++) {
				make_plan(&plan);
				for (unsigned e = 0; e < EVENTS; e++) {
					uint64_t now = planned(e);

					assert_int_equal(__builtin_popcountll(now), 1);
					assert_int_equal(now & seen[e], 0);
					seen[e] |= now;
					/* Neighbours go to different ones. */
					if (e && n > 1)
						assert_int_not_equal(now, planned(e - 1));
				}
			}
			for (unsigned e = 0; e < EVENTS; e++)
				assert_int_equal(seen[e], sets[s]);
		}
}

static void what_was_not_asked_for_or_is_not_defined_is_left_out(void **state)
{
	(void)state;
	start(true, 0);
	scripted.options.event_glob = events[1].name;
	make_plan(&plan);
	assert_int_equal(planned(0), 0);
	assert_int_equal(planned(1), 15);
	takes_only[1] = 0;
	make_plan(&plan);
	assert_int_equal(planned(1), 0);
}

/* Every event of every counter is counted once; in one pass only what can be counted together. */
static void passes_count_everything_once(void **state)
{
	(void)state;
	start(true, 0);
	takes_only[2] = 5;
	make_plan(&plan);
	for (unsigned level = 0; level <= 3; level += 3) {
		unsigned counted[SCRIPTED_COUNTERS][EVENTS] = {{0}};

		plan.level = (uint8_t)level;
		for (unsigned number = 0;; number++) {
			uint64_t pending = counters_with(&plan, number);

			if (!pending)
				break;
			while (pending) {
				struct pass p = {.pmu = &scripted.pmu};
				uint64_t before = pending;

				fill_pass(&plan, number, &pending, &p);
				assert_true(p.n_slots > 0);
				assert_int_equal(__builtin_popcountll(before ^ pending), p.n_slots);
				for (unsigned s = 0; s < p.n_slots; s++) {
					unsigned c = p.slot[s].counter;

					assert_true(before >> c & 1 && !(pending >> c & 1));
					assert_ptr_equal(p.slot[s].event, &events[plan.current[c]]);
					assert_int_equal(p.slot[s].config.levels,
							 level ? LEVELS_USER : LEVELS_ALL);
					counted[c][plan.current[c]]++;
				}
			}
		}
		for (unsigned c = 0; c < SCRIPTED_COUNTERS; c++)
			for (unsigned e = 0; e < EVENTS; e++)
				assert_int_equal(counted[c][e], takes_only[e] >> c & 1);
	}
}

/* The whole suite: each event on each counter and in each level, or on the one whose turn it is, by its name.
 */
static void the_suite_tells_each_by_its_place(void **state)
{
	(void)state;
	for (unsigned common = 0; common < 2; common++) {
		start(common, 0);
		scripted.options = (struct run_options){.kernel_glob = "turns", .event_glob = events[1].name};
		scripted.n_results = 0;
		suite_events.run(&scripted.run);
		/* The kernel's signature is confirmed first, in each level. */
		assert_int_equal(scripted.n_results, 2 * (1 + (common ? SCRIPTED_COUNTERS : 1)));
		for (unsigned i = 0; i < scripted.n_results; i++)
			assert_int_equal(scripted.result[i].verdict, VERDICT_EXACT);
		/* Of a signature that does not hold nothing is judged. */
		scripted.untrue = "turns";
		scripted.n_results = 0;
		suite_events.run(&scripted.run);
		assert_int_equal(scripted.n_results, 2);
		assert_true(verdict_is_bad(scripted.result[0].verdict));
		scripted.untrue = NULL;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(counters_that_start_together_count_all, tear_down),
		cmocka_unit_test_teardown(others_move_on_from_kernel_to_kernel, tear_down),
		cmocka_unit_test_teardown(what_was_not_asked_for_or_is_not_defined_is_left_out, tear_down),
		cmocka_unit_test_teardown(passes_count_everything_once, tear_down),
		cmocka_unit_test_teardown(the_suite_tells_each_by_its_place, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
