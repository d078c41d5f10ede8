/*
 * Breadcrumbs: what is being done right now, kept in memory that a warm reset leaves as it is. Where a check
 * resets the machine, the next start finds there which one it was. A few stores for each check; nothing
 * inside windows.
 *
 * Example: did the last start come to its end, and if not, where did it end?
 *
 *     struct breadcrumb b;
 *     char list[BREADCRUMBS_LIST];
 *     breadcrumbs_open(page);
 *     if (breadcrumbs_left(&b, list))
 *             printf("it ended in %s\n", b.place);
 */
#ifndef ARCH_BREADCRUMBS_H
#define ARCH_BREADCRUMBS_H

#include <stdbool.h>
#include <stdint.h>

#define BREADCRUMBS_BYTES 4096 /* the memory that they want: one page */
#define BREADCRUMBS_PLACE 160
#define BREADCRUMBS_LIST  3072

struct breadcrumb {
	uint32_t run;                  /* number of the run's folder; 0: it has none */
	uint32_t again;                /* starts in a row that ended at this stage before this one */
	uint32_t processor;            /* the one that is judged */
	uint32_t call;                 /* of a check, within the stage, from 1; 0: between checks */
	bool suite;                    /* the stage is a suite */
	char place[BREADCRUMBS_PLACE]; /* the stage, or STAGE/CHECK */

	/* Filled in by breadcrumbs_left(). */
	uint32_t step;    /* within the check, from 1; 0: none was told */
	uint32_t written; /* the register that was last written (x86: MSR), 0: none since the check began, or
			   * the reset lost it: it is told to memory that caches hold */
	uint64_t written_value;
};

/** Use this memory from now on, after a look at what the last start left in it. Before the machine is taken.
 * NULL: there is none, and nothing survives. */
void breadcrumbs_open(void *page);

/** What the last start left, if it did not come to its end. @return false if there is nothing, or nothing
 * whole */
bool breadcrumbs_left(struct breadcrumb *out, char list[BREADCRUMBS_LIST]);

/** From now on this is done. */
void breadcrumbs_set(const struct breadcrumb *b);

/** The last start's stay: the next start finds them once more. */
void breadcrumbs_put_back(void);

/** Within it, from now on this step: an ordinal from 1; 0: none of its steps, or none any more. In a guarded
 * call. */
void breadcrumbs_step(uint32_t step);

/** Keep a text for the next start besides, cut off where there is no more room. */
void breadcrumbs_keep(const char *list);

/** The end: the next start finds nothing. */
void breadcrumbs_clear(void);

/** How to end the run where it must not end. */
enum breadcrumbs_fault {
	BREADCRUMBS_RESET,
	BREADCRUMBS_TRIPLE_FAULT,
	BREADCRUMBS_EXCEPTION,
	BREADCRUMBS_HANG, /* for good, with interrupts masked */
};

/** Do so at this place, and if the step is not 0, at this step: for tests. The text must stay. @return false
 * if there are too many such places */
bool breadcrumbs_spoil(enum breadcrumbs_fault fault, const char *place, uint32_t step);

/** Show a number on what displays the machine's progress (x86: a card that shows what is written to port
 * 80H). */
void breadcrumbs_show(uint8_t code);

/** End the run so, without a word; an exception ends only the guarded call around it, if there is one,
 * and so does the watchdog what hangs. */
_Noreturn void breadcrumbs_fail(enum breadcrumbs_fault fault);

#endif
