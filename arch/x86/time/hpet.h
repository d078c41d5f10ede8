/*
 * The high-precision event timers: the main counter as a clock, and one comparator for the watchdog.
 * IA-PC HPET specification 1.0a, 2.3.
 */
#ifndef ARCH_X86_TIME_HPET_H
#define ARCH_X86_TIME_HPET_H

#include <stdbool.h>
#include <stdint.h>

/** @param address of the register block, 0: none. @return whether it looks like an HPET. */
bool hpet_init(uint64_t address);

/** The low 32 bits of the main counter, and its frequency in Hz (0: no HPET). */
uint64_t hpet_counter(void);
uint64_t hpet_hz(void);

/** Let the main counter run. @return whether it ran already. */
bool hpet_start(void);
/** Stop it again, if it did not run before hpet_start(). */
void hpet_stop(bool was_running);

/** Save the set-up and silence every comparator; put it back. */
void hpet_take(void);
void hpet_give_back(void);

/** How the watchdog's comparator can interrupt: input pins of the first I/O APIC that it reaches, as a bit
 * set; and whether it can send messages to local APICs. Neither if all comparators are in use. */
uint32_t hpet_alarm_pins(void);
bool hpet_alarm_sends_messages(void);
/** Interrupt once, `ticks` (below 2^31) from now: an edge on the pin, or an NMI for the CPU with this local
 * APIC ID. */
void hpet_alarm_set_pin(unsigned pin, uint32_t ticks);
void hpet_alarm_set_nmi(uint8_t apic_id, uint32_t ticks);
void hpet_alarm_clear(void);
/** Whether the alarm's time has come, or the counter has wrapped since it was set: some interrupt then, too.
 */
bool hpet_alarm_due(void);

#endif
