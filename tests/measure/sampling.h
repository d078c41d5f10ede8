/*
 * Sampling by overflow interrupts: where a kernel is each time that an event has occurred a number of times.
 */
#ifndef TESTS_MEASURE_SAMPLING_H
#define TESTS_MEASURE_SAMPLING_H

#include "tests/measure/measure.h"

#define SAMPLING_BESIDE 8

#include <stdbool.h>
#include <stdint.h>

/** A counter that counts while another one is sampled. */
struct sampling_beside {
	unsigned counter;
	struct pmu_config config;
	uint64_t start; /* what each repetition begins with */
};

#define SAMPLING_REGISTERS 16

/** One sample. */
struct sampling_row {
	unsigned rep;
	uint64_t address, ticks; /* of the clock, since its repetition began */
	uint64_t registers[SAMPLING_REGISTERS];
	uint64_t count[SAMPLING_BESIDE]; /* of each counter beside, since then */
};

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
	struct sampling_row *row; /* likewise, all that is known of each; NULL: not wanted */
	unsigned room;
	/* They begin anew in each repetition. In ring 0 the handler would be counted as well. */
	unsigned n_beside;
	struct sampling_beside beside[SAMPLING_BESIDE];
	uint64_t *counts; /* gets what they counted, reps * n_beside; NULL: not wanted */
	bool once;     /* the counter waits for one beside: it is set up anew for each repetition, and sampled
			  once */
	unsigned most; /* samples; with one more it ends. 0: any number */

	/* Set by sampling_run(). */
	unsigned elsewhere;     /* samples outside the kernel */
	unsigned total;         /* samples */
	unsigned n_registers;   /* that each row has */
	bool full;              /* there would have been more than .most */
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
