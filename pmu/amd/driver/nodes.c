#include "pmu/amd/driver/nodes.h"

#include "arch/x86/machine/acpi.h"
#include "arch/x86/cpu/cpuid.h"

#define TOPOLOGY_EXTENSIONS (1u << 22) /* of 8000_0001H:ECX */
#define NODE_ID_MSR         (1u << 19)

static bool one_node_each(void)
{
	uint32_t top = cpuid(0x80000000, 0).eax, features = cpuid(0x80000001, 0).ecx;

	if (features & TOPOLOGY_EXTENSIONS && top >= 0x8000001e)
		return !(cpuid(0x8000001e, 0).ecx >> 8 & 7);
	return !(features & NODE_ID_MSR); /* a part of family 10H that may have two */
}

static unsigned package_bits(void)
{
	uint32_t sizes = cpuid(0x80000008, 0).ecx;
	unsigned bits = sizes >> 12 & 15;

	while (!(sizes >> 12 & 15) && 1u << bits < (sizes & 0xff) + 1)
		bits++;
	return bits;
}

bool amd_one_node(void)
{
	unsigned bits = package_bits();

	for (unsigned i = 1; i < acpi.n_processors; i++)
		if ((acpi.processor[i].apic_id ^ acpi.processor[0].apic_id) >> bits)
			return false;
	return acpi.memory_domains < 2 && one_node_each();
}
