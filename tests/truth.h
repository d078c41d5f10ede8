/*
 * Ground truth: whether a kernel does what its signature says, on the very CPU under test.
 */
#ifndef TESTS_TRUTH_H
#define TESTS_TRUTH_H

#include "tests/check.h"
#include "tests/kernels/kernel.h"

#include <stdint.h>

/**
 * Step a kernel under the oracle at some N, 2N and 3N and compare every architectural quantity with its
 * signature. A kernel that disagrees may judge nothing.
 * @param n for the first of the three; larger ones than a few turns are cut, as a signature is linear in N
 * @param r gets kernel, ring and, in observations, instructions; verdict exact, or error naming quantity and
 * numbers; skipped if the kernel cannot be stepped (KERNEL_UNSTEPPED): it judges unconfirmed, and the report
 * says so
 */
void truth_check(const struct kernel *k, uint8_t ring, uint64_t n, struct result *r);

/** Whether an amount of one quantity is as kernel k declares it for N = n; *declared is what the signature
 * says. */
bool truth_agrees_on(const struct kernel *k, enum quantity q, uint64_t n, uint64_t seen,
		     struct amount *declared);

/**
 * The comparison of all: the first architectural quantity of `seen` that is not as kernel k declares it for N
 * = n.
 * @return Q_COUNT if all agree; else *declared is what the signature says
 */
enum quantity truth_disagrees(const struct kernel *k, uint64_t n, const struct qvec *seen,
			      struct amount *declared);

#endif
