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
 * @param k   system calls have to follow the rule only if this kernel makes any; what begins or ends by INT
 * n, a delivery or IRET always has to: windows in ring 3 and interrupts are such trips
 * @param out gets the rule
 * @return false if no rule gives what was measured of the classes that event e counts
 */
bool attribution_rule(const struct attribution *a, const struct pmu_event *e, const struct kernel *k,
		      struct path_rule *out);

/** How often event e counts an interrupt that strikes in ring 3, and the return from its handler, in that
 * ring. */
unsigned attribution_of_interrupt(const struct path_rule *rule, const struct pmu_event *e);

#endif
