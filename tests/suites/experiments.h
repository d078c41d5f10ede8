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

/** An experiment under way on one kernel. */
struct experiment_run {
	struct run *run;
	const struct experiment_plan *plan;
	const struct kernel *kernel;
};

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
