/*
 * Privilege levels, numbered as the instruction set does (x86: rings 0 to 3). Level 0 runs the harness; one
 * level, the user's, runs what may do least.
 *
 * Example: name each level, and say which counters can tell from the harness's.
 *
 *     for (unsigned level = 0; level < LEVELS_MAX; level++)
 *             if (level_name(level))
 *                     printf("%s: %s\n", level_name(level),
 *                            level_filter(level) == level_filter(0) ? "as the harness" : "apart");
 */
#ifndef ARCH_LEVELS_H
#define ARCH_LEVELS_H

#include <stdbool.h>

#define LEVELS_MAX 8

/** "ring 3": for reports; NULL: the instruction set has no such level. */
const char *level_name(unsigned level);

/** The number of the user's level, above 0. */
unsigned level_user(void);

/** The option that chooses a level ("ring"), and its words: the numbers of the harness's level and the
 * user's, then what stands for the two ("0|3|both"). */
extern const char level_option[], level_choices[];

/** Levels that counters cannot count apart from each other have the same filter, numbered from 0 (x86: 0 for
 * ring 0, which OS = 1 counts; 1 for rings 1 to 3, which USR = 1 counts). */
unsigned level_filter(unsigned level);

/** What the manual calls that filter (x86: "OS", "USR"); NULL: there is none of this number. */
const char *level_filter_name(unsigned filter);

/** Whether user code may read counters; to be switched between windows (x86: CR4.PCE). @return the old
 * setting */
bool level_user_reads_counters(bool allow);

#endif
