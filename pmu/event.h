/*
 * Events: one const row per documented event, and how an event string is written.
 */
#ifndef PMU_EVENT_H
#define PMU_EVENT_H

#include "pmu/quantity.h"

/** One term of what an event counts: coefficient times quantity. */
struct event_term {
	uint8_t quantity; /* enum quantity */
	int8_t coefficient;
};

#define EVENT_TERMS 8

/** How far an event can be judged. */
enum event_judgement {
	EVENT_EXACT,	/* counts exactly its terms */
	EVENT_AT_LEAST, /* counts its terms and possibly more (speculation, replays): lower bound */
	EVENT_TIME,	/* clock-like: judged by bounds and identities only */
};

struct pmu_event {
	const char *name;  /* the vendor's own ("BR_INST_RETIRED.ALL_BRANCHES") */
	uint64_t code;	   /* selector value as the family lays it out, enable and ring bits clear */
	uint32_t counters; /* bit n: may count on general counter n; 0: on none (fixed only) */
	int8_t fixed;	   /* index of the fixed counter that counts it, -1 if none */
	uint8_t judgement; /* enum event_judgement */
	struct event_term terms[EVENT_TERMS]; /* coefficient 0 ends */
	const char *rule;   /* a documented exception in words, NULL if none */
	const char *source; /* manual and section */
};

#endif
