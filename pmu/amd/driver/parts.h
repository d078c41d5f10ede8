/*
 * Parts of the AMD driver that live in other rooms: what struct pmu_driver is filled in with.
 */
#ifndef PMU_AMD_DRIVER_PARTS_H
#define PMU_AMD_DRIVER_PARTS_H

#include "arch/courage.h"
#include "pmu/contract/control.h"
#include "pmu/contract/pmu.h"
#include "pmu/events/fields.h"
#include "pmu/events/grammar.h"

/** Every PMU register that CPUID promises, as it is now; changes none. */
void amd_snapshot(const struct pmu *pmu, struct pmu_snapshot *out);

/** Accesses that must raise #GP on this CPU, and some that must not. */
unsigned amd_accesses(const struct pmu *pmu, struct pmu_access *out, unsigned max);

/** What registers hold after power-up. */
unsigned amd_power_up(const struct pmu *pmu, struct pmu_power_up *out, unsigned max);

/** Members of struct pmu_driver: events of the files that perf has. */
bool amd_encode(const struct pmu *pmu, const struct vendor_event *v, struct pmu_event *out, const char **why);
bool amd_meaning(const char *name, struct pmu_event *out);

extern const struct register_range amd_registers[];
extern const struct event_grammar amd_grammar;
extern const struct register_field amd_fields[];

/** Control logic of AMD's own. */
extern const struct pmu_control_check amd_control[];

/** Equations between events. */
extern const struct pmu_identity amd_identities[];

#endif
