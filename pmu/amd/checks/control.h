/*
 * Code of checks that must not be compiled, what checks share, and checks that lie in files of their own.
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

/** An instruction of each kind each turn: one that loads and stores *data, a load, a prefetch, NOPs, a
 * branch. Its loop with 16 bytes behind it, and where in it instructions begin: offsets, up to 0xff. */
void amd_mixed(uint64_t turns, uint64_t *data);
extern const char amd_mixed_loop[], amd_mixed_end[];
extern const uint8_t amd_mixed_starts[];

/** A counter is programmed and left at `first`. @param rings as pmu_config has .levels */
bool amd_set_counter(struct control_fixture *h, unsigned c, uint64_t code, uint8_t rings, bool interrupt,
		     uint64_t first);

/** A member .suits of struct pmu_control_instance: the event is that of retired instructions. */
bool amd_counts_instructions(const struct pmu *pmu, unsigned c, const struct pmu_event *e);

/** One instance for each counter. */
bool amd_each_counter(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);

/** IRPERF; MPERF and APERF. */
bool amd_irperf_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_irperf_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_aperf_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_aperf_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

/** Two counters as one, and thresholds of what they count. */
bool amd_pair_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_merged_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
void amd_threshold_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

/** The bits for hosts and guests of a selector, without a guest and with guests of our own. */
bool amd_selector_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_selector_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_guest_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_guest_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

/** The overflow status, what software sets of it, and freezing on an overflow. */
bool amd_status_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_status_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_settable_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_settable_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_freeze_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_freeze_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

/** Control registers of IBS. */
bool amd_ibs_registers_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_ibs_registers_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

/** RDPMC of counters outside of the core, and of reserved indices: members of struct pmu_control_check. */
bool amd_rdpmc_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_rdpmc_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

/** What samples of IBS tell, periods without one, what stopping leaves, and misses of fetches. */
bool amd_ibs_told_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_ibs_told_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_ibs_period_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_ibs_period_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_ibs_stop_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_ibs_stop_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_ibs_fetch_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_ibs_fetch_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

/** A comparison and two exponentials of the x87 unit each turn: three instructions, besides the loop's two.
 */
void amd_x87_compares(uint64_t turns);

/** Two aligned blocks of 32 bytes each turn, the first of which is led to by a branch. */
void amd_two_blocks(uint64_t turns);
extern const char amd_second_block[];

/** Which of two blocks are sampled; what a selector's write leaves of another counter. */
bool amd_blocks_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_blocks_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_shared_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_shared_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

/** What a halt leaves of samples and of the free-running counters; the size of a fetch's page; x87
 * operations. */
bool amd_sample_halt_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_sample_halt_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_free_halt_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_free_halt_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_page_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_page_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_x87_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_x87_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

/** What counter 2 makes of a long loop: errata 1291 and 1292. */
bool amd_retired_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_retired_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

/** Operations of a loop by where they come from: erratum 1287. */
bool amd_dispatched_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_dispatched_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

/** Entries of the branch stack that are of no branch: erratum 1452. */
bool amd_bogus_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_bogus_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

/** Two counters that may interrupt, one or both: erratum 1023. */
bool amd_two_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_two_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

/** Both logical processors of a core, or cores of a compute unit, at once; tagged operations and the last
 * branch then: errata 1348 and 593. */
bool amd_beside_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_beside_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_tagged_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_tagged_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_fetches_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_fetches_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_last_beside_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_last_beside_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

/** The last branch before a fault, a debug exception while branches are recorded, the stack's mispredictions
 * against a counter's. */
bool amd_last_fault_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_last_fault_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_debug_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_debug_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool amd_stack_counter_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void amd_stack_counter_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

#endif
