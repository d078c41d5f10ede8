#include "tests/measure/pmi.h"

#include "arch/exceptions.h"

static GENERAL_REGISTERS_ONLY void go_on(struct pmi *p)
{
	uint64_t overflowed = 0;

	p->pmu->driver->overflowed(p->pmu, &overflowed);
	p->empty += !overflowed;
	p->pmu->driver->acknowledge(p->pmu, overflowed);
	overflow_arm(OVERFLOW_COUNTERS, OVERFLOW_MASKABLE);
}

/* Before all else: time goes by. */
static GENERAL_REGISTERS_ONLY void look_at_clock(struct pmi *p)
{
	uint64_t value;

	if (p->has_clock && p->pmu->driver->read(p->pmu, p->clock, &value))
		p->clocked = value;
}

static GENERAL_REGISTERS_ONLY bool on_maskable(uint64_t address, enum overflow_way way, void *arg)
{
	struct pmi *p = arg;

	(void)way;
	look_at_clock(p);
	p->address = address;
	p->maskable++;
	p->masked = overflow_masked(OVERFLOW_COUNTERS);
	if (p->goes_on)
		go_on(p);
	return true;
}

/* The watchdog interrupts by NMI as well: without an overflow it is none of ours. */
static GENERAL_REGISTERS_ONLY bool on_nmi(uint64_t address, enum overflow_way way, void *arg)
{
	struct pmi *p = arg;
	uint64_t overflowed = 0;

	(void)way;
	look_at_clock(p);
	if (!p->pmu->driver->overflowed(p->pmu, &overflowed) || !overflowed)
		return false;
	p->address = address;
	p->nmi++;
	p->masked = overflow_masked(OVERFLOW_COUNTERS);
	return true;
}

void pmi_claim(struct pmi *p, const struct pmu *pmu)
{
	*p = (struct pmi){.pmu = pmu, .claim = {{on_maskable, p}, {on_nmi, p}}};
	for (unsigned way = 0; way < OVERFLOW_WAYS; way++)
		overflow_claim(way, &p->claim[way]);
}

void pmi_unclaim(void)
{
	overflow_mask(OVERFLOW_COUNTERS);
	for (unsigned way = 0; way < OVERFLOW_WAYS; way++)
		overflow_claim(way, NULL);
}

static void forget(struct pmi *p)
{
	p->maskable = p->nmi = p->empty = 0;
	p->masked = false;
	p->address = 0;
}

void pmi_arm(struct pmi *p, enum overflow_way way)
{
	forget(p);
	overflow_arm(OVERFLOW_COUNTERS, way);
}

void pmi_mask(struct pmi *p)
{
	forget(p);
	overflow_mask(OVERFLOW_COUNTERS);
}
