/*
 * Parts of the NetBurst driver that live in files of their own: what struct pmu_driver is filled in with.
 */
#ifndef PMU_NETBURST_DRIVER_PARTS_H
#define PMU_NETBURST_DRIVER_PARTS_H

#include "arch/courage.h"
#include "pmu/contract/control.h"
#include "pmu/contract/pmu.h"
#include "pmu/events/fields.h"
#include "pmu/events/grammar.h"
#include "pmu/events/schedule.h"

/* For the scheduler, see struct pmu_driver. */
unsigned netburst_alternatives(const struct pmu *pmu, const struct event_request *request,
			       struct sched_alternative *out, const char **why);
const char *netburst_resource_name(const struct pmu *pmu, unsigned resource);
bool netburst_join(const struct pmu *pmu, struct event_request *all, unsigned n);
/** Whether tags make no difference to an event (enum netburst_event_id): tagged and untagged instructions
 * together.
 */
bool netburst_ignores_tags(unsigned event, uint32_t escr);

bool netburst_cascade_to(const struct pmu *pmu, unsigned from, unsigned to, struct pmu_config *config);

/** Every register of the unit, as it is now; changes none. */
void netburst_snapshot(const struct pmu *pmu, struct pmu_snapshot *out);

/** Accesses that must raise #GP on this CPU, and some that must not. */
unsigned netburst_accesses(const struct pmu *pmu, struct pmu_access *out, unsigned max);

/** What registers hold after power-up. */
unsigned netburst_power_up(const struct pmu *pmu, struct pmu_power_up *out, unsigned max);

extern const struct pmu_control_check netburst_control[];
extern const struct register_range netburst_registers[];
extern const struct event_grammar netburst_grammar;
extern const struct register_field netburst_fields[];
extern const struct pmu_identity netburst_identities[];

#endif
