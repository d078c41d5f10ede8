/*
 * Judging a virtual PMU by the rules for silicon (inject=as-silicon): with its N, repetitions and periods,
 * and with the intervals that speculation, skid and late records are given there. Without it no test would
 * ever run that code.
 */
#ifndef TESTS_JUDGE_AS_SILICON_H
#define TESTS_JUDGE_AS_SILICON_H

#include <stdbool.h>

/** From now on a virtual PMU that is created is not .deterministic. */
void judge_as_silicon(void);

bool judged_as_silicon(void);

#endif
