/*
 * Sampling by overflow interrupts: where a kernel is each time that an event has occurred a number of times.
 */
#ifndef TESTS_MEASURE_SAMPLING_H
#define TESTS_MEASURE_SAMPLING_H

#include "tests/measure/measure.h"

#include <stdbool.h>
#include <stdint.h>

struct sampling {
	const struct pmu *pmu;
	const struct kernel *kernel;
	uint8_t level; /* 0 or 3; in ring 3 the counter must count LEVELS_USER only */
	unsigned counter;
	struct pmu_config config; /* .interrupt is set by sampling_run() */
	uint64_t n, period;
	unsigned reps;
	unsigned *at; /* gets the samples by offset in the kernel: sampling_size() of them, the last is behind
			 it */
	uint32_t spread; /* above 0: to each period but the first of a repetition a number below it is added,
			    drawn by sampling_draw() from .seed, which it changes */
	uint64_t seed;
	uint64_t *address; /* gets the interrupted addresses in order, .room of them; NULL: not wanted */
	unsigned room;

	/* Set by sampling_run(). */
	unsigned elsewhere;     /* samples outside the kernel */
	unsigned total;         /* samples */
	struct histogram taken; /* samples in each repetition */
	struct pmu_bracket bracket;
	const char *failure; /* what the hardware refused, NULL if nothing */
};

static inline size_t sampling_size(const struct kernel *k)
{
	return (size_t)(k->code_end - k->code) + 1;
}

/**
 * Sample each period-th occurrence; for run->call(), may be stepped. The interrupt is an NMI. Its handler
 * stops the counter, notes the address and sets the counter a period back from where it is, so that what was
 * counted meanwhile is not lost; from there to the end of the handler it counts again, which adds to what is
 * counted in ring 0.
 */
void sampling_run(void *sampling);

/** A number below `spread`; the seed is changed, and must not be 0. */
uint32_t sampling_draw(uint64_t *seed, uint32_t spread);

/** Take the handler away, if sampling_run() was cut short. */
void sampling_end(void);

#endif
