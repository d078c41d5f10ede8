/*
 * The driver's part that makes records, one file for each kind; record.c puts them together.
 */
#ifndef PMU_INTEL_RECORD_H
#define PMU_INTEL_RECORD_H

#include "pmu/record.h"

/** One kind. The functions are those of struct pmu_recorder; NULL where there is nothing to do. */
struct intel_record_kind {
	/** Fills in *out. @return false with *why, one line, if this CPU cannot */
	bool (*describe)(const struct pmu *pmu, struct pmu_record_source *out, const char **why);
	bool (*can_sample)(const struct pmu *pmu, const struct pmu_recording *r, const char **why);
	size_t (*memory)(const struct pmu *pmu, const struct pmu_recording *r);
	bool (*setup)(const struct pmu *pmu, const struct pmu_recording *r, const char **why);
	bool (*start)(const struct pmu *pmu, const struct pmu_recording *r);
	bool (*stop)(const struct pmu *pmu, const struct pmu_recording *r);
	bool (*bracket)(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out);
	bool (*state)(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out);
	unsigned (*drain)(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
			  unsigned max);
	bool (*release)(const struct pmu *pmu, const struct pmu_recording *r);
};

extern const struct intel_record_kind intel_record_lbr, intel_record_bts, intel_record_pebs;

extern const struct pmu_recorder intel_recorder;

/** Set and clear bits of a register. @return false if it faults */
bool intel_change_msr(uint32_t address, uint64_t clear, uint64_t set);

/** A bracket that writes one register: `on` before, `off` after; both below 2^32. */
void intel_bracket_msr(uint32_t address, uint64_t on, uint64_t off, struct pmu_bracket *out);

/** One line, kept until the next call. */
const char *intel_reason(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
