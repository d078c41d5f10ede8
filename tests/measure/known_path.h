/*
 * The known path of a kernel (pmu/virtual/path.h) in the very window in which it is recorded.
 */
#ifndef TESTS_MEASURE_KNOWN_PATH_H
#define TESTS_MEASURE_KNOWN_PATH_H

#include "pmu/virtual/path.h"
#include "tests/measure/measure.h"

/** Steps that known_path() notes at most, all in all. */
#define KNOWN_PATH_STEPS 40000

/**
 * Walk a window with N = n, from the state in which window_forget() leaves the kernels' data; let that run
 * before the recorded run as well. The path must be connected, and what its steps add up to must be what the
 * kernel's signature says; else *r has verdict error and the reason.
 * @param path made by path_create()
 */
bool known_path(const struct window *w, uint64_t n, struct path *path, struct result *r);

#endif
