/*
 * The overflow line: how counters interrupt. A counter that overflows asks its line for an interrupt. The
 * line is either masked, then the request is lost, or delivers it in one of two ways. Delivery may mask the
 * line again until software arms it (x86: Intel's local vector table does, AMD's does not).
 *
 * Example: count the interrupts of one window.
 *
 *     static bool on_overflow(uint64_t address, enum overflow_way way, void *arg)
 *     {
 *             ++*(unsigned *)arg;
 *             return true;
 *     }
 *     ...
 *     struct overflow_claim claim = {on_overflow, &count};
 *     overflow_claim(OVERFLOW_MASKABLE, &claim);
 *     overflow_arm(OVERFLOW_COUNTERS, OVERFLOW_MASKABLE);
 *     ... run the window, interrupts disabled ...
 *     interrupts_drain();
 *     overflow_mask(OVERFLOW_COUNTERS);
 *     overflow_claim(OVERFLOW_MASKABLE, NULL);
 */
#ifndef ARCH_OVERFLOW_H
#define ARCH_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>

/** How a line delivers. */
enum overflow_way {
	OVERFLOW_MASKABLE, /* an interrupt that code can hold off (x86: fixed delivery, on a vector of its
			      own) */
	OVERFLOW_NMI,      /* one that it cannot. An instruction set without such refuses to arm a line so */
};
#define OVERFLOW_WAYS 2

/** What the manual calls a way (x86: the delivery modes "fixed" and "NMI"), and where. */
struct overflow_way_name {
	const char *name, *manual;
};
extern const struct overflow_way_name overflow_way_name[OVERFLOW_WAYS];

/**
 * Lines. A PMU has one for its counters; a source of records may have another, numbered as the instruction
 * set does (x86: offset of the entry in the local vector table; SDM vol. 3, 10.5.1; APM vol. 2, 16.7).
 */
#define OVERFLOW_COUNTERS 0
#define OVERFLOW_NO_LINE  0xffff /* a source that does not interrupt */

/**
 * Called for an interrupt, with all interrupts held off; it may use general registers only.
 * @param address of the instruction before which the interrupt was taken
 * @return whether it was an overflow. OVERFLOW_NMI: false passes the NMI on, to the watchdog for example;
 * OVERFLOW_MASKABLE: it is taken for one in any case
 */
typedef bool overflow_handler(uint64_t address, enum overflow_way way, void *arg);

/** A general register of the code that was interrupted, numbered as general_register_name() does: for a
 * handler, while it runs. @return false: there is none of this number, or no handler runs */
bool overflow_register(unsigned number, uint64_t *value);

/** What lines are part of (x86: "local APIC"), the sentence that it is missing, and what a line is called
 * there (x86: "LVT"). */
extern const char overflow_device[], overflow_absent[], overflow_entry[];

/** Whether the line exists. */
bool overflow_present(unsigned line);

/** Who gets what is delivered. */
struct overflow_claim {
	overflow_handler *handler;
	void *arg;
};

/** From now on this claim gets what is delivered in this way, of every line; it must stay where it is. NULL:
 * nobody does; a maskable interrupt that comes all the same is a stray one, an NMI is unexpected. One claim
 * for each way; what a guarded call has claimed does not outlive it if it is ended. */
void overflow_claim(enum overflow_way way, const struct overflow_claim *claim);

/** Let a line deliver in this way. No-op for OVERFLOW_NO_LINE. @return false if the line cannot */
bool overflow_arm(unsigned line, enum overflow_way way);

/** Let a line lose what it is asked for. What was delivered before may still be pending. No-op for
 * OVERFLOW_NO_LINE. */
void overflow_mask(unsigned line);

/** Whether a line is masked, by software or by its own delivery. Of OVERFLOW_NO_LINE: true. */
bool overflow_masked(unsigned line);

#endif
