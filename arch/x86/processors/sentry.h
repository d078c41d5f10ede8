/*
 * A sentry: another processor, of another core, that looks at the time and sends an NMI when it has come. It
 * is the watchdog's source where no timer's interrupt can be had as an NMI.
 */
#ifndef ARCH_X86_PROCESSORS_SENTRY_H
#define ARCH_X86_PROCESSORS_SENTRY_H

#include <stdbool.h>
#include <stdint.h>

/** Start one, with the machine taken. @return false if there is none that could stand */
bool sentry_open(void);

/** Send the processor that executes this an NMI, so many microseconds from now; in place of one that was
 * asked for before. */
void sentry_set(uint64_t us);

/** Send none. One that was sent has arrived when this returns, unless NMIs are blocked. */
void sentry_clear(void);

/** Whether it has sent one that this was not yet asked of. */
bool sentry_sent(void);

/** From here on it executes nothing but a halt. */
void sentry_close(void);

/** Its number; 0: there is none. */
unsigned sentry_processor(void);

#endif
