/*
 * Parts of the AMD driver that live in files of their own.
 */
#ifndef PMU_AMD_DRIVER_DRIVER_H
#define PMU_AMD_DRIVER_DRIVER_H

#include "pmu/contract/control.h"
#include "pmu/events/fields.h"
#include "pmu/events/grammar.h"
#include "pmu/contract/pmu.h"

/** MSR of core counter c's selector and of the counter itself. */
uint32_t amd_select_msr(const struct pmu *pmu, unsigned c);
uint32_t amd_counter_msr(const struct pmu *pmu, unsigned c);

/** Whether the CPU that was identified last has IRPERF, or MPERF and APERF: by the register's number. */
bool amd_has(uint32_t address);
/** Whether it can freeze counters and branch records at an interrupt; whether it has a stack of these; its
 * features of IBS (pmu/amd/records/ibs.h). */
bool amd_freezes(void);

/** What to call the register that sets the overflow status, if a hypervisor has PerfMonV2 without it; NULL:
 * it is there, as far as there is PerfMonV2. */
const char *amd_no_status_set(void);
bool amd_stacks(void);
uint32_t amd_has_ibs(void);

/** Generation (enum amd_generation) of the CPU that was identified last. */
unsigned amd_identified(void);

/** Counters outside of the core that RDPMC reads by indices that follow each other; the driver programs none
 * of them. They are shared with other cores. APM vol. 3, RDPMC; 8000_0001H:ECX, 8000_0022H:EBX. */
struct amd_uncore_run {
	char name[4];    /* whose they are: "NB", "DF", "L2I", "L3" */
	uint8_t first;   /* number of the first one */
	uint8_t n;       /* 0: there are none */
	uint32_t rdpmc;  /* index of the first one */
	uint32_t select; /* MSR of its selector; the counter itself is the next, the next one two behind it */
};
#define AMD_UNCORE_RUNS 3
#define AMD_UNCORE_MAX  22 /* counters in all runs */

/** Find them, by CPUID and the generation that was identified. @return how many CPUID declares beyond those
 * that have registers */
unsigned amd_uncore_find(void);

/** Whether the leaf that tells their number makes no sense: there may be more than were found. */
bool amd_uncore_untold(void);

/** What was found last: AMD_UNCORE_RUNS of them. */
const struct amd_uncore_run *amd_uncore_runs(void);

/** Every PMU register that CPUID promises, as it is now; changes none. */
void amd_snapshot(const struct pmu *pmu, struct pmu_snapshot *out);

/** Accesses that must raise #GP on this CPU, and some that must not. */
unsigned amd_accesses(const struct pmu *pmu, struct pmu_access *out, unsigned max);

/** What registers hold after power-up. */
unsigned amd_power_up(const struct pmu *pmu, struct pmu_power_up *out, unsigned max);

/** Members of struct pmu_driver: events of the files that perf has. */
bool amd_encode(const struct pmu *pmu, const struct vendor_event *v, struct pmu_event *out, const char **why);
bool amd_meaning(const char *name, struct pmu_event *out);

extern const struct event_grammar amd_grammar;
extern const struct register_field amd_fields[];

/** Control logic of AMD's own. */
extern const struct pmu_control_check amd_control[];

/** Equations between events. */
extern const struct pmu_identity amd_identities[];

#endif
