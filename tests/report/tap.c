/*
 * The TAP 14 stream. One test point per plain check and one per event of a matrix; with verbose, its cells
 * are a subtest.
 */
#include "arch/console.h"
#include "tests/report/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SUITE   96 /* with the processor */
#define DETAILS 8  /* bad cells of a group that the diagnostic block lists */

static struct {
	bool verbose;
	unsigned points;
} tap;

void tap_begin(bool verbose)
{
	tap.verbose = verbose;
	tap.points = 0;
	console_tap("TAP version 14\n");
}

/* A description must not hold '#' or a line end, a quoted YAML scalar no quote: each such byte is escaped. */
static const char *escaped(const char *text, const char *what, char *out, size_t size)
{
	size_t n = 0;

	for (; *text && n + 3 < size; text++) {
		if (strchr(what, *text))
			out[n++] = '\\';
		out[n++] = (unsigned char)*text < 0x20 ? ' ' : *text;
	}
	out[n] = 0;
	return out;
}

static const char *description(const char *text, char *out, size_t size)
{
	return escaped(text, "\\#", out, size);
}

static void yaml(const char *indent, const char *key, const char *value)
{
	char text[200];

	if (value)
		console_tap("%s%s: \"%s\"\n", indent, key, escaped(value, "\\\"", text, sizeof text));
}

static void diagnose(const char *indent, const char *lead, const struct cell *c)
{
	char text[200];

	console_tap("%s%scheck: \"%s\"\n", indent, lead, escaped(c->name, "\\\"", text, sizeof text));
	char deeper[24];

	snprintf(deeper, sizeof deeper, "%s%*s", indent, (int)strlen(lead), "");
	console_tap("%sverdict: %s\n", deeper, verdict_name((enum verdict)c->verdict));
	yaml(deeper, "why", c->text);
	yaml(deeper, "counter", c->counter);
	yaml(deeper, level_heading(), c->level);
	if (c->observed) {
		console_tap("%sn: %" PRIu64 "\n", deeper, c->n);
		yaml(deeper, "expected", c->expected);
		yaml(deeper, "observed", c->observed);
	}
}

/* "events", "events on processor 1 (E-core)" */
static const char *suite_of(const struct cell *c, char text[SUITE])
{
	if (!c->processor)
		return c->suite;
	snprintf(text, SUITE, "%s on %s", c->suite, c->processor);
	return text;
}

static void skip(const char *reason)
{
	char text[160];

	console_tap(" # SKIP %s", description(reason ? reason : "not applicable here", text, sizeof text));
}

static bool bad(const struct cell *c)
{
	return verdict_is_bad((enum verdict)c->verdict);
}

/* The cells of an event, one by one. */
static void subtest(const struct selection *s)
{
	const struct cell *c = selection_next(s, NULL);
	unsigned points = 0;
	char text[200], suite[SUITE];

	console_tap("# Subtest: %s: %s\n", suite_of(c, suite), description(c->event, text, sizeof text));
	for (; c; c = selection_next(s, c)) {
		console_tap("    %s %u - %s", bad(c) ? "not ok" : "ok", ++points,
			    description(c->name, text, sizeof text));
		if (c->verdict == VERDICT_SKIPPED)
			skip(c->text);
		console_tap("\n");
		if (bad(c)) {
			console_tap("      ---\n");
			diagnose("      ", "", c);
			console_tap("      ...\n");
		}
	}
	console_tap("    1..%u\n", points);
}

static void event_description(const struct selection *s)
{
	struct names counters = {.count = 0}, kernels = {.count = 0};
	const struct cell *first = selection_next(s, NULL), *c = NULL;
	char text[200], where[96], with[64], suite[SUITE];

	while ((c = selection_next(s, c))) {
		names_add(&counters, c->counter);
		names_add(&kernels, c->kernel);
	}
	names_format(&counters, 48, "counters", where, sizeof where);
	names_format(&kernels, 2, "kernels", with, sizeof with);
	console_tap("%s: ", description(suite_of(first, suite), text, sizeof text));
	console_tap("%s on ", description(s->event, text, sizeof text));
	console_tap("%s, ", description(where, text, sizeof text));
	console_tap("%s: ", description(with, text, sizeof text));
	tally_format(s, text, sizeof text);
	console_tap("%s", text);
}

/* What is off among the cells of an event. */
static void diagnose_event(const struct selection *s)
{
	const struct cell *c = NULL;
	unsigned listed = 0, more = 0;

	console_tap("  off:\n");
	while ((c = selection_next(s, c)))
		if (bad(c) && listed == DETAILS) {
			more++;
		} else if (bad(c)) {
			diagnose("    ", "- ", c);
			listed++;
		}
	if (more)
		console_tap("  not_listed: %u\n", more);
}

/* "SUITE: CHECK" */
static void point_of(const struct cell *c)
{
	char text[200], suite[SUITE];

	console_tap("%s: ", description(suite_of(c, suite), text, sizeof text));
	console_tap("%s", description(c->name, text, sizeof text));
}

void tap_point(const struct selection *s)
{
	const struct cell *first = selection_next(s, NULL), *c = NULL;
	bool good = true, skipped = true;

	while ((c = selection_next(s, c))) {
		good = good && !bad(c);
		skipped = skipped && c->verdict == VERDICT_SKIPPED;
	}
	if (tap.verbose && s->event)
		subtest(s);
	console_tap("%s %u - ", good ? "ok" : "not ok", ++tap.points);
	if (s->event)
		event_description(s);
	else
		point_of(first);
	if (skipped)
		skip(first->text);
	console_tap("\n");
	if (good)
		return;
	console_tap("  ---\n");
	if (s->event)
		diagnose_event(s);
	else
		diagnose("  ", "", first);
	console_tap("  ...\n");
}

void tap_end(bool complete, unsigned lost)
{
	if (!complete)
		console_tap("not ok %u - the run came to its end\n", ++tap.points);
	if (lost)
		console_tap("not ok %u - memory for every record (%u lost)\n", ++tap.points, lost);
	console_tap("1..%u\n", tap.points);
}
