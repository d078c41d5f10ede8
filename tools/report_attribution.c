#include "tools/report_attribution.h"
#include "arch/levels.h"
#include "tests/judge/attribution_windows.h"
#include "tools/report_json.h"

#include <stdio.h>
#include <string.h>

#define LINE 200

static const char not_as_the_schema[] = "an attribution is not as the schema says";

/* What was counted with one filter of levels set, or with all of them. */
static const json_t *windows_of(const json_t *event, unsigned filter)
{
	if (filter == TRIP_FILTER_ALL)
		return json_object_get(event, "together");
	return json_object_get(json_object_get(event, "apart"), level_filter_name(filter));
}

static const struct trip_source *source_of(const char *kernel)
{
	for (const struct trip_source *s = trip_sources; *s->kernel; s++)
		if (!strcmp(s->kernel, kernel))
			return s;
	return NULL;
}

/* @return TRIP_CLASSES: none */
static enum trip_class class_of(const char *name)
{
	unsigned c = 0;

	while (c < TRIP_CLASSES && strcmp(trip_class_name((enum trip_class)c), name))
		c++;
	return (enum trip_class)c;
}

static bool read_windows(const json_t *list, struct observation *o, unsigned *n)
{
	*n = (unsigned)json_array_size(list);
	if (!*n || *n > TRIP_TURNS)
		return false;
	for (unsigned i = 0; i < *n; i++) {
		struct report_histogram said;

		o[i] = (struct observation){0};
		if (!report_unsigned(json_object_get(json_array_get(list, i), "n"), &o[i].n) ||
		    !report_histogram(json_array_get(list, i), &o[i].seen, &said) ||
		    (i && o[i].n <= o[i - 1].n))
			return false;
	}
	return true;
}

/* @return false if it is not as the schema says; .event is NULL if today it is none of this CPU */
static bool read_event(const json_t *json, const struct pmu *pmu, struct trip_event *out, unsigned *n_turns)
{
	uint64_t code;

	out->event = event_by_name(pmu->events, pmu->n_events, report_string(json, "event"));
	if (!report_hex(json_object_get(json, "encoding"), &code))
		return false;
	if (out->event && out->event->code != code)
		out->event = NULL;
	for (unsigned f = 0; f < TRIP_FILTERS; f++) {
		unsigned n;

		if (!read_windows(windows_of(json, f), out->seen[f], &n) || (*n_turns && n != *n_turns))
			return false;
		*n_turns = n;
	}
	return true;
}

static bool same_levels(const json_t *said, const struct trip_count *t)
{
	int64_t os = 0, usr = 0;

	if (!trip_known(t))
		return !said;
	return report_signed(json_object_get(said, level_filter_name(TRIP_FILTER_OS)), &os) &&
	       report_signed(json_object_get(said, level_filter_name(TRIP_FILTER_USR)), &usr) &&
	       os == t->counted.os && usr == t->counted.usr;
}

static void say(const json_t *json, const struct trip_count *t, void (*tell)(const char *what))
{
	char line[LINE], today[64];

	if (trip_known(t))
		snprintf(today, sizeof today, "%s, OS %d, USR %d", trip_state_name((enum trip_state)t->state),
			 t->counted.os, t->counted.usr);
	else
		snprintf(today, sizeof today, "%s", trip_state_name((enum trip_state)t->state));
	snprintf(line, sizeof line, "attribution: %s/%s: %s then; today: %s", report_string(json, "class"),
		 report_string(json, "kernel"), report_string(json, "state"), today);
	tell(line);
}

/* @return false if it is not as the schema says */
static bool take(const json_t *json, const struct pmu *pmu, struct attribution *a,
		 void (*tell)(const char *what))
{
	static struct trip_event events[2];
	const json_t *list = json_object_get(json, "events");
	struct trip_windows w = {.source = source_of(report_string(json, "kernel")),
				 .class = class_of(report_string(json, "class")),
				 .n_events = (unsigned)json_array_size(list),
				 .events = events};
	struct trip_count count = {0};
	bool known = w.source && w.class != TRIP_CLASSES;

	if (!w.n_events || w.n_events > 2)
		return false;
	for (unsigned i = 0; i < w.n_events; i++) {
		if (!read_event(json_array_get(list, i), pmu, &events[i], &w.n_turns))
			return false;
		known &= events[i].event != NULL;
	}
	if (known)
		attribution_take(a, &w, &count);
	if (strcmp(report_string(json, "state"), trip_state_name((enum trip_state)count.state)) ||
	    !same_levels(json_object_get(json, "counted"), &count))
		say(json, &count, tell);
	return true;
}

const char *report_attribution(const json_t *report, const json_t *entry, const struct pmu *pmu,
			       struct attribution *out, void (*tell)(const char *what))
{
	const json_t *list = json_object_get(report, "attributions");

	*out = (struct attribution){0};
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *json = json_array_get(list, i);

		if (!report_same_processor(json, entry) || !*report_string(json, "kernel") ||
		    json_is_true(json_object_get(json, "virtual")) !=
			    json_is_true(json_object_get(entry, "virtual")))
			continue;
		if (!take(json, pmu, out, tell))
			return not_as_the_schema;
	}
	return NULL;
}
