/*
 * Making records (pmu/contract/record.h) of a kernel: setting a recording up, running the kernel in windows,
 * taking the records out.
 */
#ifndef TESTS_MEASURE_RECORDING_H
#define TESTS_MEASURE_RECORDING_H

#include "pmu/contract/record.h"
#include "tests/measure/measure.h"
#include "tests/measure/sampling.h"

#include <stdbool.h>
#include <stdint.h>

enum record_interrupts {
	INTERRUPTS_OFF,   /* nobody hears of a threshold */
	INTERRUPTS_COUNT, /* they are counted; the first one leaves the local APIC's entry masked (but see
			   * pmu.line_stays), and nothing is taken out */
	INTERRUPTS_DRAIN, /* the handler takes all records out */
};

/** Recorded runs of one kernel. In ring 0 its window lies in a bracket; in ring 3 the recording is started
 * before the window and stopped behind it, so it should be of LEVELS_USER alone. */
struct recorded {
	const struct pmu *pmu;
	const struct kernel *kernel;
	uint8_t level; /* 0 or 3 */
	uint64_t n;
	unsigned windows;               /* runs, each of them from the state of window_forget() */
	bool drain_each;                /* records are taken out after each window */
	bool again_each;                /* and it is set up anew before each window */
	uint8_t interrupts;             /* enum record_interrupts */
	struct pmu_recording recording; /* .memory and .size are set by recorded_carry_out() */
	struct pmu_record *record;      /* gets the records, oldest first */
	unsigned room;
	unsigned n_beside; /* counters that count in the same windows, at an outer level alone */
	struct sampling_beside beside[SAMPLING_BESIDE];
	uint64_t *counts; /* gets what they counted, windows * n_beside */

	/* Set by recorded_carry_out(). */
	unsigned n_records;
	unsigned lost;                   /* records that found no room in .record */
	unsigned taken;                  /* interrupts */
	uint64_t clock_begin, clock_end; /* around all windows */
	struct pmu_record_state state;   /* after the last window, before the last records were taken out */
	struct pmu_bracket bracket;      /* in front of the kernel and behind it */
	const char *failure;             /* what was refused, NULL if nothing */
	bool refused;                    /* .failure is why setup() does not do it */

	/* For its own use. */
	struct run *run;
	void *block; /* of memory, with fences on both sides */
	bool set_up; /* and not released */
};

/**
 * The source of a kind, asked of the driver on the CPU under judgement.
 * @return NULL if there is none, with *why, one line
 */
const struct pmu_record_source *recording_source(struct run *run, enum record_kind kind, const char **why);

/**
 * Get memory, record on the CPU under judgement within `ms` milliseconds, and give the memory back. The
 * window stays composed.
 * @param refused  the verdict if the driver says why it does not set that up
 * @param out      gets a judgement if there are no records: VERDICT_ERROR without memory or what run->call()
 * says, VERDICT_WRONG for what the hardware refused, `refused`
 * @param whole    gets whether memory in front of the recording's and behind it is as it was; true without
 * any
 * @return whether it came to its end and nothing failed
 */
bool recorded_carry_out(struct run *run, struct recorded *r, unsigned ms, enum verdict refused,
			struct result *out, bool *whole);

/** The window as it was recorded, for known_path(). */
struct window recorded_window(const struct recorded *r);

#endif
