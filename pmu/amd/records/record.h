/*
 * The driver's part that makes records, one file for each kind; record.c puts them together.
 */
#ifndef PMU_AMD_RECORDS_RECORD_H
#define PMU_AMD_RECORDS_RECORD_H

#include "pmu/contract/record.h"

extern const struct pmu_record_kind amd_record_ibs_op, amd_record_ibs_fetch, amd_record_lbr, amd_record_brs;
extern const struct pmu_recorder amd_recorder;

/** Start, stop and bracket of all kinds: they differ in the register alone. */
bool amd_record_start(const struct pmu *pmu, const struct pmu_recording *r);
bool amd_record_stop(const struct pmu *pmu, const struct pmu_recording *r);
bool amd_record_bracket(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out);

/** The register that starts and stops last-branch records here, and the bits that do. */
uint32_t amd_lbr_control(uint64_t *enable);

/** Everything that records off, as far as CPUID promises it. @return false if an access faulted */
bool amd_record_reset(const struct pmu *pmu);

/** Set and clear bits of a register. @return false if it faults */
bool amd_change_msr(uint32_t address, uint64_t clear, uint64_t set);

/** End sampling of operations: its control register is 0 then. @return false if it faults */
bool amd_ibs_stop(const struct pmu *pmu);

/** The line of an entry of the extended local vector table. */
uint16_t amd_ibs_entry(uint64_t n);

/** CPUID 8000_001BH:EAX, 0 if the CPU has no IBS. */
uint32_t amd_ibs_features(void);

#endif
