/*
 * Code of control.c that must not be compiled.
 */
#ifndef PMU_AMD_CONTROL_H
#define PMU_AMD_CONTROL_H

#include <stdint.h>

/** How far IRPERF goes on while compare and branch are executed as a pair `turns` times: 4 * turns + 7
 * instructions. */
uint64_t amd_irperf_pairs(uint64_t turns);

/** Four single-precision additions each turn. */
void amd_flops(uint64_t turns);
extern const char amd_flops_end[];

#endif
