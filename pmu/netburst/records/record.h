/*
 * The driver's part that makes records (pmu/contract/record.h), one file for each kind; record.c puts them
 * together, record_ds.c does what branch traces and PEBS have in common.
 */
#ifndef PMU_NETBURST_RECORDS_RECORD_H
#define PMU_NETBURST_RECORDS_RECORD_H

#include "pmu/netburst/records/ds.h"
#include "pmu/contract/record.h"

extern const struct pmu_record_kind netburst_record_pebs, netburst_record_bts, netburst_record_lbr;
extern const struct pmu_recorder netburst_recorder;

/** Whether the CPU has a debug store, and what uses it is not said to be absent by these bits of
 * MSR_MISC_ENABLE. @return false with *why */
bool netburst_has_ds(const struct pmu *pmu, uint32_t absent, const char *what, const char **why);

/** Bytes of memory that r->records records take, with the administration (pmu_record_kind.memory). The PMU is
 * not looked at. */
size_t netburst_ds_memory(const struct pmu *pmu, const struct pmu_recording *r);

/**
 * Lay the administration out at the beginning of r->memory, the records behind it, and name it to the CPU.
 * @param reset value for the counter of PEBS
 * @return false with *why if the memory will not do, or another recording uses the debug store
 */
bool netburst_ds_setup(const struct pmu *pmu, const struct pmu_recording *r, enum netburst_ds_word base,
		       uint64_t reset, const char **why);
bool netburst_ds_release(void);

void netburst_ds_state(const struct pmu *pmu, const struct pmu_recording *r, enum netburst_ds_word base,
		       struct pmu_record_state *out);

/** Take records out, oldest first; `translate` makes one of the words of another. */
unsigned netburst_ds_drain(const struct pmu *pmu, const struct pmu_recording *r, enum netburst_ds_word base,
			   void (*translate)(const struct pmu *pmu, const uint64_t *words,
					     struct pmu_record *out),
			   struct pmu_record *out, unsigned max);

/** Clear and set bits of MSR_DEBUGCTLA. */
bool netburst_change_debugctl(uint32_t clear, uint32_t set);

#endif
