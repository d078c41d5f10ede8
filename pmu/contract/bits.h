/*
 * A mask of low bits.
 *
 * Example: keep what a counter of 40 bits holds.
 *
 *     value &= low_bits(pmu->counter[c].width);
 */
#ifndef PMU_CONTRACT_BITS_H
#define PMU_CONTRACT_BITS_H

#include <stdint.h>

/** The n lowest bits; all of them from 64 on. */
static inline uint64_t low_bits(unsigned n)
{
	return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

#endif
