#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/step/step.h"
#include "arch/x86/exceptions/trap.h"

#include <string.h>

#define HYPERVISOR       0x40000000u
#define HYPERVISOR_BLOCK 0x100u
#define HYPERVISOR_END   (HYPERVISOR + 8 * HYPERVISOR_BLOCK)

static struct cpuid_regs raw(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid_regs r;

	if (step_presents())
		return presented_ask(leaf, subleaf);
	__asm__ volatile("cpuid"
			 : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
			 : "a"(leaf), "c"(subleaf));
	step_run_free();
	return r;
}

struct cpuid_regs cpuid(uint32_t leaf, uint32_t subleaf)
{
	/* Intel CPUs answer a leaf beyond the last one with the data of the last basic leaf. */
	uint32_t range = leaf & 0xffff0000;
	uint32_t last;

	if (range == HYPERVISOR && !(raw(1, 0).ecx >> 31))
		return (struct cpuid_regs){0, 0, 0, 0};
	last = raw(range, 0).eax;
	/* Some hypervisors leave the highest leaf at 0 although 40000000H itself is there. */
	if (leaf > last && !(leaf == HYPERVISOR))
		return (struct cpuid_regs){0, 0, 0, 0};
	return raw(leaf, subleaf);
}

bool cpu_has(enum cpu_feature feature)
{
	return cpu_tells(feature, cpuid);
}

/* The signature as text; false if there is none. */
static bool signature(const struct cpuid_regs *r, char text[13])
{
	size_t length;

	memcpy(text, &r->ebx, 12);
	text[12] = '\0';
	length = strlen(text);
	for (size_t i = 0; i < length; i++)
		if (text[i] < ' ' || text[i] > '~')
			text[i] = '?';
	return length > 0;
}

unsigned cpu_hypervisors(struct cpu_hypervisor *out, unsigned max)
{
	unsigned n = 0;

	if (!(raw(1, 0).ecx >> 31))
		return 0;
	for (uint32_t leaf = HYPERVISOR; leaf < HYPERVISOR_END && n < max; leaf += HYPERVISOR_BLOCK) {
		struct cpuid_regs r = raw(leaf, 0);
		struct cpu_hypervisor *h = &out[n];

		/* Beyond its last leaf a CPU may answer with any other leaf's data. Some leave the highest
		 * one of the first block at 0. */
		bool own = r.eax >= leaf && r.eax < leaf + HYPERVISOR_BLOCK;
		if (!signature(&r, h->signature) || !(own || (leaf == HYPERVISOR && r.eax == 0)))
			continue;
		h->first_leaf = leaf;
		h->max_leaf = own ? r.eax : leaf;
		n++;
	}
	return n;
}

void cpu_identify(struct cpu_identity *out)
{
	struct cpu_hypervisor first;

	cpu_decode(out, cpuid);
	if (cpu_hypervisors(&first, 1))
		memcpy(out->hypervisor, first.signature, sizeof out->hypervisor);
}
