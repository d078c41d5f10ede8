/*
 * The scheduler against brute force on small problems of every kind, and on large ones of known answer. Every
 * schedule is checked by itself: nothing is placed where its resources are taken.
 */
#include "pmu/intel/events/core_events.h"
#include "pmu/intel/intel.h"
#include "pmu/events/schedule.h"
#include "tests/self/host/support/fake_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ITEMS 1536

static struct sched_alternative alternative[ITEMS][64];
static struct sched_item item[ITEMS];
static struct sched_place place[ITEMS];
static struct sched_result result;

static uint64_t draw(uint64_t below)
{
	static uint64_t x = 0x9e3779b97f4a7c15;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (x >> 11) % below;
}

static bool conflict(const struct sched_alternative *a, const struct sched_alternative *b)
{
	for (unsigned i = 0; i < a->n_uses; i++)
		for (unsigned k = 0; k < b->n_uses; k++)
			if (a->use[i].resource == b->use[k].resource &&
			    (!a->use[i].value || a->use[i].value != b->use[k].value))
				return true;
	return false;
}

static void check_valid(unsigned n)
{
	assert_true(result.bound <= result.passes);
	for (unsigned i = 0; i < n; i++) {
		assert_true(place[i].pass < result.passes);
		assert_true(place[i].alternative < item[i].n_alternatives);
		for (unsigned k = 0; k < i; k++)
			assert_false(place[i].pass == place[k].pass &&
				     conflict(&alternative[i][place[i].alternative],
					      &alternative[k][place[k].alternative]));
	}
}

/* All ways, without any cleverness. */
static bool brute(unsigned n, unsigned i, unsigned passes, struct sched_place *at)
{
	if (i == n)
		return true;
	for (unsigned p = 0; p < passes; p++)
		for (unsigned a = 0; a < item[i].n_alternatives; a++) {
			bool clear = true;

			for (unsigned k = 0; k < i && clear; k++)
				clear = at[k].pass != p ||
					!conflict(&alternative[i][a], &alternative[k][at[k].alternative]);
			at[i] = (struct sched_place){.pass = (uint16_t)p, .alternative = (uint16_t)a};
			if (clear && brute(n, i + 1, passes, at))
				return true;
		}
	return false;
}

static unsigned optimum(unsigned n)
{
	struct sched_place at[8];
	unsigned passes = 1;

	while (!brute(n, 0, passes, at))
		passes++;
	return passes;
}

/* Items of up to `uses` resources; those of place u are numbered from 8u. values: how many different ones, 0:
 * none. */
static void random_problem(unsigned n, unsigned uses, unsigned resources, unsigned alternatives,
			   unsigned values)
{
	for (unsigned i = 0; i < n; i++) {
		item[i].alternative = alternative[i];
		item[i].n_alternatives = 1 + (unsigned)draw(alternatives);
		for (unsigned a = 0; a < item[i].n_alternatives; a++) {
			struct sched_alternative *it = &alternative[i][a];

			memset(it, 0, sizeof *it);
			it->n_uses = (uint8_t)(values ? 1 + draw(uses) : uses);
			for (unsigned u = 0; u < it->n_uses; u++) {
				it->use[u].resource = (uint8_t)(8 * u + draw(resources));
				it->use[u].value = values ? draw(values + 1) : 0;
			}
		}
	}
}

static void small_problems_are_solved_exactly(void **state)
{
	unsigned by_search = 0;

	(void)state;
	for (unsigned round = 0; round < 6000; round++) {
		unsigned n = 1 + (unsigned)draw(6), least;

		random_problem(n, 1 + round % 3, 1 + (unsigned)draw(4), 1 + (unsigned)draw(3),
			       round & 4 ? 2 : 0);
		assert_true(schedule(item, n, 0, place, &result));
		check_valid(n);
		least = optimum(n);
		assert_int_equal(result.passes, least);
		assert_int_equal(result.bound, least);
		by_search += !strcmp(result.proof, "exhaustive search");
	}
	assert_true(by_search > 0);
}

