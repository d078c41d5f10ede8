/*
 * A rule for counts along a grid: straight lines over stretches of it, found from the counts alone.
 */
#ifndef TESTS_JUDGE_PIECEWISE_H
#define TESTS_JUDGE_PIECEWISE_H

#include "tests/judge/verdict.h"

#include <stddef.h>
#include <stdint.h>

/* Points of a grid, at most. */
#define PIECEWISE_POINTS 64

struct piece {
	uint64_t from, to; /* first and last point that it holds for */
	struct line line;  /* through all of them; for a single point, constant */
};

/**
 * Lay straight lines through all points, exactly, with as few numbers as it takes: a point by itself is one,
 * a line two.
 * @param x     ascending
 * @param count 1 to PIECEWISE_POINTS
 * @param out   gets up to `count` pieces, in the order of x
 * @return how many; 0 if x does not ascend, or a number is too large
 */
unsigned piecewise_fit(const uint64_t *x, const int64_t *y, unsigned count, struct piece *out);

/** As text, with c for x: "0: 5; 1-64: 6+c"; what does not fit is cut. @return its length */
size_t piecewise_text(const struct piece *p, unsigned count, char *out, size_t size);

#endif
