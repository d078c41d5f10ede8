/*
 * Checks of a family's own control logic: what its counters have that others have not (wiring, filters,
 * tags). The family says what must be; the suite `control` gives it hands to run code with, judges and
 * reports.
 *
 * A check may be single-stepped, so it only does what it is about and compares; words are found afterwards.
 *
 * Example: counter i, if it begins at 0, holds what the kernel makes of the event.
 *
 *     static void counts(struct control_fixture *h, unsigned i, const struct pmu_event *e)
 *     {
 *             const struct pmu_config config = {.code = e->code, .levels = LEVELS_ALL};
 *             uint64_t low, high;
 *
 *             if (!control_program(h, i, &config, 0))
 *                     return;
 *             h->run(h, UINT64_C(1) << i);
 *             h->amount(h, e, 0, &low, &high);
 *             h->within(h, "the counter holds", low, high, control_value(h, i));
 *     }
 *
 *     const struct pmu_control_check checks[] = {
 *             {"counts", "manual, section", 0, each_counter, counts},
 *             {NULL, NULL, 0, NULL, NULL},
 *     };
 */
#ifndef PMU_CONTRACT_CONTROL_H
#define PMU_CONTRACT_CONTROL_H

#include "arch/register.h"
#include "pmu/contract/pmu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What the core's other logical processor does while a check runs. */
enum pmu_other_thread { OTHER_HALTED, OTHER_SYSTEM, OTHER_USER };

/** How the core's other logical processor counts, if it has counters of its own: what starts them, what stops
 * them, what it executes meanwhile. */
struct control_other {
	enum register_space space;
	uint64_t number; /* of the register that is written */
	uint64_t start, stop;
	bool far; /* a loop with a far branch in each turn; else one of loads, a store and a branch */
};

/** What a check can do, besides asking the driver. */
struct control_fixture {
	const struct pmu *pmu;
	unsigned programmed; /* counter that control_program() has set up last */

	/** Say what must be; the first thing that is not is kept. @return whether all is well so far */
	bool (*equal)(struct control_fixture *h, const char *what, uint64_t expected, uint64_t observed);
	bool (*within)(struct control_fixture *h, const char *what, uint64_t low, uint64_t high,
		       uint64_t observed);
	/** Say that the hardware must not have refused something. */
	bool (*works)(struct control_fixture *h, const char *what, bool done);

	/** Say that what the check waits for did not happen: it is skipped, whatever has been compared. */
	void (*leave)(struct control_fixture *h, const char *why);

	/** Run the check's kernel in ring 0 with the counters of the mask, all programmed, started and
	 * stopped around it by the driver's bracket; or in ring 3, with start() and stop() around it in ring
	 * 0. */
	void (*run)(struct control_fixture *h, uint64_t mask);
	void (*run_user)(struct control_fixture *h, uint64_t mask);

	/** Run the check's kernel in ring 3, with counter c running, between two RDPMC of it there, CR4.PCE
	 * being 1. @return by how much it had moved, as RDPMC says */
	uint64_t (*read_user)(struct control_fixture *h, unsigned c);

	/** What a run in the ring makes of an event, in that ring: the bracket's share of the last run()
	 * included. Clocks: from 1 up. */
	void (*amount)(struct control_fixture *h, const struct pmu_event *e, uint8_t level, uint64_t *low,
		       uint64_t *high);

	/** What the guests that the kernel enters make of an event by themselves: what it has more than
	 * guest_empty, whose guests do nothing. *entries: how often it enters one. */
	uint64_t (*guests)(struct control_fixture *h, const struct pmu_event *e, uint64_t *entries);

	/** Forget overflow interrupts and unmask them; let pending ones in and count them. Of the check's own
	 * logical processor, and of the other one. */
	void (*arm)(struct control_fixture *h);
	unsigned (*interrupts)(struct control_fixture *h);
	unsigned (*other_interrupts)(struct control_fixture *h);
	/** Unmask another line (arch/overflow.h) after arm(), so that interrupts() counts its as well; mask
	 * it. */
	void (*open_line)(struct control_fixture *h, uint16_t line, bool open);

	/** As run(), with interrupts let in during the run and for a while after it, by a handler that
	 * acknowledges what has overflowed and asks for more. @return how many came; *empty of them when
	 * nothing had overflowed */
	unsigned (*run_open)(struct control_fixture *h, uint64_t mask, unsigned *empty);

