#include "pmu/intel/driver/here.h"

#include "arch/courage.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/intel/registers.h"

uint64_t intel_perf_capabilities(void)
{
	uint64_t capabilities;
	return cpu_has(CPU_PDCM) && msr_read(IA32_PERF_CAPABILITIES, &capabilities) ? capabilities : 0;
}

bool intel_msr_keeps(uint32_t address, uint64_t bit)
{
	uint64_t found, kept = 0;

	if (!courage_allows(SPACE_MSR, address))
		return true;
	bool good = msr_read(address, &found) && msr_write(address, found ^ bit) &&
		    msr_read(address, &kept) && kept == (found ^ bit);

	return msr_write(address, found) && good;
}

struct intel_leaf0a intel_leaf0a_unsifted(void)
{
	struct cpuid_regs r = cpuid(0xa, 0);
	struct intel_leaf0a l = intel_decode_leaf0a(r.eax, r.ebx, r.ecx, r.edx);
	struct intel_leaf23 sub[INTEL_LEAF23_SUBLEAVES];

	/* CPUID.7.1:EAX[8] tells of leaf 23H. */
	if (cpuid(0, 0).eax < 0x23 || !cpu_has(CPU_ARCH_PERFMON_EXT))
		return l;
	for (unsigned i = 0; i < INTEL_LEAF23_SUBLEAVES; i++) {
		r = cpuid(0x23, i);
		sub[i] = (struct intel_leaf23){r.eax, r.ebx, r.ecx, r.edx};
	}
	intel_apply_leaf23(&l, sub);
	return l;
}

struct intel_leaf0a intel_leaf0a_here(void)
{
	struct intel_leaf0a l = intel_leaf0a_unsifted();

	intel_sift_leaf0a(&l, NULL, 0, 0);
	return l;
}

uint32_t intel_reload_mask(unsigned bit)
{
	return 2 + (bit < GLOBAL_FIXED_SHIFT ? IA32_PMC_GP0_CTR + 4 * bit
					     : IA32_PMC_FX0_CTR + 4 * (bit - GLOBAL_FIXED_SHIFT));
}

uint8_t intel_kind_of_core(void)
{
	return cpuid(0, 0).eax >= 0x1a ? cpuid(0x1a, 0).eax >> 24 : 0;
}

bool intel_has_pebs(void)
{
	uint64_t misc;
	return cpu_has(CPU_DS) && cpu_has(CPU_DTES64) && cpu_has(CPU_PDCM) &&
	       !intel_leaf0a_here().pebs_counters &&
	       !(msr_read(IA32_MISC_ENABLE, &misc) && misc & MISC_ENABLE_NO_PEBS);
}

struct intel_lbr intel_lbr_here(void)
{
	struct cpuid_regs r = {0};

	if (cpu_has(CPU_ARCH_LBR))
		r = cpuid(0x1c, 0);
	return intel_lbr_layout(cpuid(1, 0).eax, intel_perf_capabilities(), r.eax, r.ebx, r.ecx);
}

struct intel_pebs intel_pebs_here(void)
{
	struct intel_leaf0a leaf = intel_leaf0a_here();

	return intel_pebs_layout(cpuid(1, 0).eax, intel_kind_of_core(), intel_perf_capabilities(),
				 intel_has_pebs(), &leaf);
}
