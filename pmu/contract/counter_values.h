/*
 * What a counter can hold: 0 to its highest value, and then 0 again. Mostly the highest value is all ones of
 * its width; where it is not (struct pmu_counter, .highest), a mask will not do.
 *
 * Example: a counter of 20 bits whose highest value is 999999 moved by 3 from 999998 to 1.
 */
#ifndef PMU_CONTRACT_COUNTER_VALUES_H
#define PMU_CONTRACT_COUNTER_VALUES_H

#include "pmu/contract/bits.h"
#include "pmu/contract/pmu.h"

/** All ones of the counter's width. */
static inline uint64_t counter_ones(const struct pmu_counter *c)
{
	return low_bits(c->width);
}

/** The next occurrence after it makes it 0: an overflow. */
static inline uint64_t counter_highest(const struct pmu_counter *c)
{
	return c->highest ? c->highest : counter_ones(c);
}

/** How far it went, forwards, from one value to another. What registers have above the width is not looked
 * at. */
static inline uint64_t counter_moved(const struct pmu_counter *c, uint64_t from, uint64_t to)
{
	uint64_t ones = counter_ones(c), forwards = ((to & ones) - (from & ones)) & ones;

	return (to & ones) < (from & ones) ? forwards - (ones - counter_highest(c)) : forwards;
}

/** The same, where it may have gone backwards: the shorter way. */
static inline int64_t counter_step(const struct pmu_counter *c, uint64_t from, uint64_t to)
{
	uint64_t moved = counter_moved(c, from, to), highest = counter_highest(c);

	return moved > highest / 2 ? (int64_t)(moved - highest - 1) : (int64_t)moved;
}

/** The value that it has `n` occurrences before `value`; n is at most the highest value. */
static inline uint64_t counter_before(const struct pmu_counter *c, uint64_t value, uint64_t n)
{
	return value >= n ? value - n : counter_highest(c) - (n - value) + 1;
}

#endif
