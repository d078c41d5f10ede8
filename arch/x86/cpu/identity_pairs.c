#include "arch/identity.h"

#include "arch/x86/cpu/cpuid_leaves.h"
#include "arch/x86/cpu/msr.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MSR_BIOS_SIGN_ID 0x8b
#define HYPERVISORS      4

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

static void add(struct identity_pair *out, unsigned *n, unsigned max, const char *name, const char *format,
		...)
{
	va_list args;

	if (*n == max)
		return;
	out[*n] = (struct identity_pair){.name = name};
	va_start(args, format);
	vsnprintf(out[*n].value, sizeof out[*n].value, format, args);
	va_end(args);
	++*n;
}

unsigned identity_read(struct identity_pair *out, unsigned max)
{
	static const char *const blocks[HYPERVISORS] = {"hypervisor", "hypervisor 2", "hypervisor 3",
							"hypervisor 4"};
	struct cpu_hypervisor hypervisor[HYPERVISORS];
	struct cpu_identity cpu;
	unsigned n = 0, n_blocks = cpu_hypervisors(hypervisor, HYPERVISORS);
	uint32_t microcode;

	cpu_identify(&cpu);
	microcode = microcode_revision(&cpu);
	add(out, &n, max, "vendor", "%s", cpu.vendor);
	if (*cpu.brand)
		add(out, &n, max, "brand", "%s", cpu.brand);
	add(out, &n, max, "signature", "0x%lx", (unsigned long)cpu.signature);
	add(out, &n, max, "family", "%u", cpu.family);
	add(out, &n, max, "model", "%u", cpu.model);
	add(out, &n, max, "stepping", "%u", cpu.stepping);
	add(out, &n, max, "microcode", microcode ? "0x%lx" : "unknown", (unsigned long)microcode);
	if (n)
		out[n - 1].loaded = true;
	for (unsigned i = 0; i < n_blocks; i++)
		add(out, &n, max, blocks[i], "%s, CPUID leaves %lXH to %lXH", hypervisor[i].signature,
		    (unsigned long)hypervisor[i].first_leaf, (unsigned long)hypervisor[i].max_leaf);
	return n;
}

void identity_title(char out[IDENTITY_TITLE])
{
	struct cpu_identity cpu;

	cpu_identify(&cpu);
	snprintf(out, IDENTITY_TITLE, "%s, family %u model %u stepping %u",
		 *cpu.brand ? cpu.brand : cpu.vendor, cpu.family, cpu.model, cpu.stepping);
}

void identity_details(identity_each *each, void *to)
{
	cpuid_pairs(cpuid, each, to);
}

bool identity_hypervisor(char name[IDENTITY_HYPERVISOR])
{
	struct cpu_identity cpu;

	cpu_identify(&cpu);
	_Static_assert(sizeof cpu.hypervisor == IDENTITY_HYPERVISOR, "a signature fits");
	memcpy(name, cpu.hypervisor, sizeof cpu.hypervisor);
	return cpu.under_hypervisor;
}

void identity_name(char out[IDENTITY_NAME])
{
	struct cpu_identity cpu;

	cpu_identify(&cpu);
	cpu_name(&cpu, out, IDENTITY_NAME);
}
