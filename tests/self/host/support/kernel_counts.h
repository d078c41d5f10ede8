/*
 * What a kernel does architecturally, at several N: stepped here (trace.h), or in an emulator.
 */
#ifndef TESTS_HOST_KERNEL_COUNTS_H
#define TESTS_HOST_KERNEL_COUNTS_H

#include "pmu/quantity/quantity.h"
#include "tests/kernels/kernel.h"

#include <stdbool.h>
#include <stdint.h>

#define KERNEL_COUNTS_POINTS 8

struct kernel_counts {
	const struct kernel *kernel; /* NULL: nothing is known */
	unsigned n_points;
	struct {
		uint64_t n;
		unsigned outcomes; /* of those that `seen` has: bit per enum transaction_outcome */
		struct qvec seen[OUTCOMES];
	} point[KERNEL_COUNTS_POINTS];
};

/**
 * Read what an image's suite `truth` saw, one line each of
 *	KERNEL RING N abort|commit quantity=amount ...
 * where what is not named is 0.
 * @param all one entry per kernel, in their order, of KERNEL and both its rings
 * @return NULL, or one line that says what is wrong with the file; valid until the next call
 */
const char *kernel_counts_read(const char *path, struct kernel_counts *all);

/** Whether all amounts are as the signature says; if not and `verbose`, one line tells the first that is not.
 */
bool kernel_counts_agree(const struct kernel_counts *d, bool verbose);

/** The same for one quantity at the largest N, with transactions aborted. */
bool kernel_counts_agree_on(const struct kernel_counts *d, enum quantity q);

#endif
