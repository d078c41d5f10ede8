/*
 * What was measured besides checks: shares, attributions of deliveries to levels, experiments.
 */
#include "arch/levels.h"
#include "tests/judge/attribution_windows.h"
#include "tests/report/document_parts.h"

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
	struct json *j = &document.shares;
	struct json_mark mark = json_mark(j);

	json_open(j, NULL, '{');
	json_string(j, "event", s->event);
	json_hex(j, "encoding", s->encoding);
	json_string(j, "counter", s->counter);
	json_string(j, "mechanism", s->mechanism);
	document_add_processor(j);
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
	return document_keep(j, &mark);
}

static void add_observations(struct json *j, const struct observation *o, unsigned n, bool bounds)
{
	json_open(j, "observations", '[');
	for (unsigned i = 0; i < n; i++)
		document_add_observation(j, &o[i], bounds);
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
		document_add_observation(j, &seen[i], false);
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
	struct json *j = &document.attributions;
	struct json_mark mark = json_mark(j);
	const struct trip_windows *w = &r->windows;

	json_open(j, NULL, '{');
	json_string(j, "class", trip_class_name(r->class));
	json_string(j, "trip",
		    w->source ? trip_name((enum trip)w->source->trip) : trip_ways.return_into_user);
	if (w->source)
		json_string(j, "kernel", w->source->kernel);
	document_add_processor(j);
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
	return document_keep(j, &mark);
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
	struct json *j = &document.experiments;
	struct json_mark mark = json_mark(j);

	json_open(j, NULL, '{');
	json_string(j, "name", x->name);
	json_string(j, "kernel", x->kernel);
	document_add_processor(j);
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
	return document_keep(j, &mark);
}
