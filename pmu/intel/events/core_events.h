/*
 * Events of single microarchitectures ("cores"), packed: scripts/gen-events joins the imported
 * tables pmu/intel/events/(events,peer,cores).csv with meanings.csv and floors.csv beside them at build time.
 */
#ifndef PMU_INTEL_EVENTS_CORE_EVENTS_H
#define PMU_INTEL_EVENTS_CORE_EVENTS_H

#include "pmu/events/grammar.h"
#include "pmu/intel/events/cores.h"
#include "pmu/intel/events/offcore.h"

/** What an event counts, in the words of pmu/intel/events/meanings.csv. */
struct intel_meaning_row {
	uint8_t judgement;           /* enum event_judgement */
	uint8_t rule;                /* enum intel_rule */
	uint8_t floor;               /* enum intel_floor */
	uint16_t terms[EVENT_TERMS]; /* packed: pmu/events/rows.h; 0 ends */
};

enum intel_event_flag { INTEL_EDGE = 1, INTEL_INV = 2, INTEL_ANY = 4, INTEL_EQ = 8, INTEL_PEBS = 16 };

/** One encoding of one event, and the cores that have it. */
struct intel_core_event {
	uint16_t name;     /* offset into intel_event_names */
	uint16_t cores;    /* index into intel_core_sets */
	uint16_t counters; /* bit n: general counter n; 8000H + n: fixed counter n */
	uint16_t meaning;
	uint8_t select, umask, umask2, cmask;
	uint8_t flags;  /* enum intel_event_flag */
	uint8_t extra;  /* index into intel_event_extras; 0: none */
	uint8_t errata; /* index into intel_errata; 0: none */
};
#define INTEL_ON_FIXED 0x8000

/** A register that goes with a selector, and its value for one event. */
struct intel_event_extra {
	uint32_t msr;
	uint64_t value;
};

/** What a selector counts on the cores of virtual CPUs: for the model, which never sees the rows above. In
 * the order of event select and unit mask. */
struct intel_model_event {
	uint32_t selector; /* event select, unit mask, edge, inversion and counter mask as in IA32_PERFEVTSELx
			    */
	uint8_t umask2;
	uint16_t meaning;
	uint16_t cores; /* index into intel_core_sets */
};

/** Published errata of the event that a fixed counter of some cores counts. */
struct intel_fixed_errata {
	uint16_t cores; /* index into intel_core_sets */
	uint8_t fixed;
	uint8_t errata; /* index into intel_errata; 0 ends */
};

/** An event that libpfm4 encodes otherwise than Intel's list (a disagreement in pmu/intel/events/events.csv),
 * where both are selectors of general counters. */
struct intel_disputed {
	uint32_t ours, theirs; /* as in IA32_PERFEVTSELx */
	uint16_t name, cores;  /* as in struct intel_core_event */
};

extern const struct intel_meaning_row intel_meanings[];
extern const struct intel_core_event intel_core_events[];
extern const unsigned intel_core_event_count;
extern const struct intel_model_event intel_model_events[];
extern const unsigned intel_model_event_count;
extern const struct intel_event_extra intel_event_extras[];
extern const struct intel_fixed_errata intel_fixed_errata[];
extern const struct intel_disputed intel_disputed[];
extern const unsigned intel_disputed_count;
extern const char *const intel_errata[];
extern const char intel_event_names[];
/** Names that Intel gives to an event besides the one that its row has. */
extern const struct event_alias intel_core_aliases[];

#define INTEL_CORE_EVENTS_MAX 1536 /* of one core */

/**
 * The events of a core, as every family has them, in the order of their names; its offcore responses behind
 * them.
 * @param names room for INTEL_OFFCORE_POOL bytes, which the rows of offcore responses point to
 * @param out   room for max events
 * @return how many there are, at most max
 */
unsigned intel_unpack(int core, char *names, struct pmu_event *out, unsigned max);

/** One row as every family has them. */
void intel_row(const struct intel_core_event *e, struct pmu_event *out);

/** Give *out the terms, the judgement and the rule of one of intel_meanings[]. */
void intel_mean(const struct intel_meaning_row *m, struct pmu_event *out);

/**
 * What this core says of an architectural event, which takes the place of the core's own event of the same
 * code or fixed counter: errata, and the rule, if by it the core counts other than the definition says.
 * @param e becomes the core's in so far
 * @return whether there is anything of it
 */
bool intel_of_core(int core, struct pmu_event *e);

#endif
