/*
 * What the files of Intel's own checks share: control.c has their table, control_lbr.c those of branch
 * records, control_pebs.c of samples, control_status.c those of the registers for all counters,
 * control_errata*.c what published errata are about, control_other.c those of a core's two logical
 * processors.
 */
#ifndef PMU_INTEL_CHECKS_CONTROL_PARTS_H
#define PMU_INTEL_CHECKS_CONTROL_PARTS_H

#include "pmu/contract/control.h"

#include <stdbool.h>
#include <stdint.h>

#define CODE_BRANCHES     0x00c4
#define CODE_CYCLES       0x003c
#define CODE_INSTRUCTIONS 0x00c0
#define CODE_LATENCY      0x01cd

/** Of some cores the event of instructions that records can be of. */
#define CODE_INSTRUCTIONS_PRECISE 0x01c0

#define CODE_MISPREDICTED 0x00c5
#define CODE_SLOTS        0x01a4
#define START             1000 /* first value of a counter that must move: never 0 */
#define NO_COUNTER        UINT64_MAX

/** @return the counter of this kind and index, NO_COUNTER if it is missing */
uint64_t intel_find_counter(const struct pmu *pmu, enum counter_kind kind, unsigned index);

/** @return the mask of counters 0 to n - 1 if these are the first n general ones, else 0 */
uint64_t intel_first_counters(const struct pmu *pmu, unsigned n);

/** @return the greatest value that a counter holds */
uint64_t intel_counter_top(const struct pmu *pmu, unsigned c);

/** @return whether general counters can count the event */
bool intel_offers(const struct pmu *pmu, uint64_t code);

/** @return the first counter of the load-latency event; NO_COUNTER: it cannot be sampled */
uint64_t intel_slow_counter(const struct pmu *pmu);

/** @return the event of retired instructions that general counters have, or NULL */
const struct pmu_event *intel_instructions(const struct pmu *pmu);

/** Instances and bodies of single checks: members of struct pmu_control_check. */
typedef bool intel_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
typedef void intel_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

extern intel_instance intel_lbr_freeze_instance, intel_lbr_log_instance, intel_lbr_depth_instance,
	intel_lbr_cycles_instance, intel_lbr_counters_instance, intel_bts_instance;
extern intel_check intel_lbr_freeze_check, intel_lbr_log_check, intel_lbr_depth_check, intel_lbr_cycles_check,
	intel_lbr_counters_check, intel_bts_check;

extern intel_instance intel_inverted_instance, intel_stop_instance, intel_order_instance, intel_any_instance,
	intel_absent_instance;
extern intel_check intel_inverted_check, intel_stop_check, intel_order_check, intel_any_check,
	intel_absent_check;

extern intel_instance intel_anew_instance, intel_declared_instance, intel_select_instance,
	intel_ring_instance, intel_still_instance, intel_written_back_instance, intel_one_record_instance,
	intel_hanging_instance, intel_zero_instance, intel_told_instance;
extern intel_check intel_anew_check, intel_declared_check, intel_select_check, intel_ring_check,
	intel_still_check, intel_written_back_check, intel_one_record_check, intel_big_buffer_check,
	intel_switched_check, intel_zero_check, intel_told_check;

extern intel_instance intel_third_instance, intel_kept_over_instance, intel_front_halt_instance;
extern intel_check intel_third_check, intel_kept_over_check, intel_front_halt_check;

extern intel_instance intel_beside_instance, intel_far_instance, intel_slow_instance, intel_both_instance;
extern intel_check intel_beside_check, intel_far_check, intel_slow_check, intel_both_check;
extern intel_instance intel_clock_instance, intel_slow_trace_instance, intel_smi_instance;
extern intel_check intel_clock_check, intel_slow_trace_check, intel_smi_check;

extern intel_instance intel_halt_overflow_instance;
extern intel_check intel_halt_overflow_check;

extern intel_instance intel_occurs_instance, intel_sample_freeze_instance, intel_clock_branches_instance,
	intel_other_uops_instance, intel_passed_instance, intel_segment_sample_instance, intel_high_instance;
extern intel_check intel_occurs_check, intel_sample_freeze_check, intel_clock_branches_check,
	intel_other_uops_check, intel_passed_check, intel_segment_sample_check, intel_high_check;

extern intel_instance intel_abort_branches_instance, intel_mixes_instance;
extern intel_check intel_abort_branches_check, intel_mixes_check;

extern intel_instance intel_pt_instance;
extern intel_check intel_pt_check;

extern intel_instance intel_pebs_groups_instance;
extern intel_check intel_pebs_groups_check;

extern intel_instance intel_freeze_instance, intel_together_instance, intel_set_instance, intel_use_instance,
	intel_halt_instance;
extern intel_check intel_freeze_check, intel_together_check, intel_set_check, intel_use_check,
	intel_halt_check;

#endif
