/*
 * The tests of the NetBurst model are run as it is, and once for each mutant of its rules; every mutant must
 * make at least one fail, and the model as it is none.
 */
#define MODEL_MUTANTS
#include "pmu/netburst/model/model_branches.c"
#include "pmu/netburst/model/model_counters.c"
#include "pmu/netburst/model/model_ds.c"
#include "pmu/netburst/model/model_injections.c"
#include "pmu/netburst/model/model_registers.c"
#include "pmu/netburst/model/model_sources.c"

#include "tests/self/host/netburst_model_tests.h"
#include "tests/self/host/support/mutation.h"

int model_mutant;

static const char *const mutants[] = {
	"none",
#define NETBURST_MUTANT(id, text) text,
#include "pmu/netburst/model/mutants.def"
#undef NETBURST_MUTANT
};

static void every_mutant_is_caught(void **unused)
{
	const struct CMUnitTest tests[] = {NETBURST_MODEL_TESTS};

	(void)unused;
	mutation_demand("NetBurst", &model_mutant, mutants, M_COUNT, tests, sizeof tests / sizeof tests[0]);
}

static void enough_mutants(void **unused)
{
	(void)unused;
	assert_true(M_COUNT > 60);
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
