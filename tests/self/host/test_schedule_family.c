/*
 * A PMU family that is made up: counters behind selectors that are set per event, and one that tags through a
 * second selector. The scheduler places its events by what its driver says that they take, and the driver is
 * told which way was taken; without a word of its own, counters are all that matters.
 */
#include "pmu/contract/state.h"
#include "pmu/events/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define SELECTOR(n)  ((uint8_t)(PMU_COUNTERS_MAX + (n)))
#define CHOICE(c, s) (100u * ((c) + 1) + (s))

static const struct pmu_event rows[] = {
	{.name = "FIRST", .code = 1, .counters = 3, .fixed = -1, .source = "none"},
	{.name = "OTHER", .code = 2, .counters = 3, .fixed = -1, .source = "none"},
	{.name = "EITHER", .code = 3, .counters = 15, .fixed = -1, .source = "none"},
	{.name = "TAGGED", .code = 4, .counters = 12, .fixed = -1, .source = "none"},
	{.name = "NOWHERE", .code = 5, .counters = 0, .fixed = -1, .source = "none"},
};
static const struct pmu_event *const events[] = {&rows[0], &rows[1], &rows[2], &rows[3], &rows[4]};

static const struct event_modifier modifiers[] = {
	{"u", NULL, offsetof(struct pmu_config, levels), 1, 1, 1, -1, "ring 3"},
	{"k", NULL, offsetof(struct pmu_config, levels), 1, 0, 1, -1, "ring 0"},
	{NULL, NULL, 0, 0, 0, 0, -1, NULL},
};
static const struct event_grammar grammar = {.modifiers = modifiers};

static bool can_count(const struct pmu *pmu, const struct pmu_event *e, unsigned c)
{
	(void)pmu;
	return e->counters >> c & 1;
}

/* Counters 0 and 1 listen to selector 0, 2 and 3 to selector 1; several may, if they want the same of it.
 * TAGGED needs selector 0 besides, set to 9, whose counters it must keep from nobody. */
static unsigned alternatives(const struct pmu *pmu, const struct event_request *r,
			     struct sched_alternative *out, const char **why)
{
	unsigned n = 0;

	*why = "its detector is missing";
	for (unsigned c = 0; c < pmu->n_counters; c++) {
		struct sched_alternative *a = &out[n];

		if (!can_count(pmu, r->event, c))
			continue;
		*a = (struct sched_alternative){
			.n_uses = 2,
			.use = {{(uint8_t)c, 0}, {SELECTOR(c / 2), 16 * r->event->code + r->config.levels}},
			.choice = CHOICE(c, c / 2),
		};
		if (r->event == &rows[3])
			a->use[a->n_uses++] = (struct sched_use){SELECTOR(0), 9};
		n++;
	}
	return n;
}

static const char *resource_name(const struct pmu *pmu, unsigned resource)
{
	static char name[16];

	(void)pmu;
	snprintf(name, sizeof name, "SELECTOR%u", resource - PMU_COUNTERS_MAX);
	return name;
}

/* What program() got, as the driver would use it: the selector follows from the choice. */
static uint32_t programmed[4];

static bool program(const struct pmu *pmu, unsigned c, const struct pmu_config *config)
{
	(void)pmu;
	programmed[c] = config->choice;
	return true;
}

static const struct pmu_driver plain = {
	.name = "plain", .grammar = &grammar, .can_count = can_count, .program = program};
static const struct pmu_driver wired = {.name = "wired",
					.grammar = &grammar,
					.can_count = can_count,
					.program = program,
					.alternatives = alternatives,
					.resource_name = resource_name};

static struct event_request request[8];
static struct sched_place place[8];
static struct sched_result result;
static const char *why;
static char text[512];

static struct pmu machine(const struct pmu_driver *driver)
{
	static struct pmu_state state; /* for its reason */
	struct pmu pmu = {.driver = driver,
			  .state = &state,
			  .name = "made up",
			  .n_counters = 4,
			  .n_general = 4,
			  .events = events,
			  .n_events = 5};

	for (unsigned c = 0; c < 4; c++) {
		snprintf(pmu.counter[c].name, sizeof pmu.counter[c].name, "C%u", c);
		pmu.counter[c].width = 40;
	}
	return pmu;
}

static unsigned parse(const struct pmu *pmu, const char *const *strings)
{
	unsigned n = 0;

	for (; strings[n]; n++) {
		struct event_error error;

		assert_int_equal(event_parse(pmu, strings[n], &request[n], 1, &error), 1);
	}
	return n;
}

static unsigned passes(const struct pmu *pmu, const char *const *strings)
{
	unsigned n = parse(pmu, strings);

	assert_true(schedule_events(pmu, request, n, place, &result, &why));
	assert_int_equal(result.passes, result.bound);
	schedule_explain(pmu, request, n, text, sizeof text);
	return result.passes;
}

#define PASSES(pmu, ...) passes(pmu, (const char *const[]){__VA_ARGS__, NULL})

