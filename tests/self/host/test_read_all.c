/*
 * read_all() of each family's driver, on each virtual CPU: what read() gives, of the counters of a mask
 * alone.
 */
#include "tests/self/host/support/fake_cpu.h"

#include "pmu/contract/model.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#define UNTOUCHED 0x5a5a5a5a5a5a5a5a

static struct pmu pmu;

static bool begin(const struct model_profile *p)
{
	const char *why;

	fake_cpu_start(p, NULL);
	fake_cpu_hold();
	if (!pmu_find(NULL, &pmu, &why))
		return false;
	assert_true(pmu.driver->reset(&pmu, &why));
	for (unsigned c = 0; c < pmu.n_counters; c++)
		assert_true(pmu.driver->write(&pmu, c, 0x1000 + 3 * c));
	return true;
}

static void it_reads_what_single_reads_give(void **unused)
{
	const struct model_profile *p;
	unsigned tried = 0;
	(void)unused;

	for (unsigned i = 0; (p = model_profile(i)); i++) {
		if (!begin(p))
			continue;
		tried++;
		for (uint64_t of = 0; of < 3; of++) {
			uint64_t all = (1ull << pmu.n_counters) - 1, mask = of == 0   ? all
									    : of == 1 ? all & 0x5555
										      : 0;
			uint64_t out[PMU_COUNTERS_MAX], one;

			for (unsigned c = 0; c < PMU_COUNTERS_MAX; c++)
				out[c] = UNTOUCHED;
			assert_true(pmu.driver->read_all(&pmu, mask, out));
			for (unsigned c = 0; c < PMU_COUNTERS_MAX; c++) {
				if (!(mask >> c & 1)) {
					assert_int_equal(out[c], UNTOUCHED);
					continue;
				}
				assert_true(pmu.driver->read(&pmu, c, &one));
				assert_int_equal(out[c], one);
				assert_int_equal(out[c], 0x1000 + 3 * c);
			}
		}
	}
	assert_in_range(tried, 30, 100);
	fake_cpu_stop();
}

static void it_says_that_one_was_refused(void **unused)
{
	static struct fake_access access[8];
	const struct model_profile *p;
	uint64_t out[PMU_COUNTERS_MAX], value;
	(void)unused;

	for (unsigned i = 0; (p = model_profile(i)); i++) {
		if (!begin(p) || pmu.n_counters < 2)
			continue;
		fake_cpu_note(access, 8);
		assert_true(pmu.driver->read(&pmu, 1, &value));
		fake_cpu_break_msr(access[0].address);
		assert_false(pmu.driver->read_all(&pmu, 3, out));
		assert_true(pmu.driver->read_all(&pmu, 1, out));
	}
	fake_cpu_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_reads_what_single_reads_give),
		cmocka_unit_test(it_says_that_one_was_refused),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	return failed;
}
