/*
 * Generations of AMD's cores, as far as their events and registers differ, and what CPUID says of the PMU.
 * Shared by driver and model.
 */
#ifndef PMU_AMD_GENERATION_H
#define PMU_AMD_GENERATION_H

#include <stdbool.h>
#include <stdint.h>

/** One bit each, so that an event's row can name several. */
enum amd_generation {
	AMD_K7 = 1 << 0,
	AMD_K8 = 1 << 1,
	AMD_10H = 1 << 2,
	AMD_11H = 1 << 3,
	AMD_12H = 1 << 4,
	AMD_14H = 1 << 5,
	AMD_15H = 1 << 6,
	AMD_16H = 1 << 7,
	AMD_ZEN1 = 1 << 8,
	AMD_ZEN2 = 1 << 9,
	AMD_ZEN3 = 1 << 10,
	AMD_ZEN4 = 1 << 11,
	AMD_ZEN5 = 1 << 12,
	AMD_NEWER = 1 << 13, /* than this table; what all of Zen have in common is taken to go on */
};

/** The generation of a CPU by CPUID leaf 1, EAX; 0 if it is none of them. Family 19H: models 10H-1FH and
 * 60H-AFH are Zen 4. */
static inline unsigned amd_generation(uint32_t signature)
{
	unsigned family = signature >> 8 & 15, model = signature >> 4 & 15;

	if (family == 15)
		family += signature >> 20 & 0xff;
	if (family >= 15)
		model |= signature >> 12 & 0xf0;
	switch (family) {
	case 0x06:
		return AMD_K7;
	case 0x0f:
		return AMD_K8;
	case 0x10:
		return AMD_10H;
	case 0x11:
		return AMD_11H;
	case 0x12:
		return AMD_12H;
	case 0x14:
		return AMD_14H;
	case 0x15:
		return AMD_15H;
	case 0x16:
		return AMD_16H;
	case 0x17:
		return model < 0x30 ? AMD_ZEN1 : AMD_ZEN2;
	case 0x18: /* Hygon */
		return AMD_ZEN1;
	case 0x19:
		return model >> 4 == 1 || model >> 4 >= 6 ? AMD_ZEN4 : AMD_ZEN3;
	case 0x1a:
		return AMD_ZEN5;
	default:
		return family > 0x1a ? AMD_NEWER : 0;
	}
}

/** Whether two counters can be merged for events that exceed 15 in a cycle: Zen and later. */
static inline bool amd_merges(unsigned generation)
{
	return generation >= AMD_ZEN1;
}

/** Selectors of K7 and K8 have 32 bits and an 8-bit event select. */
static inline bool amd_narrow(unsigned generation)
{
	return generation & (AMD_K7 | AMD_K8);
}

#endif
