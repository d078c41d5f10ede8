/*
 * Measuring: composing bracket and kernel into one straight piece of code, and running it.
 */
#ifndef TESTS_MEASURE_MEASURE_H
#define TESTS_MEASURE_MEASURE_H

#include "pmu/contract/pmu.h"
#include "tests/judge/check.h"
#include "tests/judge/expectation.h"
#include "tests/kernels/kernel.h"
#include "tests/kernels/services.h"

#include <stdbool.h>
#include <stdint.h>

/** Get memory for windows and what kernels need around them. Called once, between machine_init() and
 * the first machine_take(). @return false if memory is short. */
bool measure_init(void);

/**
 * One window: start-bracket, kernel, stop-bracket in a row, the kernel's first byte `alignment` bytes behind
 * a 64-byte boundary (arch/window.h).
 */
struct window {
	const struct kernel *kernel;
	const struct pmu_bracket *bracket; /* NULL: none */
	unsigned alignment;                /* 0 to 63 */
	uint8_t level;                     /* 0 to 3; services are for kernels in 0 and 3 */
	bool emulate;                      /* it runs at full speed, not stepped: services_emulate() */
};

/**
 * Bracket for a window in an outer ring around which counters are started and stopped from ring 0, counting
 * that alone: no code; its own contribution is that of the entry and exit code.
 */
extern struct pmu_bracket bracket_user; /* filled in by measure_init() */

/**
 * Compose a window, and touch its code and data. It stays valid until another one is composed for the same
 * ring; asking for the one that is there already costs next to nothing.
 * @return its entry, NULL if it does not fit
 */
const void *window_compose(const struct window *w);

/** Where the kernel lies in the window that was composed last for this ring: the address of its first byte.
 */
uint64_t window_kernel_address(uint8_t level);

/** The address behind the last byte of that. */
uint64_t window_kernel_end(const struct kernel *k, uint8_t level);

/** Where a kernel's code runs: in the window that was composed last for this ring, or where a user's own code
 * was loaded, which the window calls. */
uint64_t window_code_address(const struct kernel *k, uint8_t level);

/** Put the kernels' data back to what it is before any kernel has run, all zero: kernels that carry something
 * on from run to run then do the same again. */
void window_forget(void);

/** The kernels' data area, KERNEL_DATA_SIZE bytes. */
uint8_t *window_data(void);

/** Run a composed window with N = n. @return the result of its bracket (the count, for a read bracket). */
uint64_t window_run(const void *entry, const struct window *w, uint64_t n);

/** Ground truth of a kernel at N = n in the given ring, by the oracle. @return false if it was aborted; then
 * *r has verdict error and the reason (r may be NULL). */
bool ground_truth(const struct kernel *k, uint8_t level, uint64_t n, enum transaction_outcome outcome,
		  struct qvec *out, struct result *r);

#endif
