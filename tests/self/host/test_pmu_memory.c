/* A PMU when memory runs out: what is missing is told in one line, and no list is empty without one. */
#include "pmu/contract/family.h"
#include "pmu/contract/record.h"
#include "tests/self/host/support/fake_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static unsigned allocations_left = ~0u;

static bool there_is_some(void)
{
	return allocations_left && allocations_left--;
}

static void *scarce_malloc(size_t size)
{
	return there_is_some() ? malloc(size) : NULL;
}

static void *scarce_calloc(size_t n, size_t size)
{
	return there_is_some() ? calloc(n, size) : NULL;
}

#define malloc scarce_malloc
#define calloc scarce_calloc
#include "pmu/contract/state.c"
#undef malloc
#undef calloc

#define ROWS "not enough memory for the list of events: none is judged; free memory or use a bigger machine"

static const struct {
	const char *driver, *profile;
} cpus[] = {{"intel", "intel-skylake"}, {"netburst", "netburst-prescott"}, {"amd", "amd-zen4"}};

static bool remarked(const struct pmu *pmu, const char *text)
{
	for (unsigned i = 0; i < PMU_REMARKS; i++)
		if (!strcmp(pmu->remark[i], text))
			return true;
	return false;
}

/* Of the allocations of identify() and list_events() so many are there. @return whether there was a PMU */
static bool found_with(unsigned cpu, unsigned allocations, struct pmu *pmu, const char **why)
{
	bool found;

	fake_cpu_start(model_profile_by_name(cpus[cpu].profile), NULL);
	allocations_left = allocations;
	found = pmu_find(cpus[cpu].driver, pmu, why);
	if (found)
		pmu->driver->list_events(pmu);
	allocations_left = ~0u;
	return found;
}

static void each_allocation_that_fails_is_told(void **state)
{
	(void)state;
	for (unsigned cpu = 0; cpu < sizeof cpus / sizeof cpus[0]; cpu++) {
		unsigned refused = 0, without_rows = 0;
		bool whole = false;

		for (unsigned n = 0; !whole; n++) {
			const struct pmu_record_source *source;
			struct pmu pmu = {0};
			const char *why = "";

			assert_true(n < 16);
			if (!found_with(cpu, n, &pmu, &why)) {
				assert_string_equal(why, "not enough memory for the state of a PMU");
				refused++;
				pmu_forget(&pmu);
				continue;
			}
			assert_true(record_sources(&pmu, &source) > 0);
			assert_int_equal(!pmu.n_events, remarked(&pmu, ROWS));
			without_rows += !pmu.n_events;
			whole = pmu.n_events > 0;
			pmu_forget(&pmu);
		}
		assert_int_equal(refused, 3); /* the state, the family's part of it, the sources of records */
		assert_int_equal(without_rows, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_allocation_that_fails_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
