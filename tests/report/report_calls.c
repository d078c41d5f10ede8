#include "pmu/contract/workaround.h"
#include "pmu/events/fields.h"
#include "tests/report/report.h"
#include "arch/console.h"
#include "tests/report/internal.h"
#include "tests/report/wrapped.h"

#include <stdio.h>
#include <string.h>

static struct {
	struct report_totals totals;
	bool verbose, complete;
	unsigned lost;        /* records for which memory was short */
	char suite[64];       /* the open one, empty if none */
	unsigned suite_first; /* index of its first cell */
	unsigned run_first;   /* index of the first cell whose progress was not told yet */
	const char
		*run_of; /* kernel or event that the cells since then have in common; NULL: they are plain */
	char virtual_label[96];
	const char *processor; /* the one that is judged */
} report;

#define PROCESSORS 512
static struct {
	unsigned number;
	const char *label; /* interned */
} processors[PROCESSORS];
static unsigned n_processors;

const char *virtual_label(void)
{
	return report.virtual_label[0] ? report.virtual_label : NULL;
}

const char *processor_label(void)
{
	return report.processor;
}

static void count_lost(bool kept)
{
	report.lost += !kept;
}

#define HYPERVISOR "hypervisor" /* begins the names of the pairs that tell of one */

static void tell_hypervisor(const struct report_header *h)
{
	if (h->under_hypervisor && !h->hypervisor)
		console_text("hypervisor: there is one, and it gives no name\n");
	for (unsigned i = 0; i < h->n_identity; i++)
		if (!strncmp(h->identity[i].name, HYPERVISOR, sizeof HYPERVISOR - 1))
			console_text("hypervisor: %s\n", h->identity[i].value);
}

static void tell_watchdog(const struct report_header *h)
{
	if (h->watchdog)
		console_text("watchdog: %s\n", h->watchdog);
}

void report_begin(const struct report_header *header)
{
	memset(&report, 0, sizeof report);
	report.verbose = header->verbose;
	n_processors = 0;
	cells_free();
	table_begin();
	console_text("Assay %s%s%s\n", header->build_id, header->date ? ", " : "",
		     header->date ? header->date : "");
	wrapped("", "%s", header->cpu);
	wrapped("", "options: %s", header->options);
	tell_hypervisor(header);
	tell_watchdog(header);
	count_lost(document_begin(header));
	tap_begin(header->verbose);
}

void report_note(const char *text)
{
	console_text("note: %s\n", text);
	count_lost(document_note(text));
}

void report_processor(const struct report_processor *p)
{
	char label[48];

	if (p->kind)
		snprintf(label, sizeof label, "processor %u (%s)", p->number, p->kind);
	else
		snprintf(label, sizeof label, "processor %u", p->number);
	if (n_processors < PROCESSORS) {
		processors[n_processors].number = p->number;
		processors[n_processors].label = intern(label);
		count_lost(processors[n_processors++].label);
	}
	count_lost(document_processor(p));
}

void report_judging(unsigned number)
{
	report_suite_end();
	for (unsigned i = 0; i < n_processors; i++)
		if (processors[i].number == number)
			report.processor = processors[i].label;
	document_judging(number);
	if (report.processor)
		console_text("\n%s is judged\n", report.processor);
}

void report_pmu(const struct pmu *pmu, identity_source *identity)
{
	if (pmu->virtual)
		snprintf(report.virtual_label, sizeof report.virtual_label,
			 "virtual PMU (model %s), not silicon", pmu->model);
	else
		report.virtual_label[0] = 0;
	char besides[48] = "";
	unsigned own = 0;

	for (unsigned i = 0; pmu->events && i < pmu->n_events; i++)
		own += (pmu->events[i]->flags & EVENT_OF_CORE) != 0;
	if (own)
		snprintf(besides, sizeof besides, " and %u of this microarchitecture", own);
	if (pmu->n_counters)
		console_text("PMU: %s, %u general and %u fixed counters, %u events%s\n", pmu->name,
			     pmu->n_general, pmu->n_fixed, pmu->n_events - own, besides);
	else
		console_text("PMU: %s, no counters\n", pmu->name);
	if (pmu->virtual)
		console_text("  %s\n", report.virtual_label);
	for (unsigned i = 0; i < PMU_WORKAROUNDS_MAX; i++)
		if (pmu->workarounds_due >> i & 1)
			console_text("  %s %s: %s\n", pmu->driver->workarounds[i].number,
				     pmu_works_around(pmu, i) ? "is worked around" : "is let show",
				     pmu->driver->workarounds[i].what);
	count_lost(document_pmu(pmu, identity));
}

static void print_register(const struct pmu_snapshot_entry *e, const struct register_field *fields)
{
	char text[FIELDS_TEXT];

	if (!e->readable) {
		console_text("  %-22s %#5lx   reading it raises a fault\n", e->name,
			     (unsigned long)e->address);
		return;
	}
	console_text("  %-22s %#5lx = %#lx\n", e->name, (unsigned long)e->address, (unsigned long)e->value);
	if (register_format(fields, e->address, e->value, text, sizeof text))
		console_text("      %s\n", text);
}

void report_snapshot(const struct pmu_snapshot *snapshot, const struct register_field *fields, bool print)
{
	if (print)
		console_text("registers as they were found%s%s:\n", report.processor ? " on " : "",
			     report.processor ? report.processor : "");
	for (unsigned i = 0; print && i < snapshot->count; i++)
		print_register(&snapshot->entry[i], fields);
	count_lost(document_snapshot(snapshot, fields));
}

