/*
 * What the suite events makes of the counts of one event on one kernel. All that it rests on is in its
 * arguments, so that a report can be judged again from what it holds (tools/rejudge.c).
 */
#ifndef TESTS_JUDGE_EVENT_JUDGE_H
#define TESTS_JUDGE_EVENT_JUDGE_H

#include "tests/judge/expectation_level.h"
#include "tests/judge/verdict.h"

/** Where an event was counted. */
struct event_place {
	const struct pmu *pmu; /* of it .deterministic, .under_hypervisor, .hypervisor and .attribution */
	const struct pmu_event *event;
	const struct kernel *kernel;
	const struct pmu_bracket *bracket; /* for what a hypervisor may leave out of it; NULL: not known */
	uint8_t level;                     /* in ring 3 counters saw that ring alone */
	uint64_t highest;                  /* value of the counter */
	int64_t share;                     /* the bracket's, in every raw count */
};

/** What is expected at N = n, but for the bracket's share. @return out->status */
enum expectation_status event_expected(const struct event_place *p, uint64_t n, struct expectation *out);

/**
 * The verdict on `count` observations, with its reason in words.
 * @param o raw counts less the share, against what event_expected() says
 * @param x what it says at the last N
 */
void event_judge(const struct event_place *p, const struct observation *o, unsigned count,
		 const struct expectation *x, struct judgement *out);

#endif
