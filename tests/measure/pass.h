/*
 * One pass: some counters programmed at once, a kernel run at several N, several times each, every count
 * kept.
 */
#ifndef TESTS_MEASURE_PASS_H
#define TESTS_MEASURE_PASS_H

#include "tests/judge/event_judge.h"
#include "tests/measure/measure.h"
#include "tests/judge/shares.h"
#include "tests/measure/intrusion.h"

#include <stdbool.h>
#include <stdint.h>

#define PASS_N_MAX RESULT_OBSERVATIONS

enum bracketing {
	BRACKET_ENABLE, /* counters enabled and disabled together */
	BRACKET_READ,   /* one running counter, read before and after */
};

struct slot {
	unsigned counter;
	const struct pmu_event *event;
	struct pmu_config config;
	uint64_t start; /* first value of this counter; 0: the pass's preset */
};

struct pass {
	const struct pmu *pmu;
	const struct kernel *kernel;
	uint8_t level; /* 0 or 3; in ring 3 with BRACKET_ENABLE the counters must count LEVELS_USER only */
	uint8_t bracketing; /* enum bracketing; BRACKET_READ takes exactly one slot */
	unsigned alignment;
	unsigned n_slots;
	struct slot slot[PMU_COUNTERS_MAX];
	unsigned n_count, reps;
	uint64_t n[PASS_N_MAX];
	uint64_t preset; /* first value of every counter */
	uint64_t *raw;   /* gets n_count * reps * n_slots counts, see pass_raw() */
	uint64_t *ticks; /* gets n_count * reps times that a window took (arch/time.h); NULL: not wanted */

	/* Set by pass_run(). */
	struct pmu_bracket bracket; /* pass_share() is what every raw count contains besides the kernel */
	const char *failure;        /* what the hardware refused, or what came in between; NULL if nothing */
	unsigned failed_counter;
	bool disturbed;   /* .failure is no fault of the PMU: no sample without an SMI was to be had */
	unsigned retaken; /* samples that were taken again because an SMI came */
	uint8_t intrusion_source; /* enum intrusion_source: how SMIs were looked for */
};

/** A slot for event e on counter c, counting in `rings`. */
struct slot pass_slot(const struct pmu_event *e, unsigned c, enum pmu_levels levels);

/** Size that .raw needs, in counts. */
static inline unsigned pass_size(const struct pass *p)
{
	return p->n_count * p->reps * p->n_slots;
}

/** Raw count of slot s in repetition rep at n[i]: modulo the counter's width, the bracket's share included.
 */
static inline uint64_t pass_raw(const struct pass *p, unsigned i, unsigned rep, unsigned s)
{
	return p->raw[(i * p->reps + rep) * p->n_slots + s];
}

/** Run it; for run->call(). Nothing but programming, running and reading: it may be stepped. Shares of the
 * bracket (tests/judge/shares.h) that are not known yet are measured first. */
void pass_run(void *pass);

/** Where slot s was counted. */
struct event_place pass_place(const struct pass *p, unsigned s);

/** The same, and shares are not looked for: by who looks for them. */
void pass_run_plain(struct pass *p);

/** What the bracket itself adds to each raw count of slot s: measured where it could be. 0 for a slot without
 * an event. */
int64_t pass_share(const struct pass *p, unsigned s);

/** The measured share alone, for settings that the manual implies nothing of: 0 where none is steady. */
int64_t pass_share_measured(const struct pass *p, unsigned s);

/** Where the share of slot s belongs; the slot must have an event. */
struct share_place pass_share_place(const struct pass *p, unsigned s);

/**
 * Turn the counts of slot s into observations, against the expectation from event and kernel.
 * @param o gets n_count observations
 * @return EXPECTATION_OK; else *x says why there is no expectation at n[*at]
 */
enum expectation_status pass_observe(const struct pass *p, unsigned s, struct observation *o,
				     struct expectation *x, unsigned *at);

/** Judge slot s by its counts at each n; without an expectation it is an error. @return whether there is one
 */
bool pass_judge(const struct pass *p, unsigned s, struct result *r);

/** The verdict on a pass with a .failure. */
enum verdict pass_failure_verdict(const struct pass *p);

/** Samples that were not taken by pass_run(): how many were taken in all, and how many of them again because
 * of an SMI. */
void pass_count_samples(const struct intrusion_watch *watch, unsigned taken, unsigned again);

/** Around the passes of a suite: whether counters were held, as FREEZE_WHILE_SMM promises, in samples that an
 * SMI broke into. A check of the suite, if there were such samples. */
void pass_held_begin(void);
void pass_held_report(struct run *run, const char *suite);

/** How many of the samples of pass_run() since the last call were taken again, and how SMIs are looked for:
 * into the report, if there were any samples. */
void pass_report_retaken(struct run *run, const char *suite);

/** The event by which counter c is tried: instructions where it can count them, else what it can; NULL if
 * nothing. */
const struct pmu_event *counter_yardstick(const struct pmu *pmu, unsigned c);

#endif
