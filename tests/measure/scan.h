/*
 * Scanning: many events counted on the same kernels, each by one counter, for tests/judge/response.h to say
 * what they count.
 */
#ifndef TESTS_MEASURE_SCAN_H
#define TESTS_MEASURE_SCAN_H

#include "tests/judge/check.h"
#include "tests/judge/response.h"

#include <stdbool.h>
#include <stdint.h>

/** An event that is scanned. */
struct scanned {
	const struct pmu_event *event;
	unsigned pass, counter; /* where it is counted */
	uint32_t tried;         /* counters by which it has counted nothing: scan_try_others() */
	bool placed;
	int64_t *count;                /* by point of the space; valid without a failure */
	const char *failure;           /* why it is not counted (any more) */
	const struct kernel *unsteady; /* on this kernel counts differ from run to run */
	struct judgement broken;       /* what befell the whole pass */
};

/** To be zero but for run, suite, n and reps at first. */
struct scan {
	struct run *run;
	const char *suite;
	uint64_t n; /* counted at N and 2N */
	unsigned reps;
	struct response_space space;
	struct scanned *scanned;
	unsigned n_scanned, n_passes;
	int64_t *count; /* of all */
	size_t points;  /* that each has room for: of all kernels that are selected */
	bool no_memory;
};

/** An event of which two lists have different encodings. */
struct disputed {
	const struct pmu_event *row;
	struct pmu_event vendors, peers; /* as the vendor encodes it, and as libpfm4 does */
};
#define DISPUTED_MAX 64 /* more than any CPU has */

/** @param out room for DISPUTED_MAX @return how many this CPU has */
unsigned disputed_list(const struct pmu *pmu, struct disputed *out);

/** Room for events, on all kernels that are selected. @return false without memory */
bool scan_begin(struct scan *s, unsigned events);

/** Add an event; it has to last. */
void scan_add(struct scan *s, const struct pmu_event *e);

/** When all are added: give each a counter of those that are to be believed. */
void scan_place(struct scan *s);

/** Add a kernel whose signature is confirmed and that runs in ring 0; of one whose signature is an interval
 * at best it makes nothing. @return whether it was added */
bool scan_add_kernel(struct scan *s, const struct kernel *k);

/** Count all events that have a place on a kernel of the space, by its number. */
void scan_measure(struct scan *s, unsigned kernel);

/** Give those that have counted nothing anywhere another counter, and only those a place. @return false if
 * there are none that another counter could count */
bool scan_try_others(struct scan *s);

/** Whether an event counted anything, the bracket's share not asked for. */
bool scan_answers(const struct scan *s, const struct scanned *e);

/** Report what is known of an event, which is not judged. */
void scan_tell(const struct scan *s, const struct scanned *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** What it counts, said as response_say() does, behind `words` and before what *more makes of it, if it is
 * not NULL; and its signature as a value. The space has to be prepared. */
void scan_tell_response(const struct scan *s, const struct scanned *e, const char *words,
			void (*more)(const struct scan *s, const struct scanned *e, char *text, size_t size));

/** Forget events and counts. The kernels stay for others; scan_end() forgets them too. */
void scan_forget(struct scan *s);
void scan_end(struct scan *s);

#endif
