/*
 * The tests of the AMD model are run once for each mutant of its rules; every mutant must make at least one
 * fail, and the model as it is none.
 */
#define MODEL_MUTANTS
#include "pmu/amd/model_branches.c"
#include "pmu/amd/model_counters.c"
#include "pmu/amd/model_ibs.c"
#include "pmu/amd/model_registers.c"

#include "tests/host/amd_model_tests.h"
#include "tests/host/amd_record_tests.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int model_mutant;

static const char *const mutants[] = {
	"none",
#define AMD_MUTANT(id, text) text,
#include "pmu/amd/mutants.def"
#undef AMD_MUTANT
};

/* Number of tests that fail with the mutant. In a child: a failure may leave the state in pieces. */
static int failures(int mutant)
{
	const struct CMUnitTest tests[] = {MODEL_RULE_TESTS, RECORD_RULE_TESTS};
	int status;

	fflush(NULL);
	pid_t child = fork();
	if (!child) {
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(126);
		model_mutant = mutant;
		_exit(cmocka_run_group_tests(tests, NULL, NULL));
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static void the_model_itself_passes(void **unused)
{
	(void)unused;
	assert_int_equal(failures(M_NONE), 0);
}

static void every_mutant_is_caught(void **unused)
{
	unsigned survivors = 0;
	(void)unused;
	for (int m = 1; m < M_COUNT; m++) {
		int failed = failures(m);
		printf("%s %2d %s", failed > 0 ? "caught  " : "SURVIVES", m, mutants[m]);
		printf(failed > 0 ? " (by %d)\n" : "\n", failed);
		survivors += failed <= 0;
	}
	printf("mutants of the AMD model: %d, caught: %d\n", M_COUNT - 1, M_COUNT - 1 - (int)survivors);
	assert_int_equal(survivors, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_model_itself_passes),
		cmocka_unit_test(every_mutant_is_caught),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
