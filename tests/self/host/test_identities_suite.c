/*
 * The suite `identities` on a PMU by script: what it expects of counts in ring 3 where handlers and ways into
 * rings count otherwise in ring 0, on PMUs whose counters start together and on those where each starts by
 * itself, and then sees ring 3 alone.
 */
#include "tests/suites/identities.c"

#include "pmu/contract/state.h"
#include "tests/judge/attribution.h"
#include "tests/judge/verdict.h"
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

#define N       N_VIRTUAL
#define TRIPS_N N /* round trips of a window */
#define HANDLED 3 /* exceptions that handlers cause themselves */

/* Round trips, one each turn, and exceptions of which some happen in handlers. */
FAKE_KERNEL(trips, "trips", KERNEL_CORE | KERNEL_USER_ONLY, FAKE_EXACT(INSTRUCTIONS, 20, 0),
	    FAKE_EXACT(BRANCHES, 20, 0), FAKE_EXACT(INTERRUPTS_SW, 1, 0), FAKE_EXACT(RING_TO_KERNEL, 1, 0));
FAKE_KERNEL(faults, "faults", KERNEL_CORE | KERNEL_USER_ONLY, FAKE_EXACT(INSTRUCTIONS, 20, 0),
	    FAKE_EXACT(BRANCHES, 20, 0), FAKE_EXACT(EXCEPTIONS, 2, 0));

/* In ring 0 alone, and nowhere. */
FAKE_KERNEL(ring_0, "ring 0", KERNEL_CORE | KERNEL_PRIVILEGED, FAKE_EXACT(INSTRUCTIONS, 20, 0),
	    FAKE_EXACT(BRANCHES, 20, 0));
FAKE_KERNEL(nowhere, "nowhere", KERNEL_CORE | KERNEL_PRIVILEGED | KERNEL_USER_ONLY,
	    FAKE_EXACT(INSTRUCTIONS, 20, 0), FAKE_EXACT(BRANCHES, 20, 0));

static const struct pmu_identity equations[] = {
	{"instructions and branches", "", IDENTITY_ZERO, {{1, "I"}, {-1, "B"}}},
	{"as many or more", "", IDENTITY_NOT_NEGATIVE, {{1, "I"}, {-1, "B"}}},
	{"exceptions besides", "", IDENTITY_ZERO, {{1, "J"}, {-1, "I"}}},
	{"exceptions the other way", "", IDENTITY_ZERO, {{1, "I"}, {-1, "J"}}},
	{"exceptions twice", "", IDENTITY_ZERO, {{2, "J"}, {-2, "I"}}},
	{"not offered", "", IDENTITY_ZERO, {{1, "K"}, {-1, "I"}}},
	{NULL, NULL, 0, {{0, NULL}}},
};

static const char *const names[] = {"scripted", NULL};
static const struct event_modifier modifiers[] = {{.help = NULL}};
static const struct event_grammar grammar = {.names = names, .modifiers = modifiers};
static struct pmu_driver driver;
static struct attribution table;
static int64_t os_beyond, usr_beyond; /* of a round trip, of instructions */
static int64_t wrong;                 /* that counter 0 counts besides */

/* What the declared amounts have not, by the rings that the counter was programmed for. The way to ring 3 and
 * back is one more round trip, of each window there. */
static int64_t beyond(unsigned c, const struct scripted_window *at)
{
	uint8_t levels = scripted.levels[c];
	bool of_trips = at->w->kernel == &trips, of_faults = at->w->kernel == &faults;
	int64_t sum = (of_trips || of_faults) && scripted.codes[c] != 'B' ? wrong : 0;

	if (at->w->level && scripted.codes[c] == 'I')
		sum += ((of_trips ? TRIPS_N : 0) + 1) *
		       ((levels & LEVELS_SYSTEM ? os_beyond : 0) + (levels & LEVELS_USER ? usr_beyond : 0));
	if (of_faults && scripted.codes[c] == 'J')
		sum += levels & LEVELS_SYSTEM ? 2 * N : 2 * N - HANDLED;
	return sum;
}

static void start(bool common)
{
	scripted_start("IBJ");
	scripted.pmu.has_global = common;
	driver = *scripted.pmu.driver;
	driver.grammar = &grammar;
	driver.identities = equations;
	scripted.pmu.driver = &driver;
	scripted.beyond = beyond;
	/* What a bracket counts cancels out. */
	bracket_user = (struct pmu_bracket){.own = {{Q_INSTRUCTIONS, 3}, {Q_BRANCHES, 3}}};
	table = (struct attribution){0};
	os_beyond = usr_beyond = wrong = 0;
}

static enum verdict verdict_on(const char *equation, const struct kernel *k)
{
	char name[NAME_SIZE];

	scripted.options = (struct run_options){.kernel_glob = k->name, .check_glob = equation};
	scripted.n_results = 0;
	suite_identities.run(&scripted.run);
	snprintf(name, sizeof name, "%s/%s/%s", equation, k->name, level_name(level_user()));
	return scripted.result[scripted_result(name)].verdict;
}

