/*
 * Suites and checks: how they are declared and how results are reported.
 *
 * Example: a suite with one check, that f() returns 4. It is a file in tests/suites and a line of suites[].
 *
 *     static void run_four(struct run *run)
 *     {
 *             struct result r = {.suite = "four", .name = "f"};
 *
 *             if (!check_wanted(run, r.name))
 *                     return;
 *             if (run->call(run, call_f, &value, 100, &r))
 *                     result_judge(&r, 1, 4, 4, value);
 *             run->report(run, &r);
 *     }
 *
 *     const struct suite suite_four = {"four", "what f() returns", run_four, NULL};
 */
#ifndef TESTS_JUDGE_CHECK_H
#define TESTS_JUDGE_CHECK_H

#include "pmu/contract/pmu.h"
#include "tests/judge/verdict.h"

#include <stdbool.h>
#include <stdint.h>

/** Rungs of the calibration ladder; a check names the one that it needs. */
enum rung {
	RUNG_NONE,
	RUNG_ENUMERATED,
	RUNG_WRITABLE,
	RUNG_TICKS,
	RUNG_MONOTONIC,
	RUNG_EXACT_ON_NOPS,
	RUNG_INTERRUPTS
};

#define RESULT_OBSERVATIONS 4

/** Everything that is known about one check that was carried out. Strings must outlive the report call only.
 */
struct result {
	const char *suite;
	const char *name; /* unique within the suite: "INST_RETIRED.ANY_P/PMC0/nop_loop" */
	const char *event, *kernel, *counter, *level; /* NULL where it does not apply */
	uint64_t encoding;                            /* selector value as programmed */
	const char *manual;                           /* section that the check rests on */
	bool has_share;
	int64_t share; /* the bracket's: observed are the raw counts (modulo the counter's width) less it */
	unsigned n_observations;
	struct observation observation[RESULT_OBSERVATIONS];
	unsigned n_more;                /* further ones, if there are more than have room in it */
	const struct observation *more; /* with a larger N than those */
	struct judgement judgement;     /* verdict and why */
	bool virtual;                   /* judged on the virtual PMU */
	/** And what was counted (cycles, misses, mispredictions) is a machine model's doing:
	 * docs/machine-model.md. */
	bool machine_model;
};

#define SHARE_LENGTHS 5  /* windows with so many NOPs in them: tests/judge/shares.h */
#define SHARE_VALUES  16 /* distinct values that are told of each */

/** What a bracket itself counts of one event on one counter. Strings must outlive the report call only. */
struct share_report {
	const char *event, *counter, *mechanism, *state;
	uint64_t encoding;
	bool steady; /* .share is one value */
	int64_t share, implied;
	unsigned nops[SHARE_LENGTHS], windows[SHARE_LENGTHS];
	unsigned n_values[SHARE_LENGTHS],
		more[SHARE_LENGTHS]; /* distinct values that follow, and that do not */
	int64_t value[SHARE_LENGTHS][SHARE_VALUES];
	unsigned frequency[SHARE_LENGTHS][SHARE_VALUES];
};

enum erratum_state {
	ERRATUM_PRESENT,
	ERRATUM_CONSISTENT, /* what is wrong is so as far as it says: it tells of no amount */
	ERRATUM_OTHERWISE,  /* what would show it is wrong, and not as it says */
	ERRATUM_NOT_OBSERVED,
	ERRATUM_NOT_APPLICABLE, /* this CPU has nothing that could show it */
	ERRATUM_UNPROVOKED,     /* no check can, or does */
};

/** What was found of one erratum. Strings must outlive the report call only. */
struct erratum_report {
	const char *number, *mechanism;
	uint8_t state; /* enum erratum_state */
	const char *state_name, *why;
	bool documented;  /* for this processor ... */
	uint32_t fixed;   /* ... below this microcode; 0: no such is known */
	const char *here; /* both in words: "documented, fixed from microcode 0x28: expected absent" */
	unsigned trials;  /* observations in which it would have shown */
};

struct attribution_report;
struct experiments;

/** Options as the suites need them; filled in by boot/. */
struct run_options {
	const char *kernel_glob, *event_glob, *suite_glob;
	const char *check_glob; /* of the suites control and selftest, by name, and of identities, by
				   equation; NULL: every one */
	const char *scan; /* ranges of the suite scan (tests/measure/scan_range.h), NULL or "": none are asked
			     for */
	uint64_t n; /* first value of N, the others are its multiples; 0: 1000 on hardware, 5 on the virtual
		       PMU */
	unsigned reps; /* repetitions of each measurement, 0: 100 on hardware, 3 on the virtual PMU */
	uint64_t seed;
	const char *inject;                    /* injections, see docs */
	const struct experiments *experiments; /* of the configuration (tests/measure/experiment.h) */
	bool verbose;
};

struct ladder;

