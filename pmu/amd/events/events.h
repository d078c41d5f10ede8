/*
 * Event table of AMD's cores, packed: of most generations' events only a few are this CPU's.
 */
#ifndef PMU_AMD_EVENTS_EVENTS_H
#define PMU_AMD_EVENTS_EVENTS_H

#include "pmu/amd/generation.h"
#include "pmu/amd/registers.h"
#include "pmu/contract/event.h"

#define AMD_EVENTS_MAX 512 /* of one generation */
#define AMD_TERMS      7

struct amd_event {
	uint16_t generations; /* enum amd_generation, those whose event this is */
	uint16_t select;      /* 12 bits */
	uint8_t umask;
	uint8_t bulldozer; /* counters that can count it on family 15H, bit n each; no others are limited */
	uint8_t judgement; /* enum event_judgement */
	uint8_t rule;      /* of an exception, 0: none */
	uint16_t terms[AMD_TERMS]; /* packed: pmu/events/rows.h; 0 ends */
};

enum amd_floor_id {
	AMD_FLOOR_NONE,
#define AMD_FLOOR(id, ...) AMD_FLOOR_##id,
#define AMD_COUNT(id, ...) AMD_FLOOR_##id,
#define AMD_PARTS(id, ...) AMD_FLOOR_##id,
#include "pmu/amd/events/floors.def"
#undef AMD_FLOOR
#undef AMD_COUNT
#undef AMD_PARTS
};

extern const struct amd_event amd_events[];
/** The first of them are judged without being asked for. */
extern const unsigned amd_base_count, amd_event_count;

/** The event's bits of a selector. */
static inline uint64_t amd_code(const struct amd_event *e)
{
	return (e->select & 0xffull) | (uint64_t)e->umask << 8 | (uint64_t)(e->select & 0xf00) << 24;
}

/**
 * The events of a generation, as every family has them.
 * @param one_node what comes from other nodes must stay 0 (pmu/amd/driver/nodes.h); else no more than any
 * request
 * @param out room for max events; what they point to lasts
 * @return how many there are, at most max
 */
unsigned amd_unpack(unsigned generation, bool one_node, struct pmu_event *out, unsigned max);

#endif
