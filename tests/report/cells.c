/*
 * What the tables need of every check, kept small: a run may have tens of thousands.
 */
#include "tests/report/internal.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cells cells;

/* --- one copy of every text ------------------------------------------------------------------------- */

#define BUCKETS 1024

struct text {
	struct text *next;
	unsigned last; /* number + 1 of the last cell of the event with this name */
	char chars[];
};

static struct text *bucket[BUCKETS];

const char *intern(const char *s)
{
	unsigned hash = 5381;
	struct text **slot, *t;
	size_t n;

	if (!s)
		return NULL;
	for (n = 0; s[n]; n++)
		hash = hash * 33 ^ (unsigned char)s[n];
	slot = &bucket[hash % BUCKETS];
	for (t = *slot; t; t = t->next)
		if (!strcmp(t->chars, s))
			return t->chars;
	t = malloc(sizeof *t + n + 1);
	if (!t)
		return NULL;
	memcpy(t->chars, s, n + 1);
	t->last = 0;
	t->next = *slot;
	*slot = t;
	return t->chars;
}

void cells_free(void)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		while (bucket[i]) {
			struct text *next = bucket[i]->next;

			free(bucket[i]);
			bucket[i] = next;
		}
	free(cells.cell);
	memset(&cells, 0, sizeof cells);
}

/* --- cells ------------------------------------------------------------------------------------------ */

static bool off(const struct observation *o)
{
	return !o->seen.total || o->seen.min < o->low || o->seen.max > o->high;
}

/* The observation to show: the first one that is off, else the last, which has the largest N. */
static const struct observation *telling(const struct result *r)
{
	unsigned n = r->n_observations < RESULT_OBSERVATIONS ? r->n_observations : RESULT_OBSERVATIONS;

	for (unsigned i = 0; i < n; i++)
		if (off(&r->observation[i]))
			return &r->observation[i];
	for (unsigned i = 0; i < r->n_more; i++)
		if (off(&r->more[i]))
			return &r->more[i];
	if (r->n_more)
		return &r->more[r->n_more - 1];
	return n ? &r->observation[n - 1] : NULL;
}

static const char *expected_text(const struct observation *o)
{
	char text[48];

	if (o->low == o->high)
		snprintf(text, sizeof text, "%" PRId64, o->low);
	else if (o->high == INT64_MAX)
		snprintf(text, sizeof text, ">= %" PRId64, o->low);
	else
		snprintf(text, sizeof text, "%" PRId64 "..%" PRId64, o->low, o->high);
	return intern(text);
}

void histogram_format(const struct histogram *h, char *out, size_t size)
{
	unsigned unlisted = histogram_unlisted(h);
	struct histogram_entry e = {0};
	size_t n = 0;

	snprintf(out, size, "nothing");
	while (e.listed < 3 && n < size && histogram_next(h, &e))
		n += (size_t)snprintf(out + n, size - n, h->total > 1 ? "%s%" PRId64 " x%u" : "%s%" PRId64,
				      e.listed > 1 ? ", " : "", e.value, e.frequency);
	if (h->distinct > 3 && n < size)
		n += (size_t)snprintf(out + n, size - n, ", ... (%" PRId64 "..%" PRId64 ")", h->min, h->max);
	if (unlisted && n < size)
		snprintf(out + n, size - n, ", %u not kept", unlisted);
}

static const char *observed_text(const struct histogram *h)
{
	char text[128];

	histogram_format(h, text, sizeof text);
	return intern(text);
}

static bool is_matrix(const struct result *r)
{
	size_t n = r->event ? strlen(r->event) : 0;

	return r->event && r->kernel && !strncmp(r->name, r->event, n) && r->name[n] == '/';
}

/* @return false if there is a text, and no memory for it */
static bool keep(const char **out, const char *text)
{
	*out = intern(text);
	return *out || !text;
}

/* The matrix has thousands of cells, and each event's are asked for again and again. */
static void link_to_its_event(struct cell *c)
{
	struct text *t = (struct text *)(uintptr_t)(c->event - offsetof(struct text, chars));

	if (t->last)
		cells.cell[t->last - 1].next = cells.count + 1;
	c->before = t->last;
	t->last = cells.count + 1;
}

