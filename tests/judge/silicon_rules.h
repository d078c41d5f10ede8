/*
 * Judging a virtual PMU by the rules for silicon (inject=silicon-rules): with its N, repetitions and periods,
 * and with the intervals that speculation, skid and late records are given there. Without it no test would
 * ever run that code.
 */
#ifndef TESTS_JUDGE_SILICON_RULES_H
#define TESTS_JUDGE_SILICON_RULES_H

#include <stdbool.h>

/** From now on a virtual PMU that is created is not .deterministic. */
void judge_by_silicon_rules(void);

bool judged_by_silicon_rules(void);

#endif
