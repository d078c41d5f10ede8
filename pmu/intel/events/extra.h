/*
 * Model-specific registers that single events need, and which of their bits exist: SDM chapter 35
 * and 18.8.1.3, 18.9.5; bits of later parts as Linux accepts them.
 */
#ifndef PMU_INTEL_EVENTS_EXTRA_H
#define PMU_INTEL_EVENTS_EXTRA_H

#include <stdbool.h>
#include <stdint.h>

#define MSR_OFFCORE_RSP_0 0x1a6
#define MSR_OFFCORE_RSP_1 0x1a7
#define MSR_PEBS_LD_LAT   0x3f6 /* bits 15:0: loads above that latency, in core cycles; 3 is the least */
#define MSR_PEBS_FRONTEND 0x3f7

#define INTEL_EXTRAS 4

struct intel_extra {
	const char *name;
	uint32_t address;
	uint64_t valid; /* bits that exist; 0: there is no such register */
};

/**
 * @param signature CPUID.1:EAX
 * @param kind of core, CPUID.1AH:EAX[31:24]; 0 where there is no such leaf
 * @param out gets the registers of that CPU
 * @return how many
 */
unsigned intel_extras(uint32_t signature, uint8_t kind, struct intel_extra out[INTEL_EXTRAS]);

#endif
