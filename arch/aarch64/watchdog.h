/*
 * The watchdog's and the halting ways inside arch/aarch64.
 */
#ifndef ARCH_AARCH64_WATCHDOG_H
#define ARCH_AARCH64_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/** The physical timer has interrupted. */
void watchdog_fired(void);

/** How many times as long as it is told the watchdog waits: 1, or more in an emulator whose clock is its
 * host's, which may let it wait while that goes on. */
unsigned watchdog_patience(void);

/** What held the watchdog off was left. */
void watchdog_forget_holds(void);

/** Nothing can go on: end the machine if it can be ended. */
_Noreturn void machine_halt_now(void);

/** The virtual timer has interrupted. */
void timer_fired(void);
void timer_begin(void);

/** Whether the virtual timer is not masked. */
bool timer_asks(void);

#endif
