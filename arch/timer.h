/*
 * The processor's own timer: it counts down and interrupts once, for checks of what an interrupt does to a
 * window. Its interrupt is maskable. Masked at the timer it is not even requested; held off by the processor
 * it is requested and waits (x86: the local APIC's timer; SDM vol. 3, 10.5.4).
 *
 * Example: have an interrupt wait while f() runs.
 *
 *     struct timer_claim claim = {on_timer, &count};
 *     timer_claim(&claim);
 *     timer_stop();
 *     timer_mask(false);
 *     timer_start(1);
 *     while (timer_left())
 *             ;
 *     f();
 *     interrupts_drain();    // on_timer is called here
 *     timer_stop();
 *     timer_claim(NULL);
 */
#ifndef ARCH_TIMER_H
#define ARCH_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/** Whether there is such a timer, its rate is known, and the watchdog does not need it. */
bool timer_is_free(void);

/** What it counts down in a second; 0 if that is not known. */
uint64_t timer_hz(void);

/** Called for its interrupt, with interrupts held off; it may use general registers only. */
typedef void timer_handler(void *arg);

/** Who gets its interrupt. */
struct timer_claim {
	timer_handler *handler;
	void *arg;
};

/** From now on its interrupt goes to this claim, which must stay where it is; NULL: to nobody. */
void timer_claim(const struct timer_claim *claim);

/** Stop and mask it. What it has requested stays requested. */
void timer_stop(void);

/** Mask or unmask it: an interrupt that comes due while it is masked is lost. */
void timer_mask(bool masked);

/** Let it interrupt once after so many ticks; 0 stops it. */
void timer_start(uint32_t ticks);

/** Ticks that are left; 0: its time has come, or it was not started. */
uint32_t timer_left(void);

/** Whether its interrupt is requested, or being handled. */
bool timer_requested(void);

/** Halt the processor until the timer interrupts, so many microseconds from now (below 2^32 ticks), or
 * anything else does. The timer needs no claim for that. @return ticks of the clock (arch/time.h) that passed
 */
uint64_t timer_halt(unsigned us);

/** The same in the deepest idle state that the processor offers. @return 0: it offers none below that of an
 * ordinary halt, or the timer may stop in it, and was not halted */
uint64_t timer_halt_deeply(unsigned us);

#endif
