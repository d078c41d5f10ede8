#include "arch/x86/time/tsc_rate.h"
#include "arch/time.h"

#include <string.h>

const char clock_name[] = "tsc";

#define MHZ               1000000ull
#define MSR_PLATFORM_INFO 0xce

typedef struct cpuid_regs query_function(uint32_t leaf, uint32_t subleaf);

/* Leaf 15H: the TSC runs at crystal * EBX / EAX. Where ECX leaves the crystal open, it follows from the base
 * frequency of leaf 16H, which is the TSC's; of Denverton, which has none, it is 25 MHz (SDM vol. 3, table
 * 18-75). */
static uint64_t by_crystal(query_function *query, const struct cpu_identity *cpu)
{
	struct cpuid_regs r = query(0x15, 0);
	uint64_t crystal = r.ecx;

	if (!r.eax || !r.ebx)
		return 0;
	if (!crystal && cpu->family == 6 && cpu->model == 0x5f)
		crystal = 25 * MHZ;
	return crystal * r.ebx / r.eax;
}

static uint64_t by_base_frequency(query_function *query)
{
	return (query(0x16, 0).eax & 0xffff) * MHZ;
}

/* In units of 1/3 MHz. */
static unsigned bus_clock(unsigned model)
{
	static const uint8_t nehalem[] = {0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f},
			     later[] = {0x2a, 0x2d, 0x3a, 0x3e, 0x3c, 0x3f, 0x45, 0x46, 0x3d,
					0x47, 0x4f, 0x56, 0x4e, 0x5e, 0x55, 0x8e, 0x9e};

	return memchr(nehalem, (int)model, sizeof nehalem) ? 400
	       : memchr(later, (int)model, sizeof later)   ? 300
							   : 0;
}

static uint64_t by_ratio(const struct cpu_identity *cpu, tsc_msr *read)
{
	unsigned clock = cpu->family == 6 && !cpu->under_hypervisor ? bus_clock(cpu->model) : 0;
	uint64_t value;

	return clock && read(MSR_PLATFORM_INFO, &value) ? (value >> 8 & 0xff) * clock * MHZ / 3 : 0;
}

uint64_t tsc_rate(query_function *query, tsc_msr *read, const char **source)
{
	struct cpu_identity cpu;
	uint64_t hz;

	cpu_decode(&cpu, query);
	if (strcmp(cpu.vendor, "GenuineIntel"))
		return 0;
	*source = "CPUID.15H";
	hz = cpu.max_leaf >= 0x15 ? by_crystal(query, &cpu) : 0;
	if (hz)
		return hz;
	*source = "CPUID.16H";
	hz = cpu.max_leaf >= 0x16 ? by_base_frequency(query) : 0;
	if (hz)
		return hz;
	*source = "MSR_PLATFORM_INFO";
	return by_ratio(&cpu, read);
}
