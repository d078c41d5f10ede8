/*
 * All other processors, each of which counts a loop of its own: on silicon those of the machine
 * (arch/second_cpu.h), under a virtual PMU its peers (pmu/virtual/peers.h).
 *
 * Example: what each counts while all do.
 *
 *     if (crowd_open(&crowd, run, event, counter) && crowd_begin(&crowd, OTHERS_ALL, &r)) {
 *             measure();
 *             crowd_end(&crowd, &r);
 *             for (unsigned i = 0; i < crowd.n; i++)
 *                     use(crowd_beside_turns(&crowd, i));
 *     }
 *     crowd_close(&crowd);
 */
#ifndef TESTS_MEASURE_CROWD_H
#define TESTS_MEASURE_CROWD_H

#include "pmu/contract/apart.h"
#include "tests/judge/check.h"

struct crowd {
	struct run *run;
	const struct pmu_event *event;
	struct pmu_apart apart;
	struct others_job job;
	unsigned n;
	uint64_t began[(OTHERS_MAX + 63) / 64]; /* a bit each */
	uint64_t turns[OTHERS_MAX];             /* 0: it did not count */
};

/** Have one processor of each other core count this event on this counter, in all rings. @return how many
 * there are */
unsigned crowd_open(struct crowd *c, struct run *run, const struct pmu_event *event, unsigned counter);
void crowd_close(struct crowd *c);

/** Let all begin to count, or one of them. @return false if none has, or code that the virtual CPU ran
 * faulted: *r says so */
bool crowd_begin(struct crowd *c, unsigned only, struct result *r);

/** Let those that began end. @return false if code that the virtual CPU ran faulted: *r says so */
bool crowd_end(struct crowd *c, struct result *r);

/** Whether one has counted. */
bool crowd_counted(const struct crowd *c, unsigned i);

/** What one has counted that its turns of the loop do not make: it belongs to its start and its stop. */
uint64_t crowd_beside_turns(const struct crowd *c, unsigned i);

/** "processor 3"; of virtual ones "peer 0" */
void crowd_name(const struct crowd *c, unsigned i, char *out, size_t size);

#endif
