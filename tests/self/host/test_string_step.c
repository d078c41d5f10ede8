/* Steps of the grid of string instructions made at run time are the kernels that the assembler makes of them.
 */
#include "tests/kernels/x86/string_step.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

/* The kernel that a kernel of the grid is made from, and where it is. */
static const struct kernel *base_of(const struct kernel *k, struct string_step *at)
{
	char direction[8], name[48];
	const char *parameters = k->name;

	do
		parameters = strstr(parameters + 1, "_c");
	while (parameters && sscanf(parameters, "_c%u_%7[a-z]_a%u", &at->count, direction, &at->align) != 3);
	if (!parameters)
		return NULL;
	at->down = !strcmp(direction, "down");
	snprintf(name, sizeof name, "%.*s_c7_up_a0", (int)(parameters - k->name), k->name);
	return kernel_by_name(name);
}

static void as_the_assembler_makes_them(void **state)
{
	unsigned compared = 0;

	(void)state;
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++) {
		struct string_step at;
		struct string_kernel made;
		const struct kernel *base = base_of(k, &at);

		if (!base)
			continue;
		assert_true(string_step(base, &at, &made));
		assert_string_equal(made.kernel.name, k->name);
		assert_int_equal(made.kernel.code_end - made.kernel.code, k->code_end - k->code);
		assert_memory_equal(made.kernel.code, k->code, (size_t)(k->code_end - k->code));
		for (unsigned q = 0; q < Q_COUNT; q++) {
			struct amount is = kernel_amount(&made.kernel, q, 5), should = kernel_amount(k, q, 5);

			if (is.defined != should.defined || is.low != should.low || is.high != should.high)
				fail_msg("%s: %s is %ld, not %ld", k->name, quantity_info[q].name, is.low,
					 should.low);
		}
		compared++;
	}
	assert_int_equal(compared, 20 * 9);
}

/* No kernel of the image has these: half across a line, one element more than a line. */
static void splits_are_counted(void **state)
{
	const struct kernel *movs = kernel_by_name("rep_movsq_c7_up_a0"),
			    *cmps = kernel_by_name("repe_cmpsl_c7_up_a0");
	struct string_kernel made;

	(void)state;
	assert_true(string_step(movs, &(struct string_step){.count = 17, .down = true, .align = 60}, &made));
	assert_int_equal(kernel_amount(&made.kernel, Q_LOADS, 1).low, 17);
	assert_int_equal(kernel_amount(&made.kernel, Q_LOADS_SPLIT_LINE, 1).low, 3);
	assert_int_equal(kernel_amount(&made.kernel, Q_STORES_SPLIT_LINE, 1).low, 3);
	assert_int_equal(kernel_amount(&made.kernel, Q_STORE_BYTES, 1).low, 136);
	assert_true(string_step(cmps, &(struct string_step){.count = 1, .align = 61}, &made));
	assert_int_equal(kernel_amount(&made.kernel, Q_LOADS_SPLIT_LINE, 3).low, 6);
	assert_int_equal(kernel_amount(&made.kernel, Q_STORES, 3).low, 0);
	assert_true(string_step(movs, &(struct string_step){.count = 0, .down = true, .align = 63}, &made));
	assert_int_equal(kernel_amount(&made.kernel, Q_INSN_LOAD, 4).low, 0);
	assert_int_equal(kernel_amount(&made.kernel, Q_INSN_STRING, 4).low, 4);
}

static void others_are_refused(void **state)
{
	const struct kernel *base = kernel_by_name("rep_stosb_c7_up_a0");
	struct string_kernel made;

	(void)state;
	assert_false(
		string_step(kernel_by_name("rep_stosb_c64_up_a0"), &(struct string_step){.count = 1}, &made));
	assert_false(string_step(kernel_by_name("nop_loop"), &(struct string_step){.count = 1}, &made));
	assert_false(string_step(base, &(struct string_step){.count = STRING_STEP_MOST + 1}, &made));
	assert_false(string_step(base, &(struct string_step){.count = 1, .align = 64}, &made));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_the_assembler_makes_them),
		cmocka_unit_test(splits_are_counted),
		cmocka_unit_test(others_are_refused),
	};

	kernels_unpack();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
