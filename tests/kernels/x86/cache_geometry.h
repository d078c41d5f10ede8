/*
 * Geometry of data caches, and size of data TLBs, from CPUID.
 */
#ifndef TESTS_KERNELS_X86_CACHE_GEOMETRY_H
#define TESTS_KERNELS_X86_CACHE_GEOMETRY_H

#include "arch/x86/cpu/cpuid.h"

#include <stdbool.h>
#include <stdint.h>

struct cache_geometry {
	uint32_t line; /* bytes */
	uint32_t ways;
	uint32_t sets;
};

/**
 * Geometry of the data or unified cache of a level.
 * SDM vol. 2, CPUID leaf 4; AMD APM vol. 3, leaves 8000001DH, and 80000005H and 80000006H for older CPUs.
 * @param level 1 to 3
 * @param query executes CPUID: cpuid() on the machine
 * @return false if CPUID does not tell
 */
bool cache_geometry(unsigned level, struct cpuid_regs (*query)(uint32_t leaf, uint32_t subleaf),
		    struct cache_geometry *out);

/** Whether there is a third level, of at least so many times the second one's size. @param query as above */
bool third_level_exceeds(unsigned times, struct cpuid_regs (*query)(uint32_t leaf, uint32_t subleaf));

/** How many translations of data in 4 KiB pages the levels of TLB hold; 0: none that CPUID tells of. */
struct tlb_geometry {
	unsigned first, second;
};

/** SDM vol. 2, CPUID leaves 18H and 2; AMD APM vol. 3, leaves 80000005H and 80000006H. */
struct tlb_geometry tlb_geometry(struct cpuid_regs (*query)(uint32_t leaf, uint32_t subleaf));

#endif
