/*
 * Events of vendor files made rows of the PMU's table: encodings from the file, meanings by name.
 */
#ifndef PMU_EVENTS_VENDOR_IMPORT_H
#define PMU_EVENTS_VENDOR_IMPORT_H

#include "pmu/contract/pmu.h"
#include "pmu/events/vendor_json.h"

#include <stdbool.h>
#include <stddef.h>

#define IMPORT_MAX 4096 /* rows in all, and events of one file */

/** What became of a file's events. */
struct import_tally {
	unsigned events;
	unsigned explained;   /* rows whose meaning is known by their name */
	unsigned unexplained; /* rows whose meaning is not known */
	unsigned there;       /* in the table already, under this name and with this encoding */
	unsigned differing;   /* in the table under this name with another encoding: the table's stays */
	unsigned contrary;    /* of those: the ones that the PMU's own table has */
	unsigned unfit;       /* no counter of this CPU counts it; or for another kind of core */
	unsigned others;      /* metrics, and events that are not of a core */
	unsigned bad;         /* not understood */
	bool lost;            /* the rest of the file is not understood */
	bool full;            /* there was no room, or no memory, for all of them */
	bool periods;         /* some give a sampling period: Intel's way */
	char first[VENDOR_NAME + VENDOR_TEXT]; /* of those that differ, are bad or lost: the first, and why */
};

/** Rows from files, to be zero at first. */
struct import {
	struct pmu_event *row;
	const struct pmu_event **table; /* the PMU's own rows, the explained ones, the others */
	unsigned count, room;
	bool sure; /* of the next file: something else has said that it is for this CPU */
	const struct pmu_event *const *own; /* the PMU's own table while it has another */
	unsigned n_own;
};

/**
 * Take the events of a file.
 * @param core what hybrid CPUs call this kind of core, "cpu_core" or "cpu_atom"; NULL: there is one kind
 * @return false if it is no file of events, or cannot be for this PMU: tally->first says why, nothing is
 * taken
 */
bool import_file(struct import *all, const struct pmu *pmu, const char *core, const char *text, size_t size,
		 struct import_tally *tally);

/** Give the PMU a table with the rows of all files. What it points to stays until import_free(). @return
 * false if there is no memory: the table is as it was */
bool import_finish(struct import *all, struct pmu *pmu);

/** Give the PMU its own table back and the memory free. */
void import_free(struct import *all, struct pmu *pmu);

#endif
