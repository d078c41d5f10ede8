/*
 * The attribution of a CPU (tests/judge/attribution.h) as a rule for each step of a known path
 * (pmu/virtual/path.h).
 */
#ifndef TESTS_JUDGE_ATTRIBUTION_PATH_H
#define TESTS_JUDGE_ATTRIBUTION_PATH_H

#include "tests/judge/attribution.h"
#include "pmu/virtual/path.h"

/**
 * Find the rule by which round trips count what was measured of them.
 * @param a   NULL: they count what the manual has
 * @param out gets the rule
 * @return false if no rule gives what was measured of the classes that event e counts
 */
bool attribution_rule(const struct attribution *a, const struct pmu_event *e, struct path_rule *out);

/** How often event e counts an interrupt that strikes in ring 3, and the return from its handler, in that
 * ring. */
unsigned attribution_of_interrupt(const struct path_rule *rule, const struct pmu_event *e);

#endif
