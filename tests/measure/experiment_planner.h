/*
 * What the parts of experiment_plan() share.
 */
#ifndef TESTS_MEASURE_EXPERIMENT_PLANNER_H
#define TESTS_MEASURE_EXPERIMENT_PLANNER_H

#include "tests/measure/experiment.h"

struct planner {
	const struct experiments *all;
	const struct experiment *x;
	const struct experiment_sources *sources;
	struct experiment_plan *plan;
	char *why;
	size_t size;
};

/** Put "file:line:column: ..." into why; line 0 stands for the experiment's header. @return false */
bool planner_refuse(const struct planner *p, struct text_place at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** Where a key of the experiment stands. */
static inline struct text_place planner_key(const struct planner *p, enum experiment_key k)
{
	return p->x->key[k];
}

/** A raw selector that is written as it was given; 0 if the configuration has none. */
uint64_t planner_words(const struct pmu *pmu, const struct pmu_config *config);

/** record= of hardware: whether there is such a source, and everything that it needs is said, and nothing
 * else. */
bool planner_check_source(const struct planner *p);

/** record=, period=, sample=, beside=, cascade= and then=: whether they agree. */
bool planner_check_record(const struct planner *p);

/** Whether the counter can be set so that it overflows after a period, that of period= and of record=, or
 * another one. @param from the key that the period is of */
bool planner_check_period(const struct planner *p, unsigned c);
bool planner_check_counter(const struct planner *p, unsigned c, uint64_t period, enum experiment_key from,
			   bool interrupts);

/** Events that wait for an overflow have to have one that overflows. */
bool planner_check_waiting(const struct planner *p);

/** Find what each request counts: the rows of the table, once for all kernels. */
void planner_find_rows(const struct planner *p);

/** Each event alone, on a counter that can sample it. */
bool planner_place_samples(const struct planner *p);

#endif
