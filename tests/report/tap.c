/*
 * The TAP 14 stream. One test point per plain check and one per group of cells; with verbose, the group's
 * cells are a subtest.
 */
#include "arch/x86/console.h"
#include "tests/report/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DETAILS 8 /* bad cells of a group that the diagnostic block lists */

static struct {
	bool verbose;
	unsigned points, sub;
} tap;

void tap_begin(bool verbose)
{
	tap.verbose = verbose;
	tap.points = tap.sub = 0;
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
	yaml(deeper, "ring", c->ring);
	if (c->observed) {
		console_tap("%sn: %" PRIu64 "\n", deeper, c->n);
		yaml(deeper, "expected", c->expected);
		yaml(deeper, "observed", c->observed);
	}
}

static void skip(const char *reason)
{
	char text[160];

	console_tap(" # SKIP %s", description(reason ? reason : "not applicable here", text, sizeof text));
}

void tap_cell(const struct cell *c)
{
	char text[200];

	if (!tap.verbose || !c->matrix)
		return;
	if (!tap.sub)
		console_tap("# Subtest: %s: %s\n", c->suite, description(c->event, text, sizeof text));
	console_tap("    %s %u - %s", verdict_is_bad((enum verdict)c->verdict) ? "not ok" : "ok", ++tap.sub,
		    description(c->name, text, sizeof text));
	if (c->verdict == VERDICT_SKIPPED)
		skip(c->text);
	console_tap("\n");
	if (verdict_is_bad((enum verdict)c->verdict)) {
		console_tap("      ---\n");
		diagnose("      ", "", c);
		console_tap("      ...\n");
	}
}

static void group_description(const struct cell *first, unsigned count)
{
	struct names counters = {.count = 0}, kernels = {.count = 0};
	char text[200], where[96], with[64];

	for (unsigned i = 0; i < count; i++) {
		names_add(&counters, first[i].counter);
		names_add(&kernels, first[i].kernel);
	}
	names_format(&counters, 48, "counters", where, sizeof where);
	names_format(&kernels, 2, "kernels", with, sizeof with);
	console_tap("%s: %s on %s, %s: ", first->suite, description(first->event, text, sizeof text), where,
		    with);
	tally_format(first, count, text, sizeof text);
	console_tap("%s", text);
}

void tap_point(const struct cell *first, unsigned count)
{
	unsigned bad = 0, skipped = 0;
	char text[200];

	for (unsigned i = 0; i < count; i++) {
		bad += verdict_is_bad((enum verdict)first[i].verdict);
		skipped += first[i].verdict == VERDICT_SKIPPED;
	}
	if (tap.sub)
		console_tap("    1..%u\n", tap.sub);
	tap.sub = 0;
	console_tap("%s %u - ", bad ? "not ok" : "ok", ++tap.points);
	if (first->matrix)
		group_description(first, count);
	else
		console_tap("%s: %s", first->suite, description(first->name, text, sizeof text));
	if (skipped == count)
		skip(first->text);
	console_tap("\n");
	if (!bad)
		return;
	console_tap("  ---\n");
	if (first->matrix) {
		unsigned listed = 0;

		console_tap("  off:\n");
		for (unsigned i = 0; i < count && listed < DETAILS; i++)
			if (verdict_is_bad((enum verdict)first[i].verdict)) {
				diagnose("    ", "- ", &first[i]);
				listed++;
			}
		if (bad > listed)
			console_tap("  not_listed: %u\n", bad - listed);
	} else {
		diagnose("  ", "", first);
	}
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
