#include "tests/measure/pmi.h"

#include "arch/x86/interrupts/apic.h"
#include "arch/x86/exceptions/trap.h"

static void go_on(struct pmi *p)
{
	uint64_t overflowed = 0;

	p->pmu->driver->overflowed(p->pmu, &overflowed);
	p->empty += !overflowed;
	p->pmu->driver->acknowledge(p->pmu, overflowed);
	apic_write(APIC_LVT_PERF, VECTOR_PMI | APIC_LVT_FIXED);
}

/* Before all else: time goes by. */
static void look_at_clock(struct pmi *p)
{
	uint64_t value;

	if (p->has_clock && p->pmu->driver->read(p->pmu, p->clock, &value))
		p->clocked = value;
}

static bool on_fixed(struct trap_frame *frame, void *arg)
{
	struct pmi *p = arg;

	look_at_clock(p);
	p->rip = frame->rip;
	p->fixed++;
	p->lvt = apic_read(APIC_LVT_PERF);
	if (p->goes_on)
		go_on(p);
	apic_eoi();
	return true;
}

/* The watchdog interrupts by NMI as well: without an overflow it is none of ours. */
static bool on_nmi(struct trap_frame *frame, void *arg)
{
	struct pmi *p = arg;
	uint64_t overflowed = 0;

	look_at_clock(p);
	if (!p->pmu->driver->overflowed(p->pmu, &overflowed) || !overflowed)
		return false;
	p->rip = frame->rip;
	p->nmi++;
	p->lvt = apic_read(APIC_LVT_PERF);
	return true;
}

void pmi_claim(struct pmi *p, const struct pmu *pmu)
{
	*p = (struct pmi){.pmu = pmu};
	trap_set_handler(VECTOR_PMI, on_fixed, p);
	trap_set_handler(VECTOR_NMI, on_nmi, p);
}

void pmi_unclaim(void)
{
	apic_write(APIC_LVT_PERF, VECTOR_PMI | APIC_LVT_MASKED);
	trap_set_handler(VECTOR_PMI, 0, 0);
	trap_set_handler(VECTOR_NMI, 0, 0);
}

void pmi_arm(struct pmi *p, uint32_t mode)
{
	p->fixed = p->nmi = p->empty = 0;
	p->lvt = 0;
	p->rip = 0;
	apic_write(APIC_LVT_PERF, VECTOR_PMI | mode);
}

void pmi_let_in(void)
{
	__asm__ volatile("sti\n\tnop\n\tnop\n\tcli" ::: "memory");
}
