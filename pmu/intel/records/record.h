/*
 * The driver's part that makes records, one file for each kind; record.c puts them together.
 */
#ifndef PMU_INTEL_RECORDS_RECORD_H
#define PMU_INTEL_RECORDS_RECORD_H

#include "pmu/contract/record.h"

extern const struct pmu_record_kind intel_record_lbr, intel_record_bts, intel_record_pebs;

extern const struct pmu_recorder intel_recorder;

/** Member of struct pmu_recorder. */
bool intel_latency_above(const struct pmu *pmu, const struct pmu_event *e, uint32_t *cycles);

/** Architectural PEBS: nothing samples any more, of these counters (bits as in the global registers). @return
 * false if a register faults */
bool intel_apebs_clear(uint64_t counters);

/** Set and clear bits of a register. @return false if it faults */
bool intel_change_msr(uint32_t address, uint64_t clear, uint64_t set);

/** A bracket that writes one register: `on` before, `off` after; both below 2^32. */
void intel_bracket_msr(uint32_t address, uint64_t on, uint64_t off, struct pmu_bracket *out);

#endif
