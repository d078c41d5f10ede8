/*
 * Parts of the suite `sampling`.
 */
#ifndef TESTS_SUITES_SAMPLING_H
#define TESTS_SUITES_SAMPLING_H

#include "pmu/virtual/path.h"
#include "pmu/contract/record.h"
#include "tests/judge/check.h"
#include "tests/kernels/kernel.h"

#define SAMPLING_PERIOD  7     /* of PEBS: a prime, and no multiple of it the length of a kernel's loop */
#define SAMPLING_MS      90000 /* a thousand samples take Bochs longer than 20 s of its own time */
#define SAMPLING_RECORDS 2000  /* of one check, at most */
#define SAMPLING_NAME    160
#define SAMPLING_STEPS   10000 /* of the path with registers */

/** What the parts share: set up by the suite. */
struct sampling_suite {
	struct run *run;
	struct path path;           /* with room for registers */
	struct pmu_record *records; /* SAMPLING_RECORDS of them */
	unsigned *steps;            /* SAMPLING_RECORDS + 1 */
};

/** An event on a counter that can sample it. */
struct window;

struct sampling_choice {
	const struct pmu_event *event;
	unsigned counter;
	struct pmu_config config;
	bool known;             /* how often it occurs at each instruction */
	struct pmu_event where; /* if so: the event, or the architectural one that occurs where it does */
};

void sampling_precise(struct sampling_suite *s);
void sampling_extended(struct sampling_suite *s);
void sampling_latency(struct sampling_suite *s);
void sampling_tagged(struct sampling_suite *s);
void sampling_pmi(struct sampling_suite *s);

/**
 * Events that a source can sample, each on the first counter on which it can; clocks are left out, and what
 * the option event= does not select. source NULL: known events whose counter interrupts.
 * @return how many, at most max
 */
unsigned sampling_choices(struct sampling_suite *s, const struct pmu_record_source *source,
			  struct sampling_choice *out, unsigned max);

/** Whether the option event= selects an event for a source; NULL: for interrupts. */
bool sampling_selected(const struct sampling_suite *s, const struct pmu_record_source *source,
		       const struct pmu_event *e);

/** Put an event on a counter. @return false if it cannot count there */
bool sampling_place(const struct sampling_suite *s, const struct pmu_event *e, unsigned counter,
		    struct sampling_choice *out);

/** known_path(), whose steps count as was measured of round trips (tests/judge/attribution_path.h). @return
 * false if there is none, or no rule for it; then *r says so */
bool sampling_path(const struct sampling_suite *s, const struct sampling_choice *c, const struct window *w,
		   uint64_t n, struct path *path, struct result *r);

/** The k-th kernel, from 0, of the selection on which the event occurs in this ring with N = n, and how
 * often, at least; of known events, exactly. NULL if there are not so many. */
const struct kernel *sampling_kernel(struct sampling_suite *s, const struct sampling_choice *c, uint8_t level,
				     uint64_t n, unsigned k, uint64_t *often);

/** The kernel of this name, if kernel= does not leave it out and the event occurs in it as above. */
const struct kernel *sampling_named(const struct sampling_suite *s, const char *name,
				    const struct sampling_choice *c, uint8_t level, uint64_t n,
				    uint64_t *often);

/** A result of this suite, its name put together in `name` (SAMPLING_NAME): EVENT/what/kernel/ring. */
struct result sampling_result(const struct sampling_suite *s, char *name, const struct sampling_choice *c,
			      const char *what, const struct kernel *k, uint8_t level);

/** Report a check of this suite as skipped. */
void sampling_skip(struct sampling_suite *s, const char *name, const char *why);

/** N: fewer steps on the virtual PMU. */
uint64_t sampling_n(const struct sampling_suite *s);

/** The highest N at which a kernel's path has no more steps than that. */
uint64_t sampling_turns(const struct kernel *k, unsigned steps);

#endif
