#include "tests/kernels/x86/emulators.h"

#include "arch/x86/cpu/cpuid.h"

#include <string.h>

#define HYPERVISOR_LEAF 0x40000000
#define HYPERVISOR_BIT  (1u << 31) /* CPUID.1:ECX, free for emulators to tell that they are one */

#define TCG   "TCGTCGTCGTCG"
#define NO_SS "QEMU's TCG raises #GP for every address that is not canonical"
#define INT1  "QEMU's TCG stops the machine at INT1"

const struct emulator_trouble emulator_troubles[] = {
	{"fault_ss_ring0", TCG, NO_SS},
	{"fault_ss_ring3", TCG, NO_SS},
	{"int1_ring0", TCG, INT1},
	{"int1_ring3", TCG, INT1},
	{0},
};

static bool runs_under(const char *hypervisor)
{
	char name[13] = "";

	if (cpuid(1, 0).ecx & HYPERVISOR_BIT) {
		struct cpuid_regs r = cpuid(HYPERVISOR_LEAF, 0);

		memcpy(name, &r.ebx, 4);
		memcpy(name + 4, &r.ecx, 4);
		memcpy(name + 8, &r.edx, 4);
	}
	return !strcmp(name, hypervisor);
}

const struct emulator_trouble *emulator_trouble(const struct kernel *k)
{
	for (const struct emulator_trouble *t = emulator_troubles; t->kernel; t++)
		if (!strcmp(t->kernel, k->name) && runs_under(t->hypervisor))
			return t;
	return NULL;
}
