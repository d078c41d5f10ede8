/*
 * Courage: how much of the machine a run may change. What runs first on a machine that nobody knows begins
 * with little of it. Each level has a list of registers that may be written; the harness's own, which are
 * saved and put back, are on each. Where registers are written (arch/register.h; x86: WRMSR, and the entries
 * of the local vector table that let counters interrupt), one that is on no list of the level is refused: the
 * guarded call that tried ends, and its text names register and level. A write of what the register holds
 * already changes nothing, and is left out in silence.
 *
 * Example: count, and have nothing interrupt.
 *
 *     courage_lists(&driver->registers, 1);
 *     courage_set(COURAGE_COUNT);
 *     if (!trap_guard(check, &arg, &report))
 *             console_text("%s\n", report.text);
 *     courage_set(COURAGE_ALL);
 */
#ifndef ARCH_COURAGE_H
#define ARCH_COURAGE_H

#include "arch/register.h"

#include <stdbool.h>
#include <stdint.h>

enum courage {
	COURAGE_READ,      /* nothing of a PMU is written */
	COURAGE_COUNT,     /* counters of the core; nothing interrupts */
	COURAGE_INTERRUPT, /* interrupts and records */
	COURAGE_ALL,       /* other processors, guests, counters that cores share */
	COURAGE_NEVER,     /* no level: of a register that is on no list */
};

/** Registers that may be written from a level on. */
struct register_range {
	uint8_t courage; /* enum courage */
	uint8_t space;   /* enum register_space */
	uint64_t first, last;
};

/** Up to COURAGE_LISTS lists, each of which ends with a row whose .last is 0; NULL: none. They must stay. */
#define COURAGE_LISTS 8
void courage_lists(const struct register_range *const *lists, unsigned n);

/** From now on this level. Before the first call it is COURAGE_ALL, and nothing is refused. */
void courage_set(enum courage level);

enum courage courage_level(void);

/** Whether a register may be written at the level that is set. */
bool courage_allows(enum register_space space, uint64_t number);

/** From which level on it may be; COURAGE_NEVER: from none. */
enum courage courage_of(enum register_space space, uint64_t number);

#endif
