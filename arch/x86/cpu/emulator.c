#include "arch/identity.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"

/* Bochs's port_e9_hack and QEMU's isa-debugcon read as their port's number; where nothing answers, all bits
 * are set. */
#define DEBUG_PORT 0xe9

bool identity_emulated(void)
{
	struct cpu_identity cpu;

	cpu_identify(&cpu);
	return cpu.under_hypervisor || port_read8(DEBUG_PORT) == DEBUG_PORT;
}
