/*
 * The calibration ladder: what may be believed of each counter before anything is judged by it.
 *
 * enumerated, writable, ticks, monotonic, exact on NOPs, interrupts: every counter climbs as far as it can. A
 * counter that fails a rung gets that verdict once, and nothing that needs a higher rung is judged by it. All
 * intervals in which something must be counted start at values other than 0, and no expectation comes from
 * the counter itself.
 */
#ifndef TESTS_JUDGE_LADDER_H
#define TESTS_JUDGE_LADDER_H

#include "tests/judge/check.h"
#include "tests/kernels/kernel.h"

struct ladder {
	/* What each counter is tried with: its signature agrees with single-stepping, and it causes what the
	 * counter's yardstick counts. NULL: no kernel will do. */
	const struct kernel *kernel[PMU_COUNTERS_MAX];
	uint8_t reached[PMU_COUNTERS_MAX]; /* enum rung */
};

enum ladder_outcome {
	LADDER_NONE,    /* there is no counter */
	LADDER_DEAD,    /* no counter ticks */
	LADDER_PARTIAL, /* some counter failed some rung */
	LADDER_FULL,
};

/**
 * Climb with every counter of run->pmu, on hardware or on the virtual PMU, and report: one result per
 * counter, or a single one if all are dead. Leaves the PMU reset. Counters that fall short of "exact on NOPs"
 * are marked in run->pmu->left_out.
 */
enum ladder_outcome ladder_climb(struct run *run, struct ladder *ladder);

/** A ladder that nobody climbed, all of it taken for granted: kernels are chosen and confirmed as for a real
 * one. For runs that are about single checks. */
void ladder_presume(struct run *run, struct ladder *ladder);

/** The same without asking any counter: for what is to be looked at before the climb. */
void ladder_trust(struct ladder *ladder);

/** Whether counter c reached a rung. A NULL ladder allows everything. */
bool ladder_allows(const struct ladder *ladder, unsigned c, enum rung rung);

const char *rung_name(enum rung rung);

#endif
