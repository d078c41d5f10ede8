/*
 * The 8254 interval timer: channel 2 as a clock, channel 0 for the watchdog. Intel 8254 data sheet.
 */
#ifndef ARCH_X86_TIME_PIT_H
#define ARCH_X86_TIME_PIT_H

#include <stdbool.h>
#include <stdint.h>

#define PIT_HZ 1193182

/** Run channel 2 downwards through 16 bits; restore its gate. */
void pit_clock_start(void);
void pit_clock_stop(void);
/** Ticks since pit_clock_start(), modulo 65536. */
uint64_t pit_clock(void);

/** Find out how firmware runs channel 0 (takes some 60 ms), so that pit_alarm_end() can put it back. */
void pit_alarm_begin(void);
void pit_alarm_end(void);
/** One edge on IRQ 0 after ticks (1 to 65535). */
void pit_alarm_set(uint16_t ticks);
/** Whether the output has gone up since pit_alarm_set(). */
bool pit_alarm_due(void);

#endif
