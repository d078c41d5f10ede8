/*
 * Verdicts: one function decides, tested alone.
 */
#ifndef TESTS_JUDGE_VERDICT_H
#define TESTS_JUDGE_VERDICT_H

#include "tests/judge/histogram.h"

#include <stdbool.h>
#include <stdint.h>

enum verdict {
	VERDICT_EXACT,   /* equal to the expectation, every time */
	VERDICT_WITHIN,  /* inside a documented interval, every time */
	VERDICT_BIASED,  /* a constant overcount or undercount, the same at every N */
	VERDICT_NOISY,   /* not repeatable */
	VERDICT_DEAD,    /* advertised, never ticks */
	VERDICT_WRONG,   /* none of the above */
	VERDICT_ERRATUM, /* wrong exactly as a known erratum says */
	VERDICT_ERROR,   /* the check itself could not be carried out */
	VERDICT_SKIPPED, /* not applicable here; the reason is given */
	VERDICT_COUNT
};

const char *verdict_name(enum verdict v);

/** Whether a verdict means that something is wrong (decides the exit status): all but exact, within, skipped.
 */
bool verdict_is_bad(enum verdict v);

/** All observations of one event on one kernel at one N. */
struct observation {
	uint64_t n;
	int64_t low, high; /* expectation */
	struct histogram seen;
};

#define JUDGEMENT_TEXT 256

struct judgement {
	enum verdict verdict;
	int64_t bias;              /* VERDICT_BIASED: observed minus expected */
	int64_t slope_num;         /* observed slope between the first two N as a fraction in lowest terms */
	int64_t slope_den;         /* 0: fewer than two N */
	char text[JUDGEMENT_TEXT]; /* why, in words; empty when exact */
};

/** A straight line through points (n, value): value = (slope_num * n + offset_num) / den. */
struct line {
	int64_t slope_num, offset_num, den; /* slope_num / den is in lowest terms, den > 0 */
	bool straight;                      /* every further point lies on it */
};

/**
 * The line through the first two points; whether the others lie on it.
 * @return false if count < 2, n does not ascend, or a number does not fit 64 bits
 */
bool line_fit(const uint64_t *n, const int64_t *value, unsigned count, struct line *out);

/**
 * Judge observations at one or more values of N (ascending).
 *
 * exact: at every N every value equals the expectation (low == high), so that slope and intercept do, too.
 * within: every value lies in its interval, and one of the intervals has more than one value.
 * dead: every value is 0 though every expectation is above 0.
 * noisy: an exact expectation, and some N shows more than one value.
 * biased: exact expectations at two or more N, all missed by the same amount (slope right, intercept wrong).
 * wrong: all else.
 * error: nothing was observed at some N, N does not ascend, or an interval is empty.
 */
void judge(const struct observation *o, unsigned count, struct judgement *out);

/** Its place among all verdicts, the worst first: wrong is 0. VERDICT_COUNT for none of them. */
unsigned verdict_rank(enum verdict verdict);

struct interval {
	int64_t low, high;
};

/** Whether every value of each of some observations lies in its predicted interval. Of none: no. */
bool judge_predicted(const struct observation *o, const struct interval *predicted, unsigned count);

/** Set a verdict that judge() does not give (skipped, error, or a control check's own), with the reason in
 * words. */
void judgement_set(struct judgement *out, enum verdict verdict, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
