/*
 * The watchdog ends a check that hangs, also with interrupts masked: an NMI from the HPET or PIT through the
 * I/O APIC or LINT0 where that works, else the APIC timer (which needs IF = 1). It leaves the innermost
 * trap_guard() with TRAP_WATCHDOG. Under the step engine the engine itself watches the deadline.
 */
#ifndef ARCH_X86_EXCEPTIONS_WATCHDOG_H
#define ARCH_X86_EXCEPTIONS_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/** Start (or restart) the watchdog: the deadline is `ms` milliseconds from now. */
void watchdog_arm(unsigned ms);
void watchdog_disarm(void);

/** Put off the watchdog's effect while the C library or a device is in a state that must not be left
 * half-way. Nests. */
void watchdog_hold(void);
void watchdog_release(void);

/** Whether the deadline has passed; the step engine asks. */
bool watchdog_expired(void);

/**
 * For the step engine: whether the deadline has passed and the stepped code must leave its guard now, with
 * TRAP_WATCHDOG. The watchdog is disarmed then. While it is held, the answer is no, and watchdog_release()
 * acts.
 */
bool watchdog_take(void);

/**
 * For the step engine, which watches the deadline itself: whether an interrupt on this vector is the
 * watchdog's and nothing else. Then it has been acknowledged, the source is set anew, and the stepped code
 * need not see it.
 */
bool watchdog_swallow(unsigned vector);

/** How often its source has interrupted before the deadline, as some cannot count so far ("NMI from PIT":
 * every 50 ms). A window that it broke into holds a handler. */
unsigned watchdog_ticks(void);

/** How it interrupts: "NMI message from HPET", "NMI from HPET", "NMI from PIT", "APIC timer", or "none". */
const char *watchdog_source(void);

#endif
