/*
 * The local APIC, as machine.c and trap_entered.c need it.
 */
#ifndef ARCH_X86_INTERRUPTS_APIC_INTERNAL_H
#define ARCH_X86_INTERRUPTS_APIC_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#define APIC_SAVED 15

/** The firmware's set-up. */
struct apic_state {
	uint32_t value[APIC_SAVED];
	uint32_t current;      /* timer count at the time */
	uint64_t deadline;     /* IA32_TSC_DEADLINE if the timer is in that mode and armed, else 0 */
	uint32_t requested[8]; /* IRR */
};

/** Find out whether there is one and in which mode it is. */
void apic_detect(void);

/** Measure the timer's clock against the TSC, with the machine taken. */
void apic_timer_calibrate(void);

/** Run the timer once for so many microseconds or as many as it can count. */
void apic_timer_alarm(uint64_t us);

/** Whether an interrupt can be sent to the processor with this APIC ID in the mode that is on. */
bool apic_reaches(uint32_t id);
void apic_send_nmi(uint32_t id);
void apic_send_init(uint32_t id);
/** Start a processor that waits after an INIT: it begins in real mode at the begin of a page below 1 MiB. */
void apic_send_startup(uint32_t id, uint8_t page);

/** On a processor that was just started: bring its APIC into the mode that the boot processor's has.
 * @return false if that cannot be */
bool apic_join(void);

/** Save the set-up and make our own; put it back, with nothing of ours left requested. Interrupts must be
 * masked. Nests once: another processor may be taken while the first one is. */
void apic_take(void);
void apic_give_back(void);

/** Forget the set-up that was saved last: its processor is gone. */
void apic_forget(void);

/** EOI until nothing is in service: after handlers were abandoned. */
void apic_end_all(void);

#endif
