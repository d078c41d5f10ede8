/*
 * The time-stamp counter itself; to everybody else it is the clock of arch/time.h.
 */
#ifndef ARCH_X86_TIME_TSC_H
#define ARCH_X86_TIME_TSC_H

#include <stdint.h>

static inline uint64_t tsc_read(void)
{
	uint32_t lo, hi;
	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

/** TSC frequency in Hz: clock_hz(). */
uint64_t tsc_hz(void);

#endif
