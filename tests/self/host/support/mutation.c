#include "tests/self/host/support/mutation.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 100 /* failures that an exit status tells, apart from what else may end the child */

int mutation_failures(int *active, int mutant, const struct CMUnitTest *tests, size_t n_tests)
{
	int status;

	fflush(NULL);
	pid_t child = fork();
	if (!child) {
		int failed;

		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(MOST + 1);
		*active = mutant;
		failed = _cmocka_run_group_tests("mutant", tests, n_tests, NULL, NULL);
		_exit(failed < MOST ? failed : MOST);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
	    WEXITSTATUS(status) > MOST)
		return -1;
	return WEXITSTATUS(status);
}

void mutation_demand(const char *model, int *active, const char *const *mutants, int n_mutants,
		     const struct CMUnitTest *tests, size_t n_tests)
{
	int survivors = 0;

	assert_int_equal(mutation_failures(active, 0, tests, n_tests), 0);
	for (int m = 1; m < n_mutants; m++) {
		int failed = mutation_failures(active, m, tests, n_tests);

		if (failed > 0)
			printf("caught   %2d %s (by %d)\n", m, mutants[m], failed);
		else
			printf("SURVIVES %2d %s\n", m, mutants[m]);
		survivors += failed <= 0;
	}
	printf("mutants of the %s model: %d, caught: %d\n", model, n_mutants - 1, n_mutants - 1 - survivors);
	assert_int_equal(survivors, 0);
}
