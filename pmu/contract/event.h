/*
 * Events: one const row per documented event, and how rows are looked up.
 *
 * Example: an event that counts loads and stores, on counters 0 and 1.
 *
 *     const struct pmu_event accesses = {
 *             .name = "ACCESSES", .code = 0x04, .counters = 0x3, .fixed = -1,
 *             .judgement = EVENT_EXACT, .terms = {{Q_LOADS, 1}, {Q_STORES, 1}},
 *             .source = "manual, table of events",
 *     };
 *     event_coefficient(&accesses, Q_STORES);    // 1
 */
#ifndef PMU_CONTRACT_EVENT_H
#define PMU_CONTRACT_EVENT_H

#include "pmu/quantity/quantity.h"

/** One term of what an event counts: coefficient times quantity. */
struct event_term {
	quantity_number quantity;
	int8_t coefficient;
};

#define EVENT_TERMS 8

/** What an event may count besides its terms: at most `times` for each unit of a quantity. */
struct event_allowance {
	quantity_number quantity;
	bool again : 1;      /* what the terms count is done again: nothing where they count nothing */
	uint16_t times : 15; /* 0 ends */
};

#define RULE_ALSO       7
#define RULE_MAY        12
#define RULE_UNSAID     7
#define RULE_LESS       4
#define RULE_DELIVERIES 5

/** What the delivery of an interrupt or exception, and the return from its handler, are counted as. */
enum delivered_kind {
	DELIVERED_INSTRUCTIONS,
	DELIVERED_BRANCHES,
	DELIVERED_SYSTEM_BRANCHES,
	DELIVERED_LOADS,
	DELIVERED_STORES,
};

/**
 * Deliveries: what interrupts, exceptions and the returns from their handlers may add to an event, though no
 * instruction does. One such list for each kind of event of a family; no manual says it of most CPUs, so that
 * it leaves open whether they count.
 */
struct event_deliveries {
	const char *text;
	const char *source;
	uint8_t kind;                                 /* enum delivered_kind */
	struct event_allowance all[RULE_DELIVERIES];  /* of a window in both rings; times 0 ends */
	struct event_allowance user[RULE_DELIVERIES]; /* counted in ring 3 alone; likewise */
};

/**
 * A named rule: what the manual, an erratum or a published measurement says beside the definition of an
 * event. Its text is told with every verdict that rests on it.
 */
struct event_rule {
	const char *text;
	const char *source;                   /* NULL: the row's own */
	struct event_term also[RULE_ALSO];    /* counted too, exactly: part of the terms of every row that has
						 the rule; coefficient 0 ends, the last
						   one is 0 */
	struct event_allowance may[RULE_MAY]; /* may be counted too; times 0 ends, likewise */
	struct event_allowance unsaid[RULE_UNSAID]; /* no manual says whether these count: where there are
						       any, an exact row is not exact; ends likewise */
	struct event_allowance less[RULE_LESS];     /* may be left out: so many fewer, of what
						       no manual says or what was counted without;
						       ends likewise */
	uint16_t edge;                              /* may be counted once more in each window */
	const struct event_deliveries *deliveries;  /* NULL: they count as the terms say */
	uint8_t fold;    /* so many times more or less is documented; 0: it is not */
	bool hypervisor; /* a hypervisor that Assay runs under causes it: judged without one alone */
};

#define FLOOR_TERMS 12

/**
 * What must make an event tick: its count is at least the sum of coefficient times amount (the low end of an
 * interval; the high end of what is taken away), divided by `per`, rounded down. It follows from how kernels
 * are built, and holds for hardware alone. Where documents say that nothing but that is counted, the sum is
 * an upper end as well.
 */
struct event_floor {
	const char *text;                  /* why it must */
	uint16_t per;                      /* not 0 */
	struct event_term of[FLOOR_TERMS]; /* coefficient 0 ends, or the array does */
	uint16_t over; /* not 0: it counts nothing else there, but so many of what else the machine does */
};

