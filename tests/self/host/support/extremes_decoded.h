/*
 * Rules of extreme machines (extremes.h) about caches of decoded instructions, for the kernels of
 * tests/kernels/x86/decoded.S.
 */
#ifndef TESTS_HOST_EXTREMES_DECODED_H
#define TESTS_HOST_EXTREMES_DECODED_H

#include "tests/self/host/support/extreme_machine.h"

#define EXTREME_DISTURBED 8 /* lines or translations that others take from a kernel in one run */

uint64_t count_half_lines(const struct extreme_run *r);
uint64_t count_half_decoded(const struct extreme_run *r);
uint64_t count_half_held(const struct extreme_run *r);
uint64_t count_instructions(const struct extreme_run *r);
uint64_t count_four_each(const struct extreme_run *r);
uint64_t count_loop_decoded(const struct extreme_run *r);
uint64_t count_loop_looked_up(const struct extreme_run *r);
uint64_t count_lines_held(const struct extreme_run *r);

#endif
