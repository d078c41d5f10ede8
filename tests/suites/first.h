/*
 * Steps of suite=first that no other suite has (boot/first.h has them all, in order).
 */
#ifndef TESTS_SUITES_FIRST_H
#define TESTS_SUITES_FIRST_H

#include "tests/judge/check.h"

/** What the machine is: identity_survey(), into the document. Reads only. */
extern const struct suite first_identity;

/** Brackets' shares and attributions, before any counter is believed. */
extern const struct suite first_shares;

/** Counters against each other, whatever they should count: what one of them says the others must say,
 * however it is read, in whatever order they are programmed, and after something else was counted. */
extern const struct suite first_witnesses;

/** Five kernels, with what was read as it was read. */
extern const struct suite first_kernels;

/** Samples and traces of one kernel. */
extern const struct suite first_sampling, first_trace;

#endif
