/*
 * Time: a clock that never stops nor changes its rate while the machine is taken (x86: the time-stamp
 * counter, calibrated against HPET, ACPI PM timer or PIT, whichever is there).
 *
 * Example: how many microseconds does f() take?
 *
 *     uint64_t begin = clock_read();
 *     f();
 *     uint64_t us = (clock_read() - begin) / (clock_hz() / 1000000);
 */
#ifndef ARCH_TIME_H
#define ARCH_TIME_H

#include <stdint.h>

/** The clock: ticks since some moment before the image was started, modulo 2^64. */
uint64_t clock_read(void);

/** Ticks of the clock in a second. Never 0: with nothing to compare it with it is a guess, and
 * clock_reference() says so. */
uint64_t clock_hz(void);

/** What the rate was measured against (x86: "HPET", "ACPI PM timer", "PIT"), or what the processor itself
 * says where there is no such clock (x86: "CPUID.15H", "CPUID.16H", "MSR_PLATFORM_INFO"), or "none". */
const char *clock_reference(void);

/** What users call the clock among what they have counted (x86: "tsc"). */
extern const char clock_name[];

/** Microseconds since the machine was first taken; 0 before that. */
uint64_t time_us(void);

/** Tell the processor that code waits in a loop: one turn of it (x86: PAUSE). */
void time_relax(void);

#endif
