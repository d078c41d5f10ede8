/*
 * Event strings: how people write which event is to be counted, and how.
 *
 *	INST_RETIRED.ANY_P              a row of the PMU's table; '.' and ':' are the same, case is ignored
 *	intel::INST_RETIRED:ANY_P       with the PMU's name, as libpfm4 has it
 *	BR_INST_RETIRED:u:e:c=2         with modifiers, which are the family's own
 *	BR_*:k                          every row that matches
 *	r01c0:u                         the selector in hexadecimal, as perf has it
 *	cpu/event=0xc4,umask=0x20,cmask=1,inv/u   by fields, as perf has it
 *
 *	L2_RQSTS:RFO_HIT:RFO_MISS       with several unit masks, which are joined
 *	INST_RETIRED.ANY_P:u@PMC1       on this counter and no other; behind each of the forms
 *
 * Without a ring (u, k) an event is counted in all of them.
 */
#ifndef PMU_EVENTS_GRAMMAR_H
#define PMU_EVENTS_GRAMMAR_H

#include "pmu/contract/pmu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Something that can be said of an event besides its name, and where it goes in struct pmu_config. */
struct event_modifier {
	const char *name; /* behind the event: "c" in EVENT:c=2; NULL if it cannot stand there */
	const char *perf; /* between perf's slashes: "cmask"; NULL if it cannot stand there. Rows of the same
			     one, side by side, are parts of one value, the lowest first */
	uint8_t offset;   /* byte offset of the field in struct pmu_config */
	uint8_t size;     /* its bytes: 1, 2, 4 or 8 */
	uint8_t shift;    /* lowest bit within the field */
	uint8_t width;    /* bits; 1: a switch, for which "=1" may be left out */
	int8_t raw;       /* its lowest bit in a raw selector; -1 if it has none there */
	const char *help; /* one line */
};

/** A unit mask that can be joined with others: EVENT:MASK:MASK. */
struct event_mask {
	const char *name; /* NULL ends */
	uint64_t code;    /* bits added to the event's */
};

struct event_alias {
	const char *alias, *name; /* alias NULL ends */
};

/** A register that some events need besides the selector. */
struct event_extra_field {
	uint32_t address;
	const char *perf; /* "frontend" */
};

/** What a family adds to the grammar: data only, but for masks. */
struct event_grammar {
	const char *const *names; /* before "::" besides the driver's and the model's, NULL ends */
	/** Whether libpfm4 calls the CPU of this PMU so: "skl"; in lower case. May be NULL. */
	bool (*is_peer_name)(const struct pmu *pmu, const char *name);
	const struct event_alias *aliases; /* other names of rows: libpfm4's, perf's; may be NULL */
	const struct event_alias *const
		*more_aliases;                  /* likewise: the vendor's own, NULL ends; may be NULL */
	const struct event_modifier *modifiers; /* help NULL ends */
	const char *perf_unlike; /* why perf's form cannot say an event of this family; NULL: it can */
	bool code_is_raw; /* an event's code is laid out as a raw selector is, and may hold a counter mask and
			     the like */
	/** Registers besides the selector, by the names of perf's fields, perf NULL ends; may be NULL. */
	const struct event_extra_field *extras;
	uint64_t raw_ignored; /* bits of a raw selector that say nothing about the event, such as enable */
	/** Bits of an event's code that say how it is counted, not what: two selectors that differ in them
	 * alone count the same event. */
	uint64_t code_how;
	uint64_t code_written; /* those of them that change no count of this logical processor */
	uint64_t code_waits;   /* bits of an event's code with which its counter waits for another one's
				  overflow */
	/** Bits of an event's code that say with how many active threads of the core its counter counts; and
	 * whether it does with this one alone, by them. 0 and NULL: each does. */
	uint64_t code_threads;
	bool (*counts_alone)(uint64_t code);
	uint64_t code_compares; /* the bit of an event's code that switches a selector's threshold on; 0: one
				   above 0 is on */
	bool more_than;         /* a threshold lets cycles with more occurrences through, not with as many */
	uint64_t code_overflows_always; /* bits of an event's code with which each increment overflows */
	/** Take a raw selector as it is written. May be NULL.
	 * @param value  the selector
	 * @param config what its fields and the modifiers behind it say; .ring 0: neither names a ring
	 * @param why    gets one line, in the terms of the selector
	 * @return false if this CPU cannot do what it says */
	bool (*take_raw)(const struct pmu *pmu, uint64_t value, struct pmu_config *config, char *why,
			 size_t size);
	/** The selector that take_raw() took; 0 if it took none. May be NULL. */
	uint64_t (*written)(const struct pmu_config *config);
	/** A raw selector may be given as its two halves, the lower one first, "0x3b000/0x1200020c@0xc", with
	 * the counter as RDPMC has it; this is how that is written, in words. NULL: it may not. */
	const char *halves;
	/** Bits of an event's code that are its unit mask, where a row is one event with one mask: rows that
	 * differ in them alone are joined as EVENT:MASK:MASK. 0: they are not */
	uint64_t unit_mask;
	/** Masks that row e can be combined with; kept until the next call for the same PMU. @return NULL if
	 * none; the member itself may be NULL */
	const struct event_mask *(*masks)(const struct pmu *pmu, const struct pmu_event *e);
	/** What the hardware restricts row e to, besides its counters, as lines of text. @return length, cut
	 * to size; the member itself may be NULL */
	size_t (*restrictions)(const struct pmu *pmu, const struct pmu_event *e, char *out, size_t size);
};

/** One event to be counted. */
struct event_request {
	const struct pmu_event *event; /* NULL: raw */
	struct pmu_config config;      /* .interrupt is false, .choice 0 */
	uint8_t counter;               /* number of the counter that it asks for, plus 1; 0: any */
	bool joined; /* it counts what other events of the experiment make (pmu_driver.join) ... */
	const struct pmu_event *counts_as; /* ... as this row does; NULL: as none */
};

struct event_error {
	unsigned column; /* from 0, of the character in the string */
	char text[160];  /* what is wrong, and what would be right */
};

/**
 * Understand one event string for this PMU.
 * @param out room for max requests; a glob gives one for each row that it matches, in the table's order
 * @param error NULL: whether the string is right is all that matters (the nearest of hundreds of names is not
 * looked for)
 * @return how many there are (more than max: only max were stored), 0 with *error if the string is wrong
 */
unsigned event_parse(const struct pmu *pmu, const char *text, struct event_request *out, unsigned max,
		     struct event_error *error);

/** The highest value of a field of perf's form, such as "umask"; 0 if there is no such field. */
uint64_t event_field_limit(const struct pmu *pmu, const char *field);

/** As libpfm4 writes it: "intel::BR_INST_RETIRED.ALL_BRANCHES:u:c=2"; raw ones as "r20c4:u". @return length,
 * cut to size */
size_t event_format(const struct pmu *pmu, const struct event_request *request, char *out, size_t size);

/** As perf writes it: "cpu/event=0xc4,cmask=0x2/u"; empty if perf's form cannot say it (fixed counters, and
 * families whose grammar says perf_unlike).
 * @return length */
size_t event_format_perf(const struct pmu *pmu, const struct event_request *request, char *out, size_t size);

/** Whether the request asks for more than a plain count, which needs a counter with a selector: edge, invert,
 * c-mask. */
bool event_is_filtered(const struct event_request *request);

#endif
