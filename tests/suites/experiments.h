/*
 * Parts of the suite `experiments`.
 */
#ifndef TESTS_SUITES_EXPERIMENTS_H
#define TESTS_SUITES_EXPERIMENTS_H

#include "tests/judge/check.h"
#include "tests/measure/experiment.h"
#include "tests/report/report.h"

#define EXPERIMENT_MS  20000
#define EXPERIMENT_ALL UINT32_MAX /* no request: the source records without a counter */

#define EXPERIMENT_EVENT 96  /* bytes of an event's name */
#define EXPERIMENT_CHECK 224 /* bytes of a check's name */

/** An experiment under way on one kernel. */
struct experiment_run {
	struct run *run;
	const struct experiment_plan *plan;
	const struct kernel *kernel;
	struct result (*result_of)(char *name,
				   unsigned request); /* a check, its name put into EXPERIMENT_CHECK bytes */
	const char (*event)[EXPERIMENT_EVENT];        /* names, by request */
};

/** Have overflows of a request, or of the second event of a cascade, interrupt; judge how many samples there
 * are and what was counted beside; report both. @param x filled in but for samples and counts */
void experiment_sample(const struct experiment_run *e, unsigned request, struct report_experiment *x);

/**
 * What was counted while an event was sampled: judge it, if nothing else is in it, and report it.
 * @param raw   counts, [repetition][event of beside=]
 * @param out   gets what is told of each; room for plan->n_requests
 * @param seen  gets their observations
 */
void experiment_beside(const struct experiment_run *e, const uint64_t *raw, const struct pmu_bracket *bracket,
		       struct report_count *out, struct observation *seen);

/** What was counted: [request][point] and [request][point][repetition]. Behind the last request are the
 * clock's ticks, if they are wanted. */
struct experiment_counts {
	const struct experiment_plan *plan;
	unsigned points;
	const uint64_t *raw;
	const struct observation *counts;
	const bool *judged;
};

/**
 * The value of a metric.
 * @param out gets an observation for each point, in millionths
 * @param row gets what is told of it
 * @param r   the check to be reported, its name filled in; gets the observations and the judgement
 */
void experiment_metric(const struct experiment_counts *c, unsigned number, struct observation *out,
		       struct report_delta *row, struct result *r);

/** What the PMU records, asked of its driver on the CPU under judgement. Valid until the next call. */
const struct experiment_sources *experiment_sources(struct run *run);

/**
 * Have plan->source write records of one request, judge how many there are, report where.
 * @param r the check to be reported, its name and event filled in
 * @param x likewise, for the document
 */
void experiment_record(const struct experiment_run *e, unsigned request, struct result *r,
		       struct report_experiment *x);

#endif
