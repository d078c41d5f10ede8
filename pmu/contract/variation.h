/*
 * How an injected erratum differs from what it is by default: another amount, other counters, one level
 * alone. The test image draws variants of errata and makes near misses of them
 * (tests/self/mutants/catches.c); in the other images each is what it is, and nothing of this is compiled.
 *
 * Example: a hook counts one too many, and so does each variant on its own counters, levels and scale.
 *
 *     if (injected(s, INJECT_OVERCOUNT))
 *             amount += varied_extra(c, step->level, 1);
 */
#ifndef PMU_CONTRACT_VARIATION_H
#define PMU_CONTRACT_VARIATION_H

#include <stdint.h>

struct variation {
	int amount;        /* times what is more or less; 1 by default */
	uint32_t counters; /* by the model's numbers, those that have it */
	uint8_t levels;    /* bit 0: the harness's, bit 1: the others */
	uint16_t steps;    /* length of a phase, distance or window; 0: as it is by default */
	int fixed;         /* added to the number of a fixed counter */
};

#define VARIATION_NONE                                                                                       \
	{                                                                                                    \
		.amount = 1, .counters = UINT32_MAX, .levels = 3                                             \
	}

#ifdef MODEL_MUTANTS
extern struct variation variation;

static inline uint64_t varied_extra(unsigned c, uint8_t level, uint64_t extra)
{
	if (!(variation.counters >> c & 1) || !(variation.levels & (level ? 2 : 1)))
		return 0;
	return extra * (uint64_t)(int64_t)variation.amount;
}

#define VARIED_STEPS(by_default) (variation.steps ? variation.steps : (by_default))
#define VARIED_FIXED(by_default) ((by_default) + (unsigned)variation.fixed)
#else
static inline uint64_t varied_extra(unsigned c, uint8_t level, uint64_t extra)
{
	(void)c, (void)level;
	return extra;
}

#define VARIED_STEPS(by_default) (by_default)
#define VARIED_FIXED(by_default) (by_default)
#endif

#endif
