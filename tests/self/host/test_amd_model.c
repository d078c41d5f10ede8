/* The AMD model: register rules one by one, on every profile. */
#include "tests/self/host/amd_model_tests.h"
#include "tests/self/host/amd_record_tests.h"

int main(void)
{
	const struct CMUnitTest tests[] = {MODEL_RULE_TESTS, RECORD_RULE_TESTS};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(cpu);
	return failed;
}
