/*
 * Forced overflow, cascades that must not happen, and reading and writing counters in ways of their own.
 */
#include "pmu/netburst/checks/control.h"
#include "arch/x86/cpu/msr.h"

#include <stdio.h>

#define READS 24

/* --- FORCE_OVF --------------------------------------------------------------------------------------- */

bool forced_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return control_each_counter(pmu, i, out);
}

/* The counter that an overflow of c starts by CASCADE; NO_COUNTER if none. */
static unsigned started_by(const struct pmu *pmu, unsigned c)
{
	for (unsigned to = 0; to < NETBURST_COUNTERS; to++)
		if (netburst_cascade(c, to, false, netburst_cpu(pmu)->model))
			return to;
	return NO_COUNTER;
}

/* Every occurrence overflows, wherever the counter stands; nothing overflows without one. */
void forced_check(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	const struct pmu_driver *d = h->pmu->driver;
	unsigned to = started_by(h->pmu, c);

	if (!h->works(h, "finding an event", e != NULL))
		return;
	control_set(h, c, e->code | CCCR_FORCE_OVF | control_pmi(h->pmu), 0, CONTROL_START);
	h->arm(h);
	h->run(h, COUNTER(c));
	h->equal(h, "forced, but without an occurrence, the overflow status is", false,
		 control_overflowed(h, c));
	h->equal(h, "interrupts", 0, h->interrupts(h));
	control_set(h, c, e->code | CCCR_FORCE_OVF | control_pmi(h->pmu), LEVELS_ALL, CONTROL_START);
	h->arm(h);
	control_counts(h, "forced to overflow it moves by", c, COUNTER(c), e);
	h->equal(h, "far from its top the overflow status is", true, control_overflowed(h, c));
	/* The entry masks itself when the first one is delivered. */
	h->equal(h, "interrupts", 1, h->interrupts(h));
	h->works(h, "acknowledging", d->acknowledge(h->pmu, COUNTER(c)));
	if (to == NO_COUNTER)
		return;
	h->works(h, "taking a counter out of use", d->release(h->pmu, c));
	control_set(h, c, e->code | CCCR_FORCE_OVF, LEVELS_ALL, CONTROL_START);
	control_set(h, to, e->code | CONTROL_CLOCK | CCCR_CASCADE, LEVELS_ALL, CONTROL_START);
	h->run(h, COUNTER(c) | COUNTER(to));
	h->within(h, "the counter that waits for a forced overflow moves by", 1, UINT64_MAX,
		  control_moved(h, to));
}

/* --- cascades that must not happen ------------------------------------------------------------------- */

static bool starts(const struct pmu *pmu, unsigned from, unsigned to)
{
	return netburst_cascade(from, to, false, netburst_cpu(pmu)->model);
}

/*
 * A counter that waits is started by its partner alone, and stops when its own CASCADE is cleared. The others
 * overflow one by one.
 */
