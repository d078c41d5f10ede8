/*
 * Debug registers: SDM vol. 3, 17.2. Ring 0 alone.
 */
#ifndef ARCH_X86_CPU_DEBUG_REGISTERS_H
#define ARCH_X86_CPU_DEBUG_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#define DR7_LOCAL(n)   (1u << 2 * (n))
#define DR7_ENABLES(n) (3u << 2 * (n))
#define DR7_FIXED      0x400u /* reads as 1 */

/** Breakpoint n's address, 0 to 3; the enables. */
static inline uintptr_t debug_address(unsigned n)
{
	uintptr_t value;

	switch (n) {
	case 0:
		__asm__ volatile("mov %%dr0, %0" : "=r"(value));
		break;
	case 1:
		__asm__ volatile("mov %%dr1, %0" : "=r"(value));
		break;
	case 2:
		__asm__ volatile("mov %%dr2, %0" : "=r"(value));
		break;
	default:
		__asm__ volatile("mov %%dr3, %0" : "=r"(value));
	}
	return value;
}

static inline uintptr_t debug_control(void)
{
	uintptr_t value;

	__asm__ volatile("mov %%dr7, %0" : "=r"(value));
	return value;
}

/** Breakpoint 0 at one address, enabled; breakpoint 1 at another one, which is not. */
static inline void debug_set(uintptr_t enabled, uintptr_t disabled)
{
	__asm__ volatile("mov %0, %%dr0" ::"r"(enabled));
	__asm__ volatile("mov %0, %%dr1" ::"r"(disabled));
	__asm__ volatile("mov %0, %%dr7" ::"r"((uintptr_t)(DR7_FIXED | DR7_LOCAL(0))));
}

static inline void debug_clear(void)
{
	__asm__ volatile("mov %0, %%dr7" ::"r"((uintptr_t)DR7_FIXED));
}

#endif
