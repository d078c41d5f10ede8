/*
 * Checks of the suite `machine`, which each instruction set has of its own: what it promises of the machine,
 * checked on the machine itself.
 *
 * Example: a row {"memory/code is read", NULL, code_is_read, 0, 0, NULL} is exact if code_is_read() returns
 * 0.
 */
#ifndef TESTS_SUITES_MACHINE_CHECKS_H
#define TESTS_SUITES_MACHINE_CHECKS_H

#include "tests/judge/check.h"

#include <stdint.h>

/** How long a check may take. */
#define MACHINE_CHECK_MS 2000

struct machine_check {
	const char *name, *manual;
	int64_t (*observe)(void); /* guarded, with the watchdog armed */
	int64_t low, high;        /* what it must give */
	const char *(*unfit)(
		void); /* why it cannot be carried out here (NULL: it can); NULL: it always can */
};

/** Carry out and report the rows of a table that ends with one without a name. An exception or the watchdog
 * ends the check alone. */
void machine_checks_run(struct run *run, const struct machine_check *table);

#endif
