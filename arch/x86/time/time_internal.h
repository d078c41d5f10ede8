/*
 * Setting up the time base.
 */
#ifndef ARCH_X86_TIME_TIME_INTERNAL_H
#define ARCH_X86_TIME_TIME_INTERNAL_H

#include <stdint.h>

/** Measure the TSC's frequency against the best clock there is. Takes about 10 ms.
 * @param told what the CPU itself says of it in Hz, and by what; asked only where there is no clock. 0:
 * nothing */
void time_calibrate(uint64_t (*told)(const char **source));

#define TIME_CLOCKS 3

/** TSC ticks per second by one of the clocks that time_calibrate() chooses from, best first (HPET, ACPI PM
 * timer, PIT); 0 if it is not there. */
uint64_t time_by_clock(unsigned which);

/** The zero of time_us(), at the first call. */
void time_begin(void);

#endif
