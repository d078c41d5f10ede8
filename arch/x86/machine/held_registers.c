#include "arch/x86/machine/held_registers.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"

#include <string.h>

#define LEAVES_WITH_LIMIT 3

static bool has_cpuid_limit(const struct cpu_identity *cpu)
{
	return !strcmp(cpu->vendor, "GenuineIntel") && cpu->max_leaf <= LEAVES_WITH_LIMIT &&
	       !cpu->under_hypervisor;
}

static bool has_c1e(const struct cpu_identity *cpu)
{
	return !strcmp(cpu->vendor, "AuthenticAMD") && cpu->family >= 0xf && cpu->family <= 0x11;
}

static const struct {
	bool (*has)(const struct cpu_identity *cpu);
	uint32_t msr;
	uint64_t bits;
} rows[HELD_REGISTERS] = {
	[HELD_CPUID_LIMIT] = {has_cpuid_limit, 0x1a0, 1 << 22},
	[HELD_C1E] = {has_c1e, 0xc0010055, 3 << 27},
};

bool held_change(struct held_registers *held, enum held_register which, held_read *read)
{
	struct cpu_identity cpu;
	uint64_t *before = &held->before[which], now;

	cpu_identify(&cpu);
	held->changed[which] = rows[which].has(&cpu) && read(rows[which].msr, before) &&
			       *before & rows[which].bits &&
			       msr_write_own(rows[which].msr, *before & ~rows[which].bits) &&
			       read(rows[which].msr, &now) && !(now & rows[which].bits);
	return held->changed[which];
}

void held_put_back(struct held_registers *held, enum held_register which)
{
	if (held->changed[which])
		msr_write_own(rows[which].msr, held->before[which]);
	held->changed[which] = false;
}
