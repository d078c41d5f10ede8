/*
 * What the run is doing, told before it is done to what outlives it: the journal, stage by stage, and
 * breadcrumbs, check by check. What ended the last run is left out of this one (boot/recovery.h).
 */
#ifndef BOOT_PROGRESS_H
#define BOOT_PROGRESS_H

#include "boot/options.h"

#include "tests/judge/check.h"

#define PROGRESS_REASON 192

/** Before the machine is set up, after the run's folder was made. @param why gets one line if the run cannot
 * go on: it would end where the last ones did. @return whether it can */
bool progress_begin(const struct platform *platform, const struct options *o, const char *cpu,
		    char why[PROGRESS_REASON]);

/** Tell the report how the last run ended, if it did not come to its end. */
void progress_tell(void);

/** A stage that is no suite begins: "setting the machine up". Firmware side only, like all of these. */
void progress_stage(const struct platform *platform, unsigned processor, const char *stage);
/** A suite begins: the `number`th of `total`, from 1. */
void progress_suite(const struct platform *platform, unsigned processor, const char *suite, unsigned number,
		    unsigned total);

/** This check of the suite that has begun may hang the machine: if nothing is heard of the run any more, the
 * next start leaves it out. One that is left out already is not told. Firmware side only. */
void progress_may_hang(const struct platform *platform, const char *check);

/** Whether this suite is to come behind all others: the last run ended somewhere in it. */
bool progress_comes_last(const char *suite);

/** The run has come to its end; in a few words, how. */
void progress_end(const struct platform *platform, const char *how);

/** This start cannot go on, and why. What is known of the runs before it stays known, unless it is the
 * reason: then the next start tries everything again. */
void progress_refused(const struct platform *platform, const char *why);

/* With the machine taken: */

/** Why this suite as a whole is left out; NULL: it is not. */
const char *progress_suite_left_out(void);

/** A check is called. r may be NULL. @return NULL, or why it is left out */
const char *progress_check(const struct result *r);
void progress_check_over(void);

/** A step of it begins, numbered from 1, or 0: the check itself; also while it is stepped for a virtual PMU.
 * @return likewise */
const char *progress_step(unsigned step);

#endif
