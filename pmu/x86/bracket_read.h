/* The bracket by reading a running counter before the kernel and behind it, which needs nothing but RDPMC. */
#ifndef PMU_X86_BRACKET_READ_H
#define PMU_X86_BRACKET_READ_H

#include "pmu/contract/pmu.h"

#include <stdint.h>

/* Instructions of it that are counted, two of them LFENCE. */
#define BRACKET_RDPMC_OWN 6

/**
 * Describe it. Its code gives the difference of the two readings modulo the counter's width.
 * @param index  what RDPMC takes in ECX
 * @param mask   ones as wide as the counter
 */
void bracket_rdpmc(uint32_t index, uint64_t mask, struct pmu_bracket *out);

#endif
