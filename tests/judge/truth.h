/*
 * Ground truth: whether a kernel does what its signature says, on the very CPU under test.
 */
#ifndef TESTS_JUDGE_TRUTH_H
#define TESTS_JUDGE_TRUTH_H

#include "tests/judge/check.h"
#include "tests/kernels/kernel.h"

#include <stdint.h>

/**
 * Step a kernel under the oracle at some N, 2N and 3N and compare every architectural quantity with its
 * signature. A kernel that disagrees may judge nothing.
 * @param n for the first of the three; larger ones than a few turns are cut, as a signature is linear in N
 * @param r gets kernel, ring and, in observations, instructions; verdict exact, or error naming quantity and
 * numbers. Transactions are stepped both ways, aborted at once and not at all
 */
void truth_check(const struct kernel *k, uint8_t level, uint64_t n, struct result *r);

/** Whether an amount of one quantity is as kernel k declares it for N = n; *declared is what the signature
 * says. Of an interval, which transactions have, the low end is meant if they aborted, the high one if they
 * did not. */
bool truth_agrees_on(const struct kernel *k, enum quantity q, uint64_t n, enum transaction_outcome outcome,
		     uint64_t seen, struct amount *declared);

/**
 * The comparison of all: the first architectural quantity of `seen` that is not as kernel k declares it for N
 * = n.
 * @return Q_COUNT if all agree; else *declared is what the signature says
 */
enum quantity truth_disagrees(const struct kernel *k, uint64_t n, enum transaction_outcome outcome,
			      const struct qvec *seen, struct amount *declared);

#endif
