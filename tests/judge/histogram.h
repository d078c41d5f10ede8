/*
 * Every distinct value that was observed, with its frequency.
 *
 * A histogram is copied like any other struct. Its first values lie in it; further ones lie in a store that
 * all histograms share, so that a deterministic counter's one value does not take the room of a noisy one's
 * thousands. The store is a ring: the newest HISTOGRAM_STORE values are in it, far more than the results that
 * are being made at a time have. What a histogram could not keep it counts: histogram_unlisted().
 */
#ifndef TESTS_JUDGE_HISTOGRAM_H
#define TESTS_JUDGE_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define HISTOGRAM_OWN   16    /* values in the histogram itself */
#define HISTOGRAM_MOST  4096  /* values that one histogram keeps */
#define HISTOGRAM_STORE 65536 /* further values of all histograms */

/** Zero is an empty one. Of two copies only one may be added to. */
struct histogram {
	unsigned total;    /* values added */
	unsigned distinct; /* different ones; an upper bound if histogram_unlisted(), since those are not
			    * compared */
	int64_t min, max;
	int64_t value[HISTOGRAM_OWN]; /* the most frequent first; equal frequencies in order of arrival */
	unsigned frequency[HISTOGRAM_OWN];

	/* For its own use. */
	uint64_t owner;       /* which of the store's values are its; 0: none */
	uint32_t first, last; /* of them */
	unsigned stored;
};

void histogram_add(struct histogram *h, int64_t value);

/** Add all that another one has; what that one does not list stays unlisted. */
void histogram_merge(struct histogram *h, const struct histogram *other);

/** Add an amount to each of its values. */
void histogram_shift(struct histogram *h, int64_t by);

/** Most frequent value; 0 if nothing was seen. */
int64_t histogram_mode(const struct histogram *h);

/** How many of the values added are not among those that histogram_next() lists. */
unsigned histogram_unlisted(const struct histogram *h);

/** A distinct value, and where in the list it stands. */
struct histogram_entry {
	int64_t value;
	unsigned frequency;

	/* For its own use; zero before the first one. */
	unsigned listed;
	uint32_t at;
};

/** The next distinct value; the first HISTOGRAM_OWN come with the most frequent first, further ones in order
 * of arrival. @return false at the end */
bool histogram_next(const struct histogram *h, struct histogram_entry *e);

#endif
