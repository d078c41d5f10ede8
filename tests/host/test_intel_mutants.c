/*
 * The tests of the Intel model are run once for each mutant of its rules; every mutant must make at least one
 * fail, and the model as it is none.
 */
#define MODEL_MUTANTS
#include "pmu/intel/model_counters.c"
#include "pmu/intel/model_ds.c"
#include "pmu/intel/model_injections.c"
#include "pmu/intel/model_lbr.c"
#include "pmu/intel/model_metrics.c"
#include "pmu/intel/model_pebs.c"
#include "pmu/intel/model_registers.c"

#include "tests/host/intel_ds_tests.h"
#include "tests/host/intel_model_tests.h"
#include "tests/host/intel_v6_tests.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int model_mutant;

static const char *const mutants[] = {
	"none",
#define INTEL_MUTANT(id, text) text,
#include "pmu/intel/mutants.def"
#undef INTEL_MUTANT
};

/* Number of tests that fail with the mutant. In a child: a failure may leave the state in pieces. */
static int failures(int mutant)
{
	const struct CMUnitTest tests[] = {MODEL_RULE_TESTS, MODEL_LBR_TESTS, MODEL_DS_TESTS, MODEL_V6_TESTS};
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
	printf("mutants of the Intel model: %d, caught: %d\n", M_COUNT - 1, M_COUNT - 1 - (int)survivors);
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
