/*
 * Whether the records of a sampling counter (PEBS) tell what happened: against the known path of the window
 * in which they were made.
 */
#ifndef TESTS_JUDGE_SAMPLE_JUDGE_H
#define TESTS_JUDGE_SAMPLE_JUDGE_H

#include "pmu/virtual/path.h"
#include "pmu/contract/record.h"

#include <stdbool.h>
#include <stdint.h>

/** What should have been recorded: of the event's occurrences, number period, 2 * period, ... */
struct sample_expectation {
	const struct path
		*path; /* of one window, all steps of which are counted; with registers, or without */
	const struct pmu_event *event;
	uint8_t levels; /* enum pmu_levels: those that are counted */
	bool anywhere;  /* how often the event occurs at each instruction is not known: periods are not judged
			 */
	bool latencies; /* each record is of something that took longer than .latency_above core cycles */
	uint32_t latency_above;
	bool late; /* records may be of later occurrences than these: that one's instruction is the right one
		      does not say that it is of that turn of a loop */
	uint64_t counters; /* that records are for, bit per pmu.counter[]; 0: not looked at */
	bool again_each;   /* every window begins a period */
	uint64_t period;   /* at least 1 */
	unsigned windows;  /* runs, all alike */
	unsigned each;     /* occurrences that an interrupt that strikes in ring 3 counts itself, there */
	unsigned every;    /* there is an interrupt after so many records; 0: none */
	unsigned ahead;    /* occurrences that are counted before each window's path begins: of its start */
	bool ahead_next;   /* a period that ends there is told of the first occurrence on the path, where the
			      next period begins; else it ends there, and the record is of the start or missing
			    */
	unsigned of_start; /* records that sample_drop_starts() has dropped */
};

/** Occurrences in one window. */
uint64_t sample_occurrences(const struct sample_expectation *x);

/**
 * The steps of the path that are to be recorded, in order.
 * @return how many there are; only `room` are stored
 */
unsigned sample_steps(const struct sample_expectation *x, unsigned *step, unsigned room);

/**
 * Where the start of a window is counted (.ahead): drop records that are of that instruction, which is right
 * before the path. As many as periods end there; others stay, and are judged.
 * @return how many were dropped
 */
unsigned sample_drop_starts(const struct sample_expectation *x, struct pmu_record *record, unsigned n);

/** How many records from the first on are of the steps that sample_steps() gave. */
unsigned sample_in_order(const struct sample_expectation *x, const unsigned *step, unsigned n_steps,
			 const struct pmu_record *record, unsigned n);

/**
 * Records that may be late, but must not be early: how many, from the first on, have an occurrence on the
 * path at least a period behind that of the record before, where the earliest that fits is taken. n: all.
 */
unsigned sample_not_early(const struct sample_expectation *x, const struct pmu_record *record, unsigned n);

enum sample_aspect {
	SAMPLE_INSTRUCTION, /* the record's instruction is one at which the event occurs, or (.anywhere) may
			     */
	SAMPLE_PLACE,       /* it is the very one, in order, and none is missing */
	SAMPLE_REGISTERS,   /* registers are those after the instruction, or before it, as the record says */
	SAMPLE_ADDRESS,     /* the data address is one that the instruction accesses; of the kernel alone */
	SAMPLE_TIME,        /* the time lies in the recorded run, and does not go back */
	SAMPLE_VECTORS,     /* XMM registers are those after the instruction */
	SAMPLE_BRANCHES,    /* the last branches are those of the path, as far back as it goes */
	SAMPLE_COUNTS,      /* as many instructions have retired as on the path; records out of place, or
			       that may be late, are not looked at */
	SAMPLE_COUNTER,     /* (.counters) it is for the counter that samples, and for no other */
	SAMPLE_LATENCY,     /* (.latencies) the latency is told, and above the threshold */
	SAMPLE_ASPECTS
};

struct sample_judgement {
	unsigned checked; /* records, or records that should be there; 0: they do not tell */
	unsigned right;
	char why[160]; /* about the first one that is not right */
};

/**
 * @param step  from sample_steps(), n_steps of them
 * @param begin and end: the time-stamp counter around the recorded run
 * @param kernel_at addresses are told relative to it
 */
void sample_judge(const struct sample_expectation *x, const unsigned *step, unsigned n_steps,
		  const struct pmu_record *record, unsigned n, uint64_t begin, uint64_t end,
		  uint64_t kernel_at, struct sample_judgement out[SAMPLE_ASPECTS]);

#endif
