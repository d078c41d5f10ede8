/* The Intel model: register rules one by one, on every profile. */
#include "tests/self/host/intel_apebs_tests.h"
#include "tests/self/host/intel_model_tests.h"
#include "tests/self/host/intel_offcore_tests.h"
#include "tests/self/host/intel_other_tests.h"
#include "tests/self/host/intel_overflow_tests.h"
#include "tests/self/host/intel_v6_tests.h"

int main(void)
{
	const struct CMUnitTest tests[] = {MODEL_RULE_TESTS,    MODEL_OVERFLOW_TESTS, MODEL_LBR_TESTS,
					   MODEL_DS_TESTS,      MODEL_V6_TESTS,       MODEL_APEBS_TESTS,
					   MODEL_OFFCORE_TESTS, MODEL_OTHER_TESTS};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(cpu);
	return failed;
}
