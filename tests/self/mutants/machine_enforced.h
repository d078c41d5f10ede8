/*
 * The machine is taken from firmware that has shadow stacks on.
 */
#ifndef TESTS_SELF_MUTANTS_MACHINE_ENFORCED_H
#define TESTS_SELF_MUTANTS_MACHINE_ENFORCED_H

#include <stdint.h>

/** Switch them on as firmware would have them, take the machine and give it back. @return 1 for each of
 * three: they were in use until then, they are off while it is taken, and they stay off */
int64_t taken_from_shadow_stacks(void);

/** Why this cannot be tried, or NULL. */
const char *no_shadow_stacks(void);

#endif
