/*
 * The LVT performance entry: what becomes of an overflow interrupt request. SDM vol. 3, 10.5.1.
 */
#ifndef ARCH_X86_INTERRUPTS_LVT_H
#define ARCH_X86_INTERRUPTS_LVT_H

#include <stdbool.h>
#include <stdint.h>

enum lvt_outcome {
	LVT_LOST, /* masked, or a delivery mode that leads nowhere here (SMI, INIT, ExtINT, an illegal vector)
		   */
	LVT_FIXED, /* a fixed interrupt of the entry's vector */
	LVT_NMI,
};

#define LVT_VECTOR   0xffu
#define LVT_MODE     (7u << 8)
#define LVT_NMI_MODE (4u << 8)
#define LVT_MASKED   (1u << 16)

/**
 * Let a request meet the entry.
 * @param entry in: as programmed; out: as the local APIC leaves it. Intel's sets the mask bit when it
 * delivers, so that software gets one interrupt until it has unmasked the entry again.
 * @param stays AMD's: the mask bit is left alone
 */
static inline enum lvt_outcome lvt_request(uint32_t *entry, bool stays)
{
	enum lvt_outcome outcome = LVT_LOST;

	if (*entry & LVT_MASKED)
		return LVT_LOST;
	if ((*entry & LVT_MODE) == LVT_NMI_MODE)
		outcome = LVT_NMI;
	else if ((*entry & LVT_MODE) == 0 && (*entry & LVT_VECTOR) >= 16)
		outcome = LVT_FIXED;
	if (outcome != LVT_LOST && !stays)
		*entry |= LVT_MASKED;
	return outcome;
}

#endif
