/*
 * The JSON document (docs/report.schema.json). Its parts grow separately, and are put together when it is
 * asked for.
 */
#include "arch/levels.h"
#include "arch/register.h"
#include "pmu/contract/workaround.h"
#include "pmu/events/fields.h"
#include "tests/judge/attribution_windows.h"
#include "tests/report/internal.h"
#include "tests/report/json.h"

#include <stdio.h>
#include <string.h>

#define SCHEMA "assay-report/5"

/* In the order of the document. */
static struct {
	struct json head, notes, processors, pmus, snapshots, values, facts, errata, shares, attributions,
		experiments, suites;
	bool suite_open; /* what was begun last of the suites has no end yet ... */
	bool suite_lost; /* ... and is not the suite that results come from, whose beginning had no room */
	bool several;    /* what follows is this processor's: */
	unsigned number;
} doc;

static bool keep(struct json *j, const struct json_mark *mark)
{
	if (!j->failed)
		return true;
	json_rollback(j, mark);
	return false;
}

static void add_pair(struct json *j, const char *name, const char *value, bool loaded)
{
	json_open(j, NULL, '{');
	json_string(j, "name", name);
	json_string(j, "value", value);
	if (loaded)
		json_bool(j, "loaded", true);
	json_close(j, '}');
}

static void add_level_names(struct json *j)
{
	json_open(j, "levels", '[');
	for (unsigned level = 0; level < LEVELS_MAX; level++) {
		if (!level_name(level))
			continue;
		json_open(j, NULL, '{');
		json_string(j, "name", level_name(level));
		json_string(j, "filter", level_filter_name(level_filter(level)));
		json_close(j, '}');
	}
	json_close(j, ']');
}

bool document_begin(const struct report_header *h)
{
	struct json *j = &doc.head;
	struct json_mark mark;

	json_free(&doc.head);
	json_free(&doc.notes);
	json_free(&doc.processors);
	json_free(&doc.pmus);
	json_free(&doc.snapshots);
	json_free(&doc.values);
	json_free(&doc.facts);
	json_free(&doc.errata);
	json_free(&doc.shares);
	json_free(&doc.attributions);
	json_free(&doc.experiments);
	json_free(&doc.suites);
	doc.suite_open = doc.suite_lost = doc.several = false;

	mark = json_mark(j);
	json_string(j, "build", h->build_id);
	if (h->date)
		json_string(j, "date", h->date);
	json_string(j, "options", h->options);
	json_string(j, "isa", h->isa);
	add_level_names(j);
	json_open(j, "machine", '{');
	json_string(j, "platform", h->platform);
	json_string(j, "firmware", h->firmware);
	json_string(j, "hypervisor", h->hypervisor);
	json_bool(j, "guest", h->under_hypervisor);
	json_string(j, "cpu", h->cpu);
	json_open(j, "identity", '[');
	for (unsigned i = 0; i < h->n_identity; i++)
		add_pair(j, h->identity[i].name, h->identity[i].value, h->identity[i].loaded);
	json_close(j, ']');
	json_unsigned(j, "processor_count", h->processor_count);
	json_unsigned(j, "clock_hz", h->clock_hz);
	json_string(j, "time_reference", h->time_reference);
	json_string(j, "watchdog", h->watchdog);
	json_close(j, '}');
	return keep(j, &mark);
}

bool document_note(const char *text)
{
	struct json_mark mark = json_mark(&doc.notes);

	json_string(&doc.notes, NULL, text);
	return keep(&doc.notes, &mark);
}

bool document_processor(const struct report_processor *p)
{
	struct json *j = &doc.processors;
	struct json_mark mark = json_mark(j);

	json_open(j, NULL, '{');
	json_unsigned(j, "number", p->number);
	json_hex(j, "id", p->id);
	if (p->kind)
		json_string(j, "kind", p->kind);
	json_bool(j, "judged", p->judged);
	json_close(j, '}');
	return keep(j, &mark);
}

void document_judging(unsigned number)
{
	doc.several = true;
	doc.number = number;
}

/* Whose it is, if there are several. */
static void add_processor(struct json *j)
{
	if (doc.several)
		json_unsigned(j, "processor", doc.number);
}

static void add_detail(void *to, const char *name, const char *value)
{
	add_pair(to, name, value, false);
}

