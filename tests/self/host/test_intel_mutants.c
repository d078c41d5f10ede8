/*
 * The tests of the Intel model are run once for each mutant of its rules; every mutant must make at least one
 * fail, and the model as it is none.
 */
#include "mutants/pmu/intel/model/model_apebs.c"
#include "mutants/pmu/intel/model/model_counters.c"
#include "mutants/pmu/intel/model/model_ds.c"
#include "mutants/pmu/intel/model/model_lbr.c"
#include "mutants/pmu/intel/model/model_metrics.c"
#include "mutants/pmu/intel/model/model_offcore.c"
#include "mutants/pmu/intel/model/model_other.c"
#include "mutants/pmu/intel/model/model_pebs.c"
#include "mutants/pmu/intel/model/model_registers.c"
#include "mutants/intel_mutants.h"
#include "pmu/intel/errata/injections.c"

#include "tests/self/host/intel_apebs_tests.h"
#include "tests/self/host/intel_model_tests.h"
#include "tests/self/host/intel_offcore_tests.h"
#include "tests/self/host/intel_other_tests.h"
#include "tests/self/host/intel_overflow_tests.h"
#include "tests/self/host/intel_v6_tests.h"
#include "tests/self/host/support/mutation.h"

int model_mutant;

static const char *const mutants[] = {"none",
#define TEXT(id, text) text,
				      INTEL_MUTANTS(TEXT)};

static void every_mutant_is_caught(void **unused)
{
	const struct CMUnitTest tests[] = {MODEL_RULE_TESTS,    MODEL_OVERFLOW_TESTS, MODEL_LBR_TESTS,
					   MODEL_DS_TESTS,      MODEL_V6_TESTS,       MODEL_APEBS_TESTS,
					   MODEL_OFFCORE_TESTS, MODEL_OTHER_TESTS};

	(void)unused;
	mutation_demand("Intel", &model_mutant, mutants, INTEL_MUTANTS_END, tests,
			sizeof tests / sizeof tests[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mutant_is_caught),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
