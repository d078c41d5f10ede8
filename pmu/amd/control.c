/*
 * Control logic of AMD's own: free-running counters, halted time, a stop at a carry into the upper half, and
 * several counters that interrupt. Published errata are about each of them.
 */
#include "pmu/amd/control.h"
#include "pmu/control.h"

#include "arch/x86/msr.h"
#include "arch/x86/time.h"
#include "pmu/amd/driver.h"
#include "pmu/amd/generation.h"
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
	const struct pmu_config config = {.code = code, .ring = rings, .interrupt = interrupt};

	return control_program(h, c, &config, first);
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
			  UPPER - before + high, control_value(h, c));
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
	h->within(h, "over a halt the core's cycles go on by", 1, took / ACTIVE_PART,
		  control_value(h, 0) - START);
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
	m = control_register(h, MPERF);
	a = control_register(h, APERF);
	h->run_user(h, 0);
	m = control_register(h, MPERF) - m;
	a = control_register(h, APERF) - a;
	took = tsc_read() - begin;
	h->within(h, "MPERF goes on by no more than the time, and by", 1, took, m);
	h->within(h, "APERF goes on by", 1, took * FASTEST, a);
}

/* --- merged counters ---------------------------------------------------------------------------------- */

static bool counts_additions(const struct pmu *pmu, unsigned c, const struct pmu_event *e)
{
	return (e->code & CTL_EVENT) == EVENT_LARGE && pmu->driver->can_count(pmu, e, c) &&
	       (e->terms[0].quantity == Q_FLOPS_SP_ADD || e->terms[0].quantity == Q_FLOPS_SP);
}

/* A hypervisor may let the event of large increments count nothing. */
static bool each_pair(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	unsigned c = 2 * i;

	if (pmu->guest || !amd_merges(amd_identified()) || c + 1 >= pmu->n_counters)
		return false;
	*out = (struct pmu_control_instance){.counters = 3ull << c};
	snprintf(out->name, sizeof out->name, "%s and %s", pmu->counter[c].name, pmu->counter[c + 1].name);
	return true;
}

static const struct pmu_event *first_that(const struct pmu *pmu, unsigned c,
					  bool (*suits)(const struct pmu *, unsigned,
							const struct pmu_event *))
{
	for (unsigned i = 0; i < pmu->n_events; i++)
		if (suits(pmu, c, pmu->events[i]))
			return pmu->events[i];
	return NULL;
}

/* The upper counter takes the carry, and only where it wraps itself the pair overflows. */
static void merged(struct pmu_hands *h, unsigned instance, const struct pmu_event *unused)
{
	const struct pmu_driver *d = h->pmu->driver;
	unsigned c = 2 * instance;
	const struct pmu_event *e = first_that(h->pmu, c, counts_additions);
	uint64_t overflows = 0;

	(void)unused;
	if (!h->works(h, "finding an event of large increments", e != NULL))
		return;
	for (uint64_t upper = MERGE_TOP - 1; upper <= MERGE_TOP; upper++) {
		if (!set(h, c, e->code, RING_ALL, false, TOP - 1) ||
		    !h->works(h, "writing the upper half",
			      msr_write(amd_counter_msr(h->pmu, c + 1), upper) &&
				      d->start(h->pmu, 1ull << c)))
			return;
		amd_flops(PAIRS);
		h->works(h, "stopping", d->stop(h->pmu));
		h->equal(h, "the lower half goes on by", 4 * PAIRS - 2, control_value(h, c));
		h->equal(h, "the upper half becomes", (upper + 1) & MERGE_TOP, control_value(h, c + 1));
		h->works(h, "reading the status", !h->pmu->has_global || d->overflowed(h->pmu, &overflows));
		if (h->pmu->has_global)
			h->equal(h, "overflows", upper == MERGE_TOP ? 1ull << c : 0, overflows);
	}
	h->works(h, "taking it out of use", d->release(h->pmu, c));
}

/* --- host and guest ----------------------------------------------------------------------------------- */

/* A hypervisor may keep these bits to itself. */
static bool each_selector(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return !pmu->guest && !amd_narrow(amd_identified()) && each_counter(pmu, i, out);
}

/* We are in no guest. A counter that asks for one of the two counts only while SVM is enabled. */
static void host_and_guest(struct pmu_hands *h, unsigned c, const struct pmu_event *e)
{
	static const struct {
		uint64_t only;
		bool svme, counts;
		const char *what;
	} cases[] = {
		{CTL_GUEST, false, false, "without SVM, what is for guests only counts"},
		{CTL_HOST, false, false, "without SVM, what is for hosts only counts"},
		{CTL_GUEST, true, false, "in no guest, what is for guests only counts"},
		{CTL_HOST, true, true, "in no guest, what is for hosts only counts"},
		{CTL_HOST | CTL_GUEST, true, true, "in no guest, what is for both counts"},
	};
	uint64_t efer, low, high;

	if (!h->works(h, "reading EFER", msr_read(EFER, &efer)))
		return;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		/* Firmware may have locked SVM away. */
		if (!msr_write(EFER, cases[i].svme ? efer | EFER_SVME : efer & ~EFER_SVME))
			break;
		if (set(h, c, e->code | cases[i].only, RING_ALL, false, START)) {
			h->run(h, 1ull << c);
			h->amount(h, e, 0, &low, &high);
			h->within(h, cases[i].what, cases[i].counts ? low : 0, cases[i].counts ? high : 0,
				  control_value(h, c) - START);
		}
	}
	if (h->works(h, "restoring EFER", msr_write(EFER, efer)) &&
	    set(h, c, e->code, RING_ALL, false, START)) {
		h->run(h, 1ull << c);
		h->amount(h, e, 0, &low, &high);
		h->within(h, "what is for neither counts", low, high, control_value(h, c) - START);
	}
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
	{"merged counters", "PPR of family 17H, large increments", 0, each_pair, merged},
	{"host and guest", "APM vol. 2, 13.2.1, HG_ONLY; Linux 1018faa6cf23", 0, each_selector,
	 host_and_guest},
	{0},
};
