/*
 * The tests of the NetBurst model are run as it is, and once for each mutant of its rules; every mutant must
 * make at least one fail, and the model as it is none.
 */
#define MODEL_MUTANTS
#include "pmu/netburst/model_branches.c"
#include "pmu/netburst/model_counters.c"
#include "pmu/netburst/model_ds.c"
#include "pmu/netburst/model_injections.c"
#include "pmu/netburst/model_registers.c"
#include "pmu/netburst/model_sources.c"

#include "tests/host/netburst_model_tests.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int model_mutant;

static const char *const mutants[] = {
	"none",
#define NETBURST_MUTANT(id, text) text,
#include "pmu/netburst/mutants.def"
#undef NETBURST_MUTANT
};

/* Number of tests that fail with the mutant. In a child: a failure may leave the state in pieces. */
static int failures(int mutant)
{
	const struct CMUnitTest tests[] = {NETBURST_MODEL_TESTS};
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
	printf("mutants of the NetBurst model: %d, caught: %d\n", M_COUNT - 1, M_COUNT - 1 - (int)survivors);
	assert_int_equal(survivors, 0);
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
