/*
 * The JSON document (docs/report.schema.json). Its parts grow separately, and are put together when it is
 * asked for. Here are suites with their checks, and what they say besides.
 */
#include "tests/report/document_parts.h"

#include <string.h>

#define SCHEMA "assay-report/5"

struct document document;

void document_free(void)
{
	json_free(&document.head);
	json_free(&document.notes);
	json_free(&document.processors);
	json_free(&document.pmus);
	json_free(&document.snapshots);
	json_free(&document.values);
	json_free(&document.facts);
	json_free(&document.errata);
	json_free(&document.shares);
	json_free(&document.attributions);
	json_free(&document.experiments);
	json_free(&document.suites);
	document.suite_open = document.suite_lost = document.several = false;
}

bool document_keep(struct json *j, const struct json_mark *mark)
{
	if (!j->failed)
		return true;
	json_rollback(j, mark);
	return false;
}

void document_judging(unsigned number)
{
	document.several = true;
	document.number = number;
}

void document_add_processor(struct json *j)
{
	if (document.several)
		json_unsigned(j, "processor", document.number);
}

bool document_suite_begin(const char *suite, const char *title)
{
	struct json *j = &document.suites;
	struct json_mark mark;

	/* There may have been no room for the end of the one before. */
	document.suite_lost = !document_suite_end();
	if (document.suite_lost)
		return false;
	mark = json_mark(j);
	json_open(j, NULL, '{');
	json_string(j, "name", suite);
	json_string(j, "title", title);
	document_add_processor(j);
	json_open(j, "checks", '[');
	document.suite_open = !j->failed;
	document.suite_lost = j->failed;
	return document_keep(j, &mark);
}

static void optional_string(struct json *j, const char *key, const char *value)
{
	if (value && *value)
		json_string(j, key, value);
}

void document_add_observation(struct json *j, const struct observation *o, bool bounds)
{
	const struct histogram *h = &o->seen;
	unsigned unlisted = histogram_unlisted(h);
	struct histogram_entry e = {0};

	json_open(j, NULL, '{');
	json_unsigned(j, "n", o->n);
	if (bounds) {
		json_signed(j, "low", o->low);
		json_signed(j, "high", o->high);
	}
	json_unsigned(j, "total", h->total);
	json_unsigned(j, "distinct", h->distinct);
	json_signed(j, "min", h->min);
	json_signed(j, "max", h->max);
	if (unlisted)
		json_unsigned(j, "unlisted", unlisted);
	json_open(j, "values", '[');
	while (histogram_next(h, &e)) {
		json_open(j, NULL, '[');
		json_signed(j, NULL, e.value);
		json_unsigned(j, NULL, e.frequency);
		json_close(j, ']');
	}
	json_close(j, ']');
	json_close(j, '}');
}

bool document_result(const struct result *r)
{
	struct json *j = &document.suites;
	struct json_mark mark = json_mark(j);

	if (!document.suite_open || document.suite_lost || r->n_observations > RESULT_OBSERVATIONS)
		return false;
	json_open(j, NULL, '{');
	json_string(j, "name", r->name);
	json_string(j, "verdict", verdict_name(r->judgement.verdict));
	json_bool(j, "virtual", r->virtual);
	if (r->machine_model)
		json_bool(j, "machine_model", true);
	optional_string(j, "text", r->judgement.text);
	optional_string(j, "event", r->event);
	optional_string(j, "kernel", r->kernel);
	optional_string(j, "counter", r->counter);
	optional_string(j, "level", r->level);
	optional_string(j, "manual", r->manual);
	if (r->event)
		json_hex(j, "encoding", r->encoding);
	if (r->has_share)
		json_signed(j, "share", r->share);
	if (r->judgement.verdict == VERDICT_BIASED)
		json_signed(j, "bias", r->judgement.bias);
	if (r->judgement.slope_den) {
		json_open(j, "slope", '[');
		json_signed(j, NULL, r->judgement.slope_num);
		json_signed(j, NULL, r->judgement.slope_den);
		json_close(j, ']');
	}
	json_open(j, "observations", '[');
	for (unsigned i = 0; i < r->n_observations; i++)
		document_add_observation(j, &r->observation[i], true);
	for (unsigned i = 0; i < r->n_more; i++)
		document_add_observation(j, &r->more[i], true);
	json_close(j, ']');
	json_close(j, '}');
	return document_keep(j, &mark);
}

