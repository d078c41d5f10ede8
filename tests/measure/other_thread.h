/*
 * The other logical processor of the core that is judged, where it has counters of its own: on silicon a
 * second CPU (arch/second_cpu.h), under a virtual PMU what that has beside the virtual CPU
 * (pmu/virtual/sibling.h). May be stepped.
 *
 * Example: count on both.
 *
 *     if (!other_thread_missing(pmu) && other_thread_begin(pmu, SECOND_CPU_PLAIN, &start, &stop)) {
 *             window_run(entry, &w, n);
 *             other_thread_end(pmu, &turns);
 *     }
 */
#ifndef TESTS_MEASURE_OTHER_THREAD_H
#define TESTS_MEASURE_OTHER_THREAD_H

#include "arch/second_cpu.h"
#include "pmu/contract/pmu.h"

/** @return NULL, or why there is none: one line */
const char *other_thread_missing(const struct pmu *pmu);

/** Access a register of its own. @return false if that is refused, or it does not answer */
bool other_thread_access(const struct pmu *pmu, struct register_access *a);

/** Have it write a register, go through a loop until other_thread_end(), and write another one: see
 * second_cpu_count(). */
bool other_thread_begin(const struct pmu *pmu, enum second_cpu_loop loop, const struct register_access *start,
			const struct register_access *stop);
bool other_thread_end(const struct pmu *pmu, uint64_t *turns);

/** What one turn of a loop makes of an event, by the quantities that the event counts. */
uint64_t other_thread_turn(const struct pmu_event *e, enum second_cpu_loop loop);

#endif
