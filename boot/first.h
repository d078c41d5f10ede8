/*
 * suite=first: what runs first on a machine that nobody knows. Each step has its level of courage
 * (arch/courage.h), from reading alone upwards, and is on the volume before the next one begins. courage=
 * says where it ends.
 */
#ifndef BOOT_FIRST_H
#define BOOT_FIRST_H

#include "tests/judge/check.h"

#include <stdint.h>

struct first_step {
	const struct suite *suite;
	uint8_t courage; /* enum courage */
};

/** All of them, in order; .suite NULL ends. A suite may be there at several levels. */
extern const struct first_step first_steps[];

/** What it is, for lists. */
extern const char first_title[];

#endif
