/*
 * Time base: the TSC, calibrated against HPET, ACPI PM timer or PIT, whichever is there.
 */
#ifndef ARCH_X86_TIME_TIME_H
#define ARCH_X86_TIME_TIME_H

#include <stdint.h>

static inline uint64_t tsc_read(void)
{
	uint32_t lo, hi;
	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

/** TSC frequency in Hz. Never 0: with no reference clock at all it is 1 GHz and time_reference() says so. */
uint64_t tsc_hz(void);

/** What the TSC was calibrated against: "HPET", "ACPI PM timer", "PIT", or "none". */
const char *time_reference(void);

/** Microseconds of TSC time since the machine was first taken over. */
uint64_t time_us(void);

#endif
