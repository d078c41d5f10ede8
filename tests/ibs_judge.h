/*
 * Whether the records of instruction-based sampling tell what happened: against the known path of the window
 * in which they were made. Which micro-operation or fetch is tagged is the machine's business; what is said
 * of it is not.
 */
#ifndef TESTS_IBS_JUDGE_H
#define TESTS_IBS_JUDGE_H

#include "pmu/path.h"
#include "pmu/record.h"
#include "tests/sample_judge.h"

enum ibs_aspect {
	IBS_INSTRUCTION, /* the operation is one of an instruction on the path; the fetch, of code on it */
	IBS_KIND,        /* load, store, branch, taken, return, locked, prefetch: as the instruction is */
	IBS_TARGET,      /* the branch went where the path goes */
	IBS_ADDRESS,     /* the data address is one that the instruction accesses in that way, as wide */
	IBS_TIME,        /* the time lies in the recorded run, and does not go back */
	IBS_ASPECTS
};

/**
 * @param path  of one window
 * @param exact fetch addresses are those of instructions' bytes, and operations are whole accesses; else
 * fetches are in the same line of 64 bytes, as they are of blocks, and an operation may be a part of an
 * access
 * @param begin and end: the time-stamp counter around the recorded run
 * @param kernel_at addresses are told relative to it
 */
void ibs_judge(const struct path *path, bool exact, const struct pmu_record *record, unsigned n,
	       uint64_t begin, uint64_t end, uint64_t kernel_at, struct sample_judgement out[IBS_ASPECTS]);

#endif
