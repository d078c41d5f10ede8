/*
 * Quiet around windows: the local APIC's own sources are masked at the source, too. CLI alone leaves their
 * interrupts pending, and on some CPUs a pending interrupt lowers the rate at which instructions retire.
 */
#ifndef TESTS_MEASURE_MASKING_H
#define TESTS_MEASURE_MASKING_H

#include <stdbool.h>

/** Mask every entry of the local vector table: timer, thermal, performance, LINT0 and 1, error, CMCI. What
 * the watchdog needs stays as it is, and with keep_perf so does the performance entry. No-op if it is quiet
 * already, or if there is no local APIC. Not stepped. */
void masking_begin(bool keep_perf);

/** Put back what masking_begin() changed. May be called at any time. */
void masking_end(void);

/** For tests of the harness: from now on masking_begin() does nothing. */
void masking_spoil(void);

#endif
