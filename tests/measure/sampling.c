#include "tests/measure/sampling.h"
#include "arch/masking.h"
#include "pmu/contract/counter_values.h"

#include "arch/exceptions.h"
#include "arch/overflow.h"
#include "arch/time.h"

static unsigned repetition, taken; /* samples of it */
static uint64_t began;             /* the clock, then */

/* What the counter is to hold so many occurrences before that value. */
static uint64_t before(const struct sampling *s, uint64_t value, uint64_t period)
{
	return counter_before(&s->pmu->counter[s->counter], value, period);
}

static uint64_t mask_of(const struct sampling *s)
{
	return UINT64_C(1) << s->counter;
}

static uint64_t all_of(const struct sampling *s)
{
	uint64_t mask = mask_of(s);

	for (unsigned i = 0; i < s->n_beside; i++)
		mask |= UINT64_C(1) << s->beside[i].counter;
	return mask;
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

/* What the counters beside have counted since their repetition began. */
static GENERAL_REGISTERS_ONLY bool read_beside(const struct sampling *s, uint64_t *out)
{
	for (unsigned i = 0; i < s->n_beside; i++) {
		const struct sampling_beside *b = &s->beside[i];

		if (!s->pmu->driver->read(s->pmu, b->counter, &out[i]))
			return false;
		out[i] = counter_moved(&s->pmu->counter[b->counter], b->start, out[i]);
	}
	return true;
}

static GENERAL_REGISTERS_ONLY void keep_row(struct sampling *s, uint64_t address, uint64_t now)
{
	struct sampling_row *row = &s->row[s->total];
	unsigned n = 0;

	row->rep = repetition;
	row->address = address;
	row->ticks = now - began;
	while (n < SAMPLING_REGISTERS && overflow_register(n, &row->registers[n]))
		n++;
	s->n_registers = n;
	if (!read_beside(s, row->count))
		s->failure = "reading a counter in the handler was refused";
}

/* The watchdog interrupts by NMI as well: without an overflow it is none of ours. */
static GENERAL_REGISTERS_ONLY bool on_overflow(uint64_t address, enum overflow_way way, void *arg)
{
	struct sampling *s = arg;
	uint64_t overflowed = 0, now = s->row ? clock_read() : 0,
		 offset = address - window_code_address(s->kernel, s->level);

	(void)way;
	if (!s->pmu->driver->overflowed(s->pmu, &overflowed) || !(overflowed & mask_of(s)))
		return false;
	if (s->once ? !s->pmu->driver->stop(s->pmu) || !s->pmu->driver->acknowledge(s->pmu, mask_of(s))
		    : !rewind_counter(s))
		s->failure = "setting it back in the handler was refused";
	s->full = s->most && s->total == s->most;
	if (s->full)
		return true;
	if (offset < sampling_size(s->kernel))
		s->at[offset]++;
	else
		s->elsewhere++;
	if (s->address && s->total < s->room)
		s->address[s->total] = address;
	if (s->row && s->total < s->room)
		keep_row(s, address, now);
	s->total++;
	taken++;
	if (s->once)
		return true;
	arm();
	s->pmu->driver->start(s->pmu, all_of(s));
	return true;
}

static bool program(struct sampling *s)
{
	const struct pmu_driver *d = s->pmu->driver;

	for (unsigned i = 0; i < s->n_beside; i++)
		if (!d->program(s->pmu, s->beside[i].counter, &s->beside[i].config))
			return false;
	return d->program(s->pmu, s->counter, &s->config);
}

/* Those beside are set up anew, so that a count goes from one overflow to the next. */
static bool wind_up(struct sampling *s)
{
	if (s->once && !program(s))
		return false;
	for (unsigned i = 0; i < s->n_beside; i++)
		if (!s->pmu->driver->write(s->pmu, s->beside[i].counter, s->beside[i].start))
			return false;
	return true;
}

static bool repeat(struct sampling *s, const void *entry, const struct window *w)
{
	const struct pmu_driver *d = s->pmu->driver;

	taken = 0;
	if (!wind_up(s))
		return false;
	window_forget(); /* known_path() begins with that, too */
	/* From then on a handler finds what was counted since the overflow. */
	if (!d->write(s->pmu, s->counter, before(s, s->pmu->pmi_late, s->period)) ||
	    !d->acknowledge(s->pmu, mask_of(s)))
		return false;
	arm();
	began = s->row ? clock_read() : 0;
	if (s->level && !d->start(s->pmu, all_of(s)))
		return false;
	window_run(entry, w, s->n);
	histogram_add(&s->taken, taken);
	return d->stop(s->pmu) && (!s->counts || read_beside(s, s->counts + repetition * s->n_beside));
}

void sampling_run(void *arg)
{
	struct sampling *s = arg;
	const struct pmu_driver *d = s->pmu->driver;
	struct window w = {.kernel = s->kernel, .bracket = &s->bracket, .level = s->level};
	const struct overflow_claim claim = {on_overflow, s};
	const void *entry;

	s->failure = NULL;
	s->total = s->elsewhere = s->n_registers = 0;
	s->full = false;
	s->config.interrupt = true;
	s->bracket = bracket_user;
	if (!program(s) || (!s->level && !d->bracket_enable(s->pmu, all_of(s), &s->bracket))) {
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
	for (repetition = 0; repetition < s->reps && !s->failure && !s->full; repetition++)
		if (!repeat(s, entry, &w))
			s->failure = "writing, starting or stopping it was refused";
	masking_end();
	sampling_end();
	for (unsigned i = 0; i < s->n_beside; i++)
		if (!d->release(s->pmu, s->beside[i].counter))
			s->failure = "taking it out of use was refused";
	if (!d->release(s->pmu, s->counter))
		s->failure = "taking it out of use was refused";
}

void sampling_end(void)
{
	overflow_mask(OVERFLOW_COUNTERS);
	overflow_claim(OVERFLOW_NMI, NULL);
}
