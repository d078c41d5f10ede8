/*
 * The rules of extreme machines (extremes.h), each of a few lines: how much of r->quantity such a machine
 * shows in a run.
 */
#ifndef TESTS_HOST_EXTREMES_RULES_H
#define TESTS_HOST_EXTREMES_RULES_H

#include "tests/self/host/support/extreme_machine.h"

/* extremes_caches.c */
uint64_t count_model(const struct extreme_run *r);
uint64_t count_none(const struct extreme_run *r);
uint64_t count_twice(const struct extreme_run *r);
uint64_t count_disturbed(const struct extreme_run *r);
uint64_t count_owned(const struct extreme_run *r);
uint64_t count_stages(const struct extreme_run *r);
uint64_t count_half_links(const struct extreme_run *r);
uint64_t count_quarter_links(const struct extreme_run *r);
uint64_t count_loads(const struct extreme_run *r);
uint64_t count_large_pages(const struct extreme_run *r);
uint64_t count_neighbours(const struct extreme_run *r);
uint64_t count_half_fetches(const struct extreme_run *r);
uint64_t count_fetched_neighbours(const struct extreme_run *r);
uint64_t count_ring_pages(const struct extreme_run *r);

/* extremes_prediction.c */
/** How many of m fair guesses go wrong, so many standard deviations off the mean. */
double extreme_guesses(double m, int sigmas);
uint64_t count_forgetful(const struct extreme_run *r);
uint64_t count_mistaught(const struct extreme_run *r);
uint64_t count_one_target(const struct extreme_run *r);
uint64_t count_lucky(const struct extreme_run *r);
uint64_t count_unlucky(const struct extreme_run *r);

/* extremes_stores.c */
uint64_t count_turns(const struct extreme_run *r);
uint64_t count_turns_twice(const struct extreme_run *r);
uint64_t count_meetings(const struct extreme_run *r);
uint64_t count_tries(const struct extreme_run *r);
uint64_t count_segments(const struct extreme_run *r);
uint64_t count_locked(const struct extreme_run *r);
uint64_t count_accesses(const struct extreme_run *r);
uint64_t count_stores(const struct extreme_run *r);
uint64_t count_stored_lines(const struct extreme_run *r);

/* extremes_time.c */
uint64_t count_quick(const struct extreme_run *r);
uint64_t count_slow(const struct extreme_run *r);

#endif
