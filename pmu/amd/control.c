/*
 * Control logic of AMD's own: free-running counters, halted time, a stop at a carry into the upper half, and
 * several counters that interrupt. Published errata are about each of them.
 */
#include "pmu/amd/control.h"
#include "pmu/control.h"

#include "arch/x86/msr.h"
#include "arch/x86/time.h"
#include "pmu/amd/driver.h"
#include "pmu/amd/registers.h"

#include <stdio.h>

#define INSTRUCTIONS 0xc0
#define CYCLES       0x76
#define UPPER        (1ull << 32)
#define TOP          ((1ull << AMD_WIDTH) - 1)
#define START        1000
#define PAIRS        50
#define HALT_US      20000
#define HALT_US_MAX  320000
#define ACTIVE_PART  8 /* of the time: waking and the handler take microseconds */
#define FASTEST      8 /* core clock to time-stamp counter, at most */

static bool set(struct pmu_hands *h, unsigned c, uint64_t code, uint8_t rings, bool interrupt, uint64_t first)
{
	struct pmu_config config = {.code = code, .ring = rings, .interrupt = interrupt};

	return h->works(h, "programming a counter", h->pmu->driver->program(h->pmu, c, &config)) &&
	       h->works(h, "writing a counter", h->pmu->driver->write(h->pmu, c, first));
}

static uint64_t value(struct pmu_hands *h, unsigned c)
{
	uint64_t v = 0;

	h->works(h, "reading a counter", h->pmu->driver->read(h->pmu, c, &v));
	return v;
}

static uint64_t read(struct pmu_hands *h, uint32_t address)
{
	uint64_t v = 0;

	h->works(h, "reading a free-running counter", msr_read(address, &v));
	return v;
}

static bool counts_instructions(const struct pmu *pmu, unsigned c, const struct pmu_event *e)
{
	return e->code == INSTRUCTIONS && pmu->driver->can_count(pmu, e, c);
}

/* --- a stop at the carry from bit 31: erratum 795 ----------------------------------------------------- */

static bool each_counter(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i >= pmu->n_counters)
		return false;
	*out = (struct pmu_control_instance){.counters = 1ull << i, .suits = counts_instructions};
	snprintf(out->name, sizeof out->name, "%s", pmu->counter[i].name);
	return true;
}

static void stop_at_carry(struct pmu_hands *h, unsigned c, const struct pmu_event *e)
{
	uint64_t mask = 1ull << c, low, high;

	if (!set(h, c, e->code, RING_ALL, false, START))
		return;
	h->run(h, mask);
	h->amount(h, e, 0, &low, &high);
	for (uint64_t before = low - 1; before <= low + 1; before++) {
		if (!set(h, c, e->code, RING_ALL, false, UPPER - before))
			return;
		h->run(h, mask);
		h->within(h, "stopped about a carry from bit 31, it is", UPPER - before + low,
			  UPPER - before + high, value(h, c));
	}
}

/* --- two counters that interrupt: erratum 1023 -------------------------------------------------------- */

static bool first_two(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || pmu->n_counters < 2)
		return false;
	*out = (struct pmu_control_instance){
		.name = "counters 0 and 1", .counters = 3, .suits = counts_instructions};
	return true;
}

static void two_interrupt(struct pmu_hands *h, unsigned instance, const struct pmu_event *e)
{
	const struct pmu_driver *d = h->pmu->driver;

	(void)instance;
	for (unsigned c = 0; c < 2; c++)
		set(h, c, e->code, RING_USR, true, START);
	for (unsigned turn = 0; turn < 4; turn++) {
		h->works(h, "writing a counter",
			 d->write(h->pmu, turn % 2, TOP) && d->write(h->pmu, 1 - turn % 2, START));
		h->works(h, "acknowledging overflows", d->acknowledge(h->pmu, 3));
		h->arm(h);
		h->run_user(h, 3);
		h->equal(h, "interrupts after each overflow of one of two counters", 1, h->interrupts(h));
	}
}

/* --- halted time: erratum 794 ------------------------------------------------------------------------- */

static bool counts_cycles(const struct pmu *pmu, unsigned c, const struct pmu_event *e)
{
	(void)c;
	return e->code == CYCLES && pmu->driver->can_count(pmu, e, 0);
}

static bool once(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	*out = (struct pmu_control_instance){.name = "timer", .counters = 1, .suits = counts_cycles};
	return i == 0;
}

/* Little more than the way there and back. */
static void halt(struct pmu_hands *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t took = 0;

	(void)instance;
	for (unsigned us = HALT_US; !took && us <= HALT_US_MAX; us *= 4) {
		if (!set(h, 0, e->code, RING_ALL, false, START) ||
		    !h->works(h, "starting", h->pmu->driver->start(h->pmu, 1)))
			return;
		took = h->halt(h, us);
		h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
	}
	h->equal(h, "it halted", true, took != 0);
	h->within(h, "over a halt the core's cycles go on by", 1, took / ACTIVE_PART, value(h, 0) - START);
}

/* --- free-running counters ---------------------------------------------------------------------------- */

static bool has_irperf(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i || !amd_has(IRPERF))
		return false;
	*out = (struct pmu_control_instance){.name = "compare and branch"};
	return true;
}

static uint64_t pairs(struct pmu_hands *h, uint64_t turns)
{
	uint64_t control, seen;

	if (!h->works(h, "switching IRPERF on",
		      msr_read(HWCR, &control) && msr_write(HWCR, control | HWCR_IRPERF)))
		return 0;
	seen = amd_irperf_pairs(turns);
	msr_write(HWCR, control);
	return seen;
}

/* Erratum 1267. */
static void irperf(struct pmu_hands *h, unsigned instance, const struct pmu_event *e)
{
	(void)instance, (void)e;
	for (unsigned i = 0; i < 3; i++)
		h->equal(h, "over pairs of compare and branch IRPERF goes on by", 4 * PAIRS * i + 7,
			 pairs(h, PAIRS * i));
}

static bool has_aperf(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i || !amd_has(APERF))
		return false;
	*out = (struct pmu_control_instance){.name = "busy"};
	return true;
}

static void aperf(struct pmu_hands *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t m, a, begin = tsc_read(), took;

	(void)instance, (void)e;
	m = read(h, MPERF);
	a = read(h, APERF);
	h->run_user(h, 0);
	m = read(h, MPERF) - m;
	a = read(h, APERF) - a;
	took = tsc_read() - begin;
	h->within(h, "MPERF goes on by no more than the time, and by", 1, took, m);
	h->within(h, "APERF goes on by", 1, took * FASTEST, a);
}

const struct pmu_control_check amd_control[] = {
	{"stop at a carry", "APM vol. 2, 13.2.1; revision guide 51810, erratum 795", 0, each_counter,
	 stop_at_carry},
	{"two counters interrupt", "APM vol. 2, 13.2.1, INT; revision guide 55449, erratum 1023",
	 PMU_CONTROL_INTERRUPT, first_two, two_interrupt},
	{"cycles over a halt", "guides of the families, PMCx076; revision guide 51810, erratum 794",
	 PMU_CONTROL_TIMER, once, halt},
	{"IRPERF", "APM vol. 2, 13.2; revision guide 56683, erratum 1267", 0, has_irperf, irperf},
	{"MPERF and APERF", "APM vol. 2, 17.2", 0, has_aperf, aperf},
	{0},
};