	/** Halt until a timer interrupt comes in, after so many microseconds. @return time-stamp counter
	 * ticks that passed; 0: it came too early for a halt worth the name (a slow emulator) */
	uint64_t (*halt)(struct control_fixture *h, unsigned us);
	/** The same in the deepest idle state that the processor offers; of a virtual PMU's processor each
	 * halt is. @return 0: it offers none, or none that the timer is sure to end */
	uint64_t (*halt_deeply)(struct control_fixture *h, unsigned us);

	/** Raise a debug exception by INT1 and come back from it. @return where the INT1 is; 0: none came */
	uint64_t (*debug_exception)(struct control_fixture *h);

	/** Logical processors of this core that code can be run on: 1, or 2. */
	unsigned threads;
	/** Go on on this logical processor, with the other one halted or active. At first: 0, OTHER_HALTED.
	 */
	void (*place)(struct control_fixture *h, unsigned thread, enum pmu_other_thread other);

	/** PMU_CONTROL_OTHER: access a register of the core's other logical processor. */
	void (*other_write)(struct control_fixture *h, enum register_space space, uint64_t number,
			    uint64_t value);
	uint64_t (*other_read)(struct control_fixture *h, enum register_space space, uint64_t number);
	/** As run(), while that one counts from before the kernel to behind it. @return how often it went
	 * through its loop */
	uint64_t (*run_beside)(struct control_fixture *h, uint64_t mask, const struct control_other *other);
	/** Start and stop the counters of the mask by the driver, and let that one count in between, while
	 * the kernel runs so often. @return likewise */
	uint64_t (*run_around)(struct control_fixture *h, uint64_t mask, const struct control_other *other,
			       unsigned times);
	/** Let that one count from here on, until other_end(), while the check does what it likes. */
	bool (*other_begin)(struct control_fixture *h, const struct control_other *other);
	uint64_t (*other_end)(struct control_fixture *h);
	/** What one turn of its loop makes of an event. */
	uint64_t (*turn)(struct control_fixture *h, const struct pmu_event *e, bool far);
};

/** One instance of a check: for this counter, that wire. */
struct pmu_control_instance {
	char name[64];       /* "BSU_ESCR0 to BPU_COUNTER0" */
	uint64_t counters;   /* that it takes: it is left out if one of them does not even count NOPs */
	const char *lacking; /* what the hypervisor keeps to itself, so that there is nothing to check; NULL:
				nothing */
	/** An event that the kernel of this instance must cause, or several of which one is enough, or none
	 * (any kernel will do): those that `suits` says. The one that is taken is the last argument of check;
	 * NULL there if no kernel causes any. */
	bool (*suits)(const struct pmu *pmu, unsigned instance, const struct pmu_event *e);
	/** One more that the kernel must cause; NULL: none. */
	const struct pmu_event *also;
	/** This kernel and no other, whatever it needs; NULL: the one that causes the event best. */
	const char *kernel;
};

enum pmu_control_need {
	PMU_CONTROL_INTERRUPT = 1 << 0, /* an overflow interrupt */
	PMU_CONTROL_THREADS = 1 << 1,   /* two logical processors */
	PMU_CONTROL_TIMER = 1 << 2,     /* halt(): a timer that is nobody else's */
	PMU_CONTROL_FIRMWARE = 1 << 5,  /* nothing: it is about SMIs, and one disturbs it not */
	PMU_CONTROL_DANGEROUS =
		1 << 3,             /* it can hang a machine that has an erratum: for dangerous=yes alone */
	PMU_CONTROL_OTHER = 1 << 4, /* another logical processor of the core, with counters of its own */
};

struct pmu_control_check {
	const char *name; /* "wire"; NULL ends a table */
	const char *manual;
	uint8_t needs; /* enum pmu_control_need */
	/** Fill in the i-th instance, from 0. @return false if there is none */
	bool (*instance)(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
	void (*check)(struct control_fixture *h, unsigned i, const struct pmu_event *e);
};

/* What checks do all the time. What is refused is said, as works() says it. */

/** Program a counter and write what it begins with. @return whether all is well so far */
bool control_program(struct control_fixture *h, unsigned c, const struct pmu_config *config, uint64_t first);

/** What a counter holds. */
uint64_t control_value(struct control_fixture *h, unsigned c);

#endif
