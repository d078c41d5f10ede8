/*
 * A counter of another processor around a loop of its own: what that processor itself executes before and
 * behind the loop (arch/second_cpu.h). Under a virtual PMU the code is stepped, as that processor's.
 *
 * Example: counter 0 of each other core, while this processor does something.
 *
 *     static struct pmu_apart apart = {.pmu = pmu, .config = {.code = event->code, .levels = LEVELS_ALL}};
 *     const struct others_job job = {pmu_apart_begin, pmu_apart_end, &apart};
 *
 *     if (others_begin(&job, OTHERS_ALL)) {
 *             measure();
 *             for (unsigned i = 0; i < others_count(); i++)
 *                     if (others_end(i, &turns) && apart.of[i].good)
 *                             use(apart.of[i].count, turns);
 *     }
 */
#ifndef PMU_CONTRACT_APART_H
#define PMU_CONTRACT_APART_H

#include "arch/second_cpu.h"
#include "pmu/contract/pmu.h"

struct pmu_apart {
	const struct pmu *pmu; /* what each of them has, of the type of the one that executes this */
	unsigned counter;
	struct pmu_config config;
	struct {
		uint64_t count;
		bool good; /* no access was refused */
	} of[OTHERS_MAX];
};

/** Functions of a job: program and start the counter, stop and read it. @param arg struct pmu_apart */
void pmu_apart_begin(void *arg, unsigned i);
void pmu_apart_end(void *arg, unsigned i);

#endif
