/* Kernel lookup, selection and signatures: linear forms, intervals, what is not listed, and what does not
 * fit. */
#include "tests/self/host/fake_kernels.h"
#include "tests/judge/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

FAKE_KERNEL(finer, "fake_finer", KERNEL_FINER, FAKE_EXACT(INSTRUCTIONS, 12, 3));
FAKE_KERNEL(plain, "fake_plain", KERNEL_CORE, FAKE_EXACT(INSTRUCTIONS, 12, 3),
	    FAKE_EXACT(BR_COND_TAKEN, 1, -1), FAKE_RANGE(CYCLES, 1, 0, 50, 7));
FAKE_KERNEL(steep, "fake_steep", 0, FAKE_EXACT(LOADS, INT64_MAX / 2, 1),
	    FAKE_RANGE(UOPS, 0, 0, 1, INT64_MAX));

static void amounts_are_linear(void **state)
{
	(void)state;
	struct amount a = kernel_amount(&plain, Q_INSTRUCTIONS, 10);

	assert_true(a.defined);
	assert_false(a.overflow);
	assert_int_equal(a.low, 123);
	assert_int_equal(a.high, 123);
	assert_null(a.reason);
	a = kernel_amount(&plain, Q_BR_COND_TAKEN, 1);
	assert_int_equal(a.low, 0);
	a = kernel_amount(&plain, Q_CYCLES, 2);
	assert_int_equal(a.low, 2);
	assert_int_equal(a.high, 107);
	assert_string_equal(a.reason, "fake reason");
}

static void exact_lines_and_ranges_side_by_side(void **state)
{
	static const struct signature_exact exact[] = {{Q_STORES, 0, 9}, {Q_INSTRUCTIONS, -2, 100}};
	struct kernel both = plain;

	(void)state;
	both.exact = exact;
	both.exact_end = exact + 2;
	assert_int_equal(kernel_amount(&both, Q_STORES, 7).low, 9);
	assert_int_equal(kernel_amount(&both, Q_STORES, 7).high, 9);
	assert_int_equal(kernel_amount(&both, Q_CYCLES, 2).high, 107);
	both.range = both.range_end;
	assert_int_equal(kernel_amount(&both, Q_INSTRUCTIONS, 10).low, 80);
	assert_true(kernel_amount(&both, Q_INSTRUCTIONS, UINT64_MAX).overflow);
	assert_false(kernel_amount(&both, Q_CYCLES, 2).defined);
}

static void unlisted_is_zero_or_undefined(void **state)
{
	(void)state;
	struct amount a = kernel_amount(&plain, Q_LOADS, 5);

	assert_true(a.defined);
	assert_int_equal(a.low, 0);
	assert_int_equal(a.high, 0);
	assert_false(kernel_amount(&plain, Q_UOPS, 5).defined);
	assert_true(kernel_amount(&steep, Q_UOPS, 0).defined);
}

static void overflow_is_told(void **state)
{
	(void)state;
	assert_false(kernel_amount(&steep, Q_LOADS, 2).overflow); /* 2 * (2^62 - 1) + 1 fits */
	assert_true(kernel_amount(&steep, Q_LOADS, 3).overflow);
	assert_true(kernel_amount(&steep, Q_LOADS, UINT64_MAX).overflow);
	assert_false(kernel_amount(&steep, Q_UOPS, 0).overflow);
	assert_true(kernel_amount(&steep, Q_UOPS, 1).overflow);
	assert_true(kernel_amount(&plain, Q_INSTRUCTIONS, UINT64_MAX).overflow);
	assert_false(kernel_amount(&plain, Q_INSTRUCTIONS, INT64_MAX / 13).overflow);
}

static void falsified_signatures(void **state)
{
	(void)state;
	assert_true(kernel_falsify(&plain, Q_INSTRUCTIONS, 0, 1));
	assert_int_equal(kernel_amount(&plain, Q_INSTRUCTIONS, 10).low, 124);
	assert_int_equal(kernel_amount(&plain, Q_INSTRUCTIONS, 10).high, 124);
	assert_int_equal(kernel_amount(&plain, Q_CYCLES, 2).low, 2);
	assert_int_equal(kernel_amount(&steep, Q_INSTRUCTIONS, 10).low, 0);
	assert_true(kernel_falsify(&plain, Q_INSTRUCTIONS, -2, 0));
	assert_int_equal(kernel_amount(&plain, Q_INSTRUCTIONS, 10).low, 104);
	assert_true(kernel_falsify(&plain, Q_LOADS, INT64_MAX, INT64_MAX));
	assert_true(kernel_amount(&plain, Q_LOADS, 1).overflow);
	assert_true(kernel_falsify(&plain, Q_STORES, INT64_MAX - 1, 0));
	assert_false(kernel_amount(&plain, Q_STORES, 1).overflow);
	assert_true(kernel_falsify(&plain, Q_STORES, 0, 2)); /* each fits, the sum does not */
	assert_true(kernel_amount(&plain, Q_STORES, 1).overflow);
	kernel_restore();
	assert_int_equal(kernel_amount(&plain, Q_INSTRUCTIONS, 10).low, 123);

	unsigned room = 0;
	while (kernel_falsify(&plain, Q_LOADS, 0, 1))
		room++;
	assert_int_equal(kernel_amount(&plain, Q_LOADS, 1).low, room);
	kernel_restore();
}

static void lookup_and_selection(void **state)
{
	(void)state;
	assert_ptr_equal(kernel_by_name("fake_steep"), &steep);
	assert_null(kernel_by_name("fake_stee"));
	assert_null(kernel_by_name("Fake_steep"));

	const char *core[] = {NULL, "", "core", "all", "fake_*", "x,fake_plain", "x,core", "core,fake_s*"};
	for (unsigned i = 0; i < 8; i++)
		assert_true(kernel_selected(&plain, core[i]));
	assert_false(kernel_selected(&plain, "fake_s*"));
	assert_false(kernel_selected(&steep, NULL));
	assert_false(kernel_selected(&steep, "core"));
	assert_true(kernel_selected(&steep, "core,fake_s*"));
	assert_true(kernel_selected(&finer, "core,full"));
	assert_true(kernel_selected(&steep, "all"));
	assert_true(kernel_selected(&steep, "fake_s*"));
	assert_false(kernel_selected(&finer, NULL));
	assert_false(kernel_selected(&finer, "all"));
	assert_true(kernel_selected(&finer, "full"));
	assert_true(kernel_selected(&finer, "fake_f*"));
	assert_true(kernel_selected(&steep, "full"));
}

static void some_of_it_can_be_left_out(void **unused)
{
	const struct qvec less = {.v = {[Q_INSTRUCTIONS] = 3}};
	int64_t before = kernel_amount(&plain, Q_INSTRUCTIONS, 10).low;

	(void)unused;
	kernel_leave_out(&plain, &less);
	assert_int_equal(kernel_amount(&plain, Q_INSTRUCTIONS, 10).low, before - 3);
	assert_int_equal(kernel_amount(&plain, Q_INSTRUCTIONS, 10).high, before - 3);
	kernel_leave_out(NULL, NULL);
	assert_int_equal(kernel_amount(&plain, Q_INSTRUCTIONS, 10).low, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amounts_are_linear),
		cmocka_unit_test(exact_lines_and_ranges_side_by_side),
		cmocka_unit_test(unlisted_is_zero_or_undefined),
		cmocka_unit_test(overflow_is_told),
		cmocka_unit_test(falsified_signatures),
		cmocka_unit_test(lookup_and_selection),
		cmocka_unit_test(some_of_it_can_be_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
