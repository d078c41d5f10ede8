/*
 * A PMU by script, for host tests of what drives one: passes, the ladder, the search for what the bracket
 * counts. Its driver keeps counters in memory, and a window counts what its kernel's signature and its
 * bracket declare; the test says what is otherwise. What those parts need of the machine is here as well:
 * windows, registers, interrupts, the local APIC, ground truth.
 *
 * Tests that use it link its object (Makefile, SCRIPTED_TESTS): it takes the place of several sources.
 */
#ifndef TESTS_SELF_HOST_SUPPORT_SCRIPTED_PMU_H
#define TESTS_SELF_HOST_SUPPORT_SCRIPTED_PMU_H

#include "pmu/contract/pmu.h"
#include "tests/judge/check.h"
#include "tests/judge/ladder.h"
#include "tests/measure/measure.h"
#include "tests/measure/pass.h"

#include <stdbool.h>
#include <stdint.h>

#define SCRIPTED_COUNTERS 4
#define SCRIPTED_WIDTH    48
#define SCRIPTED_SHARE    3 /* instructions of the bracket between its two writes */
#define SCRIPTED_RESULTS  32
#define SCRIPTED_FACTS    8

/** What the driver can be told to refuse. */
enum scripted_access {
	SCRIPTED_NOTHING,
	SCRIPTED_RESET,
	SCRIPTED_PROGRAM,
	SCRIPTED_WRITE,
	SCRIPTED_READ,
	SCRIPTED_START,
	SCRIPTED_STOP,
	SCRIPTED_RELEASE,
	SCRIPTED_STATUS,
	SCRIPTED_ACKNOWLEDGE,
	SCRIPTED_BRACKET,
	SCRIPTED_MIXED,
};

/** A window that runs. */
struct scripted_window {
	const struct window *w;
	uint64_t n;
	unsigned number;    /* of this window, from 0 since scripted_start() */
	unsigned of_kernel; /* from 0, of those in a row with the same kernel and N since a counter was
			       programmed */
};

/** The script; scripted_start() makes all of it plain. */
struct scripted {
	struct pmu pmu;
	struct run run;
	struct run_options options;

	/* What is otherwise, a bit or an entry for each counter. */
	uint64_t counts_start, counts_stop;             /* the bracket's writes */
	bool two_switches;                              /* there is bracket_mixed() ... */
	uint64_t counts_other_start, counts_other_stop; /* ... and writes to the other switch count */
	uint64_t mixes_shake;                           /* windows of it count one more each time */
	int64_t running_write[SCRIPTED_COUNTERS]; /* what a start in a running window counts; 1 is plain */
	int64_t rdpmc[SCRIPTED_COUNTERS];         /* what RDPMC counts; 1 is plain */
	uint64_t rdpmc_sees_itself;               /* it reads a value that has it counted already */
	uint64_t rdpmc_lags;                      /* it reads what was there an instruction before */
	uint64_t rdpmc_shakes;                    /* it reads another value each time */
	uint64_t clocks;                          /* they can count "C" and "R" alone */
	uint64_t wraps_behind[SCRIPTED_COUNTERS]; /* the value whose next one is 0; scripted_wrap() sets it */
	uint64_t reads_zero, drops_bit_4, never_ticks, no_interrupt, two_interrupts, no_status, sticky_status;
	/** Added to what counter c counts in a window; NULL: nothing. */
	int64_t (*beyond)(unsigned c, const struct scripted_window *at);
	/** While the window runs: interrupts may come. NULL: none do. */
	void (*during)(const struct scripted_window *at);
	uint64_t passed;         /* the clock is so much further */
	unsigned strays, ticks;  /* interrupts that nobody asked for; the watchdog's */
	uint32_t smis;           /* MSR_SMI_COUNT */
	bool freezes;            /* the CPU has FREEZE_WHILE_SMM */
	bool no_smi_counter;     /* only time tells */
	uint8_t refuse;          /* enum scripted_access ... */
	unsigned refuse_counter; /* ... of this counter, where it has one ... */
	unsigned refuse_from;    /* ... from so many such accesses on */
	const char *untrue;      /* kernel whose signature does not hold */
	int64_t handled;         /* what handlers execute of each quantity; 0: there are none */
	bool by_ring;            /* kernels run in the rings that their flags say; plain: in all */
	bool call_fails;         /* run->call() does not come to its end */

	/* What was done. */
	uint64_t value[SCRIPTED_COUNTERS];
	uint64_t programmed;               /* counters in use */
	uint8_t levels[SCRIPTED_COUNTERS]; /* that they were programmed for last (enum pmu_levels), ... */
	char codes[SCRIPTED_COUNTERS];     /* ... and their events' letters */
	unsigned windows, programs, resets, cools, attributions;
	unsigned windows_of[SHARE_LENGTHS]; /* with the kernels of the shares */
	unsigned windows_read;              /* in which RDPMC reads inside */
	unsigned windows_mixed;             /* of bracket_mixed() */
	uint64_t debugctl;

	/* What was reported. */
	unsigned n_results, n_facts, n_shares;
	struct {
		char name[96], text[JUDGEMENT_TEXT], event[32];
		enum verdict verdict;
	} result[SCRIPTED_RESULTS];
	char fact[SCRIPTED_FACTS][400];
};

extern struct scripted scripted;

/** The events that it counts, on every counter: "I" instructions, "J" instructions and exceptions by a rule,
 * "B" branches, "C" cycles, "R" another clock, which may stand still, "X" misses, which need not be. @param
 * events of those, letters; the first one exact is the counters' yardstick */
void scripted_start(const char *events);
const struct pmu_event *scripted_event(char name);

/** Let counter c go up to this value and no further, and its description say so if it is to be told. */
void scripted_wrap(unsigned c, uint64_t highest, bool told);

/** The report's one result whose name contains `name`; ends the test if it is not exactly one. */
unsigned scripted_result(const char *name);

/** How many facts contain this. */
unsigned scripted_facts(const char *text);

#endif
