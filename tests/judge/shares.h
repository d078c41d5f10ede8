/*
 * The bracket's own share: what a window counts though its kernel is empty. It is measured for each
 * mechanism, counter and event, from the empty kernel and from NOPs in a row, before a count of it is judged.
 * What the manual implies (struct pmu_bracket, .own) stands beside it; a difference is a fact about the CPU.
 */
#ifndef TESTS_JUDGE_SHARES_H
#define TESTS_JUDGE_SHARES_H

#include "tests/judge/check.h"
#include "tests/kernels/kernel.h"

/** SHARE_LENGTHS kernels of 0, 1, 2, 10 and 100 NOPs in a row; the first is the empty one. Their code does
 * not depend on N.
 */
const struct kernel *share_kernel(unsigned i);

/** How a window starts and stops counting. */
enum mechanism {
	MECHANISM_WRITE, /* writes that enable and disable (bracket_enable()), in ring 0 */
	MECHANISM_READ,  /* the difference of two RDPMC, in ring 0 */
	MECHANISM_USER,  /* started and stopped around an outer ring */
	MECHANISM_USER_READ,
	MECHANISMS
};

/** "enabling and disabling writes" and so on. */
#define MECHANISM_NAME 64
const char *mechanism_name(enum mechanism m, char name[MECHANISM_NAME]);

/** What a share belongs to. */
struct share_place {
	const struct pmu *pmu; /* whose .counts_start, .counts_stop and .counts_reading are what was found */
	const struct pmu_event *event;
	const struct pmu_config *config; /* as it is programmed */
	uint8_t counter;
	uint8_t mechanism; /* enum mechanism */
	const struct pmu_bracket *bracket;
};

enum share_state {
	SHARE_UNKNOWN,  /* not measured */
	SHARE_STEADY,   /* one value in every window, whatever the number of NOPs */
	SHARE_UNSTEADY, /* windows differ */
	SHARE_SLOPE,    /* windows of equal length agree, and NOPs do not count what they should */
};

struct share {
	uint8_t state;          /* enum share_state */
	int64_t value, implied; /* in counts; .value is of SHARE_STEADY */
};

/** Forget all that was measured: another PMU is judged. */
void shares_forget(void);

/** What was measured; .state SHARE_UNKNOWN and the implied share if nothing was. */
struct share share_find(const struct share_place *at);

/**
 * Judge and keep what was measured.
 * @param seen raw counts of the windows of each length; an empty one was not measured. Of events that do not
 *             count exactly the first alone is looked at
 */
void share_keep(const struct share_place *at, const struct histogram seen[SHARE_LENGTHS]);

/** Whether a share can be measured: not of an event of unknown meaning, nor of what a filter by amount or
 * edge lets through, nor in ring 0 around an outer ring, where C code starts and stops. */
bool share_measurable(const struct share_place *at);

/**
 * What is to be subtracted from a raw count: the measured share if it is steady, else what the manual implies
 * and the findings of this counter add.
 */
int64_t share_of(const struct share_place *at);

/** What one WRMSR in ring 0 is of an event. */
int64_t share_of_write(const struct pmu_event *e);

/** What the manual implies, and what the PMU's findings add to it. */
int64_t share_predicted(const struct share_place *at);

/**
 * Report what was measured since the last time: all of it into the document. What deviates has one check of
 * the suite that is running for each counter and mechanism: a share that no counted write explains is biased,
 * one that differs from window to window noisy, one that comes with a wrong number of NOPs wrong. Where the
 * micro-architecture has a say in what the bracket itself counts, a deviation is a fact.
 */
void shares_report(struct run *run, const char *suite);

/**
 * Measure the shares of all mechanisms on every counter that counts instructions, and find out whether it
 * counts the write that starts it and the one that stops it, and how often RDPMC: into run->pmu, and what
 * differs from the manual as facts. Counters in pmu->left_out are not asked.
 */
void shares_learn(struct run *run);

#endif
