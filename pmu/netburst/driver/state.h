/*
 * What the NetBurst driver keeps of one PMU (pmu/contract/state.h), and what follows from it for the values
 * of registers.
 */
#ifndef PMU_NETBURST_DRIVER_STATE_H
#define PMU_NETBURST_DRIVER_STATE_H

#include "pmu/contract/state.h"
#include "pmu/events/grammar.h"
#include "pmu/netburst/events/events.h"

/** What the CPU is. */
struct netburst_cpu {
	uint8_t model;
	bool hyper_threading; /* the counters are shared by two logical processors ... */
	uint8_t thread;       /* ... of which this is the one: bit 0 of the initial APIC ID */
	uint8_t ds_width;     /* bytes of a word of the debug store, 4 or 8 (ds.h) */
	bool has_pebs, has_bts;
	bool ioq_in_one; /* IOQ_allocation is FSB_ESCR0's alone: before signature 0F27H (SDM table 19-28) */
};

#define NETBURST_NOBODY 0xff

/** What a counter was programmed with. */
struct netburst_use {
	bool used;
	uint8_t escr, source; /* enum netburst_escr_id; ESCR_NONE */
	uint8_t helper; /* counter that keeps the source's group awake, NETBURST_NOBODY if none is needed */
	bool waits;     /* for another one's overflow: it is never enabled */
	uint32_t escr_value, source_value;
	uint64_t replay; /* MSR_PEBS_ENABLE, and MSR_PEBS_MATRIX_VERT in the upper half; 0: it does not need
			    them */
	const struct netburst_recipe *recipe;
};

#define NETBURST_CODE_SIZE 512 /* bytes of a bracket: 18 counters of 13, 18 ESCRs of 14 */

struct netburst_code {
	uint8_t byte[NETBURST_CODE_SIZE];
	unsigned size;
};

#define NETBURST_MASKS 17 /* that an event can be joined with, and an end */

struct netburst_pmu {
	struct netburst_cpu cpu;
	struct netburst_use use[NETBURST_COUNTERS];
	struct netburst_code start, stop, trace_start,
		trace_stop; /* of the brackets that were asked for last */
	struct event_mask mask[NETBURST_MASKS];
};

static inline struct netburst_pmu *netburst_pmu(const struct pmu *pmu)
{
	return pmu->state->family;
}

static inline struct netburst_cpu *netburst_cpu(const struct pmu *pmu)
{
	return &netburst_pmu(pmu)->cpu;
}

/** By counter. */
static inline struct netburst_use *netburst_use(const struct pmu *pmu)
{
	return netburst_pmu(pmu)->use;
}

/** See which logical processor this is. */
void netburst_find_thread(const struct pmu *pmu);

#define NETBURST_RINGS (ESCR_T0_OS | ESCR_T0_USR | ESCR_T1_OS | ESCR_T1_USR)

/** Stop one counter, as the driver's stop() does all. */
bool netburst_stop_counter(const struct pmu *pmu, unsigned c);

/** Read a CCCR, change bits, write it back. */
bool netburst_change_cccr(unsigned c, uint32_t clear, uint32_t set);

/** Rings (enum pmu_levels) as ESCR bits, for the logical processor that this code runs on; with
 * NETBURST_ANY_THREAD added for both. */
#define NETBURST_ANY_THREAD   4
#define NETBURST_OTHER_THREAD 8 /* for the other one alone */
uint32_t netburst_ring_bits(const struct pmu *pmu, unsigned rings);

/** Whether a selector is one of IOQ_allocation, whatever its mask. */
bool netburst_is_ioq_allocation(uint64_t code);

/** The value of the counting ESCR that a configuration asks for. */
uint32_t netburst_escr_of(const struct pmu *pmu, const struct pmu_config *config);

/** The rings of a configuration, in these terms. */
static inline unsigned netburst_rings_of(const struct pmu_config *config)
{
	return config->levels | (config->other_alone  ? NETBURST_OTHER_THREAD
				 : config->any_thread ? NETBURST_ANY_THREAD
						      : 0);
}

/** Execution tags have four colours: a recipe takes the one that belongs to the ESCR that tags, so that two
 * of them go side by side. The mask of the event that counts, for a source. */
uint32_t netburst_count_mask(const struct netburst_recipe *r, unsigned source);

/** The ESCR value that a recipe needs in its source. */
uint32_t netburst_source_value(const struct pmu *pmu, const struct netburst_recipe *r, unsigned source,
			       unsigned rings);

/** Whether this is a Xeon with a third-level cache, which has counters of its own. SDM 18.20, 18.21. */
bool netburst_has_l3(const struct pmu *pmu);

/* pmu_config.choice: the source's ESCR and the helper, each plus 1. */
#define CHOICE(source, helper) ((uint32_t)((source) + 1) | (uint32_t)((helper) + 1) << 8)
#define CHOICE_SOURCE(choice)  (((choice)&0xff) - 1)
#define CHOICE_HELPER(choice)  (((choice) >> 8 & 0x1ff) - 1)

#endif
