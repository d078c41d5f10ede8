/*
 * What the CPU itself says of its TSC's rate: for machines on which no timer is left to measure it with.
 */
#ifndef ARCH_X86_TIME_TSC_RATE_H
#define ARCH_X86_TIME_TSC_RATE_H

#include "arch/x86/cpu/cpuid.h"

#include <stdbool.h>
#include <stdint.h>

/** Reads an MSR. @return false if it cannot be read */
typedef bool tsc_msr(uint32_t address, uint64_t *value);

/**
 * The rate in Hz, by CPUID leaf 15H (SDM vol. 3, 18.7.3), by leaf 16H alone, or by MSR_PLATFORM_INFO[15:8] in
 * units of the bus clock (SDM vol. 4: 133.33 MHz of Nehalem and Westmere, 100 MHz from Sandy Bridge on; asked
 * for only of models that have it, and in no guest).
 * @param source gets which: "CPUID.15H", "CPUID.16H", "MSR_PLATFORM_INFO"
 * @return 0 if it does not say
 */
uint64_t tsc_rate(struct cpuid_regs (*query)(uint32_t leaf, uint32_t subleaf), tsc_msr *read,
		  const char **source);

#endif
