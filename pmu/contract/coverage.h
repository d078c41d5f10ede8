/*
 * What the tool coverage asks of a family: its microarchitectures, and which rows each of them offers. It is
 * for the host alone: pmu/FAMILY/coverage/ is not in the image. A family without such a folder does not link
 * build/coverage.
 *
 * Example, all there is of a family with one microarchitecture and no equations:
 *
 *     static bool part(unsigned i, struct coverage_part *out)
 *     {
 *             *out = (struct coverage_part){
 *                     .title = "Example 1", .needs = "SSE3 CX16", .row = rows, .n = ROWS};
 *             return i == 0;
 *     }
 *     const struct pmu_coverage example_family_coverage = {.groups = {"Example"}, .part = part};
 */
#ifndef PMU_CONTRACT_COVERAGE_H
#define PMU_CONTRACT_COVERAGE_H

#include "pmu/contract/pmu.h"

#include <stdbool.h>

#define COVERAGE_GROUPS 2
#define COVERAGE_REST   8

/** Documented events of a microarchitecture that have no row of their own. */
struct coverage_rest {
	const struct pmu_event
		*row;    /* which counts them, once however many there are; NULL: nothing judges them */
	const char *why; /* they are not judged */
	unsigned count;
};

/** One microarchitecture. */
struct coverage_part {
	const char *title;
	/** What each of its processors has of what kernels may need, as the instruction set's kernels name it
	 * (x86: the names of tests/kernels/x86/needs.c), between blanks. Where its processors differ, what
	 * all of them have. */
	const char *needs;
	const struct pmu_event *row; /* valid until the next part */
	unsigned n;
	struct coverage_rest rest[COVERAGE_REST]; /* count 0 ends */
};

struct pmu_coverage {
	const char *groups[COVERAGE_GROUPS];            /* of rows that are added up: titles; NULL ends */
	unsigned (*group)(const struct pmu_event *row); /* NULL: there is one */
	const struct pmu_identity *identities; /* equations between rows, name NULL ends; NULL: none */
	const struct pmu_event *(*besides)(
		unsigned i); /* rows that each part has besides, NULL ends; NULL: none */
	bool (*part)(unsigned i, struct coverage_part *out); /* @return false behind the last one */
};

#endif
