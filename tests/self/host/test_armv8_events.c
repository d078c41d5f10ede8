/*
 * What rows of PMUv3's events demand of kernels whose signatures have what no manual says of (Arm ARM,
 * D7.10.3): nothing too strict there, and exact everywhere else.
 */
#include "pmu/armv8/events/events.h"
#include "tests/judge/bound_rows.h"
#include "tests/judge/expectation.h"
#include "tests/self/host/fake_kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define N 10

/* As AArch64 has it: nothing is bounded there. */
const struct bound_table bounds_instruction_set = {.n_rows = 0};

FAKE_KERNEL(plain, "fake_plain", 0, FAKE_EXACT(INSN_LOAD, 3, 0), FAKE_EXACT(INSN_STORE, 2, 0));
FAKE_KERNEL(prefetches, "fake_prefetches", 0, FAKE_EXACT(INSN_LOAD, 1, 0), FAKE_EXACT(PREFETCHES, 2, 0));
FAKE_KERNEL(zeros, "fake_zeros", 0, FAKE_EXACT(INSN_MAINTENANCE, 1, 0), FAKE_EXACT(INSN_ZERO, 1, 0));
FAKE_KERNEL(cleans, "fake_cleans", 0, FAKE_EXACT(INSN_MAINTENANCE, 2, 0));
FAKE_KERNEL(vectors, "fake_vectors", 0, FAKE_EXACT(INSN_SVE, 5, 1));

static struct expectation of(const char *name, const struct kernel *k)
{
	struct expectation x = {.status = EXPECTATION_TOO_WIDE};

	for (unsigned i = 0; i < armv8_row_count; i++)
		if (!strcmp(armv8_rows[i].event.name, name)) {
			assert_int_equal(expectation(&armv8_rows[i].event, k, N, &x), EXPECTATION_OK);
			expectation_allow_more(&x, &armv8_rows[i].event, k, 0, N);
		}
	assert_int_equal(x.status, EXPECTATION_OK);
	return x;
}

static void is(const char *name, const struct kernel *k, int64_t low, int64_t high)
{
	struct expectation x = of(name, k);

	assert_int_equal(x.low, low);
	assert_int_equal(x.high, high);
}

static void test_prefetches(void **state)
{
	(void)state;
	is("LD_RETIRED", &plain, 3 * N, 3 * N);
	is("LD_RETIRED", &prefetches, N, N + 2 * N);
	is("ST_RETIRED", &prefetches, 0, 0);
}

static void test_zeros(void **state)
{
	(void)state;
	is("ST_RETIRED", &plain, 2 * N, 2 * N);
	is("ST_RETIRED", &zeros, 0, N);
	is("ST_RETIRED", &cleans, 0, 0);
	is("LD_RETIRED", &zeros, 0, 0);
}

static void test_vectors(void **state)
{
	(void)state;
	is("SVE_INST_RETIRED", &vectors, 5 * N + 1, 5 * N + 1);
	is("SVE_INST_RETIRED", &plain, 0, 0);
	is("SVE_INST_SPEC", &vectors, 5 * N + 1, 5 * N + 1);
	is("SVE_LDFF_SPEC", &vectors, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prefetches),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_vectors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
