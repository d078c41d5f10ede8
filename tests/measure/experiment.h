/*
 * Experiments: what a person wants to have counted, as the configuration says it, and made ready for a PMU.
 * Nothing here touches hardware.
 */
#ifndef TESTS_MEASURE_EXPERIMENT_H
#define TESTS_MEASURE_EXPERIMENT_H

#include "pmu/events/grammar.h"
#include "pmu/contract/reason.h"
#include "pmu/contract/record.h"
#include "pmu/events/schedule.h"
#include "tests/judge/expectation.h"
#include "tests/measure/metric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTION_ITEMS     16
#define OPTION_ITEM_TEXT 128

/** Line and column, both from 1, in the configuration. */
struct text_place {
	unsigned line, column;
};

/** Words of one key, in order, with the places where they were written. */
struct option_list {
	unsigned count;
	struct option_item {
		char text[OPTION_ITEM_TEXT];
		struct text_place at;
	} item[OPTION_ITEMS];
};

enum experiment_level { EXPERIMENT_HARNESS, EXPERIMENT_USER, EXPERIMENT_BOTH };
enum experiment_passes { EXPERIMENT_SPLIT, EXPERIMENT_ONE };

/** Keys of which the place matters later. */
enum experiment_key {
	KEY_KERNEL,
	KEY_N,
	KEY_PERIOD,
	KEY_RECORD,
	KEY_PASSES,
	KEY_LEVEL,
	KEY_CODE,
	KEY_THEN,
	KEY_SAMPLE,
	KEY_MAX,
	KEY_BUFFER,
	KEY_COUNT
};

#define EXPERIMENT_NAME 32

/** One [experiment NAME] section, as it was written. */
struct experiment {
	char name[EXPERIMENT_NAME];
	struct text_place at;             /* of the header */
	struct text_place key[KEY_COUNT]; /* of the values; line 0: not given */
	char kernel[128], pmu[64];        /* globs */
	char code[64];                    /* a user's own: a file, or else ... */
	struct option_list bytes;         /* ... pairs of hexadecimal digits */
	const struct kernel *own;         /* either, when it has been loaded. NULL: ... */
	const char *own_why;              /* ... why not; NULL: the kernels are Assay's */
	struct option_list events, deltas, cascades, metrics;
	struct option_list
		beside;        /* counted while an event is sampled: behind the others in .events, too ... */
	uint8_t n_sampled;     /* ... from this item on */
	uint64_t n, period;    /* 0: as the suites have it; no sampling */
	uint64_t then;         /* from the overflow that starts a cascade to the interrupt; 0: none */
	uint32_t most, buffer; /* samples at most, records up to an interrupt; 0: not said */
	uint8_t sample;        /* 1: each sample is told, with all that is known of it */
	uint32_t reps;
	uint8_t level, passes, record; /* enum experiment_level, experiment_passes, record_kind */
};

#define EXPERIMENTS_MAX 32

struct experiments {
	const char *file; /* for messages */
	unsigned count;
	struct experiment experiment[EXPERIMENTS_MAX];
};

/** What the PMU records (pmu/contract/record.h), asked on the CPU under judgement. */
struct experiment_sources {
	const struct pmu_record_source *source[RECORD_KINDS]; /* NULL: none of this kind ... */
	const char *absent[RECORD_KINDS];                     /* ... why; NULL: not said */
	/** record_can_sample(). NULL: whatever counts. */
	bool (*can_sample)(void *ctx, const struct pmu_recording *r, const char **why);
	void *ctx;
};

#define EXPERIMENT_REQUESTS  32
#define EXPERIMENT_MULTIPLES 3  /* N, 2N, 3N, as in the suite `events` */
#define EXPERIMENT_JOINED    16 /* unit masks that one selector may join */

/** An experiment made ready for one PMU and one ring. */
struct experiment_plan {
	const struct experiment *experiment;
	const struct pmu *pmu;
	uint8_t level; /* 0 or 3 */
	uint64_t n;
	unsigned reps;
	const struct pmu_record_source *source; /* that makes the records; NULL: none, or record=pmi */
	unsigned n_requests;                    /* 0: the source records without counters */
	unsigned n_sampled;                     /* of them; those behind are counted meanwhile */
	struct event_request request[EXPERIMENT_REQUESTS];
	struct sched_place place[EXPERIMENT_REQUESTS];
	uint8_t item[EXPERIMENT_REQUESTS]; /* of events=, that the request comes from */
	/* Those that no counter but unbelievable ones (pmu.left_out) can count: not among .request. */
	unsigned n_excluded;
	struct event_request excluded[EXPERIMENT_REQUESTS];
	unsigned passes, bound;
	const char *proof;
	struct {
		uint8_t minuend, subtrahend; /* requests */
	} delta[OPTION_ITEMS];
	unsigned n_deltas;
	struct metric metric[OPTION_ITEMS]; /* operands: requests, METRIC_CLOCK */
	unsigned n_metrics;
	bool clock;                       /* ticks of the clock are told beside the counts */
	uint8_t cascade_from, cascade_to; /* requests; equal: there is no cascade */
	bool joined;                      /* some events count what others make: all are of one pass */
	struct {
		const struct pmu_event *row[EXPERIMENT_JOINED];
		uint8_t count;       /* 0: none is known */
	} rows[EXPERIMENT_REQUESTS]; /* of the table, that say what a request counts: several if it joins unit
					masks that have a row each */
};

/**
 * Make an experiment ready. Whatever cannot be done is refused, never done otherwise.
 * @param sources NULL: it makes no records
 * @param n    first N if the experiment gives none; its last is EXPERIMENT_MULTIPLES times that
 * @param why  gets one line: file:line:column, what is wrong, what to do
 * @return false if it is refused
 */
bool experiment_plan(const struct experiments *all, const struct experiment *x, const struct pmu *pmu,
		     const struct experiment_sources *sources, uint8_t level, uint64_t n, unsigned reps,
		     struct experiment_plan *out, char *why, size_t size);

/** The row of the table that says what a request counts, whether it was named or given as words, and however
 * it is filtered. NULL: none, or several. */
const struct pmu_event *experiment_row(const struct experiment_plan *plan, unsigned request);

/** What the bracket adds to every raw count of a request, as the manual implies it; 0 if that is not known.
 */
int64_t experiment_share(const struct experiment_plan *plan, unsigned request,
			 const struct pmu_bracket *bracket);

/** Whether what the window itself counts stays in a count, since a filter lets nobody know its part: then
 * experiment_expects() wants the window's bracket. */
bool experiment_counts_window(const struct experiment_plan *plan, unsigned request);

/** Whether a request's own setting, other than a filter by amount or edge, may keep the bracket from
 * counting: what it adds is then what is measured, and nothing is implied. */
bool experiment_share_is_measured(const struct experiment_plan *plan, unsigned request);

/** What of it lies in front of the kernel, the write that starts the counter included if that counts. */
int64_t experiment_share_ahead(const struct experiment_plan *plan, unsigned request,
			       const struct pmu_bracket *bracket);

/**
 * What a request should show on a kernel in the plan's ring.
 * Joined unit masks show at least what one of them shows alone, and at most the sum.
 * @param bracket NULL: what the bracket adds is left out
 * @return false if nothing is known, with *why in words
 */
bool experiment_expects(const struct experiment_plan *plan, unsigned request, const struct kernel *k,
			const struct pmu_bracket *bracket, uint64_t n, struct expectation *x,
			struct reason *why);

#endif
