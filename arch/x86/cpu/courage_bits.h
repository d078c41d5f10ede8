/*
 * Which MSRs the level of courage refuses, a bit each, so that a write takes no branch to know (msr.S).
 */
#ifndef ARCH_X86_CPU_COURAGE_BITS_H
#define ARCH_X86_CPU_COURAGE_BITS_H

/* Addresses in the four blocks 0, 10000H, C0000000H and C0010000H, of 2000H each, have a bit: SDM vol.
 * 3, 25.6.9, has three of them for hypervisors. Of others the lists are asked. */
#define COURAGE_BLOCK_BITS 0xc0011fff
#define COURAGE_BITS       0x48000 /* most of them no address's: so each takes two instructions to find */

#ifndef __ASSEMBLER__

#include <stdint.h>

/** The bit of an address in these blocks: the address rotated left by two. */
static inline uint32_t courage_bit(uint32_t msr)
{
	return msr << 2 | msr >> 30;
}

extern uint8_t courage_refuses[COURAGE_BITS / 8];

#endif
#endif
