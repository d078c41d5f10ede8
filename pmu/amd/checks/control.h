/*
 * Code of control.c that must not be compiled, and checks that lie in files of their own.
 */
#ifndef PMU_AMD_CHECKS_CONTROL_H
#define PMU_AMD_CHECKS_CONTROL_H

#include "pmu/contract/control.h"

#include <stdint.h>

/** How far IRPERF goes on while compare and branch are executed as a pair `turns` times: 4 * turns + 7
 * instructions. */
uint64_t amd_irperf_pairs(uint64_t turns);

/** Four single-precision additions each turn. */
void amd_flops(uint64_t turns);
extern const char amd_flops_end[];

/** RDPMC of counters outside of the core, and of reserved indices: members of struct pmu_control_check. */
bool amd_rdpmc_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_rdpmc_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

/** Two counters that may interrupt, one or both: erratum 1023. */
bool amd_two_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_two_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

/** The last branch before a fault, a debug exception while branches are recorded, the stack's mispredictions
 * against a counter's. */
bool amd_last_fault_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_last_fault_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_debug_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_debug_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_stack_counter_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_stack_counter_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

#endif
