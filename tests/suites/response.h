/*
 * The part of the suite `events` for events of which a file gives name and code and nobody says what they
 * count: they are counted on every kernel that judges the others, and compared with what is known
 * (tests/judge/response.h). Likewise for events of which another list than the vendor's gives another
 * encoding: both are counted, and compared with what the event means.
 */
#ifndef TESTS_SUITES_RESPONSE_H
#define TESTS_SUITES_RESPONSE_H

#include "tests/judge/check.h"
#include "tests/kernels/kernel.h"

/** Before the first kernel. */
void response_begin(struct run *run, uint64_t n, unsigned reps);

/** Count on a kernel whose signature is confirmed and that runs in ring 0. */
void response_measure(const struct kernel *k);

/** After the last kernel: a line for each event of unknown meaning, which is not judged, and a value for each
 * that is encoded in two ways. */
void response_report(void);

#endif
