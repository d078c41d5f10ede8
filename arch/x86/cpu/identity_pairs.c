#include "arch/identity.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"

#include <stdio.h>
#include <string.h>

#define MSR_BIOS_SIGN_ID 0x8b

const char *isa_name(void)
{
	return "x86-64";
}

/** Intel wants the register cleared and CPUID executed first: SDM vol. 3, 9.11.7.1. 0: it cannot be read. */
static uint32_t microcode_revision(const struct cpu_identity *cpu)
{
	uint64_t value;

	if (!strcmp(cpu->vendor, "GenuineIntel")) {
		msr_write(MSR_BIOS_SIGN_ID, 0);
		cpuid(1, 0);
	}
	return msr_read(MSR_BIOS_SIGN_ID, &value) ? cpu_microcode(cpu->vendor, value) : 0;
}

unsigned identity_read(struct identity_pair *out, unsigned max)
{
	struct cpu_identity cpu;

	cpu_identify(&cpu);
	const struct {
		const char *name, *format, *text;
		unsigned number;
	} pairs[] = {
		{"vendor", NULL, cpu.vendor, 0},
		{"brand", NULL, cpu.brand, 0},
		{"signature", "0x%x", NULL, cpu.signature},
		{"family", "%u", NULL, cpu.family},
		{"model", "%u", NULL, cpu.model},
		{"stepping", "%u", NULL, cpu.stepping},
		{"microcode", "0x%x", NULL, microcode_revision(&cpu)},
	};
	unsigned n = 0;

	for (; n < max && n < sizeof pairs / sizeof pairs[0]; n++) {
		out[n].name = pairs[n].name;
		if (pairs[n].text)
			snprintf(out[n].value, sizeof out[n].value, "%s", pairs[n].text);
		else
			snprintf(out[n].value, sizeof out[n].value, pairs[n].format, pairs[n].number);
	}
	return n;
}

bool identity_guest(char name[IDENTITY_HYPERVISOR])
{
	struct cpu_identity cpu;

	cpu_identify(&cpu);
	_Static_assert(sizeof cpu.hypervisor == IDENTITY_HYPERVISOR, "a signature fits");
	memcpy(name, cpu.hypervisor, sizeof cpu.hypervisor);
	return cpu.guest;
}
