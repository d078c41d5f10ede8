/*
 * Parts of the Intel driver that live in other rooms: what struct pmu_driver is filled in with.
 */
#ifndef PMU_INTEL_DRIVER_PARTS_H
#define PMU_INTEL_DRIVER_PARTS_H

#include "arch/courage.h"
#include "pmu/contract/control.h"
#include "pmu/contract/pmu.h"
#include "pmu/events/fields.h"
#include "pmu/events/grammar.h"

/** Every PMU register that CPUID and IA32_PERF_CAPABILITIES promise, as it is now; changes none. */
void intel_snapshot(const struct pmu *pmu, struct pmu_snapshot *out);

/** Keep what a register that is not the PMU's holds, before a check changes it. intel_give_back() writes all
 * of them back; so does reset(), for checks that a fault ends. @return false: an access faulted, or too many
 * are kept */
bool intel_lend(const struct pmu *pmu, uint32_t address);
bool intel_give_back(const struct pmu *pmu);

/** Accesses that must raise #GP on this CPU, and some that must not. */
unsigned intel_accesses(const struct pmu *pmu, struct pmu_access *out, unsigned max);

/** What registers hold after power-up. */
unsigned intel_power_up(const struct pmu *pmu, struct pmu_power_up *out, unsigned max);

/** Members of struct pmu_driver: events of Intel's own files. */
bool intel_encode(const struct pmu *pmu, const struct vendor_event *v, struct pmu_event *out,
		  const char **why);
bool intel_meaning(const char *name, struct pmu_event *out);
bool intel_candidate(const struct pmu_event *e, unsigned i, struct pmu_event *out, const char **core);
const struct pmu_event *intel_disputed_event(const struct pmu *pmu, unsigned i, struct pmu_event *vendors,
					     struct pmu_event *peers);

extern const struct register_range intel_registers[];
extern const struct event_grammar intel_grammar;
extern const struct register_field intel_fields[];

/** Equations between the architectural events. */
extern const struct pmu_identity intel_identities[];

/** Control logic that other families have not; NULL name ends. */
extern const struct pmu_control_check intel_control[];

#endif
