/*
 * Samples of an experiment as members of the JSON document.
 */
#include "arch/register.h"
#include "tests/report/internal.h"
#include "tests/report/json.h"

#include <stdio.h>

static void name_place(char *out, size_t size, const char *kernel, long offset)
{
	if (offset < 0)
		snprintf(out, size, "elsewhere");
	else
		snprintf(out, size, "%s+0x%lx", kernel, (unsigned long)offset);
}

/* Nothing if no value was told. */
static void add_range(struct json *j, const char *name, const struct report_addresses *range)
{
	if (range->low > range->high)
		return;
	json_open(j, name, '{');
	json_hex(j, "low", range->low);
	json_hex(j, "high", range->high);
	json_close(j, '}');
}

static void add_place(struct json *j, const char *kernel, const struct report_samples *s, size_t i)
{
	char at[64];

	name_place(at, sizeof at, kernel, (long)i);
	json_open(j, NULL, '{');
	json_string(j, "at", at);
	json_unsigned(j, "offset", i);
	json_unsigned(j, "samples", s->at[i]);
	if (s->addresses)
		add_range(j, "addresses", &s->addresses[i]);
	if (s->n_registers)
		json_open(j, "registers", '{');
	for (unsigned g = 0; g < s->n_registers; g++)
		add_range(j, general_register_name(g), &s->registers[i * s->registers_apart + g]);
	if (s->n_registers)
		json_close(j, '}');
	json_close(j, '}');
}

static void add_branch(struct json *j, const char *kernel, const struct report_branch *b)
{
	char at[64];

	json_open(j, NULL, '{');
	name_place(at, sizeof at, kernel, b->from);
	json_string(j, "from", at);
	name_place(at, sizeof at, kernel, b->to);
	json_string(j, "to", at);
	json_unsigned(j, "taken", b->taken);
	json_unsigned(j, "mispredicted", b->mispredicted);
	json_close(j, '}');
}

/* Each sample with what is known of it. */
static void add_list(struct json *j, const struct report_experiment *x, const struct report_samples *s)
{
	char at[64];

	if (!s->n_list)
		return;
	json_open(j, "list", '[');
	for (const struct report_sample *l = s->list; l < s->list + s->n_list; l++) {
		json_open(j, NULL, '{');
		name_place(at, sizeof at, x->kernel, l->offset);
		json_string(j, "at", at);
		if (l->timed)
			json_unsigned(j, "clock", l->clock);
		if (l->count) {
			json_open(j, "counts", '[');
			for (unsigned i = 0; i < x->n_counts; i++)
				json_unsigned(j, NULL, l->count[i]);
			json_close(j, ']');
		}
		if (l->registers) {
			json_open(j, "registers", '{');
			for (unsigned i = 0; i < s->n_listed_registers; i++)
				json_hex(j, general_register_name(i), l->registers[i]);
			json_close(j, '}');
		}
		json_close(j, '}');
	}
	json_close(j, ']');
}

void document_samples(struct json *j, const struct report_experiment *x, const struct report_samples *s)
{
	const char *kernel = x->kernel;

	json_open(j, NULL, '{');
	json_string(j, "record", s->record);
	json_string(j, "event", s->event);
	json_string(j, "counter", s->counter ? s->counter : "");
	json_unsigned(j, "period", s->period);
	json_unsigned(j, "runs", s->runs);
	json_unsigned(j, "elsewhere", s->elsewhere);
	json_unsigned(j, "named_next", s->named_next);
	json_open(j, "places", '[');
	for (size_t i = 0; i < s->size; i++)
		if (s->at[i])
			add_place(j, kernel, s, i);
	json_close(j, ']');
	add_list(j, x, s);
	json_open(j, "branches", '[');
	for (unsigned i = 0; i < s->n_branches; i++)
		add_branch(j, kernel, &s->branch[i]);
	json_close(j, ']');
	json_close(j, '}');
}
