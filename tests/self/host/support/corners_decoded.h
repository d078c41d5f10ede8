/*
 * Rules of corner machines (corners.h) about caches of decoded instructions, for the kernels of
 * tests/kernels/x86/decoded.S.
 */
#ifndef TESTS_HOST_CORNERS_DECODED_H
#define TESTS_HOST_CORNERS_DECODED_H

#include "tests/self/host/support/corners.h"

#define CORNER_DISTURBED 8 /* lines or translations that others take from a kernel in one run */

/** Amount of an architectural quantity in a run. */
uint64_t corner_total(const struct corner_run *r, enum quantity q);

uint64_t count_half_lines(const struct corner_run *r);
uint64_t count_half_decoded(const struct corner_run *r);
uint64_t count_half_held(const struct corner_run *r);
uint64_t count_instructions(const struct corner_run *r);
uint64_t count_four_each(const struct corner_run *r);
uint64_t count_loop_decoded(const struct corner_run *r);
uint64_t count_loop_looked_up(const struct corner_run *r);
uint64_t count_lines_held(const struct corner_run *r);

#endif
