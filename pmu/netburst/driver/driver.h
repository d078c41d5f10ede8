/*
 * Parts of the NetBurst driver that live in files of their own.
 */
#ifndef PMU_NETBURST_DRIVER_DRIVER_H
#define PMU_NETBURST_DRIVER_DRIVER_H

#include "pmu/contract/control.h"
#include "pmu/events/fields.h"
#include "pmu/events/grammar.h"
#include "pmu/netburst/events/events.h"
#include "pmu/contract/pmu.h"
#include "pmu/events/schedule.h"

/** What the CPU that was identified last is. */
struct netburst_cpu {
	uint8_t model;
	bool hyper_threading; /* the counters are shared by two logical processors ... */
	uint8_t thread;       /* ... of which this is the one: bit 0 of the initial APIC ID */
	uint8_t ds_width;     /* bytes of a word of the debug store, 4 or 8 (ds.h) */
	bool has_pebs, has_bts;
};

extern struct netburst_cpu netburst_cpu;

/** See which logical processor this is. */
void netburst_find_thread(void);

#define NETBURST_NOBODY 0xff

/** What a counter was programmed with. */
struct netburst_use {
	bool used;
	uint8_t escr, source; /* enum netburst_escr_id; ESCR_NONE */
	uint8_t helper; /* counter that keeps the source's group awake, NETBURST_NOBODY if none is needed */
	bool waits;     /* for another one's overflow: it is never enabled */
	uint32_t escr_value, source_value;
	const struct netburst_recipe *recipe;
};

extern struct netburst_use netburst_use[NETBURST_COUNTERS];

#define NETBURST_RINGS (ESCR_T0_OS | ESCR_T0_USR | ESCR_T1_OS | ESCR_T1_USR)

/** Stop one counter, as the driver's stop() does all. */
bool netburst_stop_counter(unsigned c);

/** Rings (enum pmu_ring) as ESCR bits, for the logical processor that this code runs on; with
 * NETBURST_ANY_THREAD added for both. */
#define NETBURST_ANY_THREAD 4
uint32_t netburst_ring_bits(unsigned rings);

/** The rings of a configuration, in these terms. */
static inline unsigned netburst_rings_of(const struct pmu_config *config)
{
	return config->ring | (config->any_thread ? NETBURST_ANY_THREAD : 0);
}

/** Execution tags have four colours: a recipe takes the one that belongs to the ESCR that tags, so that two
 * of them go side by side. The mask of the event that counts, for a source. */
uint32_t netburst_count_mask(const struct netburst_recipe *r, unsigned source);

/** The ESCR value that a recipe needs in its source. */
uint32_t netburst_source_value(const struct netburst_recipe *r, unsigned source, unsigned rings);

/** Whether this is a Xeon with a third-level cache, which has counters of its own. SDM 18.20, 18.21. */
bool netburst_has_l3(void);

bool netburst_bracket_enable(const struct pmu *pmu, uint64_t mask, struct pmu_bracket *out);
bool netburst_bracket_read(const struct pmu *pmu, unsigned c, struct pmu_bracket *out);

/* For the scheduler, see struct pmu_driver. */
unsigned netburst_alternatives(const struct pmu *pmu, const struct event_request *request,
			       struct sched_alternative *out, const char **why);
const char *netburst_resource_name(const struct pmu *pmu, unsigned resource);
bool netburst_cascade_to(const struct pmu *pmu, unsigned from, unsigned to, struct pmu_config *config);

/* pmu_config.choice: the source's ESCR and the helper, each plus 1. */
#define CHOICE(source, helper) ((uint32_t)((source) + 1) | (uint32_t)((helper) + 1) << 8)
#define CHOICE_SOURCE(choice)  (((choice)&0xff) - 1)
#define CHOICE_HELPER(choice)  (((choice) >> 8 & 0x1ff) - 1)

/** Every register of the unit, as it is now; changes none. */
void netburst_snapshot(const struct pmu *pmu, struct pmu_snapshot *out);

/** Accesses that must raise #GP on this CPU, and some that must not. */
unsigned netburst_accesses(const struct pmu *pmu, struct pmu_access *out, unsigned max);

/** What registers hold after power-up. */
unsigned netburst_power_up(const struct pmu *pmu, struct pmu_power_up *out, unsigned max);

extern const struct pmu_control_check netburst_control[];
extern const struct event_grammar netburst_grammar;
extern const struct register_field netburst_fields[];
extern const struct pmu_identity netburst_identities[];

#endif
