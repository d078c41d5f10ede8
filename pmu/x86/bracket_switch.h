/* The bracket that starts a counter by one enable and stops it by the same or by another one, each a bit of
 * an MSR. */
#ifndef PMU_X86_BRACKET_SWITCH_H
#define PMU_X86_BRACKET_SWITCH_H

#include "pmu/contract/pmu.h"

#include <stdint.h>

/** One enable: the MSR that has it, and what is written there. */
struct msr_switch {
	uint32_t address;
	uint64_t on, off;
};

/**
 * Turn off what starts and turn on the other one, and describe the code.
 * @return false if a write raised #GP
 */
bool bracket_switch(const struct msr_switch of[SWITCHES], enum pmu_switch start, enum pmu_switch stop,
		    struct pmu_bracket *out);

#endif
