/*
 * The watchdog, as trap_entered.c, machine.c and the step engine need it.
 */
#ifndef ARCH_X86_EXCEPTIONS_WATCHDOG_INTERNAL_H
#define ARCH_X86_EXCEPTIONS_WATCHDOG_INTERNAL_H

#include <stdbool.h>

/** Take this one of the sources, best first (HPET by message, by pin, PIT, another processor, APIC timer),
 * whatever others there are, until watchdog_choose(). @return whether it interrupts */
#define WATCHDOG_SOURCES      5
#define WATCHDOG_PROCESSOR    3 /* the other processor's place, and its name */
#define WATCHDOG_BY_PROCESSOR "NMI from another processor"
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

/** Whether the deadline has passed; the step engine asks. */
bool watchdog_expired(void);

/**
 * For the step engine: whether the deadline has passed and the stepped code must leave its guard now, with
 * TRAP_WATCHDOG. The watchdog is disarmed then. While it is held, the answer is no, and watchdog_release()
 * acts. Its interrupt may have been sent already: watchdog_swallow() takes it until watchdog_settle().
 */
bool watchdog_take(void);

/** Whatever comes from now on is not an interrupt of a deadline that was taken before. */
void watchdog_settle(void);

/**
 * For the step engine, which watches the deadline itself: whether an interrupt on this vector is the
 * watchdog's and nothing else. Then it has been acknowledged, the source is set anew, and the stepped code
 * need not see it.
 */
bool watchdog_swallow(unsigned vector);

#endif