static void deviate(int8_t os, int8_t usr)
{
	struct trip_count *t = &table.trip[TRIP_INSTRUCTIONS][TRIP_INTERRUPT_BY_CODE][1];

	*t = (struct trip_count){.state = TRIP_COUNTED,
				 .manual = {.os = 1, .usr = 1},
				 .counted = {.os = (int8_t)(1 + os), .usr = (int8_t)(1 + usr)}};
	scripted.pmu.attribution = &table;
	os_beyond = os;
	usr_beyond = usr;
}

static void a_plain_pmu_keeps_equations(void **state)
{
	(void)state;
	for (int common = 0; common < 2; common++) {
		start(common);
		assert_int_equal(verdict_on("instructions and branches", &trips), VERDICT_EXACT);
		wrong = 1;
		assert_int_equal(verdict_on("instructions and branches", &trips), VERDICT_WRONG);
		wrong = -1;
		assert_int_equal(verdict_on("instructions and branches", &trips), VERDICT_WRONG);
		assert_int_not_equal(verdict_on("as many or more", &trips), VERDICT_WITHIN);
		wrong = 7;
		assert_int_equal(verdict_on("as many or more", &trips), VERDICT_WITHIN);
	}
}

/* Ways that count otherwise in ring 0, in ring 3 or in both: each is expected where counters see it. */
static void ways_that_deviate_are_expected_where_they_are_seen(void **state)
{
	static const int8_t cases[][2] = {{1, 0}, {0, 1}, {-1, 1}, {2, -1}};

	(void)state;
	for (int common = 0; common < 2; common++)
		for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
			start(common);
			deviate(cases[i][0], cases[i][1]);
			assert_int_equal(verdict_on("instructions and branches", &trips), VERDICT_EXACT);
			bool seen = common ? cases[i][0] + cases[i][1] : cases[i][1];

			/* What is expected is not counted. */
			start(common);
			deviate(cases[i][0], cases[i][1]);
			os_beyond = usr_beyond = 0;
			assert_int_equal(verdict_is_bad(verdict_on("instructions and branches", &trips)),
					 seen);
			/* What is not expected is. */
			start(common);
			os_beyond = cases[i][0];
			usr_beyond = cases[i][1];
			assert_int_equal(verdict_is_bad(verdict_on("instructions and branches", &trips)),
					 seen);
		}
}

/* What a rule has one of the events count besides, less what happens in handlers where they are not seen. */
static void rules_count_where_they_are_seen(void **state)
{
	static const char *const of[] = {"exceptions besides", "exceptions the other way",
					 "exceptions twice"};

	(void)state;
	for (int common = 0; common < 2; common++)
		for (unsigned i = 0; i < sizeof of / sizeof of[0]; i++) {
			start(common);
			scripted.handled = HANDLED;
			assert_int_equal(verdict_on(of[i], &faults), VERDICT_EXACT);
			scripted.handled = HANDLED + 1; /* another number of them in handlers */
			assert_int_equal(verdict_on(of[i], &faults), common ? VERDICT_EXACT : VERDICT_WRONG);
		}
}

/* Without a common enable every counter sees the kernel's ring alone. */
static void counters_see_the_rings_that_they_can_agree_on(void **state)
{
	(void)state;
	for (int common = 0; common < 2; common++) {
		start(common);
		assert_int_equal(verdict_on("instructions and branches", &trips), VERDICT_EXACT);
		for (unsigned c = 0; c < 2; c++)
			assert_int_equal(scripted.levels[c], common ? LEVELS_ALL : LEVELS_USER);
	}
}

static void what_is_not_offered_is_skipped(void **state)
{
	(void)state;
	start(true);
	scripted.options = (struct run_options){.kernel_glob = "trips", .check_glob = "not offered"};
	suite_identities.run(&scripted.run);
	assert_int_equal(scripted.result[scripted_result("not offered")].verdict, VERDICT_SKIPPED);
}

/* A kernel that runs in one ring is judged there, and no skip says that it is not. */
static void kernels_that_run_nowhere_are_skipped(void **state)
{
	static const struct {
		const struct kernel *kernel;
		unsigned skipped, judged;
	} cases[] = {{&trips, 0, 1}, {&ring_0, 0, 1}, {&nowhere, 1, 0}};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		unsigned skipped = 0;

		start(true);
		scripted.by_ring = true;
		scripted.options = (struct run_options){.kernel_glob = cases[i].kernel->name,
							.check_glob = "instructions and branches"};
		scripted.n_results = 0;
		suite_identities.run(&scripted.run);
		for (unsigned r = 0; r < scripted.n_results; r++)
			skipped += scripted.result[r].verdict == VERDICT_SKIPPED;
		assert_int_equal(skipped, cases[i].skipped);
		assert_int_equal(scripted.n_results - skipped, cases[i].judged);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_pmu_keeps_equations),
		cmocka_unit_test(ways_that_deviate_are_expected_where_they_are_seen),
		cmocka_unit_test(rules_count_where_they_are_seen),
		cmocka_unit_test(counters_see_the_rings_that_they_can_agree_on),
		cmocka_unit_test(what_is_not_offered_is_skipped),
		cmocka_unit_test(kernels_that_run_nowhere_are_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
