/*
 * The watchdog ends a check that hangs, also with interrupts held off where the machine can: it leaves the
 * innermost trap_guard() with TRAP_WATCHDOG. Under the step engine the engine itself watches the deadline.
 * (x86: an NMI from the HPET or PIT where that works, else from another processor, else the APIC timer,
 * which needs IF = 1.)
 *
 * Example: give a check two seconds.
 *
 *     watchdog_arm(2000);
 *     check();
 *     watchdog_disarm();
 */
#ifndef ARCH_WATCHDOG_H
#define ARCH_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/** Start (or restart) the watchdog: the deadline is `ms` milliseconds from now. */
void watchdog_arm(unsigned ms);
void watchdog_disarm(void);

/** Put off the watchdog's effect while the C library or a device is in a state that must not be left
 * half-way. Nests. */
void watchdog_hold(void);
void watchdog_release(void);

/** How often its source has interrupted before the deadline, as some cannot count so far ("NMI from PIT":
 * every 50 ms). A window that it broke into holds a handler. */
unsigned watchdog_ticks(void);

/** How it interrupts, for reports. x86: "NMI message from HPET", "NMI from HPET", "NMI from PIT", "NMI
 * from another processor", "APIC timer", or "none". */
const char *watchdog_source(void);

#endif
