/*
 * The driver's part that makes records, one file for each kind; record.c puts them together.
 */
#ifndef PMU_AMD_RECORD_H
#define PMU_AMD_RECORD_H

#include "pmu/record.h"

/** One kind. The functions are those of struct pmu_recorder. */
struct amd_record_kind {
	/** Fills in *out. @return false with *why, one line, if this CPU cannot */
	bool (*describe)(const struct pmu *pmu, struct pmu_record_source *out, const char **why);
	bool (*setup)(const struct pmu *pmu, const struct pmu_recording *r, const char **why);
	/** The register that starts and stops it, and the bit that does. */
	uint32_t (*control)(uint64_t *enable);
	bool (*state)(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out);
	unsigned (*drain)(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
			  unsigned max);
	bool (*release)(const struct pmu *pmu, const struct pmu_recording *r);
};

extern const struct amd_record_kind amd_record_ibs_op, amd_record_ibs_fetch, amd_record_lbr;
extern const struct pmu_recorder amd_recorder;

/** Everything that records off, as far as CPUID promises it. @return false if an access faulted */
bool amd_record_reset(void);

/** Set and clear bits of a register. @return false if it faults */
bool amd_change_msr(uint32_t address, uint64_t clear, uint64_t set);

/** CPUID 8000_001BH:EAX, 0 if the CPU has no IBS. */
uint32_t amd_ibs_features(void);

#endif
