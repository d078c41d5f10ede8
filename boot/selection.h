/*
 * Whether suite=, kernel=, event=, check= and scan= select anything: a misspelt name must not pass for a run
 * with nothing wrong.
 */
#ifndef BOOT_SELECTION_H
#define BOOT_SELECTION_H

#include "boot/options.h"
#include "pmu/contract/pmu.h"
#include "pmu/contract/reason.h"
#include "tests/judge/check.h"

#include <stdbool.h>

/** suite=none: nothing is judged, it is only told which PMU there is. */
bool selection_identify_only(const struct options *o);

/** suite=first, by this word alone: the steps of boot/first.h. */
bool selection_is_first(const struct options *o);

/** Each alternative of suite= and kernel= matches something. @return false with *why */
bool selection_exists(const struct options *o, struct reason *why);

/** Whether a suite is to run: suite= matches it; of the suite scan, which takes its time, suite= has to say
 * more than wildcards, or scan= a range. */
bool selection_runs(const struct options *o, const struct suite *suite);

/** Each alternative of event= matches an event of this PMU (NULL: there is none to match), and scan= names
 * encodings of it. @return as above */
bool selection_suits(const struct options *o, const struct pmu *pmu, struct reason *why);

/** event= for this PMU: an alternative that is none of its names, but another one of an event, such as the
 * vendor's own, is replaced by the name. */
#define SELECTION_EVENTS (4 * OPTION_TEXT_MAX)
void selection_events(const struct options *o, const struct pmu *pmu, char globs[SELECTION_EVENTS]);

/** What to say where no suite that ran has a check that check= matches (struct checks_asked). Some CPUs have
 * checks that others lack, so not each alternative must match. It tells the nearest name, if one is near. */
void selection_no_check(const struct options *o, const struct checks_asked *asked, struct reason *why);

/** Why a run whose suites found nothing to do could not run. */
void selection_nothing(const struct options *o, struct reason *why);

#endif
