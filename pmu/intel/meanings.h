/*
 * The words that the rows of pmu/intel/meanings.def are written in.
 */
#ifndef PMU_INTEL_MEANINGS_H
#define PMU_INTEL_MEANINGS_H

#include "pmu/event.h"

#define EXACT  EVENT_EXACT
#define LEAST  EVENT_AT_LEAST
#define TIME   EVENT_TIME
#define BOUNDS EVENT_EXACT /* the terms are micro-architectural, and intervals themselves */

#define Q(q)     (Q_##q + 1)
#define MINUS(q) (INTEL_MINUS | (Q_##q + 1))

enum intel_rule {
	NONE,
#define INTEL_RULE(id, text) id,
#include "pmu/intel/rules.def"
#undef INTEL_RULE
};

#endif
