/*
 * Masking around windows: the processor's own sources of interrupts are masked at the source, too. Holding
 * interrupts off leaves them pending, and on some CPUs a pending interrupt lowers the rate at which
 * instructions retire.
 *
 * Example: a window that only an overflow may interrupt.
 *
 *     masking_begin(true);
 *     window_run(entry, &window, n);
 *     masking_end();
 */
#ifndef ARCH_MASKING_H
#define ARCH_MASKING_H

#include <stdbool.h>

/** Mask every source (x86: every entry of the local vector table: timer, thermal, performance, LINT0 and 1,
 * error, CMCI). What the watchdog needs stays as it is, and with keep_overflow so does the counters' line
 * (arch/overflow.h). No-op if they are masked already, or if there are none. Not stepped. */
void masking_begin(bool keep_overflow);

/** Put back what masking_begin() changed. May be called at any time. */
void masking_end(void);

/** What has been done to an interrupt so ("masked in the APIC"), and what is the case without ("held off by
 * CLI"). */
extern const char masking_done[], masking_else[];

/** For tests of the harness: from now on masking_begin() does nothing. */
void masking_spoil(void);

#endif
