/*
 * The report: what every result goes into. JSON document (docs/report.schema.json), TAP lines, verdict table,
 * totals. Nothing here touches hardware or firmware; it runs on the host too.
 *
 * A check whose name starts with its event and '/' ("INST_RETIRED.ANY_P/PMC0/nop_loop") is a cell of a
 * matrix: cells that follow one another and have the event in common make one TAP test point and one group of
 * table rows. Every other check is a test point and a row of its own.
 *
 * When memory runs out, whole records are dropped from the document and counted in its member "lost" (once or
 * more); the totals keep counting, and the run is reported as incomplete.
 */
#ifndef TESTS_REPORT_REPORT_H
#define TESTS_REPORT_REPORT_H

#include "arch/identity.h"
#include "pmu/contract/pmu.h"
#include "tests/judge/check.h"
#include "tests/report/sink.h"

#include <stdbool.h>
#include <stddef.h>

/** What the run is about; strings are copied. */
struct report_header {
	const char *build_id;
	const char *date; /* when the run began, by the platform's clock; NULL: it has none */
	const char *platform, *firmware;
	bool under_hypervisor;  /* a hypervisor or emulator says that it is there ... */
	const char *hypervisor; /* ... and calls itself so; NULL: it gives no name, or there is none */
	const char *isa;        /* the instruction set */
	const char *cpu;        /* the processor in one line (identity_title) ... */
	const struct identity_pair *identity; /* ... and in parts */
	unsigned n_identity;
	unsigned processor_count; /* logical ones that firmware lists as enabled */
	uint64_t clock_hz;        /* of the clock that times are measured by */
	const char *time_reference;
	const char *watchdog;
	const char *options; /* effective, as one line of key=value tokens */
	bool verbose;        /* a line for every check, on both streams */
};

struct report_totals {
	unsigned checks;
	unsigned verdicts[VERDICT_COUNT];
};

void report_begin(const struct report_header *header);

/** A line that the user should read ("no HPET: ..."); printed and put into the document. */
void report_note(const char *text);

/** A processor that was to be judged, where that is not only the one that the run began on. */
struct report_processor {
	unsigned number;
	uint64_t id;      /* as the instruction set numbers processors (x86: the APIC ID) */
	const char *kind; /* "P-core", "E-core", "LP E-core"; NULL: all are alike */
	bool judged;
};
void report_processor(const struct report_processor *p);

/** From now on PMUs and results are this processor's, which report_processor() named; without it, they are
 * those of the only one. */
void report_judging(unsigned number);

/** The PMU under judgement (may be called again when the virtual one takes over).
 *  @param identity what the processor tells the PMU's driver; NULL: not told */
void report_pmu(const struct pmu *pmu, identity_source *identity);

/** Its registers as found (first at hand-over, then as often as they are looked at again). */
struct register_field;
/** @param fields what the bits mean (pmu/events/fields.h); NULL: not known
 *  @param print  show them, too, not only into the document */
void report_snapshot(const struct pmu_snapshot *snapshot, const struct register_field *fields, bool print);

/** Suites need not be announced: a result of another suite than the open one opens its own. */
void report_suite_begin(const char *suite, const char *title);
void report_result(const struct result *r);
void report_suite_end(void);

/** Extra named values of a suite (bench ratios, slopes per interrupt): numbers as text with a unit. */
void report_value(const char *suite, const char *name, const char *value, const char *unit);
/** The same, but printed only if the report is verbose. */
void report_detail(const char *suite, const char *name, const char *value, const char *unit);

/** What was found of an erratum: in the document alone. */
void report_erratum(const struct erratum_report *r);

/** What was found about this CPU where no manual says what it must be: printed, and put into the document. */
void report_fact(const char *suite, const char *name, const char *text);

/** A bracket's own share (tests/judge/shares.h), for the document alone. */
void report_share(const struct share_report *share);
/** What a round trip into a handler and back counts (tests/judge/attribution_windows.h), for the document
 * alone. */
