/*
 * Faults of a family's virtual CPUs, and the checks that must tell each: what the suite selftest carries out.
 * A fault must be told by these checks and by no others; a virtual CPU without one must raise none.
 *
 * Example: counters that do not keep a carry are told by the checks of what is written and read back.
 *
 *     static const struct pmu_fault fault[] = {
 *             {.inject = "dropped-carry", .catches = {{"control/wrap/PMC?", TOLD_WRONG}}},
 *     };
 *     const struct pmu_faults faults = {.fault = fault, .n = 1, .profile = "amd-zen3"};
 */
#ifndef PMU_CONTRACT_FAULTS_H
#define PMU_CONTRACT_FAULTS_H

#include "pmu/quantity/quantity.h"

#include <stdbool.h>
#include <stdint.h>

/** What a check says of the fault: a verdict (tests/judge/verdict.h), or a fact, which is none. */
enum fault_told { TOLD_WRONG = 1, TOLD_DEAD, TOLD_BIASED, TOLD_NOISY, TOLD_ERROR, TOLD_FACT };

/** Checks, as a glob on "suite/name" (of a fact: on its name), and what they must say. */
struct fault_catch {
	const char *checks;
	uint8_t told; /* enum fault_told */
	bool may;     /* chance decides whether any does: it is no stranger, and need not be there */
};

#define FAULT_CATCHES 10

struct pmu_fault {
	const char *inject; /* the model's injections, NULL: none */
	const char *kernel; /* whose signature is falsified by the next two; NULL: none */
	enum quantity quantity;
	int64_t delta_a, delta_b;
	struct fault_catch
		catches[FAULT_CATCHES]; /* each must happen; nothing else bad may. checks NULL ends */
	bool noise;                     /* run the suite noise, too */
	bool control;                   /* the suite control alone */
	bool full;                      /* with kernel=full alone */
	bool machine;                   /* about the machine model: its kernels, the suite events alone */
	const char
		*records; /* about records: the event that is sampled, the suites trace and sampling alone */
	const char *profile;  /* NULL: that of struct pmu_faults */
	const char *kernels;  /* NULL: the suite's own */
	const char *events;   /* NULL: the suite's own */
	const char *unjudged; /* checks that there must not be at all */
	const char *only;     /* these checks of the suite control and nothing else; NULL: all */
	const char *suite;    /* behind the ladder this suite alone; NULL: the usual ones */
};

struct pmu_faults {
	const struct pmu_fault *fault;
	unsigned n;
	const struct pmu_fault *crossed; /* each must pass for what it is, and for no other; NULL: none */
	unsigned n_crossed;
	const char *profile; /* the virtual CPU of those that name none, and of those crossed */
};

#endif
