/*
 * An experiment's results as a table: a row for each event, each difference, and each place where samples
 * lie.
 */
#include "arch/console.h"
#include "tests/measure/metric.h"
#include "tests/report/internal.h"

#include <inttypes.h>
#include <string.h>

#define PLACES       24 /* shown of each histogram; all are in the document */
#define BAR          40
#define METRIC_SHOWN 4 /* different values at one N; all are in the document */

static int widest(const struct report_experiment *x)
{
	size_t width = 20;

	for (unsigned i = 0; i < x->n_counts; i++)
		if (strlen(x->count[i].event) > width)
			width = strlen(x->count[i].event);
	return width < 48 ? (int)width : 48;
}

static void print_row(const char *name, int width, const char *counter, unsigned n,
		      const struct observation *o)
{
	char text[128];

	console_text("    %-*s %-10s", width, name, counter);
	for (unsigned i = 0; i < n; i++) {
		histogram_format(&o[i].seen, text, sizeof text);
		console_text("%s N=%" PRIu64 ": %s", i ? ";" : "", o[i].n, text);
	}
	console_text("\n");
}

/* 2.5, from 2500000. */
static void print_millionths(int64_t value)
{
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
	unsigned rest = (unsigned)(size % METRIC_UNIT), digits = 6;

	for (; digits && !(rest % 10); digits--)
		rest /= 10;
	console_text("%s%" PRIu64, value < 0 ? "-" : "", size / METRIC_UNIT);
	if (digits)
		console_text(".%0*u", (int)digits, rest);
}

static void print_metric(const struct report_delta *m, int width)
{
	console_text("    %-*s %-10s", width, m->name, "metric");
	for (unsigned i = 0; i < m->n_observations; i++) {
		const struct histogram *h = &m->observation[i].seen;
		struct histogram_entry v = {0};

		console_text("%s N=%" PRIu64 ":", i ? ";" : "", m->observation[i].n);
		if (!h->total)
			console_text(" -");
		for (unsigned k = 0; k < METRIC_SHOWN && histogram_next(h, &v); k++) {
			console_text("%s ", k ? "," : "");
			print_millionths(v.value);
			console_text(" x%u", v.frequency);
		}
	}
	console_text("\n");
}

static void print_place(const char *kernel, int32_t offset)
{
	if (offset < 0)
		console_text("%12s", "elsewhere");
	else
		console_text("%s+%#-6lx", kernel, (unsigned long)offset);
}

static void print_branches(const char *kernel, const struct report_samples *s)
{
	for (unsigned i = 0; i < s->n_branches && i < PLACES; i++) {
		console_text("      ");
		print_place(kernel, s->branch[i].from);
		console_text(" -> ");
		print_place(kernel, s->branch[i].to);
		console_text(" %6u", s->branch[i].taken);
		if (s->branch[i].mispredicted)
			console_text(", %u mispredicted", s->branch[i].mispredicted);
		console_text("\n");
	}
	if (s->n_branches > PLACES)
		console_text("      and %u other branches: see the JSON report\n", s->n_branches - PLACES);
}

static void print_heading(const struct report_samples *s, unsigned total)
{
	console_text("    %s", s->event);
	if (s->counter)
		console_text(" on %s", s->counter);
	console_text(": %u %s in %u run%s", total, s->branch ? "branches" : "samples", s->runs,
		     s->runs == 1 ? "" : "s");
	if (s->period)
		console_text(s->branch ? ", behind %" PRIu64 : ", every %" PRIu64, s->period);
	console_text("\n");
}

static void print_addresses(const struct report_samples *s, size_t i)
{
	if (s->addresses && s->addresses[i].low <= s->addresses[i].high)
		console_text(" data at %#" PRIx64, s->addresses[i].low);
	if (s->addresses && s->addresses[i].low < s->addresses[i].high)
		console_text(" to %#" PRIx64, s->addresses[i].high);
}

/* Slices between samples: what the clock and the counts went on by. */
static void print_list(const struct report_experiment *x, const struct report_samples *s)
{
	for (unsigned i = 0; i < s->n_list && i < PLACES; i++) {
		const struct report_sample *l = &s->list[i];

		console_text("      ");
		print_place(x->kernel, l->offset);
		if (l->timed)
			console_text(" at %" PRIu64, l->clock);
		for (unsigned k = 0; l->count && k < x->n_counts; k++)
			console_text("%s %" PRIu64, k ? "," : ":", l->count[k]);
		console_text("\n");
	}
	if (s->n_list > PLACES)
		console_text("      and %u other samples: see the JSON report\n", s->n_list - PLACES);
}

static void print_samples(const char *kernel, const struct report_samples *s)
{
	static const char bar[BAR + 1] = "########################################";
	unsigned most = 1, places = 0, total = s->elsewhere;

	for (size_t i = 0; i < s->size; i++) {
		total += s->at[i];
		most = s->at[i] > most ? s->at[i] : most;
	}
	print_heading(s, total);
	for (size_t i = 0; i < s->size && !s->branch; i++) {
		if (!s->at[i] || places++ >= PLACES)
			continue;
		console_text("      %s+%#-6lx %6u %.*s", kernel, (unsigned long)i, s->at[i],
			     (int)((uint64_t)s->at[i] * BAR / most), bar);
		print_addresses(s, i);
		console_text("\n");
	}
	print_branches(kernel, s);
	if (places > PLACES)
		console_text("      and %u other places: see the JSON report\n", places - PLACES);
	if (s->named_next)
		console_text("      of these %u are named by the instruction behind theirs\n", s->named_next);
	if (s->elsewhere)
		console_text("      outside the kernel %u\n", s->elsewhere);
}

void table_experiment(const struct report_experiment *x)
{
	int width = widest(x);

	console_text("  %s: %s in %s", x->name, x->kernel, x->level);
	console_text(x->n_samples ? "\n" : x->passes == 1 ? ", one pass\n" : ", %u passes\n", x->passes);
	for (unsigned i = 0; i < x->n_counts; i++)
		print_row(x->count[i].event, width, x->count[i].counter, x->count[i].n_observations,
			  x->count[i].observation);
	for (unsigned i = 0; i < x->n_deltas; i++)
		print_row(x->delta[i].name, width, "difference", x->delta[i].n_observations,
			  x->delta[i].observation);
	for (unsigned i = 0; i < x->n_metrics; i++)
		print_metric(&x->metric[i], width);
	for (unsigned i = 0; i < x->n_samples; i++) {
		print_samples(x->kernel, &x->samples[i]);
		print_list(x, &x->samples[i]);
	}
}