static void without_a_budget_the_result_is_valid_and_honest(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		unsigned n = 1 + (unsigned)draw(7);

		random_problem(n, 1 + round % 3, 3, 3, round & 4 ? 2 : 0);
		assert_true(schedule(item, n, 1, place, &result));
		check_valid(n);
		assert_true(result.bound <= optimum(n));
	}
}

/* 300 events, 4 general counters, a third of them on two of these only, and 3 with fixed counters: the answer
 * is known. */
static void many_events_on_counters(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		item[i].alternative = alternative[i];
		item[i].n_alternatives = 0;
		for (unsigned c = 0; c < (i < 100 ? 2 : 4); c++)
			alternative[i][item[i].n_alternatives++] =
				(struct sched_alternative){.n_uses = 1, .use = {{(uint8_t)c, 0}}};
	}
	assert_true(schedule(item, 300, 0, place, &result));
	check_valid(300);
	assert_int_equal(result.passes, 75);
	assert_int_equal(result.bound, 75);
	for (unsigned i = 0; i < 300; i++) /* now 200 of them on those two */
		item[i].n_alternatives = i < 200 ? 2 : 4;
	assert_true(schedule(item, 300, 0, place, &result));
	check_valid(300);
	assert_int_equal(result.passes, 100);
	assert_int_equal(result.bound, 100);
	assert_string_equal(result.proof, "counters");
	/* The simplest proof of a bound is given, not the last one. */
	assert_true(schedule(item, 1, 0, place, &result));
	assert_int_equal(result.bound, 1);
	assert_string_equal(result.proof, "one pass is needed");
}

/*
 * Wiring like the Pentium 4's: 18 counters in 9 pairs in 4 groups; every event may use one of two selectors,
 * the first of which feeds the first counters of the pairs of its group, the second the others.
 */
static void pairs_of_selector_and_counter(void **state)
{
	static const unsigned first[] = {0, 4, 8, 12}, counters[] = {4, 4, 4, 6};
	const unsigned n = 120;

	(void)state;
	for (unsigned i = 0; i < n; i++) {
		unsigned group = i % 4, selector = (unsigned)draw(5);

		item[i].alternative = alternative[i];
		item[i].n_alternatives = 0;
		for (unsigned half = 0; half < 2; half++)
			for (unsigned c = half; c < counters[group]; c += 2)
				alternative[i][item[i].n_alternatives++] = (struct sched_alternative){
					.n_uses = 2,
					.use = {{(uint8_t)(first[group] + c), 0},
						{(uint8_t)(32 + 10 * group + 2 * selector + half), 0}}};
	}
	assert_true(schedule(item, n, 0, place, &result));
	check_valid(n);
	assert_int_equal(result.passes, result.bound);
	printf("# 120 events with selectors: %u passes, bound %u (%s), %u steps\n", result.passes,
	       result.bound, result.proof, result.steps);
}

/* Any fixed wiring is solved exactly, without search: selectors 32 up feed random counters, items use random
 * selectors. */
static void every_wiring_is_solved_exactly(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		const unsigned counters = 2 + (unsigned)draw(10), selectors = 2 + (unsigned)draw(12),
			       n = 1 + (unsigned)draw(150);
		bool wire[16][16];

		for (unsigned s = 0; s < selectors; s++)
			for (unsigned c = 0; c < counters; c++)
				wire[s][c] = c == s % counters || !draw(3);
		for (unsigned i = 0; i < n; i++) {
			unsigned first = (unsigned)draw(selectors),
				 second = draw(2) ? (unsigned)draw(selectors) : first;

			item[i] = (struct sched_item){alternative[i], 0};
			for (unsigned s = 0; s < selectors; s++)
				for (unsigned c = 0; c < counters; c++)
					if ((s == first || s == second) && wire[s][c])
						alternative[i][item[i].n_alternatives++] =
							(struct sched_alternative){
								.n_uses = 2,
								.use = {{(uint8_t)c, 0},
									{(uint8_t)(32 + s), 0}}};
		}
		assert_true(schedule(item, n, 1, place, &result));
		check_valid(n);
		assert_int_equal(result.passes, result.bound);
		assert_int_equal(result.steps, 0);
	}
}