/** What became of check= so far: whether any check was held against it, and whether it matched one; until
 * then the name that is nearest to what was asked for, if one is near. */
struct checks_asked {
	bool asked, matched;
	unsigned distance; /* of the nearest; GLOB_FAR to begin with */
	char nearest[96];
};

struct run {
	const struct run_options *options;
	struct checks_asked *checks; /* NULL: nobody wants to know */
	struct pmu *pmu;             /* NULL: no PMU at all, not even a virtual one */
	const struct ladder *
		ladder; /* how far each of its counters may be believed (tests/judge/ladder.h); NULL: fully */
	/** Run fn(arg) on the CPU under judgement (directly, or on the virtual CPU), guarded and with the
	 * watchdog armed.
	 *  @return false if it did not come to its end; then *r has verdict error with the reason filled in
	 * (r may be NULL). */
	bool (*call)(struct run *run, void (*fn)(void *), void *arg, unsigned ms, struct result *r);
	/** Say which of several things a check does next, by a number from 1, so that a start after a reset
	 * can tell which one it was. May be called by what call() runs. NULL: nobody wants to know.
	 *  @return NULL, or why it is to be left out */
	const char *(*step)(struct run *run, unsigned step);
	/** Hand a result over: tallied, printed, put into the report. */
	void (*report)(struct run *run, const struct result *r);
	/** Hand over a named value that is no check (a rate, a slope), as text with its unit. */
	void (*value)(struct run *run, const char *suite, const char *name, const char *value,
		      const char *unit);
	/** The same for one of many, which is as it should be: the console gets it only if asked to be
	 * verbose. */
	void (*detail)(struct run *run, const char *suite, const char *name, const char *value,
		       const char *unit);
	/** Hand over what was found about this CPU where no manual says what it must be: a line of its own,
	 * and no verdict. */
	void (*fact)(struct run *run, const char *suite, const char *name, const char *text);
	/** Hand over a bracket's share, for the document. */
	void (*share)(struct run *run, const struct share_report *share);
	/** Hand over what a round trip counts (tests/judge/attribution_windows.h), for the document. */
	void (*attribution)(struct run *run, const struct attribution_report *r);
	/** Hand over what was found of one erratum, for the document. NULL: nobody wants to know */
	void (*erratum)(struct run *run, const struct erratum_report *r);
};

struct suite {
	const char *name;
	const char *title;
	void (*run)(struct run *run);
	/** Get memory that only firmware can give; before each run, while the machine is not taken. May be
	 * NULL. */
	void (*prepare)(void);
};

/** Every suite, NULL-terminated, in running order. */
extern const struct suite *const suites[];

/** How often a suite is to measure: as the options say, or else 100 times on hardware (what differs shows by
 * repetition only) and `on_virtual` times on the virtual PMU, which does the same each time; `most` at the
 * most, and then the report says so. */
unsigned run_repetitions(struct run *run, const char *suite, unsigned on_virtual, unsigned most);

/** One more observation of a check: at N = n what is seen is to lie between low and high. Of more than
 * RESULT_OBSERVATIONS the last takes the place of the one before. @return it, to be told what was seen */
struct observation *result_observe(struct result *r, uint64_t n, int64_t low, int64_t high);

/** The same; those before it, if there are any, go. */
struct observation *result_observe_only(struct result *r, uint64_t n, int64_t low, int64_t high);

/** These are a check's observations. Those that have no room in the result must outlive its report. */
void result_take(struct result *r, const struct observation *o, unsigned count);

/** Judge a check by the observations that have room in it. */
void result_conclude(struct result *r);

/** Judge a check by one value that was seen once, at N = n: it is to lie between low and high. It is the only
 * observation of the result then. */
void result_judge(struct result *r, uint64_t n, int64_t low, int64_t high, int64_t seen);

/** Report a check that is not made, and why. @param manual the section that it rests on; NULL: it is not told
 */
void run_skip(struct run *run, const char *suite, const char *name, const char *manual, const char *why);

/** Whether check= asks for the check, or equation, of this name; noted in run->checks. */
bool check_wanted(const struct run *run, const char *name);

/** Shell-style match with * and ?; a comma separates alternatives; NULL, "" and "all" match everything. Case
 * is ignored. */
bool glob_match(const char *pattern, const char *text);

/** Likewise, but alternatives of nothing but wildcards do not count, nor do NULL, "" and "all". */
bool glob_names(const char *pattern, const char *text);

/** Whether one of the alternatives is this very word; false for NULL. */
bool glob_has(const char *pattern, const char *word);

/** Whether event=GLOBS asks for event e. The alternative "arch" stands for those that all CPUs of the family
 * share: of Intel the architectural ones, of the other families all. Events of EVENT_BY_NAME are asked for by
 * a glob that has more than wildcards. */
bool event_selected(const struct pmu_event *e, const char *globs);

#endif