/** How far an event can be judged. */
enum event_judgement {
	EVENT_EXACT,    /* counts exactly its terms, but for what its rule leaves unsaid */
	EVENT_AT_LEAST, /* counts its terms and possibly what its rule allows (speculation, replays) */
	EVENT_TIME,     /* clock-like: judged by bounds and identities only */
};

enum event_flags {
	EVENT_ANY_LEVEL = 1 << 0, /* counts in every ring, whatever the ring filter says */
	EVENT_ENUMERATED =
		1 << 1, /* CPUID itself says that this CPU counts it: a hypervisor may not drop it */
	EVENT_OF_CORE =
		1 << 2, /* this microarchitecture's own, of which there are hundreds: judged if asked for */
	EVENT_PRECISE = 1 << 3, /* can be sampled precisely */
	EVENT_BY_NAME =
		1
		<< 4, /* one of very many that are alike: not meant by a glob that says nothing of its name */
	EVENT_MASKED = 1 << 5, /* defined with a counter mask: it counts once in a cycle at most */
	EVENT_EDGES = 1 << 6,  /* defined with edge detection: it counts once in two cycles at most */
	EVENT_ANY_THREAD =
		1 << 7, /* counts what any thread of the core does, whatever the thread filter says */
};

struct pmu_event {
	const char *name;  /* the vendor's own ("BR_INST_RETIRED.ALL_BRANCHES") */
	uint64_t code;     /* selector value as the family lays it out, enable and ring bits clear */
	uint32_t counters; /* bit n: may count on general counter n; 0: on none (fixed only) */
	int8_t fixed;      /* index of the fixed counter that counts it, -1 if none */
	uint8_t judgement; /* enum event_judgement */
	uint8_t flags;     /* enum event_flags */
	struct event_term terms[EVENT_TERMS]; /* coefficient 0 ends */
	const struct event_rule *rule;        /* a documented exception, NULL if none */
	const struct event_floor *floor;      /* NULL: nothing must make it tick, but for its terms */
	const char *source;                   /* manual and section */
	const char *errata;      /* published numbers, separated by blanks; NULL: none are known */
	uint32_t extra_register; /* register that holds extra_value while it counts; 0: none */
	uint64_t extra_value;
};

/** The event called `name` (case ignored) among n rows; NULL if there is none. */
const struct pmu_event *event_by_name(const struct pmu_event *const *rows, unsigned n, const char *name);

/** Whether a row of this judgement may have this rule (0: none): for tables, which it keeps from compiling.
 */
#define EVENT_REASONED(judged, named)                                                                        \
	((judged) +                                                                                          \
	 0 * sizeof(struct {                                                                                 \
		 _Static_assert((judged) != EVENT_AT_LEAST || (named) != 0,                                  \
				"an event that counts at least something needs a rule: what else?");         \
		 int unused;                                                                                 \
	 }))

/** Whether a rule allows a count to leave its terms. */
bool event_rule_allows(const struct event_rule *rule);

/** Give event `e` a rule (NULL: none), and terms for what it says is counted too. */
void event_follow(struct pmu_event *e, const struct event_rule *rule);

/** Let row `out` mean what `from` means: terms, judgement, flags, rule and source; name, code and counters
 * stay its own. */
void event_mean(struct pmu_event *out, const struct pmu_event *from);

/** Whether two events cannot be counted at once whatever the counters: they need one register to hold two
 * values. */
bool event_clashes(const struct pmu_event *a, const struct pmu_event *b);

/** Whether what it counts depends on the micro-architecture, if only in part: such counts rest on a machine
 * model where there is no silicon. */
bool event_is_micro(const struct pmu_event *e);

/** How many terms an event has but for those that its rule adds. */
unsigned event_own_terms(const struct pmu_event *e);

/** How often event e counts one unit of quantity q: the sum of the coefficients of its terms in q. */
int event_coefficient(const struct pmu_event *e, enum quantity q);

/** Whether an event counts instructions, and at most what is delivered besides (interrupts, exceptions). */
bool event_counts_instructions(const struct pmu_event *e);

#endif