struct json_mark document_place(void)
{
	const struct json *j = &document.suites;

	return (struct json_mark){j->last, j->last ? j->last->used : 0, j->size, j->before};
}

size_t document_record(const struct json_mark *from, char *out, size_t size)
{
	const struct json_chunk *c = from->last ? from->last : document.suites.first;
	size_t at = from->last ? from->used : 0, n = 0;

	for (; c && n + 1 < size; c = c->next, at = 0) {
		size_t part = c->used - at < size - 1 - n ? c->used - at : size - 1 - n;

		memcpy(out + n, c->text + at, part);
		n += part;
	}
	out[n] = 0;
	return n;
}

static void close_suite(struct json *j, bool complete)
{
	json_close(j, ']');
	json_bool(j, "complete", complete);
	json_close(j, '}');
}

bool document_suite_end(void)
{
	struct json *j = &document.suites;
	struct json_mark mark = json_mark(j);

	if (!document.suite_open)
		return true;
	close_suite(j, true);
	if (!document_keep(j, &mark))
		return false; /* stays open: the document says that it is incomplete */
	document.suite_open = false;
	return true;
}

bool document_value(const char *suite, const char *name, const char *value, const char *unit)
{
	struct json *j = &document.values;
	struct json_mark mark = json_mark(j);

	json_open(j, NULL, '{');
	json_string(j, "suite", suite);
	json_string(j, "name", name);
	json_string(j, "value", value);
	json_string(j, "unit", unit ? unit : "");
	document_add_processor(j);
	json_close(j, '}');
	return document_keep(j, &mark);
}

bool document_erratum(const struct erratum_report *r)
{
	struct json *j = &document.errata;
	struct json_mark mark = json_mark(j);

	json_open(j, NULL, '{');
	json_string(j, "number", r->number);
	json_string(j, "mechanism", r->mechanism);
	json_string(j, "state", r->state_name);
	json_bool(j, "documented", r->documented);
	if (r->documented && r->fixed)
		json_hex(j, "fixed", r->fixed);
	if (r->documented && r->fixed)
		json_string(j, "here", r->here);
	json_unsigned(j, "trials", r->trials);
	if (*r->why)
		json_string(j, "why", r->why);
	document_add_processor(j);
	json_close(j, '}');
	return document_keep(j, &mark);
}

bool document_fact(const char *suite, const char *name, const char *text)
{
	struct json *j = &document.facts;
	struct json_mark mark = json_mark(j);

	json_open(j, NULL, '{');
	json_string(j, "suite", suite);
	json_string(j, "name", name);
	json_string(j, "text", text);
	document_add_processor(j);
	json_close(j, '}');
	return document_keep(j, &mark);
}

static void add_totals(struct json *j, const struct report_totals *totals)
{
	json_open(j, "totals", '{');
	json_unsigned(j, "checks", totals->checks);
	for (unsigned v = 0; v < VERDICT_COUNT; v++)
		json_unsigned(j, verdict_name((enum verdict)v), totals->verdicts[v]);
	json_close(j, '}');
}

bool document_write(const struct report_totals *totals, bool complete, unsigned lost, text_sink *sink,
		    void *to)
{
	struct json out = {.sink = sink, .to = to};

	json_open(&out, NULL, '{');
	json_string(&out, "schema", SCHEMA);
	json_bool(&out, "complete", complete && !lost);
	json_unsigned(&out, "lost", lost);
	json_members(&out, &document.head);
	add_totals(&out, totals);
	json_nest(&out, "notes", '[', &document.notes);
	if (document.processors.size)
		json_nest(&out, "processors", '[', &document.processors);
	json_nest(&out, "pmus", '[', &document.pmus);
	json_nest(&out, "snapshots", '[', &document.snapshots);
	json_nest(&out, "values", '[', &document.values);
	json_nest(&out, "facts", '[', &document.facts);
	if (document.errata.size)
		json_nest(&out, "errata", '[', &document.errata);
	json_nest(&out, "shares", '[', &document.shares);
	json_nest(&out, "attributions", '[', &document.attributions);
	json_nest(&out, "experiments", '[', &document.experiments);
	json_open(&out, "suites", '[');
	json_append(&out, &document.suites);
	if (document.suite_open)
		close_suite(&out, false);
	json_close(&out, ']');
	json_close(&out, '}');
	return !out.failed && sink(to, "\n", 1);
}
