/*
 * Interrupts that are the firmware's own and that nothing can mask; x86's system-management interrupts. A
 * sample during which one came is taken again.
 *
 * Some processors count them (arch/firmware.h). Where there is no such counter, time tells: a window that
 * takes longer than the quickest of its kind by more than INTRUSION_GAP_US is taken for one that was broken
 * into. That may be wrong in both directions, so a window that stays long is believed in the end. A virtual
 * CPU without the counter has no SMIs.
 *
 * Where the processor can hold counters meanwhile, it is told to while windows are watched.
 */
#ifndef TESTS_MEASURE_INTRUSION_H
#define TESTS_MEASURE_INTRUSION_H

#include <stdbool.h>
#include <stdint.h>

#define INTRUSION_TRIES  8  /* of one sample */
#define INTRUSION_GAP_US 20 /* entry and exit of system-management mode alone take longer on most machines   \
			     */

enum intrusion_source { INTRUSION_NONE, INTRUSION_COUNTER, INTRUSION_CLOCK };

struct intrusion_watch {
	uint8_t source;   /* enum intrusion_source */
	uint32_t count;   /* of the counter, when it was looked at last */
	uint64_t began;   /* TSC */
	uint64_t fastest; /* ticks that the quickest window of this kind took */
	uint64_t took;    /* ticks of the last window */
	unsigned foreign; /* interrupts_of_others() before the window */
	bool interrupted; /* the watchdog's interrupt came in the last window, or one that nobody claims */
	uint64_t gap;     /* ticks */
	bool holds;       /* counters are held during them until intrusion_watch_close() ... */
	uint64_t before;  /* ... and this was set before */
};

/** Whether a window that took so long was broken into; *fastest is kept up to date. Starts at UINT64_MAX. */
bool intrusion_gap(uint64_t *fastest, uint64_t took, uint64_t gap);

/** Find out how SMIs can be seen on this CPU (or on the virtual one: may be stepped), and have counters held
 * during them if the CPU can. A driver's reset() puts an end to that. */
void intrusion_watch_open(struct intrusion_watch *w, bool virtual);

/** Have counters treated as before. */
void intrusion_watch_close(const struct intrusion_watch *w);

/** From here on another kind of window is watched. */
void intrusion_watch_kind(struct intrusion_watch *w);

/** Before a window, and behind it. @return whether an SMI came in between, the watchdog's own interrupt, or
 * one on a vector that nobody has claimed: of a device that firmware left running, while a kernel lets
 * interrupts in */
void intrusion_watch_begin(struct intrusion_watch *w);
bool intrusion_watch_end(struct intrusion_watch *w);

/** For tests of the harness: from now on SMIs are looked for by time, on a virtual CPU too, and in every
 * INTRUSION_IMITATED-th window (but for the first of a kind, which has no other to be compared with) time is
 * lost as if there had been one. */
void intrusion_imitate(void);
#define INTRUSION_IMITATED 7

/** How many were imitated since the last call. */
unsigned intrusion_imitated(void);

/** The counter's name, "gaps in time", "none": for reports. */
const char *intrusion_source_name(enum intrusion_source source);

#endif
