/*
 * The tests of the AMD model are run once for each mutant of its rules; every mutant must make at least one
 * fail, and the model as it is none.
 */
#define MODEL_MUTANTS
#include "pmu/amd/model/model_branches.c"
#include "pmu/amd/model/model_counters.c"
#include "pmu/amd/model/model_ibs.c"
#include "pmu/amd/model/model_registers.c"
#include "pmu/amd/model/model_uncore.c"

#include "tests/self/host/amd_model_tests.h"
#include "tests/self/host/amd_record_tests.h"
#include "tests/self/host/support/mutation.h"

int model_mutant;

static const char *const mutants[] = {
	"none",
#define AMD_MUTANT(id, text) text,
#include "pmu/amd/model/mutants.def"
#undef AMD_MUTANT
};

static void every_mutant_is_caught(void **unused)
{
	const struct CMUnitTest tests[] = {MODEL_RULE_TESTS, RECORD_RULE_TESTS};

	(void)unused;
	mutation_demand("AMD", &model_mutant, mutants, M_COUNT, tests, sizeof tests / sizeof tests[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mutant_is_caught),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
