#include "arch/courage.h"
#include "arch/firmware.h"
#include "arch/x86/cpu/smi.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"

#include <string.h>

const char *const firmware_counter_name = "MSR_SMI_COUNT";

/* "GenuineIntel" in EBX, EDX and ECX of CPUID leaf 0. */
#define GENU 0x756e6547
#define INEI 0x49656e69
#define NTEL 0x6c65746e

static bool counted_by(uint32_t signature)
{
	/* Family 6 parts from Nehalem's model number on that are older: Dunnington and the first Atoms. */
	static const uint8_t without[] = {0x1c, 0x1d, 0x26, 0x27, 0x35, 0x36};
	unsigned family = signature >> 8 & 15, model = (signature >> 4 & 15) | (signature >> 12 & 0xf0);

	if (family == 15)
		return (signature >> 20 & 255) >
		       0; /* 15 itself is NetBurst, above it are the successors of 6 */
	return family == 6 && model >= 0x1a && !memchr(without, (int)model, sizeof(without));
}

bool smi_counted(const char *vendor, uint32_t signature)
{
	return !strcmp(vendor, "GenuineIntel") && counted_by(signature);
}

static bool is_intel(void)
{
	struct cpuid_regs name = cpuid(0, 0);

	return name.ebx == GENU && name.edx == INEI && name.ecx == NTEL;
}

bool firmware_is_counted(void)
{
	return is_intel() && counted_by(cpuid(1, 0).eax);
}

bool firmware_interrupts(uint32_t *count)
{
	uint64_t value;

	if (!msr_read(MSR_SMI_COUNT, &value))
		return false;
	*count = (uint32_t)value;
	return true;
}

#define CPUID_1_ECX_PDCM       (1u << 15)
#define IA32_PERF_CAPABILITIES 0x345
#define CAP_SMM_FREEZE         (1u << 12)
#define IA32_DEBUGCTL          0x1d9
#define FREEZE_WHILE_SMM       (1u << 14)

bool firmware_hold_counters(uint64_t *before)
{
	uint64_t capabilities;

	return courage_allows(SPACE_MSR, IA32_DEBUGCTL) && is_intel() && cpuid(1, 0).ecx & CPUID_1_ECX_PDCM &&
	       msr_read(IA32_PERF_CAPABILITIES, &capabilities) && capabilities & CAP_SMM_FREEZE &&
	       msr_read(IA32_DEBUGCTL, before) && msr_write(IA32_DEBUGCTL, *before | FREEZE_WHILE_SMM);
}

void firmware_let_counters(uint64_t before)
{
	msr_write(IA32_DEBUGCTL, before);
}
