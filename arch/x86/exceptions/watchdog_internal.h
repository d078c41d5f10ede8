/*
 * The watchdog, as trap.c and machine.c need it.
 */
#ifndef ARCH_X86_EXCEPTIONS_WATCHDOG_INTERNAL_H
#define ARCH_X86_EXCEPTIONS_WATCHDOG_INTERNAL_H

#include <stdbool.h>

/** Take this one of the sources, best first (HPET by message, by pin, PIT, APIC timer), whatever others there
 * are, until watchdog_choose(). @return whether it interrupts */
#define WATCHDOG_SOURCES 4
bool watchdog_use(unsigned which);

/** Choose the first source that really interrupts. Once, with the machine taken. */
void watchdog_choose(void);

/** The run goes over to another processor, which may need another source; and back. With the machine taken.
 */
void watchdog_move(bool away);

/** Put back what the source needed; the machine is about to be given back. */
void watchdog_give_back(void);

/**
 * Called first for every interrupt. Does not return if it is the watchdog's, the deadline has passed and
 * nothing holds it.
 * @return whether the interrupt was (also) the watchdog's
 */
bool watchdog_interrupt(unsigned vector);

/** Grows whenever the watchdog is armed, disarmed or held (as for every line of the console): a sign of life
 * of whoever has the run. */
unsigned watchdog_signs(void);

/** Milliseconds that the check under way was given; 0: none is. */
unsigned watchdog_allowance(void);

/** Nesting of watchdog_hold(), for trap_guard(). */
unsigned watchdog_held(void);
void watchdog_set_held(unsigned n);

#endif
