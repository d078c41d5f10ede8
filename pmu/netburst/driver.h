/*
 * Parts of the NetBurst driver that live in files of their own.
 */
#ifndef PMU_NETBURST_DRIVER_H
#define PMU_NETBURST_DRIVER_H

#include "pmu/fields.h"
#include "pmu/grammar.h"
#include "pmu/pmu.h"

/** What the CPU that was identified last is. */
struct netburst_cpu {
	uint8_t model;
	bool hyper_threading; /* the counters are shared by two logical processors ... */
	uint8_t thread;       /* ... of which this is the one: bit 0 of the initial APIC ID */
};

extern struct netburst_cpu netburst_cpu;

/* Labels of bracket.S: what the code expects in R12-R15 is said there. */
extern const uint8_t netburst_start[], netburst_start_end[], netburst_stop[], netburst_stop_end[];
extern const uint8_t netburst_rdpmc_start[], netburst_rdpmc_start_end[], netburst_rdpmc_stop[],
	netburst_rdpmc_stop_end[];

/* Instructions retired inside the window that are not the kernel's, by bracket. */
#define NETBURST_ENABLE_OWN 3
#define NETBURST_RDPMC_OWN  6

/** Every register of the unit, as it is now; changes none. */
void netburst_snapshot(const struct pmu *pmu, struct pmu_snapshot *out);

/** Accesses that must raise #GP on this CPU, and some that must not. */
unsigned netburst_accesses(const struct pmu *pmu, struct pmu_access *out, unsigned max);

extern const struct event_grammar netburst_grammar;
extern const struct register_field netburst_fields[];

#endif
