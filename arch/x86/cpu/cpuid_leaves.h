/*
 * All that CPUID tells, leaf by leaf: for reports, so that what a CPU is can be worked out again later.
 */
#ifndef ARCH_X86_CPU_CPUID_LEAVES_H
#define ARCH_X86_CPU_CPUID_LEAVES_H

#include "arch/identity.h"
#include "arch/x86/cpu/cpuid.h"

typedef struct cpuid_regs cpuid_query(uint32_t leaf, uint32_t subleaf);

/**
 * Hand every leaf that is not all zero to `each`: the basic ones, the first of a hypervisor, the extended
 * ones; subleaves 0 to CPUID_SUBLEAVES - 1 of leaves that have such. Leaf 3 is left out: a serial number.
 * @param query answers CPUID
 */
#define CPUID_SUBLEAVES 8
void cpuid_leaves(cpuid_query *query,
		  void (*each)(void *to, uint32_t leaf, uint32_t subleaf, struct cpuid_regs r), void *to);

/** The same as pairs of an identity (arch/identity.h, identity_details). */
void cpuid_pairs(cpuid_query *query, identity_each *each, void *to);

#endif
