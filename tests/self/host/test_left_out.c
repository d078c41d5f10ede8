/*
 * Counters that are not to be believed: of every CPU, with each of its counters left out in turn, no event is
 * counted in a way that takes it, as its own counter or as the other one of a pair, and all other ways stay.
 */
#include "pmu/events/schedule.h"
#include "tests/self/host/support/fake_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static struct pmu pmu;

/* An event on any counter and on each, with counter u left out. @return whether it takes from others, too */
static bool check(const struct pmu_event *e, unsigned u)
{
	struct event_request request = {.event = e, .config = {.code = e->code, .levels = LEVELS_ALL}},
			     raw = request;
	uint64_t taken = UINT64_C(1) << u;
	struct sched_place place;
	struct sched_result result;
	const char *why;

	raw.event = NULL; /* the same selector, without its name */
	pmu.left_out = 0;
	uint64_t all = event_counters(&pmu, &request), left, gone;
	for (unsigned c = 0; c < pmu.n_counters; c++)
		if (all >> c & 1 && event_takes(&pmu, e, c) >> u & 1)
			taken |= UINT64_C(1) << c;
	pmu.left_out = UINT64_C(1) << u;
	left = event_counters(&pmu, &request);
	gone = all & ~left;
	if (left & ~all || left >> u & 1 || gone & ~taken)
		fail_msg("%s, %s without %s: counters %#llx of %#llx", pmu.name, e->name, pmu.counter[u].name,
			 (unsigned long long)left, (unsigned long long)all);
	for (unsigned c = 0; c < pmu.n_counters; c++) {
		if (left >> c & 1 && event_takes(&pmu, e, c) >> u & 1)
			fail_msg("%s, %s on %s takes %s, which is left out", pmu.name, e->name,
				 pmu.counter[c].name, pmu.counter[u].name);
		if (!(gone >> c & 1))
			continue;
		request.counter = (uint8_t)(c + 1);
		assert_int_equal(event_counters(&pmu, &request), 0);
		assert_false(schedule_events(&pmu, &request, 1, &place, &result, &why));
	}
	assert_int_equal(event_counters(&pmu, &raw) & gone, 0);
	request.counter = 0;
	if (gone)
		assert_int_equal(schedule_events(&pmu, &request, 1, &place, &result, &why), left != 0);
	return gone & ~(UINT64_C(1) << u);
}

static void no_way_takes_what_is_left_out(void **state)
{
	unsigned cpus = 0, pairs = 0;

	(void)state;
	for (unsigned p = 0; model_profile(p); p++) {
		const char *why = NULL;

		fake_cpu_start(model_profile(p), NULL);
		if (!pmu_find(NULL, &pmu, &why))
			continue;
		pmu.driver->list_events(&pmu);
		cpus++;
		for (unsigned i = 0; i < pmu.n_events; i++)
			for (unsigned u = 0; u < pmu.n_counters; u++)
				pairs += check(pmu.events[i], u);
	}
	assert_true(cpus > 20);
	assert_true(pairs > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_way_takes_what_is_left_out),
	};

	return cmocka_run_group_tests_name("counters that are left out", tests, NULL, NULL);
}
