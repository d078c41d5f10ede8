/*
 * Debug registers: SDM vol. 3, 17.2. Ring 0 alone.
 */
#ifndef ARCH_X86_CPU_DEBUG_REGISTERS_H
#define ARCH_X86_CPU_DEBUG_REGISTERS_H

#include "arch/x86/cpu/cpu.h"

#include <stdint.h>

#define DR7_LOCAL(n)   (1u << 2 * (n))
#define DR7_ENABLES(n) (3u << 2 * (n))
#define DR7_FIXED      0x400u /* reads as 1 */

/** Breakpoint n's address, 0 to 3. */
static inline uintptr_t debug_address(unsigned n)
{
	return (uintptr_t)(n == 0 ? dr0_read() : n == 1 ? dr1_read() : n == 2 ? dr2_read() : dr3_read());
}

/** Breakpoint 0 at one address, enabled; breakpoint 1 at another one, which is not. */
static inline void debug_set(uintptr_t enabled, uintptr_t disabled)
{
	dr0_write(enabled);
	dr1_write(disabled);
	dr7_write(DR7_FIXED | DR7_LOCAL(0));
}

static inline void debug_clear(void)
{
	dr7_write(DR7_FIXED);
}

#endif
