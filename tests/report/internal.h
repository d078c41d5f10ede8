/*
 * What the parts of the report share. report_calls.c fans every call out to the document (document.c), and,
 * through the list of cells (cells.c), to the TAP stream (tap.c) and the tables (table.c).
 */
#ifndef TESTS_REPORT_INTERNAL_H
#define TESTS_REPORT_INTERNAL_H

#include "tests/report/json_mark.h"
#include "tests/report/level_words.h"
#include "tests/report/report.h"

/** What the tables need of one check. Strings are interned: equal texts are equal pointers; NULL where there
 * is none. */
struct cell {
	const char *suite, *name, *event, *kernel, *counter, *level;
	const char *expected, *observed; /* of the observation that decides; NULL without observations */
	const char *text;                /* why the verdict; NULL if there is nothing to say */
	const char *processor;           /* "processor 1 (E-core)"; NULL: there is only one */
	const char *label;               /* virtual_label() */
	uint64_t n;                      /* of that observation */
	unsigned before, next; /* number + 1 of the event's cells of the matrix around it; 0: none */
	uint8_t verdict;       /* enum verdict */
	bool virtual, machine_model;
	bool matrix;             /* tabulated by event */
	bool recorded;           /* it is in the document ... */
	struct json_mark record; /* ... behind this place */
};

struct cells {
	struct cell *cell;
	unsigned count, room;
};

extern struct cells cells;

/** The one copy of a text. @return NULL for NULL, and when memory is short */
const char *intern(const char *text);

/** Append what r says. @return false if memory is short */
bool cells_add(const struct result *r);
void cells_free(void);

/** "virtual PMU (model intel-core2), not silicon"; NULL while no virtual PMU was announced. */
const char *virtual_label(void);

/** "processor 1 (E-core)", which is judged now; NULL if it is the only one. Interned. */
const char *processor_label(void);

/** "1199 x3, 1200 x1": up to three values, then "..." and the extremes. */
void histogram_format(const struct histogram *h, char *out, size_t size);

/** A list of names: numbered ones are joined ("PMC0-3,FIXED_CTR0"), more than `most` others only counted ("14
 * kernels"). */
#define NAMES_MAX 192
struct names {
	const char *name[NAMES_MAX]; /* interned, distinct */
	unsigned count;
	bool more; /* there were others beyond them */
};
void names_add(struct names *names, const char *name);
void names_format(const struct names *names, unsigned most, const char *what, char *out, size_t size);
/** The same, counted only as well where the list has more than `columns` characters. */
void names_fit(const struct names *names, unsigned most, const char *what, size_t columns, char *out,
	       size_t size);

/** Checks [first, first + count) of the list, or of these only the cells of one event (a matrix row), in
 * order. */
struct selection {
	unsigned first, count;
	const char *event; /* interned; NULL: all */
};

/** The selected cell after `previous`, the first one after NULL. @return NULL at the end */
const struct cell *selection_next(const struct selection *s, const struct cell *previous);

/** "52 checks: 50 exact, 2 wrong". Verdicts that did not occur are left out. */
void tally_format(const struct selection *s, char *out, size_t size);

/* TAP stream. A point is one plain check, or all checks of one event in one suite. */
void tap_begin(bool verbose);
void tap_point(const struct selection *s);
void tap_end(bool complete, unsigned lost);

/* Text stream. Progress of a matrix is told by runs of cells that have the event, or the kernel, in common.
 */
void table_begin(void);
void table_suite_begin(const char *suite, const char *title);
void table_cell(const struct cell *cell, bool verbose);
void table_progress(const char *what, const struct selection *s);
void table_suite_end(const struct selection *s);
void table_value(const char *suite, const char *name, const char *value, const char *unit);
void table_fact(const char *suite, const char *name, const char *text);
void table_verdicts(bool verbose);
/** What is wrong and why, the worst first, or that nothing is. */
void table_closing(void);
/** Of each kind of core of which several processors were judged: in how many of the checks that each of them
 * has they agree, and which ones differ. */
void table_merged(void);
void table_experiment(const struct report_experiment *x);

/* JSON document. Each returns false if memory is short, or if there is more in the record than can be; the
 * record is then left out. */
bool document_begin(const struct report_header *header);
bool document_note(const char *text);
bool document_processor(const struct report_processor *p);
/** What follows is this processor's. */
void document_judging(unsigned number);
bool document_pmu(const struct pmu *pmu, identity_source *identity);
#define FIELDS_TEXT 200 /* a register's fields in words */
bool document_snapshot(const struct pmu_snapshot *snapshot, const struct register_field *fields);
bool document_suite_begin(const char *suite, const char *title);
bool document_result(const struct result *r);
/** Where the next record of the suites will begin. */
struct json_mark document_place(void);
/** What was written from there on, to the end of all suites. @return its length, cut to size */
size_t document_record(const struct json_mark *from, char *out, size_t size);
bool document_suite_end(void);
bool document_value(const char *suite, const char *name, const char *value, const char *unit);
bool document_erratum(const struct erratum_report *r);
bool document_fact(const char *suite, const char *name, const char *text);
bool document_share(const struct share_report *share);
bool document_attribution(const struct attribution_report *r);
bool document_experiment(const struct report_experiment *x);

struct json;

/** Samples of an experiment, as an object of the array that is open. */
void document_samples(struct json *j, const struct report_experiment *x, const struct report_samples *s);
/** @return false if the sink refused a piece */
bool document_write(const struct report_totals *totals, bool complete, unsigned lost, text_sink *sink,
		    void *to);

#endif
