#include "tests/report.h"
#include "arch/x86/console.h"
#include "tests/report/internal.h"

#include <stdio.h>
#include <string.h>

static struct {
	struct report_totals totals;
	bool verbose, complete;
	unsigned lost;        /* records for which memory was short */
	const char *suite;    /* the open one, NULL if none */
	unsigned suite_first; /* index of its first cell */
	unsigned point_first; /* index of the first cell that belongs to no test point yet */
	char virtual_label[96];
} report;

const char *virtual_label(void)
{
	return report.virtual_label[0] ? report.virtual_label : NULL;
}

static void count_lost(bool kept)
{
	report.lost += !kept;
}

void report_begin(const struct report_header *header)
{
	memset(&report, 0, sizeof report);
	report.verbose = header->verbose;
	cells_free();
	table_begin();
	document_begin(header);
	tap_begin(header->verbose);
}

void report_note(const char *text)
{
	console_text("note: %s\n", text);
	count_lost(document_note(text));
}

void report_pmu(const struct pmu *pmu)
{
	if (pmu->virtual)
		snprintf(report.virtual_label, sizeof report.virtual_label,
			 "virtual PMU (model %s), not silicon", pmu->model);
	console_text("PMU: %s, %u general and %u fixed counters, %u events\n", pmu->name, pmu->n_general,
		     pmu->n_fixed, pmu->n_events);
	if (pmu->virtual)
		console_text("  %s\n", report.virtual_label);
	count_lost(document_pmu(pmu));
}

void report_snapshot(const struct pmu_snapshot *snapshot)
{
	count_lost(document_snapshot(snapshot));
}

static void end_point(void)
{
	if (report.point_first == cells.count)
		return;
	tap_point(&cells.cell[report.point_first], cells.count - report.point_first);
	table_point(&cells.cell[report.point_first], cells.count - report.point_first);
	report.point_first = cells.count;
}

void report_suite_begin(const char *suite, const char *title)
{
	report_suite_end();
	report.suite = intern(suite);
	report.suite_first = cells.count;
	count_lost(document_suite_begin(suite, title));
	table_suite_begin(suite, title);
}

void report_suite_end(void)
{
	if (!report.suite)
		return;
	end_point();
	count_lost(document_suite_end());
	table_suite_end(&cells.cell[report.suite_first], cells.count - report.suite_first);
	report.suite = NULL;
}

void report_result(const struct result *r)
{
	const struct cell *last;
	bool noted;

	if (!report.suite || strcmp(report.suite, r->suite))
		report_suite_begin(r->suite, r->suite);
	report.totals.checks++;
	report.totals.verdicts[r->judgement.verdict]++;
	noted = document_result(r);
	if (!cells_add(r)) {
		report.lost++;
		return;
	}
	count_lost(noted);

	last = &cells.cell[cells.count - 1];
	if (cells.count - 1 > report.point_first && (!last->matrix || last->event != last[-1].event)) {
		cells.count--; /* the point before ends here */
		end_point();
		cells.count++;
	}
	tap_cell(last);
	table_cell(last, report.verbose);
	if (!last->matrix)
		end_point();
}

void report_value(const char *suite, const char *name, const char *value, const char *unit)
{
	table_value(suite, name, value, unit);
	count_lost(document_value(suite, name, value, unit));
}

void report_end(bool complete)
{
	const struct report_totals *t = &report.totals;

	if (complete)
		report_suite_end();
	end_point();
	report.complete = complete && !report.lost;
	table_verdicts();
	tap_end(complete, report.lost);
	console_text("\n");
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

char *report_json(size_t *size)
{
	return document_text(&report.totals, report.complete, report.lost, size);
}
