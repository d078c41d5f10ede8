/*
 * All that can be chosen, for list=: suites, kernels, events, injections, options.
 *
 * Example: what `list=suites` prints.
 *
 *     console_text("assay: listed %u suites\n", listing(o));
 */
#ifndef BOOT_LISTING_H
#define BOOT_LISTING_H

#include "boot/options.h"
#include "pmu/contract/pmu.h"

/** "suites", as list= has it. */
const char *listing_name(const struct options *o);

/** Print what o->list names, a line or more for each, at most 80 columns wide; of injections those of the
 * virtual CPU that pmu= asks for, or of the default one. Not for LIST_EVENTS.
 * @return how many there are */
unsigned listing(const struct options *o);

/** Print the events of a PMU (NULL: there is none). @return how many there are */
unsigned listing_events(const struct pmu *pmu);

#endif
