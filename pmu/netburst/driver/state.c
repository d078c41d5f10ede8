#include "pmu/netburst/driver/state.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"

void netburst_find_thread(const struct pmu *pmu)
{
	struct netburst_cpu *cpu = netburst_cpu(pmu);
	struct cpuid_regs leaf1 = cpuid(1, 0);

	/* Logical processors of the package: a Pentium D's two are cores, which have counters of their own.
	 * SDM vol. 3, 8.9.3. */
	unsigned logical = leaf1.ebx >> 16 & 0xff,
		 cores = cpuid(0, 0).eax < 4 ? 1 : (cpuid(4, 0).eax >> 26) + 1;

	cpu->hyper_threading = leaf1.edx >> 28 & 1 && logical > cores;
	cpu->thread = cpu->hyper_threading ? leaf1.ebx >> 24 & 1 : 0;
}

bool netburst_change_cccr(unsigned c, uint32_t clear, uint32_t set)
{
	const uint32_t address = MSR_NETBURST_CCCR0 + c;
	uint64_t value;

	return msr_read(address, &value) && msr_write(address, (value & ~(uint64_t)clear) | set);
}

bool netburst_stop_counter(const struct pmu *pmu, unsigned c)
{
	const struct netburst_use *use = &netburst_use(pmu)[c];

	return msr_write(netburst_escr[use->escr].msr, use->escr_value & ~NETBURST_RINGS) &&
	       netburst_change_cccr(c, CCCR_ENABLE, 0);
}

uint32_t netburst_ring_bits(const struct pmu *pmu, unsigned rings)
{
	uint32_t bits = (rings & LEVELS_SYSTEM ? ESCR_T0_OS : 0) | (rings & LEVELS_USER ? ESCR_T0_USR : 0);

	if (rings & NETBURST_ANY_THREAD)
		return bits | bits >> 2;
	return netburst_cpu(pmu)->thread ^ !!(rings & NETBURST_OTHER_THREAD) ? bits >> 2 : bits;
}

bool netburst_is_ioq_allocation(uint64_t code)
{
	const struct netburst_event *e = &netburst_event[NB_IOQ_ALLOCATION];

	return (CODE_ESCR(code) & ESCR_EVENT) >> ESCR_EVENT_SHIFT == e->select &&
	       (CODE_CCCR(code) & CCCR_SELECT) >> CCCR_SELECT_SHIFT == e->escr_select;
}

uint32_t netburst_escr_of(const struct pmu *pmu, const struct pmu_config *config)
{
	uint32_t escr = CODE_ESCR(config->code);

	return config->code & CODE_AS_WRITTEN ? escr
					      : escr | netburst_ring_bits(pmu, netburst_rings_of(config));
}

uint32_t netburst_count_mask(const struct netburst_recipe *r, unsigned source)
{
	return r->mechanism == TAG_EXECUTION && source == FIRM_ESCR1 ? r->count_mask << 1 : r->count_mask;
}

uint32_t netburst_source_value(const struct pmu *pmu, const struct netburst_recipe *r, unsigned source,
			       unsigned rings)
{
	uint32_t value = (uint32_t)netburst_event[r->source].select << ESCR_EVENT_SHIFT |
			 (uint32_t)r->source_mask << ESCR_MASK_SHIFT | netburst_ring_bits(pmu, rings);

	/* One tag value is as good as another: the one that the counting mask names. */
	if (r->mechanism == TAG_EXECUTION)
		value |= ESCR_TAG_ENABLE | netburst_count_mask(r, source) << ESCR_TAG_SHIFT;
	return value;
}

bool netburst_has_l3(const struct pmu *pmu)
{
	const unsigned levels = 8;

	if (!(MODELS_3_4_6 >> netburst_cpu(pmu)->model & 1) || cpuid(0, 0).eax < 4)
		return false;
	for (unsigned i = 0; i < levels; i++) {
		uint32_t eax = cpuid(4, i).eax;

		if (!(eax & 31))
			return false;
		if ((eax >> 5 & 7) == 3)
			return true;
	}
	return false;
}
