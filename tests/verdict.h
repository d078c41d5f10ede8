/*
 * Verdicts: one function decides, tested alone.
 */
#ifndef TESTS_VERDICT_H
#define TESTS_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

enum verdict {
	VERDICT_EXACT,	 /* equal to the expectation, every time */
	VERDICT_WITHIN,	 /* inside a documented interval, every time */
	VERDICT_BIASED,	 /* a constant overcount or undercount, the same at every N */
	VERDICT_NOISY,	 /* not repeatable */
	VERDICT_DEAD,	 /* advertised, never ticks */
	VERDICT_WRONG,	 /* none of the above */
	VERDICT_ERRATUM, /* wrong exactly as a known erratum says */
	VERDICT_ERROR,	 /* the check itself could not be carried out */
	VERDICT_SKIPPED, /* not applicable here; the reason is given */
	VERDICT_COUNT
};

const char *verdict_name(enum verdict v);

/** Whether a verdict means that something is wrong (decides the exit status): all but exact, within, skipped. */
bool verdict_is_bad(enum verdict v);

#define VERDICT_DISTINCT 16

/** Distinct observed values with their frequencies, most frequent first. */
struct histogram {
	unsigned distinct;  /* may exceed VERDICT_DISTINCT: the rest is only counted */
	unsigned total;
	int64_t value[VERDICT_DISTINCT];
	unsigned frequency[VERDICT_DISTINCT];
	int64_t min, max;
};

void histogram_add(struct histogram *h, int64_t value);

/** All observations of one event on one kernel at one N. */
struct observation {
	uint64_t n;
	int64_t low, high; /* expectation */
	struct histogram seen;
};

struct judgement {
	enum verdict verdict;
	int64_t bias;	   /* VERDICT_BIASED: observed minus expected */
	int64_t slope_num; /* observed slope between the first two N as a fraction slope_num / slope_den */
	int64_t slope_den;
	char text[128];	   /* why, in words; empty when exact */
};

/**
 * Judge observations at one or more values of N (ascending). Exact means equal: at every N, every repetition, low == high ==
 * value; then slope and intercept agree as well. With an interval, every value must lie inside it.
 */
void judge(const struct observation *o, unsigned count, struct judgement *out);

#endif