/* The pairs again, with a few events that take a second selector and a counter of another group besides, or a
 * register that others want alike, and some that want the same of a selector: always a schedule. What extras
 * take is in no bound, so not all of them meet theirs. */
static void extras_are_placed_first(void **state)
{
	static const unsigned first[] = {0, 4, 8, 12}, counters[] = {4, 4, 4, 6};
	unsigned met = 0;

	(void)state;
	for (unsigned round = 0; round < 100; round++) {
		const unsigned n = 40 + (unsigned)draw(80);

		for (unsigned i = 0; i < n; i++) {
			unsigned group = (unsigned)draw(4), selector = (unsigned)draw(5),
				 kind = (unsigned)draw(20);
			unsigned value = draw(10) ? 0 : 1 + (unsigned)draw(2), other = (group + 1) % 4;

			item[i] = (struct sched_item){alternative[i], 0};
			for (unsigned c = 0; c < counters[group]; c++) {
				struct sched_alternative *a = &alternative[i][item[i].n_alternatives++];

				*a = (struct sched_alternative){
					.n_uses = 2,
					.use = {{(uint8_t)(first[group] + c), 0},
						{(uint8_t)(32 + 10 * group + 2 * selector + c % 2), value}}};
				if (kind == 0)
					a->use[a->n_uses++] = (struct sched_use){100, 1 + draw(3)};
				if (kind <= 1) {
					a->use[a->n_uses++] = (struct sched_use){
						(uint8_t)(32 + 10 * other + 2 * selector), 0};
					a->use[a->n_uses++] =
						(struct sched_use){(uint8_t)(first[other] + c % 4), 0};
				}
			}
		}
		assert_true(schedule(item, n, 1000, place, &result));
		check_valid(n);
		met += result.passes == result.bound;
	}
	printf("# with extras: %u of 100 meet their bound\n", met);
	assert_true(met > 0);
}

/* Full passes with a known schedule, hidden among wrong ways: first fit alone does not find it. */
static void hidden_schedules_are_found(void **state)
{
	unsigned beaten = 0;

	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		const unsigned passes = 4 + round % 5, counters = 8, n = passes * counters;

		for (unsigned i = 0; i < n; i++) {
			unsigned k = (i * 7 + round) % n; /* so that a pass does not come in one piece */

			item[k] = (struct sched_item){alternative[k], 4};
			for (unsigned a = 0; a < 4; a++) {
				unsigned c = a == 3 ? i % counters : (unsigned)draw(counters);

				alternative[k][a] = (struct sched_alternative){
					.n_uses = 2,
					.use = {{(uint8_t)c, 0},
						{(uint8_t)(32 + (a == 3 ? c : draw(12))), 0}}};
			}
		}
		assert_true(schedule(item, n, 1, place, &result));
		check_valid(n);
		beaten += result.passes > passes;
		assert_true(schedule(item, n, 0, place, &result));
		check_valid(n);
		assert_int_equal(result.passes, passes);
		assert_int_equal(result.bound, passes);
	}
	assert_true(beaten > 10);
}

static void equal_values_share_a_register(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		item[i] = (struct sched_item){alternative[i], 4};
		for (unsigned c = 0; c < 4; c++)
			alternative[i][c] =
				(struct sched_alternative){.n_uses = 2, .use = {{(uint8_t)c, 0}, {40, 7}}};
	}
	assert_true(schedule(item, 4, 0, place, &result));
	check_valid(4);
	assert_int_equal(result.passes, 1);
	for (unsigned c = 0; c < 4; c++) /* one of them wants another value */
		alternative[3][c].use[1].value = 8;
	assert_true(schedule(item, 4, 0, place, &result));
	check_valid(4);
	assert_int_equal(result.passes, 2);
	assert_int_equal(result.bound, 2);
	for (unsigned i = 0; i < 4; i++)
		for (unsigned c = 0; c < 4; c++) /* nobody shares */
			alternative[i][c].use[1].value = 0;
	assert_true(schedule(item, 4, 0, place, &result));
	assert_int_equal(result.passes, 4);
	assert_int_equal(result.bound, 4);
}

