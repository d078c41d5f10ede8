/*
 * Measuring: composing bracket and kernel into one straight piece of code, running it, reading the counters.
 */
#ifndef TESTS_MEASURE_H
#define TESTS_MEASURE_H

#include "pmu/pmu.h"
#include "tests/check.h"
#include "tests/expectation.h"
#include "tests/kernels/kernel.h"

#include <stdbool.h>
#include <stdint.h>

/** Set up the code arenas and the data area (calls into arch during machine_init). @return false if memory is short. */
bool measure_init(void);

/** One window: [pad] start-bracket kernel stop-bracket, in the arena at the given offset from a 64-byte boundary. */
struct window {
	const struct kernel *kernel;
	const struct pmu_bracket *bracket;
	unsigned alignment; /* 0 to 63 */
	uint8_t ring;	    /* 0 or 3 */
};

/** Compose a window; stays valid until the next call for the same ring. @return its entry, NULL if it does not fit. */
const void *window_compose(const struct window *w);

/** Run a composed window with N = n. @return RAX at its end (the count, for a read bracket). */
uint64_t window_run(const void *entry, const struct window *w, uint64_t n);

/** Ground truth of a kernel at N = n in the given ring, by the oracle. @return false if the check was aborted. */
bool ground_truth(struct run *run, const struct kernel *k, uint8_t ring, uint64_t n, struct qvec *out);

#endif
