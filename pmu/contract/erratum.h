/*
 * Published errata of a family, and what shows them. Rows are data (pmu/FAMILY/errata/rows.csv); what a CPU
 * that has one counts, or answers, is in the family's errata/shows.c.
 *
 * Example: what inject=SKL091 means.
 *
 *     int row = errata_find(&intel_known_errata, "SKL091");
 *     errata_number(&intel_known_errata, row, 0, name, sizeof name);   // "SKL91"
 */
#ifndef PMU_CONTRACT_ERRATUM_H
#define PMU_CONTRACT_ERRATUM_H

#include "pmu/contract/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum erratum_mechanism {
#define ERRATUM_MECHANISM(id, name, reason) ERRATUM_BY_##id,
#include "pmu/contract/mechanisms.def"
#undef ERRATUM_MECHANISM
	ERRATUM_MECHANISMS
};

/** Its name; why none of its rows can be provoked, NULL: they can. */
const char *erratum_mechanism_name(enum erratum_mechanism m);
const char *erratum_mechanism_reason(enum erratum_mechanism m);

/** Where a row is from. Only the first two give a verdict: the others are news, not a vendor's word. */
enum erratum_confidence {
	ERRATUM_PUBLISHED,
	ERRATUM_PARTIAL,     /* a published number whose text was seen in part */
	ERRATUM_OBSERVATION, /* it has no vendor's number */
	ERRATUM_UNTOLD,      /* a published number without a text */
	ERRATUM_MEMORY,
};

enum erratum_need {
	ERRATUM_NEEDS_NOTHING,
	ERRATUM_NEEDS_SIBLING,  /* the core's other logical processor */
	ERRATUM_NEEDS_CORE,     /* another core */
	ERRATUM_NEEDS_OUTSIDE,  /* what no program can do */
	ERRATUM_NEEDS_KERNEL,   /* instructions that no kernel has */
	ERRATUM_NEEDS_POWER,    /* power states of the core */
	ERRATUM_NEEDS_FIRMWARE, /* an interrupt of firmware's just then */
	ERRATUM_NEEDS_TRACE,    /* a processor trace */
	ERRATUM_NEEDS_ABORT,    /* transactions that abort */
	ERRATUM_NEEDS_DEBUG,    /* debug registers */
	ERRATUM_NEEDS_EVENT,    /* an event that no list has */
	ERRATUM_NEEDS_TEXT,     /* a text: it was recalled without one */
	ERRATUM_NEEDS_MAPPING,  /* memory that is mapped in another way */
	ERRATUM_NEEDS_BOUND,    /* a rate that is right, and none is published */
	ERRATUM_NEEDS_DELAY,    /* the delay between an overflow and its interrupt, which the model has not */
	ERRATUM_NEEDS_MEASURE,  /* nothing: it is measured as a premise, and allowed for */
};

/** Directions in which a row makes counts wrong. */
enum erratum_effects { ERRATUM_COUNTS_MORE = 1, ERRATUM_COUNTS_LESS = 2 };

struct erratum {
	uint16_t numbers; /* where its numbers begin in errata.numbers: "HSD73|HSM74" */
	uint16_t part;    /* index of the first of its processors */
	uint8_t parts;
	uint8_t mechanism, confidence, needs;
	uint8_t effects; /* enum erratum_effects: on counts */
};

/** Processors that a row names. */
struct erratum_part {
	uint8_t family, first, last; /* models from first to last; family 0: any */
	uint16_t steppings;          /* bit n: stepping n */
	uint32_t fixed;              /* microcode that mends it; 0: none is known */
};

/**
 * What shows an erratum in the counts of events: a CPU that has it counts `coefficient` more of each `more`
 * (negative: less), or on one kernel `coefficient` more for each N.
 */
struct erratum_count {
	const char *number;   /* NULL ends a table */
	const char *events;   /* globs */
	quantity_number more; /* Q_COUNT: .kernel says what happens N times */
	int8_t coefficient;   /* 0: it is not known how much, and the trial is all that the row is for */
	const char
		*kernel; /* globs of those in which it happens N times; NULL: those that have the quantity */
	const char *trial; /* globs of those by which it is looked for */
};

/** How what was seen differs from what must be. */
enum erratum_relation {
	SHOWS_MORE,    /* observed - expected is from .low to .high */
	SHOWS_FLIPPED, /* observed and expected differ in the bits .low and no others */
	SHOWS_BITS,    /* observed has bits besides those expected, .low of them at least */
	SHOWS_TEXT,    /* as .text says, which is enough */
	SHOWS_LIKE,    /* as .text says, which is all that the row tells: it agrees, and gives no verdict */
	SHOWS_LIKE_COUNT, /* likewise, of a count that is off in a direction that the row has */
};

/** What shows an erratum in a check that compares numbers. */
struct erratum_symptom {
	const char *number;        /* NULL ends a table */
	const char *suite;         /* its name */
	const char *check;         /* glob */
	const char *text;          /* glob of the words with which it is told */
	uint8_t relation;          /* enum erratum_relation */
	int64_t low, high;
};

/** Where checks that symptoms name are carried out: on which kernel, with which events. */
struct erratum_place {
	const char *suite;           /* NULL ends a table */
	const char *about;           /* words of the checks' globs that are carried out here; NULL: all */
	const char *kernel, *events; /* globs; NULL: those that the run has */
	bool by_name;                /* check= is for its checks */
};

/** The processor that is judged. */
struct erratum_processor {
	unsigned family, model, stepping;
};

struct errata {
	const char *prefix; /* that numbers may be without: "AMD-"; NULL: none */
	const char *numbers;
	const struct erratum *row;
	const unsigned *count;
	const struct erratum_part *part;
	const struct erratum_count *counts;
	const struct erratum_symptom *symptoms;
	const struct erratum_place *places;
	/** Call on the CPU that is judged. */
	struct erratum_processor (*processor)(void);
};

#define ERRATUM_NUMBER 24 /* bytes, with the terminating zero */

/** The row that is known by a number, in any case, with or without leading zeros. @return -1: there is none
 */
int errata_find(const struct errata *e, const char *number);

/** The row of the first of some numbers with spaces between them, which is taken off the list. @return -1:
 * there is none */
int errata_next(const struct errata *e, const char **list);

/** Whether two numbers are the same, written in whichever of these ways. */
bool errata_same(const struct errata *e, const char *a, const char *b);

/** The i-th number of a row, from 0, which is its name. @return false behind the last one */
bool errata_number(const struct errata *e, unsigned row, unsigned i, char *out, size_t size);

/** Whether a row names a processor. @param fixed gets the microcode that mends it there, 0: none; may be NULL
 */
bool errata_documented(const struct errata *e, unsigned row, const struct erratum_processor *p,
		       uint32_t *fixed);

/** Whether what a row says may be a verdict. */
bool errata_judges(const struct errata *e, unsigned row);

#endif
