/*
 * The machine model by its rules.
 */
#include "tests/self/host/uarch_rule_tests.h"

int main(void)
{
	const struct CMUnitTest tests[] = {UARCH_RULE_TESTS};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