void report_attribution(const struct attribution_report *r);

/** What one event of an experiment showed. */
struct report_count {
	const char *event; /* as pmu/events/grammar.h writes it */
	const char *counter;
	unsigned pass; /* from 1 */
	uint64_t encoding;
	bool judged; /* the observations have bounds */
	unsigned n_observations;
	const struct observation *observation;
};

/** The difference of two of its events, or a metric, repetition by repetition. */
struct report_delta {
	const char *name;       /* "A-B", as it was asked for */
	const char *expression; /* of a metric, whose observations are in millionths; NULL: a difference */
	bool across_passes;     /* the two were not counted in the same window */
	bool judged;
	unsigned n_observations;
	const struct observation *observation;
};

/** A branch of a kernel that was recorded: offsets, -1 for what lies outside of it. */
struct report_branch {
	int32_t from, to;
	unsigned taken, mispredicted;
};

/** Data addresses that the samples of one place tell; .high below .low: none. */
struct report_addresses {
	uint64_t low, high;
};

/** One sample, with all that is known of it. */
struct report_sample {
	int32_t offset; /* in the kernel; -1: outside */
	bool timed;
	uint64_t clock;        /* ticks since its run began, or as the record has it */
	const uint64_t *count; /* of each of the experiment's counts, since its run began; NULL: not known */
	const uint64_t *registers; /* .n_registers of the samples; NULL: not known */
};

/** Where the samples of one event, or the branches of a trace, lie. */
struct report_samples {
	const char *event, *counter; /* counter NULL: it takes none */
	uint64_t period;             /* 0: every one */
	unsigned runs;               /* of the kernel */
	unsigned elsewhere;          /* samples outside the kernel */
	unsigned named_next;         /* samples in it whose place is the instruction behind theirs */
	const unsigned *at;          /* by offset in the kernel, size + 1: the last is behind it */
	size_t size;
	const char *record;                       /* "pmi", "pebs": of record_kind_names */
	const struct report_addresses *addresses; /* by offset, as .at; NULL: none are told */
	const struct report_addresses *registers; /* lowest and highest values, by offset ... */
	unsigned n_registers,
		registers_apart;             /* ... this many of each, with this distance; 0: none are told */
	unsigned n_list, n_listed_registers; /* each sample, in order, if that was asked for */
	const struct report_sample *list;
	unsigned n_branches; /* of a trace */
	const struct report_branch *branch;
};

/** An experiment on one kernel in one ring. */
struct report_experiment {
	const char *name, *kernel, *level;
	uint64_t n;
	unsigned reps, passes, bound; /* at least `bound` passes are needed ... */
	const char *proof;            /* ... as this shows */
	unsigned n_counts, n_deltas, n_metrics, n_samples;
	const struct report_count *count;
	const struct report_delta *delta, *metric;
	const struct report_samples *samples;
};

void report_experiment(const struct report_experiment *x);

/** Print the verdict table, TAP plan and the last line "assay: N checks: ...". complete=false if the run was
 * cut short. */
void report_end(bool complete);

const struct report_totals *report_totals(void);

/** What is shown of a check. Texts are NULL where there is none, and stay. */
struct report_check {
	const char *suite, *name, *event, *kernel, *counter, *level;
	const char *text;                /* why the verdict */
	const char *expected, *observed; /* of the observation that decides, with this N */
	const char *processor;           /* NULL: there is only one */
	uint64_t n;
	enum verdict verdict;
	bool virtual;
};

/** The i-th check, as they were handed over. @return false behind the last */
bool report_check(unsigned i, struct report_check *out);

/** Its record in the JSON document and what follows, as much as has room, NUL-terminated. @return the length,
 * 0: there is none */
size_t report_check_record(unsigned i, char *out, size_t size);

/**
 * Hand the JSON document over as it stands; it is valid at any time (complete=false until report_end(true)).
 * Takes no memory. @return false if the sink refused a piece
 */
bool report_json(text_sink *sink, void *to);

#endif
