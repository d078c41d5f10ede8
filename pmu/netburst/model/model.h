/*
 * State of the NetBurst model, and the functions its files share.
 *
 * model_registers.c: which registers exist, what may be written to them, what they read.
 * model_counters.c: which counters run, what a step adds to them, overflow, interrupts, cascades.
 * model_sources.c: what an ESCR detects, and who counts it: events, rings and threads, tags.
 * model_branches.c: taken branches: the branch record stack, branch traces.
 * model_ds.c: records that go to memory, in the debug store area.
 * errata/hooks.h: the deviations that can be switched on.
 */
#ifndef PMU_NETBURST_MODEL_MODEL_H
#define PMU_NETBURST_MODEL_MODEL_H

#include "pmu/contract/bits.h"
#include "pmu/contract/model.h"
#include "pmu/netburst/errata/deviations.h"
#include "pmu/netburst/records/ds.h"
#include "pmu/netburst/events/events.h"
#include "pmu/netburst/model/profile.h"
#include "pmu/netburst/model/uops.h"
#include "pmu/netburst/wiring.h"

#define NETBURST_HIGHEST low_bits(NETBURST_COUNTER_WIDTH)
#define SOURCE_TERMS     20
#define SOURCES          4
#define LBR_MAX          16

/** Something that a counter adds up: occurrences that an ESCR lets through. */
struct netburst_source {
	uint8_t n_terms;
	uint8_t n_own; /* the first of them: what the source before does not have */
	bool shares;   /* the source before has the others, and counts them where it may */
	struct event_term term[SOURCE_TERMS];
	uint32_t tagger;  /* value of the ESCR that tagged, whose rings have a say too; 0: no tagging */
	bool independent; /* the event that tags is TI */
};

struct netburst_line {
	uint64_t value;

	/* Decoded from CCCR, ESCR and tagging registers when one of them is written. */
	uint32_t escr;     /* value of the ESCR that is listened to */
	uint8_t event;     /* enum netburst_event_id */
	uint8_t per_cycle; /* occurrences that a cycle can bring */
	bool independent;  /* TI */
	bool plain;        /* the value itself is added */
	bool pmi[2];       /* to which logical processors */
	bool pebs;         /* an overflow makes a PEBS record ... */
	uint8_t sampled;   /* ... for this logical processor */
	uint8_t n_sources;
	struct netburst_source source[SOURCES];

	/* Changed by counting. */
	bool level;         /* the filter's output in the previous cycle, for edges */
	bool pmi_due;       /* overflowed; the next occurrence interrupts */
	bool pebs_due;      /* overflowed; the next occurrence is recorded */
	uint8_t started_by; /* counter whose overflow started this one, NO_COUNTER if none */
};

/** What each logical processor has for itself. SDM table 35-41, "unique". */
struct netburst_thread {
	uint64_t ds_area, debugctl;
	uint8_t tos;
	uint64_t lbr_from[LBR_MAX], lbr_to[LBR_MAX], ler_from, ler_to;
};

struct netburst_state {
	const struct netburst_profile *profile;
	unsigned model;
	struct netburst_deviations deviations;

	uint32_t escr[ESCR_COUNT], cccr[NETBURST_COUNTERS];
	struct netburst_line counter[NETBURST_COUNTERS];
	uint64_t tc_precise_event, pebs_vert;
	uint64_t pebs_enable; /* as the first logical processor sees it */
	uint32_t misc_enable;
	uint64_t l3[NETBURST_L3_COUNTERS]; /* they keep what is written: nothing here causes their events */

	struct netburst_thread thread[2];
	uint8_t here; /* logical processor that accesses registers */
	const struct step_memory *memory;

	uint32_t running, started; /* counters; those that the last write started */
	bool quick;                /* nothing that runs needs more than adding up */
	bool recording;            /* branches or PEBS records are written */
	unsigned pmi_pending[2];
	bool changed; /* more than values changed in this step */
	uint64_t steps;
	struct uop_vector uops;
};

/** Work out which counters run and what they listen to, after a register that has a say was written. */
void netburst_update(struct netburst_state *s);

/** Decode what counter c, which listens to ESCR e, counts. */
void netburst_decode(struct netburst_state *s, unsigned c, enum netburst_escr_id e);

/** Whether an ESCR's ring and thread bits let this step's occurrences through. SDM 18.16.4, table 18-66. */
bool netburst_qualified(const struct netburst_state *s, uint32_t escr, bool independent,
			const struct step *step);

/** Whether the processors that a CCCR asks for are active. SDM 18.16.2. */
bool netburst_active(const struct netburst_state *s, uint32_t cccr, const struct step *step);

/** Occurrences of a step for counter c; s->uops holds the step. */
uint64_t netburst_occurrences(const struct netburst_state *s, unsigned c, const struct step *step);

bool netburst_advance(void *state, const struct step *step);
int netburst_increments(void *state, const struct step *step, struct model_increment *out, unsigned room);

/** Request the overflow interrupt of the logical processors that counter c names. */
void netburst_raise_pmi(struct netburst_state *s, unsigned c);

/** Record a taken branch, an interrupt or an exception, if asked. */
void netburst_branch(struct netburst_state *s, const struct step *step);
unsigned netburst_lbr_depth(const struct netburst_state *s);

/** Whether branches of a logical processor go to memory. SDM 17.4.5, table 17-6. */
bool netburst_traces(const struct netburst_state *s, unsigned thread);

/**
 * Write a record to a logical processor's debug store.
 * @param base  DS_BTS_BASE or DS_PEBS_BASE: which buffer
 * @param words of the record, n of them
 * @param circular start again at the buffer's beginning when it is full; else nothing is written then
 * @return whether the index has reached the interrupt threshold by it
 */
bool netburst_store(struct netburst_state *s, unsigned thread, enum netburst_ds_word base,
		    const uint64_t *words, unsigned n, bool circular);

/** Write a PEBS record for counter c, of the state after the step, and load the counter anew. */
void netburst_pebs(struct netburst_state *s, unsigned c, const struct step *step);

/** The record alone. */
void netburst_pebs_record(struct netburst_state *s, unsigned c, const struct step *step);

extern const struct model_injection netburst_injections[];

#endif