void unrelated_check(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	const struct pmu_driver *d = h->pmu->driver;
	uint64_t waiting;
	unsigned from;

	if (!h->works(h, "finding an event", e != NULL))
		return;
	for (from = 0; from < NETBURST_COUNTERS; from++) {
		enum netburst_escr_id escr = netburst_wire(from, (e->code & CCCR_SELECT) >> CCCR_SELECT_SHIFT,
							   netburst_cpu(h->pmu)->model);

		/* Those of its own group: they have the same wires. */
		if (from == c || starts(h->pmu, from, c) || escr == ESCR_NONE ||
		    netburst_counter[from].group != netburst_counter[c].group)
			continue;
		control_set(h, c, e->code | CCCR_CASCADE, LEVELS_ALL, CONTROL_START);
		control_set(h, from, e->code, LEVELS_ALL, CONTROL_TOP);
		h->run(h, COUNTER(from) | COUNTER(c));
		h->equal(h, "a counter of no pair has overflowed: its status is", true,
			 control_overflowed(h, from));
		h->equal(h, "and the waiting one moves by", 0, control_moved(h, c));
		h->works(h, "taking counters out of use",
			 d->release(h->pmu, from) && d->release(h->pmu, c) &&
				 d->acknowledge(h->pmu, COUNTER(from)));
	}
	from = netburst_counter[c].cascade_from;
	control_set(h, c, e->code | CONTROL_CLOCK, LEVELS_ALL, CONTROL_START);
	control_set(h, from, e->code, LEVELS_ALL, CONTROL_TOP);
	h->run(h, COUNTER(from));
	h->equal(h, "its partner has overflowed: it moves, without CASCADE, by", 0, control_moved(h, c));
	h->works(h, "taking counters out of use",
		 d->release(h->pmu, from) && d->release(h->pmu, c) && d->acknowledge(h->pmu, COUNTER(from)));

	control_set(h, c, e->code | CCCR_CASCADE, LEVELS_ALL, CONTROL_START);
	control_set(h, from, e->code, LEVELS_ALL, CONTROL_TOP);
	h->run(h, COUNTER(from) | COUNTER(c));
	waiting = control_moved(h, c);
	h->within(h, "its partner has overflowed: it moves, with CASCADE, by", 1, UINT64_MAX, waiting);
	h->works(h, "clearing CASCADE", msr_write(MSR_NETBURST_CCCR0 + c, CODE_CCCR(e->code)));
	h->run(h, COUNTER(from) | COUNTER(c));
	h->equal(h, "with CASCADE cleared again it has moved by", waiting, control_moved(h, c));
}

/* --- when a cascade starts --------------------------------------------------------------------------- */

/* The one that is started comes first in the bracket, so no occurrence is before its time. */
#define FROM 14
#define TO   12

static bool suits_start(const struct pmu *pmu, unsigned i, const struct pmu_event *e)
{
	(void)pmu, (void)i;
	return e->code == control_code(NB_INSTR_RETIRED, 1);
}

/* How long a start takes is not said of silicon. */
bool start_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i >= 1 || !pmu->virtual)
		return false;
	snprintf(out->name, sizeof out->name, "%s to %s", pmu->counter[FROM].name, pmu->counter[TO].name);
	out->counters = COUNTER(FROM) | COUNTER(TO);
	out->suits = suits_start;
	return true;
}

bool cascade_interrupt_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i)
		return false;
	snprintf(out->name, sizeof out->name, "%s to %s", pmu->counter[FROM].name, pmu->counter[TO].name);
	out->counters = COUNTER(FROM) | COUNTER(TO);
	out->suits = suits_start;
	return true;
}

/* What TO counts when the occurrence of this number overflows FROM. */
static uint64_t started_at(struct control_fixture *h, const struct pmu_event *e, uint64_t occurrence)
{
	const struct pmu_driver *d = h->pmu->driver;
	uint64_t moved;

	control_set(h, FROM, e->code, LEVELS_ALL, CONTROL_TOP + 1 - occurrence);
	control_set(h, TO, e->code | CCCR_CASCADE, LEVELS_ALL, CONTROL_START);
	h->run(h, COUNTER(FROM) | COUNTER(TO));
	moved = control_moved(h, TO);
	h->works(h, "taking counters out of use",
		 d->release(h->pmu, FROM) && d->release(h->pmu, TO) && d->acknowledge(h->pmu, COUNTER(FROM)));
	return moved;
}

/* The occurrence that overflows starts the other counter: each that comes later leaves that one less. */
void start_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	uint64_t first;

	(void)i;
	if (!h->works(h, "finding an event", e != NULL))
		return;
	first = started_at(h, e, 1);
	h->within(h, "started by the first occurrence it moves by", 4, UINT64_MAX, first);
	for (uint64_t n = 2; n <= first; n++)
		h->equal(h, "started by a later one it moves by", first - (n - 1), started_at(h, e, n));
}