static void nothing_and_the_impossible(void **state)
{
	(void)state;
	assert_true(schedule(item, 0, 0, place, &result));
	assert_int_equal(result.passes, 0);
	item[0] = (struct sched_item){alternative[0], 0};
	assert_false(schedule(item, 1, 0, place, &result));
}

static void events_of_each_profile(void **state)
{
	(void)state;
	for (unsigned i = 0; model_profile(i); i++) {
		static struct event_request all[INTEL_CORE_EVENTS_MAX];
		struct event_error error;
		static struct pmu pmu;
		const char *why;
		unsigned n;

		fake_cpu_start(model_profile(i), NULL);
		assert_true(model_profile(i)->model && pmu_find(NULL, &pmu, &why));
		pmu.driver->list_events(&pmu);
		n = event_parse(&pmu, "*", all, INTEL_CORE_EVENTS_MAX, &error);
		assert_in_range(n, 1, INTEL_CORE_EVENTS_MAX);
		assert_true(schedule_events(&pmu, all, n, place, &result, &why));
		assert_int_equal(result.passes, result.bound);
		for (unsigned e = 0; e < n; e++) {
			assert_true(pmu.driver->can_count(&pmu, all[e].event, place[e].alternative));
			for (unsigned k = 0; k < e; k++)
				assert_false(place[e].pass == place[k].pass &&
					     place[e].alternative == place[k].alternative);
		}
		printf("# %s: %u events in %u passes, bound %u\n", model_profile(i)->name, n, result.passes,
		       result.bound);
		fake_cpu_stop();
	}
}

static void filters_need_a_selector(void **state)
{
	struct event_request request[3];
	struct event_error error;
	static struct pmu pmu;
	const char *why;

	(void)state;
	fake_cpu_start(model_profile_by_name("intel-core2"), NULL);
	assert_true(pmu_find("intel", &pmu, &why));
	pmu.driver->list_events(&pmu);
	assert_int_equal(event_parse(&pmu, "INST_RETIRED.ANY", &request[0], 1, &error), 1);
	assert_true(event_counters(&pmu, &request[0]) != 0);
	assert_int_equal(event_parse(&pmu, "INST_RETIRED.ANY:c=1", &request[1], 1, &error), 1);
	assert_int_equal(event_counters(&pmu, &request[1]), 0);
	assert_false(schedule_events(&pmu, request, 2, place, &result, &why));
	assert_string_equal(why, "no counter of this PMU can count intel::INST_RETIRED.ANY:c=1: e, i and c "
				 "need a counter with a selector");
	assert_int_equal(event_parse(&pmu, "r4fc0", &request[1], 1, &error), 1);
	assert_int_equal(event_parse(&pmu, "r41c0", &request[2], 1, &error), 1);
	assert_true(schedule_events(&pmu, request, 3, place, &result, &why));
	assert_int_equal(result.passes, 1); /* two general counters and a fixed one */
	fake_cpu_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_problems_are_solved_exactly),
		cmocka_unit_test(without_a_budget_the_result_is_valid_and_honest),
		cmocka_unit_test(many_events_on_counters),
		cmocka_unit_test(pairs_of_selector_and_counter),
		cmocka_unit_test(every_wiring_is_solved_exactly),
		cmocka_unit_test(extras_are_placed_first),
		cmocka_unit_test(hidden_schedules_are_found),
		cmocka_unit_test(equal_values_share_a_register),
		cmocka_unit_test(nothing_and_the_impossible),
		cmocka_unit_test(events_of_each_profile),
		cmocka_unit_test(filters_need_a_selector),
	};

	return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
