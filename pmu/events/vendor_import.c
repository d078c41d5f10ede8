#include "pmu/events/vendor_import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ROOM_FIRST 256

/* A list for another microarchitecture has other codes under the same names: of those that two of Intel's
 * have in common one in 28 at least (the closest two are the newest performance cores), but for those that
 * are one and the same. Between two editions of a list one or two change. */
#define CONTRARY_LEAST 5
#define CONTRARY_SHARE 32
#define STRANGE_LEAST  64

static void remember(struct import_tally *t, const char *name, const char *why)
{
	if (!t->first[0])
		snprintf(t->first, sizeof t->first, "%s%s%s", name, *name ? ": " : "", why);
}

static const struct pmu_event *row_by_name(const struct import *all, const struct pmu *pmu, const char *name)
{
	const struct pmu_event *own = event_by_name(pmu->events, pmu->n_events, name);

	if (own)
		return own;
	for (unsigned i = 0; i < all->count; i++)
		if (!strcasecmp(all->row[i].name, name))
			return &all->row[i];
	return NULL;
}

/* A code says nothing of a fixed counter. */
static bool same_encoding(const struct pmu_event *a, const struct pmu_event *b)
{
	return a->fixed == b->fixed && (a->fixed >= 0 || a->code == b->code) &&
	       a->extra_register == b->extra_register && a->extra_value == b->extra_value;
}

/* Errata as rows have them: numbers between blanks, without the commas of files. */
static void copy_errata(char *to, const char *errata)
{
	for (const char *c = errata; *c; c++)
		if (*c != ',')
			*to++ = *c;
	*to = 0;
}

static bool add(struct import *all, const struct pmu_event *row, const char *errata)
{
	size_t length = strlen(row->name);
	char *name;

	if (all->count == all->room) {
		unsigned room = all->room ? 2 * all->room : ROOM_FIRST;
		struct pmu_event *more = room <= IMPORT_MAX ? realloc(all->row, room * sizeof *more) : NULL;

		if (!more)
			return false;
		all->row = more;
		all->room = room;
	}
	/* Both texts in one block. */
	name = malloc(length + 1 + strlen(errata) + 1);
	if (!name)
		return false;
	memcpy(name, row->name, length + 1);
	copy_errata(name + length + 1, errata);
	all->row[all->count] = *row;
	all->row[all->count].name = name;
	all->row[all->count++].errata = *errata ? name + length + 1 : NULL;
	return true;
}

static bool countable(const struct pmu *pmu, const struct pmu_event *e)
{
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (pmu->driver->can_count(pmu, e, c))
			return true;
	return false;
}

static void take(struct import *all, const struct pmu *pmu, const char *core, const struct vendor_event *v,
		 struct import_tally *t)
{
	struct pmu_event row = {.name = v->name, .source = "the vendor's event file"};
	const struct pmu_event *there = row_by_name(all, pmu, v->name);
	const char *why;

	t->periods |= v->has_period;
	/* "cpu" says nothing; a part that is not hybrid has one kind of core. */
	if (core && v->unit[3] && strcasecmp(v->unit, core)) {
		t->unfit++;
		return;
	}
	if (!pmu->driver->encode(pmu, v, &row, &why) || !countable(pmu, &row)) {
		t->unfit++;
		return;
	}
	if (there && same_encoding(there, &row)) {
		t->there++;
		return;
	}
	if (there) {
		char text[VENDOR_TEXT];

		/* Of events with a register besides, cores have several selectors. */
		t->contrary +=
			!row.extra_register && event_by_name(pmu->events, pmu->n_events, v->name) != NULL;

		snprintf(text, sizeof text, "code %#lx in the file, %#lx in the table",
			 (unsigned long)row.code, (unsigned long)there->code);
		remember(t, v->name, text);
		t->differing++;
		return;
	}
	uint8_t flags = row.flags;
	bool explained = pmu->driver->meaning && pmu->driver->meaning(v->name, &row);
	row.flags |= flags;
	if (!add(all, &row, v->errata)) {
		t->full = true;
		return;
	}
	explained ? t->explained++ : t->unexplained++;
}