static void events_that_want_a_selector_set_differently_exclude_each_other(void **state)
{
	struct pmu with = machine(&wired), without = machine(&plain);

	(void)state;
	assert_int_equal(PASSES(&with, "FIRST", "OTHER"), 2);
	assert_string_equal(text, "wired::FIRST and wired::OTHER need the same SELECTOR0");
	assert_int_equal(PASSES(&without, "FIRST", "OTHER"), 1);
	assert_string_equal(text, "");
}

static void those_that_want_it_alike_share_it(void **state)
{
	struct pmu with = machine(&wired);

	(void)state;
	assert_int_equal(PASSES(&with, "FIRST", "FIRST"), 1);
	assert_string_equal(text, "");
	assert_int_equal(PASSES(&with, "FIRST:u", "FIRST:k"), 2);
	assert_string_equal(text, "wired::FIRST:u and wired::FIRST:k need the same SELECTOR0");
	assert_int_equal(PASSES(&with, "FIRST", "FIRST", "FIRST"), 2);
	assert_string_equal(text,
			    "wired::FIRST, wired::FIRST and wired::FIRST can be counted by C0 and C1 only");
	assert_int_equal(PASSES(&with, "FIRST", "EITHER"), 1);
	assert_true(place[1].alternative >= 2);
}

static void only_what_conflicts_is_named(void **state)
{
	struct pmu with = machine(&wired);

	(void)state;
	assert_int_equal(PASSES(&with, "EITHER", "FIRST", "OTHER"), 2);
	assert_string_equal(text, "wired::FIRST and wired::OTHER need the same SELECTOR0");
	assert_int_equal(PASSES(&with, "FIRST", "TAGGED"), 2);
	assert_string_equal(text, "wired::FIRST and wired::TAGGED need the same SELECTOR0");
	/* Each has a selector left, but not both at once. */
	assert_int_equal(PASSES(&with, "EITHER", "TAGGED"), 2);
	assert_string_equal(text, "wired::EITHER and wired::TAGGED take registers from each other");
}

static void the_driver_is_told_which_way_was_taken(void **state)
{
	struct pmu with = machine(&wired), without = machine(&plain);

	(void)state;
	assert_int_equal(PASSES(&with, "FIRST", "EITHER"), 1);
	for (unsigned i = 0; i < 2; i++) {
		unsigned c = place[i].alternative;
		struct pmu_config config = event_placed(&request[i], &place[i]);

		assert_true(with.driver->program(&with, c, &config));
		assert_int_equal(programmed[c], CHOICE(c, c / 2));
		assert_int_equal(config.code, request[i].config.code);
	}
	assert_int_equal(PASSES(&without, "FIRST", "EITHER"), 1);
	assert_int_equal(event_placed(&request[0], &place[0]).choice, 0);
}

static void a_counter_that_is_asked_for_is_taken_or_refused(void **state)
{
	struct pmu with = machine(&wired), without = machine(&plain);
	const struct pmu *both[] = {&with, &without};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		char expected[128];

		assert_int_equal(PASSES(both[i], "EITHER@C3"), 1);
		assert_int_equal(place[0].alternative, 3);
		assert_int_equal(event_counters(both[i], &request[0]), 8);
		parse(both[i], (const char *const[]){"FIRST:u@c2", NULL});
		assert_int_equal(event_counters(both[i], &request[0]), 0);
		assert_false(schedule_events(both[i], request, 1, place, &result, &why));
		snprintf(expected, sizeof expected, "C2 cannot count %s::FIRST:u: take C0 or C1",
			 both[i]->driver->name);
		assert_string_equal(why, expected);
	}
	assert_int_equal(PASSES(&with, "EITHER@C1", "FIRST@C1"), 2);
	assert_string_equal(text, "wired::EITHER@C1 and wired::FIRST@C1 can be counted by C1 only");
}

static void what_has_no_way_says_why(void **state)
{
	struct pmu with = machine(&wired), without = machine(&plain);

	(void)state;
	parse(&with, (const char *const[]){"NOWHERE", NULL});
	assert_false(schedule_events(&with, request, 1, place, &result, &why));
	assert_string_equal(why, "no counter of this PMU can count wired::NOWHERE: its detector is missing");
	parse(&without, (const char *const[]){"NOWHERE", NULL});
	assert_false(schedule_events(&without, request, 1, place, &result, &why));
	assert_string_equal(why, "no counter of this PMU can count plain::NOWHERE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_that_want_a_selector_set_differently_exclude_each_other),
		cmocka_unit_test(those_that_want_it_alike_share_it),
		cmocka_unit_test(only_what_conflicts_is_named),
		cmocka_unit_test(the_driver_is_told_which_way_was_taken),
		cmocka_unit_test(a_counter_that_is_asked_for_is_taken_or_refused),
		cmocka_unit_test(what_has_no_way_says_why),
	};

	return cmocka_run_group_tests_name("a family's own resources", tests, NULL, NULL);
}
