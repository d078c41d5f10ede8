/*
 * What the last run left behind if it did not come to its end, and what this one leaves out because of it.
 *
 * Two things tell: its journal (boot/journal.h), stage by stage, and breadcrumbs (arch/breadcrumbs.h), check
 * by check, where the machine was reset and not switched off. A check, or a step of one, that ended a run is
 * left out of the next. A suite that was cut short no one knows where, or between two checks, comes last; if
 * that ends it again between two checks, it is left out. When a run comes to its end, all that is forgotten:
 * the next one tries everything. A start that is refused, by a bad option for example, is no run: what was
 * known before it stays known.
 */
#ifndef BOOT_RECOVERY_H
#define BOOT_RECOVERY_H

#include "arch/breadcrumbs.h"

#include <stdbool.h>
#include <stddef.h>

#define RECOVERY_TRIES 2        /* starts that may end in one stage, outside checks */
#define RECOVERY_CALL  "/call " /* before the number of what has no name, behind its stage */
#define LEFT_OUT_MAX   16
#define LEFT_OUT_LINE  (BREADCRUMBS_PLACE + 32)

/** One thing that ended a run. */
struct left_out {
	unsigned run; /* which; 0: one that had no folder */
	unsigned processor;
	unsigned step;                 /* of the check, from 1; 0: the whole of it */
	char place[BREADCRUMBS_PLACE]; /* SUITE/CHECK, or SUITE */
	char why[40];                  /* for people; recovery_learn() writes it */
};

struct recovery {
	bool broken;     /* the last run did not come to its end ... */
	unsigned run;    /* ... which had this number; 0: it had no folder */
	char where[320]; /* where it ended, for people */
	char last[64];   /* a suite that is to come last, "": none */
	char stage[64];  /* the stage that it ended in, outside checks; "" otherwise */
	unsigned again;  /* starts in a row that ended there, that one among them */
	bool stuck;      /* too many, and there is nothing to leave out */
	bool full;       /* more ended runs than there is room for */
	unsigned count;
	struct left_out item[LEFT_OUT_MAX];
};

/**
 * Find out.
 * @param journal of the last run of this CPU, NULL: there is none that can be read
 * @param number  that run's
 * @param crumb   what breadcrumbs_left() gave, NULL: nothing; with its list
 */
void recovery_learn(struct recovery *r, const char *journal, unsigned number, const struct breadcrumb *crumb,
		    const char *list);

/** The item that has this left out. @return NULL if nothing has */
const struct left_out *recovery_item(const struct recovery *r, unsigned processor, const char *place,
				     unsigned step);

/** An item as a line, without its end: "0001 0 17 control/accesses": run, processor, step, place. */
void recovery_line(const struct left_out *item, char line[LEFT_OUT_LINE]);

#define LEFT_OUT_BEFORE 512
/** What is known of the run before, as a line, without its end: run, starts in a row, and with a tab behind
 * each the suite that is to come last, the stage, and where it ended. */
void recovery_before(const struct recovery *r, char line[LEFT_OUT_BEFORE]);

/** All of them, a line each, for breadcrumbs_keep(). */
void recovery_list(const struct recovery *r, char *out, size_t size);

/** What the run of a journal took that came to its end, if these were its options. @return milliseconds, 0:
 * it did not, or they were not */
uint64_t recovery_time(const char *journal, const char *options);

#endif
