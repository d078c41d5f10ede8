/*
 * The high-precision event timers: the main counter as a clock, and one comparator for the watchdog.
 * IA-PC HPET specification 1.0a, 2.3.
 */
#ifndef ARCH_X86_HPET_H
#define ARCH_X86_HPET_H

#include <stdbool.h>
#include <stdint.h>

/** @param address of the register block, 0: none. @return whether it looks like an HPET. */
bool hpet_init(uint64_t address);

/** Main counter, its frequency in Hz (0: no HPET) and how many of its bits count. */
uint64_t hpet_counter(void);
uint64_t hpet_hz(void);
uint64_t hpet_mask(void);

/** Let the main counter run. @return whether it ran already. */
bool hpet_start(void);
/** Stop it again, if it did not run before hpet_start(). */
void hpet_stop(bool was_running);

/** Save the set-up and silence every comparator; put it back. */
void hpet_take(void);
void hpet_give_back(void);

/** Input pins of the first I/O APIC that the watchdog's comparator can reach, as a bit set; 0: no free
 * comparator. */
uint32_t hpet_alarm_routes(void);
/** Fire once, `ticks` from now, as an edge on the pin. */
void hpet_alarm_set(unsigned pin, uint64_t ticks);
void hpet_alarm_clear(void);
/** Whether the alarm's time has come. */
bool hpet_alarm_due(void);

#endif
