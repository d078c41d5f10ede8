/*
 * The control suite's inside: what a check sees of one counter (or of the whole PMU), and how it says what
 * must be.
 *
 * The functions of checks may be single-stepped, so they only do what they are about and compare; words are
 * found afterwards.
 */
#ifndef TESTS_SUITES_CONTROL_H
#define TESTS_SUITES_CONTROL_H

#include "pmu/contract/bits.h"
#include "tests/judge/check.h"
#include "tests/measure/measure.h"
#include "tests/measure/pmi.h"

#include <stdbool.h>
#include <stdint.h>

#define CONTROL_N     4    /* N of the kernel that makes counters move */
#define CONTROL_START 1000 /* first value of a counter that must move, or must not: never 0 */

struct probe {
	const struct pmu *pmu;
	unsigned c; /* the counter that the check is about */
	uint64_t
		usable; /* counters that climbed the ladder as far as the check asks: others are left alone */
	const struct kernel *kernel;
	uint64_t stale; /* overflow status that was set before the check began and that a reset does not clear
			 */
	struct pmi pmi;
	struct pmu_bracket bracket;

	/* What was seen. The first thing that is not as it must be is kept. */
	unsigned compared;
	const char *what; /* "%s" stands for the name of ... */
	uint8_t level;    /* ... this level */
	uint64_t expected, observed;
	bool failed;
	const char *refused; /* what the hardware answered with a fault though it must not */
	const char *left;    /* why it is skipped after all */
	const char *lacking; /* what a hypervisor was found to keep to itself; nothing is judged then */
	uint64_t ticks[2]; /* fewest and most that one loop took of a clock that is an emulator's own time; 0:
			    * it is not, or was not found to be */
};

/** A counter's own bit in masks. */
static inline uint64_t counter_bit(unsigned c)
{
	return UINT64_C(1) << c;
}

/** Say what must be. @return whether it is, and nothing went wrong before */
bool must_be(struct probe *p, const char *what, uint64_t expected, uint64_t observed);

/** Say that the hardware must not have refused something. @return done, and nothing went wrong before */
bool must_work(struct probe *p, const char *what, bool done);

/**
 * What a window of the kernel moves counter c by, the bracket's share included. Clocks have no number of
 * their own: for them, moving at all is 1.
 * @param e    what it counts
 * @param ring of the kernel
 */
uint64_t moves_by(const struct probe *p, unsigned c, const struct pmu_event *e, uint8_t level);

/** The share of the bracket that the probe ran last (around outer rings: of what enters and leaves them) on
 * counter c. */
int64_t probe_share(const struct probe *p, unsigned c, const struct pmu_event *e, uint8_t level);

/** A difference of two values of a counter that counts e, in the same terms: modulo its width; for clocks 0
 * or 1. */
uint64_t moved(const struct probe *p, const struct pmu_event *e, unsigned c, uint64_t from, uint64_t to);

/** Program counter c with event e and give it a first value. */
bool prepare(struct probe *p, unsigned c, const struct pmu_event *e, unsigned levels, bool interrupt,
	     uint64_t first);

uint64_t value_of(struct probe *p, unsigned c);
uint64_t status_of(struct probe *p);

/** Run the kernel in ring 0, with the counters of the mask enabled around it by the bracket. */
void run_counting(struct probe *p, uint64_t mask);
/** The same at another N than CONTROL_N. */
void run_counting_for(struct probe *p, uint64_t mask, uint64_t n);
/** Run the kernel in ring 1, 2 or 3, with the counters of the mask started and stopped around it in ring 0.
 */
void run_counting_outside(struct probe *p, uint64_t mask, uint8_t level, uint64_t n);
/** Run the kernel in ring 3, with counter c, which is programmed, running, between two readings of it there.
 * @param count gets by how much it had moved */
void control_read_user(struct probe *p, unsigned c, uint64_t *count);
/** Run the kernel in ring 0, with no counter started. */
void run_idle(struct probe *p);

/** What a value reads back as after it was written to counter c: truncated, and the top written bit copied
 * upwards. */
uint64_t as_written(const struct pmu *pmu, unsigned c, uint64_t value);

/** Whether a check, or one of its instances, is to be carried out. */
bool control_selected(const struct run *run, const char *name);

/** The verdict on what a check saw. */
void probe_conclude(const struct probe *p, struct result *r);

/** The checks that the driver brings along (pmu/contract/control.h). */
void control_of_the_family(struct run *run);

/** What such a check sees; and its hands for the core's other logical processor. */
struct control_fixture;
struct probe *control_probe(struct control_fixture *h);
void control_give_other(struct control_fixture *h);

enum control_scope { PER_COUNTER, PER_PMU };

enum control_need {
	NEED_GLOBAL = 1 << 0,    /* one write starts and stops all counters */
	NEED_STATUS = 1 << 1,    /* overflow status register */
	NEED_INTERRUPT = 1 << 2, /* the counter can interrupt, and there is a local APIC */
	NEED_NEIGHBOUR = 1 << 3, /* a second counter */
	NEED_EXACT = 1 << 4,     /* the counter can count something exactly */
	NEED_CASCADE = 1 << 5,   /* another counter's overflow can start it */
	NEED_LEVELS = 1 << 8,    /* there are levels between the harness's and the user's */
	NEED_CLOCK = 1 << 7,     /* what the counter counts best is a clock */
	NEED_FILTER = 1 << 6,    /* a threshold in the selector */
};

struct control_check {
	const char *name;
	const char *rests_on; /* as pmu_manual() knows it; NULL: its name */
	uint8_t scope;        /* enum control_scope */
	uint8_t rung;         /* enum rung: that a counter must have reached */
	uint16_t needs;       /* enum control_need */
	void (*check)(struct probe *p);
};

/** Names of the checks of filters by level, which control_name_checks() makes of the levels' names. */
enum control_of { CONTROL_OF_HARNESS, CONTROL_OF_USER, CONTROL_OF_OTHERS, CONTROL_LEVEL_NAMES };
extern char control_level_name[CONTROL_LEVEL_NAMES][48];

/** Those of the overflow line, made of its name. */
enum control_line { CONTROL_MASKED, CONTROL_MASK_ON_DELIVERY, CONTROL_LINE_NAMES };
extern char control_line_name[CONTROL_LINE_NAMES][32];

void control_name_checks(void);

/** Tables of checks, name NULL ends. The last one is the instruction set's own (tests/suites/x86/control.c).
 */
extern const struct control_check control_counting[], control_overflow[], control_instruction_set[];

#endif
