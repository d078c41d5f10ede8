/*
 * NetBurst's events: SDM vol. 3, tables 19-28 (non-retirement), 19-29 (at retirement), 19-30 (models 3, 4,
 * 6), 19-31 to 19-33 (tagging) and 19-34 (thread-specific or -independent).
 *
 * The tables are small integers; rows of the contract (pmu/contract/event.h) are made of them for the CPU at
 * hand.
 */
#ifndef PMU_NETBURST_EVENTS_EVENTS_H
#define PMU_NETBURST_EVENTS_EVENTS_H

#include "pmu/contract/event.h"
#include "pmu/netburst/wiring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum netburst_event_id {
#define GROUP(name, models, select, source, id, ...) NB_##id,
#define EVENT(...)
#include "pmu/netburst/events/events.def"
#undef GROUP
#undef EVENT
	NB_EVENTS
};

enum netburst_event_flags {
	NB_THREAD_INDEPENDENT = 1 << 0, /* TI of table 19-34: cannot be attributed to a logical processor */
	NB_PEBS = 1 << 1,               /* can be sampled precisely */
	NB_AT_RETIREMENT = 1 << 2,
	NB_TAG_SOURCE = 1 << 3,  /* may tag uops, for execution_event */
	NB_COUNTS_TAGS = 1 << 4, /* counts what something else tagged */
	NB_UOPS = 1 << 5,        /* up to three occurrences per cycle; others: up to 15 */
	NB_UNDOCUMENTED = 1 << 6,
};

struct netburst_event {
	char name[28];
	uint8_t select;       /* ESCR event select */
	uint8_t escr_select;  /* CCCR.ESCR_SELECT */
	uint8_t escr[2];      /* enum netburst_escr_id; ESCR_NONE if there is only one */
	uint8_t models;       /* enum netburst_models */
	uint8_t flags;        /* enum netburst_event_flags */
	const char *document; /* that has it: manual and section */
};

extern const struct netburst_event netburst_event[NB_EVENTS];

/** Documented exceptions, and reasons why a row can only be judged by its negative control. */
enum netburst_rule {
	RULE_NONE,
	RULE_SIBLING,
	RULE_AGENTS,
	RULE_FIELD,
	RULE_UNTAGGED,
	RULE_TAGS,
	RULE_UC_CODE,
	RULE_REBUILT,
	RULE_REPLAYED,
	RULE_FETCHED,
	RULE_WALKS,
	RULE_TWOFOLD,
	RULE_BOGUS_ASSISTS,
	RULE_DURATION,
	RULE_RETURNS_UNTAGGED,
	RULE_TAGGED_LOADS,
	RULE_STORES_TOO,
	RULE_UOPS,
	RULE_RETIREMENT,
	RULE_COMPLETED,
	RULE_BRANCHES,
	RULE_WRONG_PATHS,
	RULE_X87_UOPS,
	RULE_ANY_RING,
	RULE_RETRIED,
	RULE_COUNT
};

/** By the enumeration; the first one is empty. */
extern const struct event_rule netburst_rule[RULE_COUNT];

/** What must make an event tick. */
enum netburst_floor {
	FLOOR_NONE,
#define NETBURST_FLOOR(id, ...) FLOOR_##id,
#include "pmu/netburst/events/floors.def"
#undef NETBURST_FLOOR
};

/** One bit of an event's mask. */
struct netburst_mask {
	uint8_t event; /* enum netburst_event_id */
	uint8_t bit;   /* of the mask; ESCR bit 9 + this */
	uint8_t judgement;
	uint8_t rule;
	uint8_t floor; /* enum netburst_floor */
	char name[16];
	struct event_term term[3]; /* coefficient 0 ends */
};

/** By event, in the order of the enumeration. */
extern const struct netburst_mask netburst_mask[];
extern const unsigned netburst_mask_count;

enum netburst_mechanism {
	TAG_FRONT_END, /* SDM 18.15.6.2 */
	TAG_EXECUTION, /* 18.15.6.3 */
	TAG_REPLAY,    /* 18.15.6.4 */
	TAG_NOTHING,   /* no tagging: an event with a filter in the CCCR, 18.17.2 */
	TAG_WHOLE,     /* no tagging: all fields of an event's mask, each of which selects nothing alone */
};

/** A metric that takes more than one ESCR and one counter. */
struct netburst_recipe {
	char name[32];
	uint8_t mechanism;   /* enum netburst_mechanism */
	uint8_t count;       /* the event that counts, enum netburst_event_id ... */
	uint8_t source;      /* the event that tags or that replay tagging needs besides; NB_EVENTS: none */
	uint8_t source_escr; /* the ESCR that must have it; ESCR_NONE: any of its ESCRs */
	uint16_t count_mask, source_mask;
	uint32_t pebs;     /* bits of MSR_PEBS_ENABLE; bit 25, PEBS itself, is left to sampling */
	uint8_t pebs_vert; /* bits of MSR_PEBS_MATRIX_VERT */
	uint8_t judgement;
	uint8_t rule;
	uint8_t floor;             /* enum netburst_floor */
	struct event_term term[2]; /* what is tagged, and what of it cannot be; coefficient 0 ends */
	const char *document;      /* that has it: manual and section */
};

#define NETBURST_RECIPES 29
extern const struct netburst_recipe netburst_recipe[NETBURST_RECIPES];

/*
 * A selector as struct pmu_event.code and struct pmu_config.code have it: the ESCR in the upper half, the
 * CCCR in the lower, in their own layouts with the ring and enable bits clear. The reserved bits 4 to 0 of
 * the CCCR hold the number of a recipe plus 1, or 0. Bit 5 says that the words were given as they are: then
 * the ring bits are in the ESCR's half, and OVF_PMI is in the CCCR's.
 */
#define CODE_RECIPE     0x1full
#define CODE_AS_WRITTEN 0x20ull
#define CODE_ESCR(code) ((uint32_t)((code) >> 32))
#define CODE_CCCR(code) ((uint32_t)(code) & ~(uint32_t)(CODE_RECIPE | CODE_AS_WRITTEN))

/** The recipe that a selector names; NULL if none. */
const struct netburst_recipe *netburst_code_recipe(uint64_t code);

/** The event with this event select on an ESCR; NB_EVENTS if none is documented for the model. */
enum netburst_event_id netburst_event_of(enum netburst_escr_id escr, unsigned select, unsigned model);

/** Counters that can count an event, through whichever of its ESCRs. */
uint32_t netburst_event_counters(enum netburst_event_id e, unsigned model);

#define NETBURST_ROWS_MAX 256
#define NETBURST_NAME     44

/**
 * Write the rows that a CPU of this model offers: one per mask bit ("branch_retired:MMTP"), then the recipes.
 * @param thread the logical processor that runs, 0 or 1: some masks name processors
 * @param rows  room for NETBURST_ROWS_MAX
 * @param names likewise; the rows point there
 * @return how many there are
 */
unsigned netburst_rows(unsigned model, unsigned thread, struct pmu_event *rows, char (*names)[NETBURST_NAME]);

/** The mask bits of the event that a row belongs to; *n how many. NULL for a recipe. */
const struct netburst_mask *netburst_masks_of(const struct pmu_event *row, unsigned model, unsigned *n);

#endif
