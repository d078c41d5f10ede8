/*
 * The tests of the NetBurst model are run as it is, and once for each mutant of its rules; every mutant must
 * make at least one fail, and the model as it is none.
 */
#include "mutants/pmu/netburst/model/model_branches.c"
#include "mutants/pmu/netburst/model/model_counters.c"
#include "mutants/pmu/netburst/model/model_ds.c"
#include "pmu/netburst/errata/injections.c"
#include "mutants/pmu/netburst/model/model_registers.c"
#include "mutants/pmu/netburst/model/model_sources.c"
#include "mutants/netburst_mutants.h"

#include "tests/self/host/netburst_model_tests.h"
#include "tests/self/host/support/mutation.h"

int model_mutant;

static const char *const mutants[] = {"none",
#define TEXT(id, text) text,
				      NETBURST_MUTANTS(TEXT)};

static void every_mutant_is_caught(void **unused)
{
	const struct CMUnitTest tests[] = {NETBURST_MODEL_TESTS};

	(void)unused;
	mutation_demand("NetBurst", &model_mutant, mutants, NETBURST_MUTANTS_END, tests,
			sizeof tests / sizeof tests[0]);
}

static void enough_mutants(void **unused)
{
	(void)unused;
	assert_true(NETBURST_MUTANTS_END > 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		NETBURST_MODEL_TESTS,
		cmocka_unit_test(enough_mutants),
		cmocka_unit_test(every_mutant_is_caught),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
