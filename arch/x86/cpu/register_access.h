/*
 * RDMSR, WRMSR and RDPMC as register accesses (arch/register.h).
 */
#ifndef ARCH_X86_CPU_REGISTER_ACCESS_H
#define ARCH_X86_CPU_REGISTER_ACCESS_H

#include "arch/register.h"

/** In ring 0: the CPU itself refuses them elsewhere. */
static inline struct register_access access_rdmsr(uint32_t address)
{
	return (struct register_access){.space = SPACE_MSR, .number = address, .permitted = true};
}

static inline struct register_access access_wrmsr(uint32_t address, uint64_t value)
{
	return (struct register_access){
		.space = SPACE_MSR, .number = address, .write = true, .value = value, .permitted = true};
}

/** @param index of ECX. @param pce CR4.PCE, which permits it outside of ring 0 */
static inline struct register_access access_rdpmc(uint32_t index, uint8_t cpl, bool pce)
{
	return (struct register_access){
		.space = SPACE_SELECTOR, .number = index, .level = cpl, .permitted = !cpl || pce};
}

#endif
