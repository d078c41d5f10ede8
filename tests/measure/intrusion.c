#include "tests/measure/intrusion.h"

#include "arch/firmware.h"
#include "arch/step.h"
#include "arch/time.h"
#include "arch/exceptions.h"
#include "arch/watchdog.h"

#define STEPPED 50 /* stepped windows differ by more than real ones, so that the gap has to be wider */

static bool imitating;
static unsigned windows, imitated; /* that were watched meanwhile; in which time was lost */

void intrusion_imitate(void)
{
	imitating = true;
}

unsigned intrusion_imitated(void)
{
	unsigned n = imitated;

	imitated = 0;
	return n;
}

/* Not stepped, so that counters do not see it. */
static void lose_time(uint64_t ticks)
{
	step_pause();
	imitated++;
	for (uint64_t from = clock_read(); clock_read() - from < ticks;)
		;
	step_resume();
}

const char *intrusion_source_name(enum intrusion_source source)
{
	return source == INTRUSION_COUNTER ? firmware_counter_name
	       : source == INTRUSION_CLOCK ? "gaps in time"
					   : "none";
}

bool intrusion_gap(uint64_t *fastest, uint64_t took, uint64_t gap)
{
	if (took < *fastest)
		*fastest = took;
	return took - *fastest > gap;
}

void intrusion_watch_close(const struct intrusion_watch *w)
{
	if (w->holds)
		firmware_let_counters(w->before);
}

void intrusion_watch_open(struct intrusion_watch *w, bool virtual)
{
	*w = (struct intrusion_watch){.source = virtual && !imitating ? INTRUSION_NONE : INTRUSION_CLOCK};
	if (!imitating && firmware_is_counted() && firmware_interrupts(&w->count))
		w->source = INTRUSION_COUNTER;
	else if (w->source == INTRUSION_CLOCK)
		w->gap = clock_hz() / 1000000 * INTRUSION_GAP_US * (virtual ? STEPPED : 1);
	w->holds = firmware_hold_counters(&w->before);
	intrusion_watch_kind(w);
}

void intrusion_watch_kind(struct intrusion_watch *w)
{
	w->fastest = UINT64_MAX;
}

/* That no kernel asked for. */
static unsigned interrupts_of_others(void)
{
	return watchdog_ticks() + trap_strays();
}

void intrusion_watch_begin(struct intrusion_watch *w)
{
	w->foreign = interrupts_of_others();
	if (w->source == INTRUSION_CLOCK)
		w->began = clock_read();
}

static bool intrusion_came(struct intrusion_watch *w)
{
	uint32_t before = w->count;

	switch (w->source) {
	case INTRUSION_COUNTER:
		/* One look for each window: an SMI between two windows costs a sample that was good. */
		return firmware_interrupts(&w->count) && w->count != before;
	case INTRUSION_CLOCK:
		if (imitating && w->fastest != UINT64_MAX && ++windows % INTRUSION_IMITATED == 0)
			lose_time(2 * w->gap);
		w->took = clock_read() - w->began;
		return intrusion_gap(&w->fastest, w->took, w->gap);
	default:
		return false;
	}
}

bool intrusion_watch_end(struct intrusion_watch *w)
{
	bool came = intrusion_came(w);

	w->interrupted = w->foreign != interrupts_of_others();
	return came || w->interrupted;
}
