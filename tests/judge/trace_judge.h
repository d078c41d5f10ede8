/*
 * Whether a branch trace (BTS, LBR) is the known path of a kernel, branch for branch.
 */
#ifndef TESTS_JUDGE_TRACE_JUDGE_H
#define TESTS_JUDGE_TRACE_JUDGE_H

#include "pmu/virtual/path.h"
#include "pmu/contract/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_part {
	TRACE_FIRST, /* the trace begins with the window and ends when there is no room */
	TRACE_LAST,  /* it ends with the window and holds what there is room for */
};

/** What a trace should be. */
struct trace_expectation {
	const struct path *path;
	uint8_t part;     /* enum trace_part */
	unsigned skip;    /* TRACE_FIRST: so many of the path's branches come before the trace */
	unsigned room;    /* branches that it can hold; UINT_MAX: all there are */
	uint8_t levels;   /* enum pmu_levels, as recorded */
	uint32_t without; /* kinds of branches, as struct pmu_recording has it */
	bool interrupted; /* the kernel was interrupted: branches from or to elsewhere are the interrupts' */
	bool surrounded;  /* recording begins before the kernel's window and ends behind it: branches in front
			   * of the  kernel's first and behind its last are the harness's */
	uint8_t address_bits; /* as struct pmu_record_source has these */
	bool level_of_target, hides_source;
	uint64_t kernel_at; /* addresses are told relative to it */
};

struct trace_judgement {
	bool right;
	unsigned matched;      /* branches that must be there and are, before the first that is not right */
	unsigned expected;     /* of the kernel's that fit the room */
	unsigned mispredicted; /* records of the kernel's branches that say so */
	char why[160];         /* what is wrong */
};

/**
 * Compare. A branch between rings may be there or not if only one ring is recorded and the source does not
 * say which it belongs to: that is not the same on all processors (SDM vol. 3, 17.4.2 and LBR_SELECT; APM
 * vol. 2, 13.1.1).
 */
void trace_judge(const struct trace_expectation *x, const struct pmu_record *record, unsigned n,
		 struct trace_judgement *out);

/** Compare what call-stack mode has left with the calls of the path that are open at its end: .without and
 * .part are not looked at. */
void trace_judge_calls(const struct trace_expectation *x, const struct pmu_record *record, unsigned n,
		       struct trace_judgement *out);

/** Branches of the path that a recording of these rings without these kinds must show. */
unsigned trace_branches(const struct trace_expectation *x);

#endif