/* One that runs by itself interrupts, and so does one that another one has started. */
void cascade_interrupt_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_driver *d = h->pmu->driver;

	(void)i;
	if (!h->works(h, "finding an event", e != NULL))
		return;
	for (unsigned waits = 0; waits < 2; waits++) {
		control_set(h, FROM, e->code, LEVELS_ALL, CONTROL_TOP);
		control_set(h, TO, e->code | control_pmi(h->pmu) | (waits ? CCCR_CASCADE : 0), LEVELS_ALL,
			    CONTROL_TOP);
		h->arm(h);
		h->run(h, COUNTER(FROM) | COUNTER(TO));
		h->equal(h, "the overflow status is", true, control_overflowed(h, TO));
		h->equal(h, waits ? "interrupts of a counter that was started by another one" : "interrupts",
			 1, h->interrupts(h));
		h->works(h, "taking counters out of use",
			 d->acknowledge(h->pmu, COUNTER(FROM) | COUNTER(TO)) && d->release(h->pmu, FROM) &&
				 d->release(h->pmu, TO));
	}
}

/* --- reading and writing ----------------------------------------------------------------------------- */

void rdpmc_check(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	static const uint64_t values[] = {0x123456789a, 0xffffffffff, 0x80fffffffe, 0x0100000000};
	uint64_t value = 0;

	(void)e;
	for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
		h->works(h, "writing a counter", h->pmu->driver->write(h->pmu, c, values[i]));
		h->works(h, "RDPMC", pmc_read(c, &value));
		h->equal(h, "the full form reads", values[i], value);
		h->works(h, "RDPMC, fast", pmc_read(RDPMC_FAST | c, &value));
		h->equal(h, "the fast form reads", values[i] & 0xffffffff, value);
	}
}

/* The counter's input stays open while a part that has the erratum writes it in two halves. */
void running_write_check(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	const struct pmu_driver *d = h->pmu->driver;
	static const uint64_t values[] = {CONTROL_START, 0xffffffff, 0x12ffffffff};
	uint64_t value;

	if (!h->works(h, "finding an event", e != NULL))
		return;
	for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
		control_set(h, c, e->code | CONTROL_CLOCK, LEVELS_ALL, CONTROL_START);
		h->works(h, "starting", d->start(h->pmu, COUNTER(c)));
		h->works(h, "writing a running counter", msr_write(MSR_NETBURST_COUNTER0 + c, values[i]));
		h->works(h, "stopping", d->stop(h->pmu));
		value = control_value(h, c);
		/* The clocks from the write to the stop, on whatever CPU. */
		h->within(h, "written while it ran, it then read", values[i], values[i] + 1000000, value);
	}
	h->works(h, "writing a counter", d->write(h->pmu, c, 0xffffffff));
	h->equal(h, "written by the driver, stopped, it reads", 0xffffffff, control_value(h, c));
}

/* As the driver does it, which works around that. */
void driven_write_check(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	const struct pmu_driver *d = h->pmu->driver;

	if (!h->works(h, "finding an event", e != NULL))
		return;
	control_set(h, c, e->code | CONTROL_CLOCK, LEVELS_ALL, CONTROL_START);
	h->works(h, "starting", d->start(h->pmu, COUNTER(c)));
	h->works(h, "writing a running counter", d->write(h->pmu, c, 0xffffffff));
	h->works(h, "stopping", d->stop(h->pmu));
	h->within(h, "written by the driver while it ran, it then read", 0xffffffff, 0xffffffff + 1000000ull,
		  control_value(h, c));
}

/* Both halves of every reading belong together, and time does not go back. */
void carry_check(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	const struct pmu_driver *d = h->pmu->driver;
	uint64_t first = (1ull << 32) - READS / 2, last, value = 0, seen[2] = {0, 0};

	if (!h->works(h, "finding an event", e != NULL))
		return;
	control_set(h, c, e->code | CONTROL_CLOCK, LEVELS_ALL, first);
	h->works(h, "starting", d->start(h->pmu, COUNTER(c)));
	for (last = first; last < first + READS * 64 && seen[1] < READS; last = value) {
		if (!h->works(h, "RDPMC", pmc_read(c, &value)))
			break;
		h->within(h, "read while it ran, it was", last, last + 1000000, value);
		if (value - last > 1000000)
			break;
		seen[value >> 32]++;
	}
	h->works(h, "stopping", d->stop(h->pmu));
	h->within(h, "readings behind the carry", 1, UINT64_MAX, seen[1]);
}
