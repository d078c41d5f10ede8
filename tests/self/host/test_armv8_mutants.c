/*
 * PMUv3's model: its rules one by one, and each injected deviation; then once for each mutant of its rules,
 * of which every one must make at least one test fail.
 */
#include "mutants/armv8_mutants.h"
#include "mutants/armv8_numbers.h"

#include "tests/self/host/armv8_model_tests.h"
#include "tests/self/host/support/mutation.h"

int model_mutant;

static const char *const mutants[] = {"none",
#define TEXT(id, text) text,
				      ARMV8_MUTANTS(TEXT)};

static void every_mutant_is_caught(void **unused)
{
	const struct CMUnitTest tests[] = {MODEL_RULE_TESTS};

	(void)unused;
	mutation_demand("PMUv3", &model_mutant, mutants, ARMV8_MUTANTS_END, tests,
			sizeof tests / sizeof tests[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {MODEL_RULE_TESTS, cmocka_unit_test(every_mutant_is_caught)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
