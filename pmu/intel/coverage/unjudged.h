/*
 * Documented events that have no row of their own, by core and reason: scripts/gen-events.
 */
#ifndef PMU_INTEL_COVERAGE_UNJUDGED_H
#define PMU_INTEL_COVERAGE_UNJUDGED_H

enum unjudged_reason {
	UNJUDGED_ALIAS,  /* another name of an event that has a row */
	UNJUDGED_FIXED0, /* the architectural events of fixed counters */
	UNJUDGED_FIXED1,
	UNJUDGED_FIXED2,
	UNJUDGED_FIXED3,
	UNJUDGED_OFFCORE, /* offcore responses: requests as they leave the core, told apart by source and
			     outcome */
	UNJUDGED_REASONS
};

struct unjudged {
	int core; /* index into core_titles; -1 ends */
	enum unjudged_reason reason;
	unsigned count;
};

extern const struct unjudged unjudged[];
extern const char *const core_titles[];

#endif
