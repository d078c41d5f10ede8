#include "tests/measure/sampling.h"
#include "arch/masking.h"
#include "pmu/contract/counter_values.h"

#include "arch/exceptions.h"
#include "arch/overflow.h"

static unsigned taken; /* in this repetition */

/* What the counter is to hold so many occurrences before that value. */
static uint64_t before(const struct sampling *s, uint64_t value, uint64_t period)
{
	return counter_before(&s->pmu->counter[s->counter], value, period);
}

static uint64_t mask_of(const struct sampling *s)
{
	return UINT64_C(1) << s->counter;
}

static void arm(void)
{
	overflow_arm(OVERFLOW_COUNTERS, OVERFLOW_NMI);
}

GENERAL_REGISTERS_ONLY uint32_t sampling_draw(uint64_t *seed, uint32_t spread)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (uint32_t)(*seed >> 32) % spread;
}

/* In ring 0 what was counted since the overflow is mostly the handler. */
static GENERAL_REGISTERS_ONLY bool rewind_counter(struct sampling *s)
{
	const struct pmu_driver *d = s->pmu->driver;
	uint64_t value, period = s->period + (s->spread ? sampling_draw(&s->seed, s->spread) : 0);

	if (!d->stop(s->pmu) || !d->read(s->pmu, s->counter, &value))
		return false;
	if (!s->level || value >= period)
		value = 0;
	return d->write(s->pmu, s->counter, before(s, value, period)) && d->acknowledge(s->pmu, mask_of(s));
}

/* The watchdog interrupts by NMI as well: without an overflow it is none of ours. */
static GENERAL_REGISTERS_ONLY bool on_overflow(uint64_t address, enum overflow_way way, void *arg)
{
	struct sampling *s = arg;
	uint64_t overflowed = 0, offset = address - window_code_address(s->kernel, s->level);

	(void)way;
	if (!s->pmu->driver->overflowed(s->pmu, &overflowed) || !(overflowed & mask_of(s)))
		return false;
	if (!rewind_counter(s))
		s->failure = "setting it back in the handler was refused";
	if (offset < sampling_size(s->kernel))
		s->at[offset]++;
	else
		s->elsewhere++;
	if (s->address && s->total < s->room)
		s->address[s->total] = address;
	s->total++;
	taken++;
	arm();
	s->pmu->driver->start(s->pmu, mask_of(s));
	return true;
}

static bool repeat(struct sampling *s, const void *entry, const struct window *w)
{
	const struct pmu_driver *d = s->pmu->driver;

	taken = 0;
	window_forget(); /* known_path() begins with that, too */
	/* From then on a handler finds what was counted since the overflow. */
	if (!d->write(s->pmu, s->counter, before(s, s->pmu->pmi_late, s->period)) ||
	    !d->acknowledge(s->pmu, mask_of(s)))
		return false;
	arm();
	if (s->level && !d->start(s->pmu, mask_of(s)))
		return false;
	window_run(entry, w, s->n);
	histogram_add(&s->taken, taken);
	return d->stop(s->pmu);
}

void sampling_run(void *arg)
{
	struct sampling *s = arg;
	const struct pmu_driver *d = s->pmu->driver;
	struct window w = {.kernel = s->kernel, .bracket = &s->bracket, .level = s->level};
	const struct overflow_claim claim = {on_overflow, s};
	const void *entry;

	s->failure = NULL;
	s->total = s->elsewhere = 0;
	s->config.interrupt = true;
	s->bracket = bracket_user;
	if (!d->program(s->pmu, s->counter, &s->config) ||
	    (!s->level && !d->bracket_enable(s->pmu, mask_of(s), &s->bracket))) {
		s->failure = "programming it to interrupt was refused";
		return;
	}
	entry = window_compose(&w);
	if (!entry) {
		s->failure = "the kernel does not fit the code arena";
		return;
	}
	overflow_claim(OVERFLOW_NMI, &claim);
	masking_begin(true);
	for (unsigned rep = 0; rep < s->reps && !s->failure; rep++)
		if (!repeat(s, entry, &w))
			s->failure = "writing, starting or stopping it was refused";
	masking_end();
	sampling_end();
	if (!d->release(s->pmu, s->counter))
		s->failure = "taking it out of use was refused";
}

void sampling_end(void)
{
	overflow_mask(OVERFLOW_COUNTERS);
	overflow_claim(OVERFLOW_NMI, NULL);
}
