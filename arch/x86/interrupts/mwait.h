/*
 * Idle states that MWAIT enters: SDM vol. 2, CPUID leaf 05H and MWAIT.
 */
#ifndef ARCH_X86_INTERRUPTS_MWAIT_H
#define ARCH_X86_INTERRUPTS_MWAIT_H

#include <stdint.h>

#define CPUID_MWAIT 5

/** The hint for the deepest state below C1, by ECX and EDX of the leaf. @return 0: there is none */
static inline uint32_t mwait_deepest(uint32_t ecx, uint32_t edx)
{
	for (unsigned state = 7; (ecx & 1) && state > 1; state--)
		if (edx >> 4 * state & 15)
			return (state - 1) << 4;
	return 0;
}

#endif