static void add_workarounds(struct json *j, const struct pmu *pmu)
{
	if (!pmu->workarounds_due)
		return;
	json_open(j, "workarounds", '[');
	for (unsigned i = 0; i < PMU_WORKAROUNDS_MAX; i++) {
		if (!(pmu->workarounds_due >> i & 1))
			continue;
		json_open(j, NULL, '{');
		json_string(j, "erratum", pmu->driver->workarounds[i].number);
		json_string(j, "what", pmu->driver->workarounds[i].what);
		json_bool(j, "on", pmu_works_around(pmu, i));
		json_close(j, '}');
	}
	json_close(j, ']');
}

bool document_pmu(const struct pmu *pmu, identity_source *identity)
{
	struct json *j = &doc.pmus;
	struct json_mark mark = json_mark(j);

	if (pmu->n_counters > PMU_COUNTERS_MAX)
		return false;
	json_open(j, NULL, '{');
	json_string(j, "name", pmu->name);
	add_processor(j);
	json_string(j, "driver", pmu->driver ? pmu->driver->name : NULL);
	json_unsigned(j, "version", pmu->version);
	json_bool(j, "virtual", pmu->virtual);
	json_string(j, "model", pmu->virtual ? pmu->model : NULL);
	json_bool(j, "deterministic", pmu->deterministic);
	json_unsigned(j, "general", pmu->n_general);
	json_unsigned(j, "fixed", pmu->n_fixed);
	json_unsigned(j, "events", pmu->n_events);
	json_bool(j, "global_control", pmu->has_global);
	json_bool(j, "interrupt", pmu->has_pmi);
	json_open(j, "counters", '[');
	for (unsigned i = 0; i < pmu->n_counters; i++) {
		const struct pmu_counter *c = &pmu->counter[i];

		json_open(j, NULL, '{');
		json_string(j, "name", c->name);
		json_string(j, "kind", c->kind == COUNTER_FIXED ? "fixed" : "general");
		json_unsigned(j, "index", c->index);
		json_unsigned(j, "width", c->width);
		json_unsigned(j, "write_width", c->write_width);
		if (c->highest)
			json_unsigned(j, "highest", c->highest);
		json_bool(j, "status", c->has_status);
		json_bool(j, "interrupt", c->has_interrupt);
		json_hex(j, "selector", c->selector);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_open(j, "identity", '[');
	if (identity)
		identity(add_detail, j);
	json_close(j, ']');
	add_workarounds(j, pmu);
	json_close(j, '}');
	return keep(j, &mark);
}

static const char *const space_names[] = REGISTER_SPACE_NAMES;

bool document_snapshot(const struct pmu_snapshot *snapshot, const struct register_field *fields)
{
	struct json *j = &doc.snapshots;
	struct json_mark mark = json_mark(j);
	char text[FIELDS_TEXT];

	if (snapshot->count > PMU_SNAPSHOT_MAX)
		return false;
	json_open(j, NULL, '{');
	add_processor(j);
	json_open(j, "registers", '[');
	for (unsigned i = 0; i < snapshot->count; i++) {
		const struct pmu_snapshot_entry *e = &snapshot->entry[i];

		json_open(j, NULL, '{');
		json_string(j, "name", e->name);
		json_string(j, "space", space_names[e->space]);
		json_hex(j, "address", e->address);
		if (e->readable)
			json_hex(j, "value", e->value);
		else
			json_null(j, "value");
		json_bool(j, "running", e->enable);
		if (fields && e->readable && register_format(fields, e->address, e->value, text, sizeof text))
			json_string(j, "fields", text);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
	return keep(j, &mark);
}

bool document_suite_begin(const char *suite, const char *title)
{
	struct json *j = &doc.suites;
	struct json_mark mark;

	/* There may have been no room for the end of the one before. */
	doc.suite_lost = !document_suite_end();
	if (doc.suite_lost)
		return false;
	mark = json_mark(j);
	json_open(j, NULL, '{');
	json_string(j, "name", suite);
	json_string(j, "title", title);
	add_processor(j);
	json_open(j, "checks", '[');
	doc.suite_open = !j->failed;
	doc.suite_lost = j->failed;
	return keep(j, &mark);
}

static void optional_string(struct json *j, const char *key, const char *value)
{
	if (value && *value)
		json_string(j, key, value);
}

static void add_observation(struct json *j, const struct observation *o, bool bounds)
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
	struct json *j = &doc.suites;
	struct json_mark mark = json_mark(j);

	if (!doc.suite_open || doc.suite_lost || r->n_observations > RESULT_OBSERVATIONS)
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
		add_observation(j, &r->observation[i], true);
	for (unsigned i = 0; i < r->n_more; i++)
		add_observation(j, &r->more[i], true);
	json_close(j, ']');
	json_close(j, '}');
	return keep(j, &mark);
}

struct json_mark document_place(void)
{
	const struct json *j = &doc.suites;

	return (struct json_mark){j->last, j->last ? j->last->used : 0, j->size, j->before};
}

size_t document_record(const struct json_mark *from, char *out, size_t size)
{
	const struct json_chunk *c = from->last ? from->last : doc.suites.first;
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
	struct json *j = &doc.suites;
	struct json_mark mark = json_mark(j);

	if (!doc.suite_open)
		return true;
	close_suite(j, true);
	if (!keep(j, &mark))
		return false; /* stays open: the document says that it is incomplete */
	doc.suite_open = false;
	return true;
}

bool document_value(const char *suite, const char *name, const char *value, const char *unit)
{
	struct json *j = &doc.values;
	struct json_mark mark = json_mark(j);

	json_open(j, NULL, '{');
	json_string(j, "suite", suite);
	json_string(j, "name", name);
	json_string(j, "value", value);
	json_string(j, "unit", unit ? unit : "");
	add_processor(j);
	json_close(j, '}');
	return keep(j, &mark);
}

bool document_erratum(const struct erratum_report *r)
{
	struct json *j = &doc.errata;
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
	add_processor(j);
	json_close(j, '}');
	return keep(j, &mark);
}

bool document_fact(const char *suite, const char *name, const char *text)
{
	struct json *j = &doc.facts;
	struct json_mark mark = json_mark(j);

	json_open(j, NULL, '{');
	json_string(j, "suite", suite);
	json_string(j, "name", name);
	json_string(j, "text", text);
	add_processor(j);
	json_close(j, '}');
	return keep(j, &mark);
}

/* Windows of so many NOPs. Where all counted the same, as they should, nothing more is to be told of them. */
static void add_windows(struct json *j, const struct share_report *s, unsigned i)
{
	json_open(j, NULL, '{');
	json_unsigned(j, "nops", s->nops[i]);
	json_unsigned(j, "windows", s->windows[i]);
	json_open(j, "values", '[');
	for (unsigned v = 0; v < s->n_values[i]; v++) {
		json_open(j, NULL, '[');
		json_signed(j, NULL, s->value[i][v]);
		json_unsigned(j, NULL, s->frequency[i][v]);
		json_close(j, ']');
	}
	json_close(j, ']');
	if (s->more[i])
		json_unsigned(j, "unlisted", s->more[i]);
	json_close(j, '}');
}

bool document_share(const struct share_report *s)
{
	struct json *j = &doc.shares;
	struct json_mark mark = json_mark(j);

	json_open(j, NULL, '{');
	json_string(j, "event", s->event);
	json_hex(j, "encoding", s->encoding);
	json_string(j, "counter", s->counter);
	json_string(j, "mechanism", s->mechanism);
	add_processor(j);
	json_signed(j, "implied", s->implied);
	if (s->steady)
		json_signed(j, "share", s->share);
	json_string(j, "state", s->state);
	json_open(j, "windows", '[');
	for (unsigned i = 0; i < SHARE_LENGTHS; i++)
		if (s->windows[i])
			add_windows(j, s, i);
	json_close(j, ']');
	json_close(j, '}');
	return keep(j, &mark);
}

static void add_observations(struct json *j, const struct observation *o, unsigned n, bool bounds)
{
	json_open(j, "observations", '[');
	for (unsigned i = 0; i < n; i++)
		add_observation(j, &o[i], bounds);
	json_close(j, ']');
}

static void add_by_filter(struct json *j, const char *key, const struct trip_levels *l)
{
	json_open(j, key, '{');
	json_signed(j, level_filter_name(0), l->os);
	json_signed(j, level_filter_name(1), l->usr);
	json_close(j, '}');
}

static void add_turns(struct json *j, const char *key, const struct observation *seen, unsigned n_turns)
{
	json_open(j, key, '[');
	for (unsigned i = 0; i < n_turns; i++)
		add_observation(j, &seen[i], false);
	json_close(j, ']');
}

static void add_trip_event(struct json *j, const struct trip_event *e, unsigned n_turns)
{
	json_open(j, NULL, '{');
	json_string(j, "event", e->event->name);
	json_hex(j, "encoding", e->event->code);
	json_open(j, "apart", '{');
	add_turns(j, level_filter_name(0), e->seen[TRIP_FILTER_OS], n_turns);
	add_turns(j, level_filter_name(1), e->seen[TRIP_FILTER_USR], n_turns);
	json_close(j, '}');
	add_turns(j, "together", e->seen[TRIP_FILTER_ALL], n_turns);
	json_close(j, '}');
}

bool document_attribution(const struct attribution_report *r)
{
	struct json *j = &doc.attributions;
	struct json_mark mark = json_mark(j);
	const struct trip_windows *w = &r->windows;

	json_open(j, NULL, '{');
	json_string(j, "class", trip_class_name(r->class));
	json_string(j, "trip",
		    w->source ? trip_name((enum trip)w->source->trip) : trip_ways.return_into_user);
	if (w->source)
		json_string(j, "kernel", w->source->kernel);
	add_processor(j);
	json_bool(j, "virtual", r->virtual);
	json_string(j, "state", trip_state_name((enum trip_state)r->count.state));
	add_by_filter(j, "manual", &r->count.manual);
	if (trip_known(&r->count))
		add_by_filter(j, "counted", &r->count.counted);
	json_open(j, "events", '[');
	for (unsigned i = 0; i < w->n_events; i++)
		add_trip_event(j, &w->events[i], w->n_turns);
	json_close(j, ']');
	json_close(j, '}');
	return keep(j, &mark);
}

static void add_deltas(struct json *j, const char *key, const struct report_delta *d, unsigned n)
{
	json_open(j, key, '[');
	for (unsigned i = 0; i < n; i++, d++) {
		json_open(j, NULL, '{');
		json_string(j, "name", d->name);
		if (d->expression)
			json_string(j, "expression", d->expression);
		json_bool(j, "across_passes", d->across_passes);
		add_observations(j, d->observation, d->n_observations, d->judged);
		json_close(j, '}');
	}
	json_close(j, ']');
}

bool document_experiment(const struct report_experiment *x)
{
	struct json *j = &doc.experiments;
	struct json_mark mark = json_mark(j);

	json_open(j, NULL, '{');
	json_string(j, "name", x->name);
	json_string(j, "kernel", x->kernel);
	add_processor(j);
	json_string(j, "level", x->level);
	json_unsigned(j, "n", x->n);
	json_unsigned(j, "reps", x->reps);
	json_unsigned(j, "passes", x->passes);
	json_unsigned(j, "bound", x->bound);
	json_string(j, "proof", x->proof);
	json_open(j, "counts", '[');
	for (const struct report_count *c = x->count; c < x->count + x->n_counts; c++) {
		json_open(j, NULL, '{');
		json_string(j, "event", c->event);
		json_string(j, "counter", c->counter);
		json_unsigned(j, "pass", c->pass);
		json_hex(j, "encoding", c->encoding);
		add_observations(j, c->observation, c->n_observations, c->judged);
		json_close(j, '}');
	}
	json_close(j, ']');
	add_deltas(j, "deltas", x->delta, x->n_deltas);
	add_deltas(j, "metrics", x->metric, x->n_metrics);
	json_open(j, "samples", '[');
	for (const struct report_samples *s = x->samples; s < x->samples + x->n_samples; s++)
		document_samples(j, x, s);
	json_close(j, ']');
	json_close(j, '}');
	return keep(j, &mark);
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
	json_members(&out, &doc.head);
	add_totals(&out, totals);
	json_nest(&out, "notes", '[', &doc.notes);
	if (doc.processors.size)
		json_nest(&out, "processors", '[', &doc.processors);
	json_nest(&out, "pmus", '[', &doc.pmus);
	json_nest(&out, "snapshots", '[', &doc.snapshots);
	json_nest(&out, "values", '[', &doc.values);
	json_nest(&out, "facts", '[', &doc.facts);
	if (doc.errata.size)
		json_nest(&out, "errata", '[', &doc.errata);
	json_nest(&out, "shares", '[', &doc.shares);
	json_nest(&out, "attributions", '[', &doc.attributions);
	json_nest(&out, "experiments", '[', &doc.experiments);
	json_open(&out, "suites", '[');
	json_append(&out, &doc.suites);
	if (doc.suite_open)
		close_suite(&out, false);
	json_close(&out, ']');
	json_close(&out, '}');
	return !out.failed && sink(to, "\n", 1);
}
