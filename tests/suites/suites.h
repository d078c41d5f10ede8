/*
 * The suites, one file each.
 */
#ifndef TESTS_SUITES_SUITES_H
#define TESTS_SUITES_SUITES_H

#include "tests/judge/check.h"

extern const struct suite suite_machine;
extern const struct suite suite_step;
extern const struct suite suite_control;
extern const struct suite suite_events;
extern const struct suite suite_identities;
extern const struct suite suite_sweep;
extern const struct suite suite_skid;
extern const struct suite suite_trace;
extern const struct suite suite_sampling;
extern const struct suite suite_noise;
extern const struct suite suite_strings;
extern const struct suite suite_opcodes;
extern const struct suite suite_experiments;
extern const struct suite suite_scan;
extern const struct suite suite_errata;
/* Of no list: dangerous=yes has it run behind all others, once for each check. */
extern const struct suite suite_dangerous;

/** Which of the family's checks that can hang a machine the suite `dangerous` is to carry out next: of those
 * that are wanted, by their order. @return its name; NULL: there are no more */
const char *control_choose_dangerous(struct run *run, unsigned turn);

extern const struct suite suite_overhead;
extern const struct suite suite_truth;
extern const struct suite suite_bench;
extern const struct suite suite_selftest;
extern const struct suite suite_mutants, suite_catches; /* of the test image with mutants alone */
/* Likewise: gets what single checks that the suite errata carries out come to. NULL: nobody does. */
extern void (*errata_single)(struct run *run, const struct result *r);

/** Of suites[] those that find out how a CPU behaves, rather than whether that is as documented; NULL ends.
 * They are run if suite= has their names or `research`, and left out by wildcards and by `all`. */
extern const struct suite *const suites_of_research[];

static inline bool suite_is_research(const struct suite *suite)
{
	const struct suite *const *one = suites_of_research;

	while (*one && *one != suite)
		one++;
	return *one;
}

#endif
