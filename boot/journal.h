/*
 * The journal: what a run does, stage by stage, on the volume before it is done. A line each, flushed:
 *
 *     assay BUILD on GenuineIntel-6-5E-3
 *     options: pmu=auto ...
 *     left out: 0001 0 17 control/accesses          run, processor, step, place: boot/recovery.h
 *     before: 0001 1 control...                     of a run cut short: recovery_before()
 *     0 ms: setting the machine up
 *     812 ms: suite control on processor 0
 *     4312 ms: suite events on processor 0
 *     9000 ms: suite dangerous on processor 0
 *     may hang: 0002 0 0 dangerous/PEBS switched while it counts/PMC0     as above; of dangerous=yes
 *     9040 ms: writing the report                  it came back
 *     ended: 766 checks, in 61234 ms                the last line of a run that came to its end
 *     could not run: no such PMU                    the last line of a start that was refused
 *
 * Where the run has no folder, it goes where the platform has a place for it, or there is none. What cannot
 * be written is left unsaid: the report says what there is to say about the volume.
 */
#ifndef BOOT_JOURNAL_H
#define BOOT_JOURNAL_H

#include "boot/platform.h"

#include <stddef.h>

#define JOURNAL_LEFT_OUT "left out: "
#define JOURNAL_MAY_HANG "may hang: "
#define JOURNAL_STAGE    " ms: "
#define JOURNAL_SUITE    "suite "
#define JOURNAL_BEFORE   "before: "
#define JOURNAL_REFUSED  "could not run: "
#define JOURNAL_END      "ended: "
#define JOURNAL_TOOK     ", in "
#define JOURNAL_OPTIONS  "options: "

/** Append a line to this run's. Firmware side only. */
void journal_line(const struct platform *platform, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** The last run's, of a CPU of the same name as this one's; to be freed. @return NULL if there is none */
char *journal_of_last(const struct platform *platform);

#endif