bool cells_add(const struct result *r)
{
	const struct observation *o = telling(r);
	struct cell *c;

	if (cells.count == cells.room) {
		unsigned room = cells.room ? 2 * cells.room : 512;
		struct cell *grown = realloc(cells.cell, room * sizeof *grown);

		if (!grown)
			return false;
		cells.cell = grown;
		cells.room = room;
	}
	c = &cells.cell[cells.count];
	*c = (struct cell){
		.expected = o ? expected_text(o) : NULL,
		.observed = o ? observed_text(&o->seen) : NULL,
		.processor = processor_label(),
		.n = o ? o->n : 0,
		.verdict = (uint8_t)r->judgement.verdict,
		.virtual = r->virtual,
		.machine_model = r->machine_model,
		.matrix = is_matrix(r),
	};
	if (!keep(&c->suite, r->suite) || !keep(&c->name, r->name) || !keep(&c->event, r->event) ||
	    !keep(&c->kernel, r->kernel) || !keep(&c->counter, r->counter) || !keep(&c->level, r->level) ||
	    !keep(&c->text, r->judgement.text[0] ? r->judgement.text : NULL) ||
	    !keep(&c->label, r->virtual ? virtual_label() : NULL) || (o && (!c->expected || !c->observed)))
		return false;
	if (c->matrix)
		link_to_its_event(c);
	cells.count++;
	return true;
}

/* --- texts that both streams use -------------------------------------------------------------------- */

void names_add(struct names *names, const char *name)
{
	if (!name)
		return;
	for (unsigned i = 0; i < names->count; i++)
		if (names->name[i] == name)
			return;
	if (names->count < NAMES_MAX)
		names->name[names->count++] = name;
	else
		names->more = true;
}

/* Length of the name without its number; *number is -1 if it does not end in one. */
static size_t stem(const char *name, long *number)
{
	size_t n = strlen(name), digits = n;

	while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	*number = digits < n && n - digits < 9 ? strtol(name + digits, NULL, 10) : -1;
	return digits;
}

/* The smallest number above `last` among the names with the first n characters of `like`; -1 if there is
 * none. */
static long next_number(const struct names *names, const char *like, size_t n, long last)
{
	long least = -1;

	for (unsigned i = 0; i < names->count; i++) {
		long number;

		if (stem(names->name[i], &number) == n && !strncmp(names->name[i], like, n) &&
		    number > last && (least < 0 || number < least))
			least = number;
	}
	return least;
}

/* Whether an earlier name differs in its number only. */
static bool told_before(const struct names *names, unsigned i, size_t n)
{
	for (unsigned k = 0; k < i; k++) {
		long number;

		if (stem(names->name[k], &number) == n && number >= 0 &&
		    !strncmp(names->name[k], names->name[i], n))
			return true;
	}
	return false;
}

void names_format(const struct names *names, unsigned most, const char *what, char *out, size_t size)
{
	size_t used = 0;

	out[0] = 0;
	if (names->count > most || names->more) {
		snprintf(out, size, "%u%s %s", names->count, names->more ? "+" : "", what);
		return;
	}
	for (unsigned i = 0; i < names->count && used < size; i++) {
		const char *name = names->name[i];
		long number, to;
		size_t n = stem(name, &number);

		if (number < 0) {
			used += (size_t)snprintf(out + used, size - used, "%s%s", used ? "," : "", name);
			continue;
		}
		if (told_before(names, i, n))
			continue;
		for (long from = next_number(names, name, n, -1); from >= 0 && used < size;
		     from = next_number(names, name, n, to)) {
			for (to = from; next_number(names, name, n, to) == to + 1; to++)
				;
			used += (size_t)snprintf(out + used, size - used, "%s%.*s%ld", used ? "," : "",
						 (int)n, name, from);
			if (to > from && used < size)
				used += (size_t)snprintf(out + used, size - used, "-%ld", to);
		}
	}
}

void names_fit(const struct names *names, unsigned most, const char *what, size_t columns, char *out,
	       size_t size)
{
	names_format(names, most, what, out, size);
	if (strlen(out) > columns && names->count > 1)
		names_format(names, 0, what, out, size);
}

const struct cell *selection_next(const struct selection *s, const struct cell *previous)
{
	unsigned i = s->first, end = s->first + s->count;

	if (previous && s->event)
		i = previous->next ? previous->next - 1 : end;
	else if (previous)
		i = (unsigned)(previous - cells.cell) + 1;
	while (!previous && s->event && i < end && !(cells.cell[i].matrix && cells.cell[i].event == s->event))
		i++;
	return i < end ? &cells.cell[i] : NULL;
}

void tally_format(const struct selection *s, char *out, size_t size)
{
	unsigned verdicts[VERDICT_COUNT] = {0}, count = 0;
	const struct cell *c = NULL;
	size_t used;

	while ((c = selection_next(s, c))) {
		verdicts[c->verdict]++;
		count++;
	}
	used = (size_t)snprintf(out, size, "%u check%s:", count, count == 1 ? "" : "s");
	for (unsigned v = 0, some = 0; v < VERDICT_COUNT; v++)
		if (verdicts[v] && used < size)
			used += (size_t)snprintf(out + used, size - used, "%s %u %s", some++ ? "," : "",
						 verdicts[v], verdict_name((enum verdict)v));
}
