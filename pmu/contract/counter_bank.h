/*
 * Counters as models keep them: a value from 0 to the highest one, which is all ones of a width or less. What
 * is added and written, when that is an overflow, at which levels a counter counts, and what its filters make
 * of a cycle (counter_condition.h). How events are chosen and counters are started is each model's.
 *
 * Example: a counter of 20 bits whose highest value is 999999 holds 999998; three occurrences overflow it.
 *
 *     uint64_t sum = value + 3;
 *     bool overflows = counter_overflows(value, sum, 999999);    // true
 *     value = counter_keeps(sum, 999999);                        // 1
 */
#ifndef PMU_CONTRACT_COUNTER_BANK_H
#define PMU_CONTRACT_COUNTER_BANK_H

#include "pmu/contract/counter_condition.h"
#include "pmu/contract/pmu.h"

/** What a counter keeps of a sum, or of a value that is written with bits that it does not have. */
static inline uint64_t counter_keeps(uint64_t value, uint64_t highest)
{
	return highest & (highest + 1) ? value % (highest + 1) : value & highest;
}

/** Whether a value can be written where bits that the counter does not have are refused. */
static inline bool counter_holds(uint64_t value, uint64_t highest)
{
	return value <= highest;
}

/** Whether a counter that went from `before` to `sum`, less than 2^64 further, has passed its highest value.
 */
static inline bool counter_overflows(uint64_t before, uint64_t sum, uint64_t highest)
{
	return sum > highest || sum < before;
}

/** Occurrences that it takes to overflow; 0: 2^64. */
static inline uint64_t counter_left(uint64_t value, uint64_t highest)
{
	return highest - value + 1;
}

/** Whether a counter sees what happens at a level (arch/levels.h). @param levels enum pmu_levels */
static inline bool counter_sees(uint8_t levels, unsigned level)
{
	return levels & (level == 0 ? LEVELS_SYSTEM : LEVELS_USER);
}

#endif