/* Rows from the n-th on go again. */
static void take_back(struct import *all, unsigned n)
{
	while (all->count > n)
		free((char *)(uintptr_t)all->row[--all->count].name);
}

static bool has_own_events(const struct pmu *pmu)
{
	for (unsigned i = 0; i < pmu->n_events; i++)
		if (pmu->events[i]->flags & EVENT_OF_CORE)
			return true;
	return false;
}

/* By other codes; or where the CPU's own events are known, by more names that it has not than names that it
 * has. */
static bool for_another_cpu(const struct pmu *pmu, const struct import_tally *t)
{
	unsigned strange = t->explained + t->unexplained;

	return (t->contrary >= CONTRARY_LEAST && CONTRARY_SHARE * t->contrary > t->there + t->contrary) ||
	       (t->periods && strange >= STRANGE_LEAST && strange > t->there + t->differing &&
		has_own_events(pmu));
}

bool import_file(struct import *all, const struct pmu *pmu, const char *core, const char *text, size_t size,
		 struct import_tally *tally)
{
	struct vendor_reader r;
	struct vendor_event v;
	enum vendor_answer answer;

	unsigned before = all->count;

	*tally = (struct import_tally){0};
	if (!pmu->driver->encode) {
		snprintf(tally->first, sizeof tally->first, "no event files are known for the driver %s",
			 pmu->driver->name);
		return false;
	}
	if (!vendor_open(&r, text, size)) {
		remember(tally, "", r.why);
		return false;
	}
	do {
		answer = vendor_next(&r, &v);
		if (answer == VENDOR_EVENT) {
			if (tally->events++ == IMPORT_MAX)
				tally->full = true;
			else
				take(all, pmu, core, &v, tally);
		} else if (answer == VENDOR_OTHER) {
			tally->others++;
		} else if (answer == VENDOR_BAD) {
			tally->bad++;
			remember(tally, "", r.why);
		} else if (answer == VENDOR_LOST) {
			tally->lost = true;
			remember(tally, "", r.why);
		}
	} while (answer != VENDOR_LOST && answer != VENDOR_END && !tally->full);
	if (!all->sure && for_another_cpu(pmu, tally)) {
		char text[VENDOR_TEXT];

		snprintf(text, sizeof text,
			 "for another CPU: %u of %u events are this one's, %u more under other codes",
			 tally->there, tally->events, tally->differing);
		take_back(all, before);
		*tally = (struct import_tally){0};
		remember(tally, "", text);
		return false;
	}
	return true;
}

bool import_finish(struct import *all, struct pmu *pmu)
{
	unsigned n = 0, explained, n_own = pmu->n_events;

	if (!all->count)
		return true;
	all->table = malloc((pmu->n_events + all->count) * sizeof *all->table);
	if (!all->table)
		return false;
	for (unsigned i = 0; i < pmu->n_events; i++)
		all->table[n++] = pmu->events[i];
	for (unsigned i = 0; i < all->count; i++)
		if (all->row[i].terms[0].coefficient)
			all->table[n++] = &all->row[i];
	explained = n;
	for (unsigned i = 0; i < all->count; i++)
		if (!all->row[i].terms[0].coefficient)
			all->table[n++] = &all->row[i];
	all->own = pmu->events;
	all->n_own = n_own;
	pmu->events = all->table;
	pmu->n_events = explained;
	pmu->n_unexplained = n - explained;
	return true;
}

void import_free(struct import *all, struct pmu *pmu)
{
	if (all->table) {
		pmu->events = all->own;
		pmu->n_events = all->n_own;
		pmu->n_unexplained = 0;
		free(all->table);
	}
	for (unsigned i = 0; i < all->count; i++)
		free((char *)(uintptr_t)all->row[i].name);
	free(all->row);
	*all = (struct import){0};
}