/* The level that all of them were in; NULL if they differ or have none. */
static const char *common_level(const struct selection *s)
{
	const struct cell *c = selection_next(s, NULL);
	const char *level = c->level;

	while (level && (c = selection_next(s, c)))
		if (c->level != level)
			level = NULL;
	return level;
}

/* Tell the progress made since the last time. */
static void end_run(unsigned end)
{
	struct selection s = {report.run_first, end - report.run_first, NULL};

	if (report.run_of && s.count) {
		const char *level = common_level(&s);
		char what[80];

		snprintf(what, sizeof what, "%s%s%s", report.run_of, level ? ", " : "", level ? level : "");
		table_progress(what, &s);
	}
	report.run_first = end;
	report.run_of = NULL;
}

/* A run of matrix cells goes on as long as they have the kernel in common, or else the event. */
static void note_progress(unsigned i)
{
	const struct cell *c = &cells.cell[i], *first = &cells.cell[report.run_first];

	if (i == report.run_first + 1 && report.run_of && c->event == first->event &&
	    c->kernel != first->kernel)
		report.run_of = c->event;
	if (report.run_of && c->matrix && (report.run_of == c->kernel || report.run_of == c->event))
		return;
	end_run(i);
	report.run_of = c->matrix ? c->kernel : NULL;
}

/* The test points of the suite's matrix: one per event, in the order of their first cells. */
static void matrix_points(const struct selection *suite)
{
	const struct cell *c = NULL;

	while ((c = selection_next(suite, c))) {
		unsigned at = (unsigned)(c - cells.cell);
		struct selection event = {at, suite->first + suite->count - at, c->event};

		if (c->matrix && c->before <= suite->first)
			tap_point(&event);
	}
}

void report_suite_begin(const char *suite, const char *title)
{
	report_suite_end();
	snprintf(report.suite, sizeof report.suite, "%s", suite);
	report.suite_first = report.run_first = cells.count;
	count_lost(document_suite_begin(suite, title));
	table_suite_begin(suite, title);
}

static void end_suite(bool complete)
{
	struct selection suite = {report.suite_first, cells.count - report.suite_first, NULL};

	if (!report.suite[0])
		return;
	end_run(cells.count);
	matrix_points(&suite);
	table_suite_end(&suite);
	if (complete)
		count_lost(document_suite_end());
	report.suite[0] = 0;
}

void report_suite_end(void)
{
	end_suite(true);
}

void report_result(const struct result *r)
{
	const struct cell *c;
	bool noted;

	if (!report.suite[0] || strncmp(report.suite, r->suite, sizeof report.suite - 1))
		report_suite_begin(r->suite, r->suite);
	report.totals.checks++;
	report.totals.verdicts[r->judgement.verdict]++;
	struct json_mark place = document_place();
	noted = document_result(r);
	if (!cells_add(r)) {
		report.lost++;
		return;
	}
	count_lost(noted);

	note_progress(cells.count - 1);
	cells.cell[cells.count - 1].record = place;
	cells.cell[cells.count - 1].recorded = noted;
	c = &cells.cell[cells.count - 1];
	table_cell(c, report.verbose);
	if (!c->matrix)
		tap_point(&(struct selection){cells.count - 1, 1, NULL});
}

void report_value(const char *suite, const char *name, const char *value, const char *unit)
{
	end_run(cells.count);
	table_value(suite, name, value, unit);
	count_lost(document_value(suite, name, value, unit));
}

void report_detail(const char *suite, const char *name, const char *value, const char *unit)
{
	if (report.verbose)
		report_value(suite, name, value, unit);
	else
		count_lost(document_value(suite, name, value, unit));
}

void report_fact(const char *suite, const char *name, const char *text)
{
	end_run(cells.count);
	table_fact(suite, name, text);
	count_lost(document_fact(suite, name, text));
}

void report_share(const struct share_report *share)
{
	count_lost(document_share(share));
}

void report_attribution(const struct attribution_report *r)
{
	count_lost(document_attribution(r));
}

void report_erratum(const struct erratum_report *r)
{
	count_lost(document_erratum(r));
}

void report_experiment(const struct report_experiment *x)
{
	table_experiment(x);
	count_lost(document_experiment(x));
}

void report_end(bool complete)
{
	const struct report_totals *t = &report.totals;

	end_suite(complete);
	report.complete = complete && !report.lost;
	table_verdicts(report.verbose);
	tap_end(complete, report.lost);
	console_text("\n");
	table_closing();
	if (report.lost)
		console_text("memory ran out: %u records are missing from the report\n", report.lost);
	if (!complete)
		console_text("incomplete: the run was cut short\n");
	console_text("assay: %u checks:", t->checks);
	for (unsigned v = 0; v < VERDICT_COUNT; v++)
		console_text("%s %u %s", v ? "," : "", t->verdicts[v], verdict_name((enum verdict)v));
	console_text("\n");
}

const struct report_totals *report_totals(void)
{
	return &report.totals;
}

bool report_check(unsigned i, struct report_check *out)
{
	if (i >= cells.count)
		return false;
	const struct cell *c = &cells.cell[i];
	*out = (struct report_check){c->suite,    c->name,      c->event, c->kernel,
				     c->counter,  c->level,     c->text,  c->expected,
				     c->observed, c->processor, c->n,     (enum verdict)c->verdict,
				     c->virtual};
	return true;
}

size_t report_check_record(unsigned i, char *out, size_t size)
{
	*out = 0;
	return i < cells.count && cells.cell[i].recorded ? document_record(&cells.cell[i].record, out, size)
							 : 0;
}

bool report_json(text_sink *sink, void *to)
{
	return document_write(&report.totals, report.complete, report.lost, sink, to);
}
