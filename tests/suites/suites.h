/*
 * The suites, one file each.
 */
#ifndef TESTS_SUITES_SUITES_H
#define TESTS_SUITES_SUITES_H

#include "tests/check.h"

extern const struct suite suite_machine, suite_step, suite_control, suite_events, suite_overhead, suite_truth, suite_bench,
	suite_selftest;

#endif
