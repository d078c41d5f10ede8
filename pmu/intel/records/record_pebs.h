/*
 * PEBS in its two forms: record_pebs.c has what they share and the form that writes to the debug store area,
 * record_apebs.c the architectural one, whose functions are those of struct pmu_record_kind.
 */
#ifndef PMU_INTEL_RECORDS_RECORD_PEBS_H
#define PMU_INTEL_RECORDS_RECORD_PEBS_H

#include "pmu/intel/records/pebs.h"
#include "pmu/intel/records/record.h"

/** Bit of a counter in the global registers. */
uint64_t intel_pebs_bit(const struct pmu_counter *k);

/** The other way round: of bits of the global registers the mask by pmu->counter[]. */
uint64_t intel_pebs_counter_mask(const struct pmu *pmu, uint64_t bits);

/** Counts from the reset value to the overflow, so that records are .period apart. */
uint64_t intel_pebs_distance(const struct intel_pebs *p, const struct pmu_recording *r,
			     const struct pmu_counter *k);

/** Whether the recording is of the load-latency event; have its threshold be the least at least. */
bool intel_pebs_of_latency(const struct intel_pebs *p, const struct pmu_recording *r,
			   const struct pmu_counter *k);
bool intel_pebs_least_latency(void);

/** What records can have besides (enum record_groups); the mask of the counter that counts instructions for
 * them, 0 if nobody asks; getting ready, after the PMU was cleared, and back. */
uint8_t intel_pebs_groups_offered(const struct intel_pebs *p);
uint64_t intel_pebs_groups_counter(const struct pmu *pmu, const struct pmu_recording *r);
bool intel_pebs_groups_setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why);
bool intel_pebs_groups_release(const struct pmu *pmu, const struct pmu_recording *r);

/** Groups of a record: XMM registers; n entries of the last-branch stack; values of counters, the general
 * ones first. */
void intel_pebs_groups_vectors(const uint8_t *xmm, struct pmu_record *out);
void intel_pebs_groups_branches(const struct pmu *pmu, const uint8_t *entries, unsigned n,
				struct pmu_record *out);
void intel_pebs_groups_values(const struct pmu *pmu, const struct pmu_recording *r, uint32_t general,
			      uint32_t fixed, const uint8_t *values, struct pmu_record *out);

bool intel_apebs_describe(const struct pmu *pmu, const struct intel_pebs *p, struct pmu_record_source *out,
			  const char **why);
size_t intel_apebs_memory(const struct intel_pebs *p, const struct pmu_recording *r);
bool intel_apebs_setup(const struct pmu *pmu, const struct intel_pebs *p, const struct pmu_recording *r,
		       const struct pmu_config *config, const char **why);
bool intel_apebs_state(const struct intel_pebs *p, const struct pmu_recording *r,
		       struct pmu_record_state *out);
unsigned intel_apebs_drain(const struct pmu *pmu, const struct intel_pebs *p, const struct pmu_recording *r,
			   struct pmu_record *out, unsigned max);
bool intel_apebs_release(const struct pmu *pmu, const struct pmu_recording *r);

#endif
