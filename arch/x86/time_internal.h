/*
 * Setting up the time base.
 */
#ifndef ARCH_X86_TIME_INTERNAL_H
#define ARCH_X86_TIME_INTERNAL_H

/** Measure the TSC's frequency against the best clock there is. Takes about 10 ms. */
void time_calibrate(void);

/** The zero of time_us(), at the first call. */
void time_begin(void);

#endif
