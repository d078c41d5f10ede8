/*
 * Whether the records of instruction-based sampling tell what happened: against the known path of the window
 * in which they were made. Which micro-operation or fetch is tagged is the machine's business; what is said
 * of it is not.
 */
#ifndef TESTS_JUDGE_TAGGED_JUDGE_H
#define TESTS_JUDGE_TAGGED_JUDGE_H

#include "pmu/virtual/path.h"
#include "pmu/contract/record.h"
#include "tests/judge/sample_judge.h"

enum tagged_aspect {
	TAGGED_INSTRUCTION, /* the operation is one of an instruction on the path; the fetch, of code on it */
	TAGGED_KIND,        /* load, store, branch, taken, return, locked, prefetch: as the instruction is */
	TAGGED_TARGET,      /* the branch went where the path goes */
	TAGGED_ADDRESS,     /* the data address is one that the instruction accesses in that way, as wide */
	TAGGED_TIME,        /* the time lies in the recorded run, and does not go back */
	TAGGED_PHYSICAL,    /* the physical address is where the page tables have the linear one */
	TAGGED_PAGE,        /* the page is no larger than in the page tables */
	TAGGED_CYCLES,      /* no part takes longer than the whole: see tagged_judge.c */
	TAGGED_LEVELS,      /* what misses an outer cache or TLB misses the inner one */
	TAGGED_SOURCE,      /* the data came from where memory's data can come from */
	TAGGED_FILTER,      /* (.far_only) it missed the last-level cache, as far as the record tells;
			    (.latency_above) it is of a load whose miss took longer */
	TAGGED_ASPECTS
};

struct tagged_expectation {
	const struct path *path; /* of one window */
	/** Fetch addresses are those of instructions' bytes, and operations are whole instructions; else
	 * fetches are in the same line of 64 bytes, as they are of blocks, and an operation may be a part of
	 * an instruction and its access. */
	bool exact;
	bool one_node;     /* the source's */
	bool page_of_miss; /* ... */
	bool far_only;     /* the recording's */
	uint16_t latency_above;
	uint64_t begin, end; /* the time-stamp counter around the recorded run */
	uint64_t kernel_at;  /* addresses are told relative to it */
	/** As page_translate(). */
	bool (*translate)(uint64_t address, uint64_t *physical, unsigned *shift);
};

void tagged_judge(const struct tagged_expectation *x, const struct pmu_record *record, unsigned n,
		  struct sample_judgement out[TAGGED_ASPECTS]);

#endif
