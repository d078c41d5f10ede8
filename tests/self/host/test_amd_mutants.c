/*
 * The tests of the AMD model are run once for each mutant of its rules; every mutant must make at least one
 * fail, and the model as it is none.
 */
#include "mutants/pmu/amd/model/model_branches.c"
#include "mutants/pmu/amd/model/model_counters.c"
#include "mutants/pmu/amd/model/model_ibs.c"
#include "mutants/pmu/amd/model/model_registers.c"
#include "mutants/pmu/amd/model/model_uncore.c"
#include "mutants/amd_mutants.h"

#include "tests/self/host/amd_model_tests.h"
#include "tests/self/host/amd_record_tests.h"
#include "tests/self/host/support/mutation.h"

int model_mutant;

static const char *const mutants[] = {"none",
#define TEXT(id, text) text,
				      AMD_MUTANTS(TEXT)};

static void every_mutant_is_caught(void **unused)
{
	const struct CMUnitTest tests[] = {MODEL_RULE_TESTS, RECORD_RULE_TESTS};

	(void)unused;
	mutation_demand("AMD", &model_mutant, mutants, AMD_MUTANTS_END, tests,
			sizeof tests / sizeof tests[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mutant_is_caught),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
