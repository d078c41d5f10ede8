/*
 * Offcore responses: what leaves a core, by kind of request and by what came of it. Each event is a pair of
 * both, whose bits lie in MSR_OFFCORE_RSP_0 or _1 (SDM vol. 3, 18.8.1.3, 18.9.5); names, too, are made of the
 * two. scripts/gen-intel-offcore packs the pairs.
 */
#ifndef PMU_INTEL_EVENTS_OFFCORE_H
#define PMU_INTEL_EVENTS_OFFCORE_H

#include "pmu/events/grammar.h"

/** Kinds of requests, a mask. */
enum intel_offcore_kind {
	OFFCORE_KIND_DATA = 1 << 0,
	OFFCORE_KIND_RFO = 1 << 1,
	OFFCORE_KIND_CODE = 1 << 2,
	OFFCORE_KIND_WRITEBACK = 1 << 3,
	OFFCORE_KIND_PREFETCH = 1 << 4,
	OFFCORE_KIND_STREAMING = 1 << 5,
	OFFCORE_KIND_UNCACHED = 1 << 6,
	OFFCORE_KIND_OTHER = 1 << 7,
};

/** What can be said of a response, as pmu/intel/events/offcore.def has it. */
enum intel_offcore_answer {
	OFFCORE_ANY,
	OFFCORE_SOME,
	OFFCORE_MISS,
	OFFCORE_FOREIGN,
	OFFCORE_PENDING,
	OFFCORE_HIT,
	OFFCORE_MISSES,
	OFFCORE_EITHER
};

/** How a core counts them. */
struct intel_offcore_core {
	const char *prefix;   /* of the names: "OCR" */
	uint16_t selector[2]; /* event select and unit mask for MSR_OFFCORE_RSP_0 and _1; 0: no such register
			       */
	uint16_t counters;
};

/** Parts of names and values: offset into intel_offcore_names, bits of the register, kinds or answer. */
extern const uint16_t intel_offcore_request_names[], intel_offcore_response_names[];
extern const uint64_t intel_offcore_request_bits[], intel_offcore_response_bits[];
extern const uint8_t intel_offcore_request_meanings[], intel_offcore_response_meanings[];
extern const char intel_offcore_names[];

/** The pairs, and the cores that have them: indices into the tables above and into intel_offcore_sets. */
extern const uint8_t intel_offcore_request[], intel_offcore_set[];
extern const uint16_t intel_offcore_response[];
extern const uint64_t intel_offcore_sets[];
extern const unsigned intel_offcore_count;
#define OFFCORE_FIRST  0x2000 /* in intel_offcore_response[]: MSR_OFFCORE_RSP_0 alone takes it */
#define OFFCORE_ALIAS  0x4000 /* likewise: another name of a value that the core has */
#define OFFCORE_SECOND 0x8000 /* likewise: MSR_OFFCORE_RSP_1 alone takes it */

extern const struct intel_offcore_core intel_offcore_cores[]; /* by core */

/** Names that Intel gives to one value besides the one that its row has. */
extern const struct event_alias intel_offcore_aliases[];

#define INTEL_OFFCORE_MAX  1024  /* events of one core */
#define INTEL_OFFCORE_POOL 45056 /* bytes of their names */

/**
 * The offcore responses of a core. Those with any response are for the first register, parts of them for the
 * second one and another counter if the core has it, so that a whole and a part can be counted at once.
 * @param core    bit in the sets of cores
 * @param aliases whether to give other names of a value, too
 * @param names   room for INTEL_OFFCORE_POOL bytes, which the events' names are put into
 * @param out     room for max events
 * @return how many there are, at most max
 */
unsigned intel_offcore_unpack(int core, bool aliases, char *names, struct pmu_event *out, unsigned max);

/** What offcore responses of these requests (mask of enum intel_offcore_kind) count, as a row says it. */
void intel_offcore_mean(struct pmu_event *e, unsigned kinds, enum intel_offcore_answer answer);

/**
 * What an offcore response means by its name, if it does on all cores that have it.
 * @return false if none has it, or they differ
 */
bool intel_offcore_meaning(const char *name, struct pmu_event *e);

#endif
