/*
 * What kernels may need of each microarchitecture: the instructions that all of its parts have. Where parts
 * differ (transactions, AVX-512 of parts that have it disabled), those that all have.
 */
#ifndef TOOLS_CORE_NEEDS_H
#define TOOLS_CORE_NEEDS_H

#include <stdbool.h>
#include <stdint.h>

/** KERNEL_NEEDS_* of a core of pmu/intel/events/cores.csv, by its short name ("SKL"). */
uint64_t intel_core_needs(const char *core);

/** Likewise of a generation, by its bit in enum amd_generation. */
uint64_t amd_generation_needs(unsigned bit);

/** Likewise of NetBurst: models 0 to 2, or later ones. */
uint64_t netburst_needs(bool late);

#endif
