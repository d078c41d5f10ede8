/*
 * Errata as predictions: what ordinary checks find wrong is held against what errata of the family say, and
 * what they found of each erratum is kept, for the report.
 */
#ifndef TESTS_JUDGE_ERRATA_H
#define TESTS_JUDGE_ERRATA_H

#include "tests/judge/check.h"

/** What checks have found of one erratum so far. */
struct erratum_found {
	unsigned tried;   /* observations in which it would show */
	unsigned present; /* checks that show it, as the row says */
	unsigned told;  /* of these, those that are wrong for it: in the others it is what the event means */
	unsigned agree; /* checks that are wrong as far as it says: it tells of no amount */
	unsigned otherwise; /* checks in which it would show, and that are wrong in another way */
	unsigned denied;    /* counts that are right where the erratum would have made them wrong */
};

/** Whether check= asks for an erratum, by any of its numbers. */
bool errata_asked(const struct run *run, const struct errata *e, const char *number);

/** Forget all: another processor is judged. */
void errata_begin(void);

const struct erratum_found *errata_found(unsigned row);

/**
 * The one judgement of what is wrong. What is as an erratum of the PMU's family says becomes VERDICT_ERRATUM,
 * with the number, or the numbers that cannot be told apart: those that are documented for this processor
 * first. Observations, and rows without a text, leave the verdict as it is, and are named; so are those of
 * the event that tell of a direction and of no amount, if the count is off in it. What an erratum says of a
 * count is no verdict where another count was right that it would have made wrong: callers hand over what is
 * right first.
 * @param r a check's result, with its judgement
 */
void errata_judge(const struct pmu *pmu, struct result *r);

/** The event as a CPU that has the erratum counts it. @return false if the row is not about this event, or if
 * there is no room for the term; *meant: what is more there is part of the event's own meaning, by a rule */
bool errata_alter(const struct erratum_count *c, const struct pmu_event *e, struct pmu_event *out,
		  bool *meant);

/** Whether a row says how much more or less of an event is counted. */
bool errata_foretold(const struct errata *e, unsigned row);

/** Whether it says of its events that more or less is counted, and not how much. */
bool errata_vague(const struct errata *e, unsigned row);

/** Whether a check that says `text`, and saw `observed` in place of `expected`, shows the symptom. */
bool errata_shows(const struct erratum_symptom *s, const char *text, int64_t expected, int64_t observed);

#endif
