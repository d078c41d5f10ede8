/*
 * Matching names that people type.
 */
#ifndef PMU_TEXT_H
#define PMU_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Insertions, deletions, replacements and swaps of neighbours that turn a into b, case ignored. Of longer
 * texts only the first 63 characters count.
 */
unsigned edit_distance(const char *a, const char *b);

/** Whether b is near enough to a to be what was meant: at most a third of a's length away, and at most 4. */
bool is_near(unsigned distance, const char *a);

#endif
