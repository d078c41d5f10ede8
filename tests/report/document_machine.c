/*
 * What was found: the machine, its processors and PMUs, and their registers as firmware left them.
 */
#include "arch/levels.h"
#include "arch/register.h"
#include "pmu/contract/workaround.h"
#include "pmu/events/fields.h"
#include "tests/report/document_parts.h"

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
	struct json *j = &document.head;
	struct json_mark mark;

	document_free();
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
	return document_keep(j, &mark);
}

bool document_note(const char *text)
{
	struct json_mark mark = json_mark(&document.notes);

	json_string(&document.notes, NULL, text);
	return document_keep(&document.notes, &mark);
}

bool document_processor(const struct report_processor *p)
{
	struct json *j = &document.processors;
	struct json_mark mark = json_mark(j);

	json_open(j, NULL, '{');
	json_unsigned(j, "number", p->number);
	json_hex(j, "id", p->id);
	if (p->kind)
		json_string(j, "kind", p->kind);
	json_bool(j, "judged", p->judged);
	json_close(j, '}');
	return document_keep(j, &mark);
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
	struct json *j = &document.pmus;
	struct json_mark mark = json_mark(j);

	if (pmu->n_counters > PMU_COUNTERS_MAX)
		return false;
	json_open(j, NULL, '{');
	json_string(j, "name", pmu->name);
	document_add_processor(j);
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
	return document_keep(j, &mark);
}

static const char *const space_names[] = REGISTER_SPACE_NAMES;

bool document_snapshot(const struct pmu_snapshot *snapshot, const struct register_field *fields)
{
	struct json *j = &document.snapshots;
	struct json_mark mark = json_mark(j);
	char text[FIELDS_TEXT];

	if (snapshot->count > PMU_SNAPSHOT_MAX)
		return false;
	json_open(j, NULL, '{');
	document_add_processor(j);
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
	return document_keep(j, &mark);
}
