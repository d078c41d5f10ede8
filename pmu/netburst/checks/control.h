/*
 * What the files of NetBurst's own control checks share.
 */
#ifndef PMU_NETBURST_CHECKS_CONTROL_H
#define PMU_NETBURST_CHECKS_CONTROL_H

#include "pmu/contract/control.h"
#include "pmu/netburst/driver/parts.h"
#include "pmu/netburst/driver/state.h"

#define CONTROL_START 1000 /* first value of a counter that must move, or must not: never 0 */
#define CONTROL_TOP   ((1ull << NETBURST_COUNTER_WIDTH) - 1)
/* Passes every clock: SDM 18.17.2. */
#define CONTROL_CLOCK (CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD)
#define COUNTER(c)    (UINT64_C(1) << (c))
#define ALL_COUNTERS  ((UINT64_C(1) << NETBURST_COUNTERS) - 1)

#define THRESHOLD(n) (CCCR_COMPARE | (uint64_t)(n) << CCCR_THRESHOLD_SHIFT)

/** Program counter c with a selector (ESCR and CCCR bits may be added to an event's) and give it a value. */
bool control_set(struct control_fixture *h, unsigned c, uint64_t code, unsigned rings, uint64_t first);

/** How far counter c is from CONTROL_START. */
uint64_t control_moved(struct control_fixture *h, unsigned c);

/** OVF_PMI of the logical processor that was found at identification. */
static inline uint64_t control_pmi(const struct pmu *pmu)
{
	return netburst_cpu(pmu)->thread ? CCCR_OVF_PMI_T1 : CCCR_OVF_PMI_T0;
}

/** The logical processor that place(h, t, ...) leads to: where there is no going, that which runs. */
static inline unsigned control_thread(const struct control_fixture *h, unsigned t)
{
	return h->threads > 1 ? t : netburst_cpu(h->pmu)->thread;
}

/** Whether counter c has OVF. */
bool control_overflowed(struct control_fixture *h, unsigned c);

/** Run with the counters of the mask, and say that counter c moved by what the kernel makes of the event. */
void control_counts(struct control_fixture *h, const char *what, unsigned c, uint64_t mask,
		    const struct pmu_event *e);

/** Events that any counter c is tried with: what a program causes as a number, or clocks. For `suits`. */
bool control_suits_counter(const struct pmu *pmu, unsigned c, const struct pmu_event *e);

/** An instance per counter. */
bool control_each_counter(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);

/** The selector of an event that is given by its number and mask. */
uint64_t control_code(enum netburst_event_id e, unsigned mask);

bool wire_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void wire_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

bool filter_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
bool thresholds_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void filter_check(struct control_fixture *h, unsigned c, const struct pmu_event *e);
void thresholds_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool lines_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void lines_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

bool rings_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
bool both_threads_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void rings_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
void active_thread_check(struct control_fixture *h, unsigned c, const struct pmu_event *e);
bool thread_field_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void thread_field_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
void delivery_check(struct control_fixture *h, unsigned c, const struct pmu_event *e);
void identity_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool identity_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);

bool delivering_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void delivering_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

bool forced_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void forced_check(struct control_fixture *h, unsigned c, const struct pmu_event *e);
void unrelated_check(struct control_fixture *h, unsigned c, const struct pmu_event *e);
bool cascade_interrupt_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void cascade_interrupt_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool start_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void start_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
void rdpmc_check(struct control_fixture *h, unsigned c, const struct pmu_event *e);
void running_write_check(struct control_fixture *h, unsigned c, const struct pmu_event *e);
void driven_write_check(struct control_fixture *h, unsigned c, const struct pmu_event *e);
void carry_check(struct control_fixture *h, unsigned c, const struct pmu_event *e);

bool colours_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void colours_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool tagging_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void tagging_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool front_end_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void front_end_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool replay_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void replay_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool untagged_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void untagged_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

bool pebs_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void pebs_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool pebs_interrupt_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void pebs_interrupt_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool pebs_due_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void pebs_due_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool absent_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void absent_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool debug_exception_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void debug_exception_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool trace_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
bool top_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void top_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
void trace_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);
bool last_exception_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void last_exception_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

#endif
