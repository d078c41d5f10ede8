/*
 * The debug store area as the driver sets it up: at the beginning of a recording's memory, the buffer behind
 * it.
 */
#ifndef PMU_INTEL_RECORDS_RECORD_DS_H
#define PMU_INTEL_RECORDS_RECORD_DS_H

#include "pmu/intel/records/ds.h"
#include "pmu/intel/records/record.h"

/** Whether there is a debug store that 64-bit code can use, and `absent` (a bit of IA32_MISC_ENABLE) is
 * clear.
 * @return false with *why */
bool intel_ds_usable(const struct pmu *pmu, uint64_t absent, const char **why);

/** Room for the records, area included. */
size_t intel_ds_memory(const struct pmu_recording *r, size_t record_size);

/** Clear the memory, fill in the buffer that `which` selects (false: BTS, true: PEBS), and tell the CPU.
 * @return false with *why */
bool intel_ds_setup(const struct pmu_recording *r, size_t record_size, bool pebs, const char **why);

volatile struct ds_area *intel_ds_area(const struct pmu_recording *r);

/** Bytes written; whether there is no room for another record of that size; the status bit of a threshold. */
void intel_ds_state(const struct pmu *pmu, volatile struct ds_buffer *b, size_t record_size,
		    struct pmu_record_state *out);

/** Take `taken` bytes from the buffer's beginning, and acknowledge the threshold. */
void intel_ds_taken(const struct pmu *pmu, volatile struct ds_buffer *b, size_t taken);

#endif
