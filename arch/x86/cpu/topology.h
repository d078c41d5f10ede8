/*
 * How a CPU's logical processors belong together, by CPUID. Pure: CPUID is read through a function.
 */
#ifndef ARCH_X86_CPU_TOPOLOGY_H
#define ARCH_X86_CPU_TOPOLOGY_H

#include "arch/x86/cpu/cpuid.h"

#include <stdint.h>

typedef struct cpuid_regs topology_cpuid(const void *context, uint32_t leaf, uint32_t subleaf);

/** How many low bits of an APIC ID tell the logical processors of one core apart. */
uint8_t core_thread_bits(topology_cpuid *read, const void *context);

/** Likewise, of those that share a level-2 cache. */
uint8_t core_cluster_bits(topology_cpuid *read, const void *context);

#endif
