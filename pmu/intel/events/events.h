/*
 * Event tables of Intel family 6.
 */
#ifndef PMU_INTEL_EVENTS_EVENTS_H
#define PMU_INTEL_EVENTS_EVENTS_H

#include "pmu/contract/event.h"

/** An architectural event: what CPUID.0AH says about its availability, and its row. */
struct intel_arch_event {
	int8_t cpuid_bit; /* bit of CPUID.0AH:EBX that is 1 if the event is missing; -1: a fixed counter's
			     event */
	struct pmu_event event;
};

extern const struct intel_arch_event intel_arch_events[];
extern const unsigned intel_arch_event_count;
#define INTEL_ARCH_EVENTS_MAX 16 /* of them */

/** Whether CPUID leaf 0AH (eax, ebx) offers architectural event `bit`: below EAX[31:24], and its EBX bit
 * clear. SDM 18.2.1.2. */
static inline bool intel_arch_event_available(uint32_t eax, uint32_t ebx, unsigned bit)
{
	return bit < 32 && bit < eax >> 24 && !(ebx >> bit & 1);
}

#endif
