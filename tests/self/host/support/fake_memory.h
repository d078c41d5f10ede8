/*
 * Memory that a model under test may write its records to (pmu/contract/model.h, attach()). An address is
 * that of the host's memory, so a driver's pointers and a model's addresses agree.
 */
#ifndef TESTS_HOST_FAKE_MEMORY_H
#define TESTS_HOST_FAKE_MEMORY_H

#include "pmu/contract/model.h"

#include <stddef.h>
#include <stdint.h>

/** What attach() takes: the pages of fake_memory_create(), and nothing else. */
extern const struct step_memory fake_memory;

/** Whole pages of zeroes, page aligned, below 4 GiB where the host has room there; in place of those of the
 * call before. */
void *fake_memory_create(size_t size);
void fake_memory_free(void);

/** Of the created memory, let this range be read only; an empty one: none. */
void fake_memory_protect(const void *start, size_t size);

/** Accesses that were refused since fake_memory_create(). */
unsigned fake_memory_refused(void);

/** First byte and the one behind the last that models have written since fake_memory_create(), as offsets; 0
 * and 0: nothing. */
size_t fake_memory_first_written(void);
size_t fake_memory_end_written(void);

#endif
