#include "boot/cores.h"
#include "boot/core_choice.h"
#include "boot/core_options.h"

#include "pmu/contract/model.h"
#include "tests/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VIRTUAL "virtual:"

/* --- kinds ------------------------------------------------------------------------------------------ */

static const struct kind {
	uint8_t kind;
	const char *what;
} kinds[] = {
	{PROCESSOR_PERFORMANCE, "performance cores (cpu_core)"},
	{PROCESSOR_EFFICIENCY, "efficiency cores (cpu_atom)"},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

/* --- the options ------------------------------------------------------------------------------------ */

static bool all_exist(const char *numbers, struct reason *why)
{
	for (const char *p = numbers; *p;) {
		char *end;
		unsigned long n = strtoul(p, &end, 10);

		if (n >= processor_count()) {
			if (processor_count() == 1)
				return reason_give(why, "cpus=%.40s: there is no processor %lu, only 0",
						   numbers, n);
			return reason_give(why, "cpus=%.40s: there is no processor %lu, only 0 to %u",
					   numbers, n, processor_count() - 1);
		}
		p = *end ? end + 1 : end;
	}
	return true;
}

static const struct model_hybrid *virtual_hybrid(const struct options *o)
{
	return strncmp(o->pmu, VIRTUAL, sizeof VIRTUAL - 1)
		       ? NULL
		       : model_hybrid_by_name(o->pmu + sizeof VIRTUAL - 1);
}

static const struct model_profile *virtual_profile(const struct model_hybrid *h, unsigned number)
{
	return h->core[number < MODEL_HYBRID_CORES ? number : MODEL_HYBRID_CORES - 1];
}

void core_options(const struct options *o, const struct core *core, struct options *own)
{
	const struct model_hybrid *h = virtual_hybrid(o);

	*own = *o;
	if (h)
		snprintf(own->pmu, sizeof own->pmu, VIRTUAL "%s", virtual_profile(h, core->number)->name);
}

static bool injections_have_cores(const char *inject, const struct cores *cores, struct reason *why)
{
	for (const char *p = inject; *p;) {
		size_t length = strcspn(p, "+");
		unsigned number = 0, i = 0;

		if (core_of_injection(p, length, &number) != length) {
			while (i < cores->count && cores->core[i].number != number)
				i++;
			if (i == cores->count)
				return reason_give(why, "inject=%.*s: processor %u is not judged",
						   length > 60 ? 60 : (int)length, p, number);
		}
		p += length + (p[length] == '+');
	}
	return true;
}

/* --- what a processor is ---------------------------------------------------------------------------- */

static void identify(void *arg)
{
	struct core *c = arg;

	processor_type_read(&c->type);
	c->thread_bits = processor_thread_bits();
	c->cluster_bits = processor_cluster_bits();
}

static bool this_is_hybrid(void)
{
	struct processor_type type;

	processor_type_read(&type);
	return type.kind != 0;
}

static uint8_t kind_of_profile(const struct model_profile *p)
{
	struct processor_type id;

	processor_type_of(p->identity, &id);
	return id.kind;
}

/* --- choosing --------------------------------------------------------------------------------------- */

static bool is_virtual(const struct options *o)
{
	return !strncmp(o->pmu, "virtual", 7);
}

static void report_absent(const struct core *c, const struct core *last)
{
	char name[24];
	struct result r = {.suite = "processors", .name = name};
	int length;

	snprintf(name, sizeof name, "processor %u", c->number);
	r.judgement.verdict = VERDICT_ERROR;
	length = snprintf(r.judgement.text, sizeof r.judgement.text, "%s", c->why);
	if (last != c)
		snprintf(r.judgement.text + length, sizeof r.judgement.text - (size_t)length,
			 "; likewise %u more, up to processor %u", (unsigned)(last - c), last->number);
	report_result(&r);
}

/* The last of those from this one on that are absent for the same reason. Behind the processor's name all is
 * the reason. */
static const struct core *absent_alike(const struct cores *cores, const struct core *c)
{
	const char *reason = strchr(c->why, ')');
	const struct core *end = cores->core + cores->count;

	for (const char *next; reason && c + 1 < end; c++) {
		next = strchr(c[1].why, ')');
		if (!next || strcmp(next, reason) != 0)
			break;
	}
	return c;
}

/* The machine that has cores of this profile. */
static const char *machine_with(const char *profile)
{
	const struct model_hybrid *h;
	for (unsigned at = 0; (h = model_hybrid(at)); at++)
		for (unsigned i = 0; i < MODEL_HYBRID_CORES; i++)
			if (!strcmp(h->core[i]->name, profile))
				return h->name;
	return NULL;
}

static const char *reason_for_leaving_out(const struct options *o, struct reason *why)
{
	const char *colon = strchr(o->pmu, ':');

	if (strcmp(o->cpus, "auto"))
		return "cpus= leaves them out";
	if (colon && !virtual_hybrid(o)) {
		const char *machine = machine_with(colon + 1);

		if (!machine)
			return "this profile is one core";
		reason_give(why, "this profile is one core; pmu=virtual:%s is a machine with both", machine);
		return why->line;
	}
	if (processor_count() == 1)
		return "firmware lists no other processor than the one that started this";
	return "none of the processors that started is one";
}

/* Of a hybrid CPU each kind is judged or named. */
static void note_kinds(const struct options *o, const struct cores *cores)
{
	bool judged[KINDS] = {false}, hybrid = false;
	const char *colon = strchr(o->pmu, ':');
	const struct model_profile *one = is_virtual(o) && colon ? model_profile_by_name(colon + 1) : NULL;
	struct reason why;

	for (unsigned i = 0; i < cores->count; i++) {
		uint8_t kind = one ? kind_of_profile(one) : cores->core[i].type.kind;

		for (unsigned k = 0; k < KINDS; k++)
			judged[k] |= !cores->core[i].why[0] && kind == kinds[k].kind;
		hybrid |= kind != 0;
	}
	for (unsigned k = 0; hybrid && k < KINDS; k++) {
		char line[220];

		if (judged[k])
			continue;
		snprintf(line, sizeof line, "hybrid CPU: its %s are not judged: %s", kinds[k].what,
			 reason_for_leaving_out(o, &why));
		report_note(line);
	}
}

/* What shares a judged core must not run meanwhile. It does not; that is said. */
static void note_siblings(const struct core *c)
{
	for (unsigned i = 0; i < processor_count(); i++) {
		struct processor p = processor_at(i);
		char line[160];

		if (i == c->number || !p.enabled || !c->thread_bits ||
		    p.id >> c->thread_bits != c->id >> c->thread_bits)
			continue;
		snprintf(line, sizeof line, "processor %u shares its core with processor %u, which %s",
			 c->number, i,
			 i ? "executes nothing while it is judged" : "waits halted while it is judged");
		report_note(line);
	}
}

static bool is_judged(const struct cores *cores, const struct processor_type *type)
{
	for (unsigned i = 0; i < cores->count; i++)
		if (!cores->core[i].why[0] && processor_same_type(&cores->core[i].type, type))
			return true;
	return false;
}

/* Of a virtual machine the type is known without the processor's having started. */
static void add(struct cores *out, unsigned number, const struct model_hybrid *virtual, bool each_type,
		struct core_clusters *known)
{
	struct processor_type type;
	struct core *c = &out->core[out->count];
	struct processor p = processor_at(number);
	const char *why;

	*c = (struct core){.number = number, .id = p.id};
	if (virtual)
		processor_type_of(virtual_profile(virtual, number)->identity, &type);
	if (virtual && each_type && is_judged(out, &type))
		return;
	if (!processor_run(number, identify, c, &why))
		snprintf(c->why, sizeof c->why, "%s", why);
	else if (!virtual)
		core_cluster_add(known, c->id, c->cluster_bits);
	if (virtual)
		c->type = type;
	out->count += !each_type || c->why[0] || !is_judged(out, &c->type);
}

static const char *label_of(const struct cores *cores, unsigned i)
{
	static struct processor_type all[CORES_MAX]; /* too much for a stack */
	unsigned n = 0;

	for (unsigned k = 0; k < cores->count; k++)
		if (!cores->core[k].why[0])
			all[n++] = cores->core[k].type;
	return processor_type_name(&cores->core[i].type, all, n);
}

bool cores_choose(const struct options *o, const char *inject, struct cores *out, struct reason *why)
{
	const struct model_hybrid *virtual = virtual_hybrid(o);
	bool automatic = !strcmp(o->cpus, "auto"), all = !strcmp(o->cpus, "all");
	bool hybrid = virtual || (!is_virtual(o) && this_is_hybrid());
	static struct core_clusters known;
	const struct core *told = NULL; /* the last one whose absence was reported */
	unsigned judged = 0;

	out->count = known.count = 0;
	if (!automatic && !all && !all_exist(o->cpus, why))
		return false;
	if (automatic)
		add(out, 0, virtual, true, &known);
	for (unsigned i = automatic; i < processor_count() && out->count < CORES_MAX; i++) {
		if (automatic)
			i = hybrid ? core_of_another_cluster(&known, i) : processor_count();
		if (i < processor_count() &&
		    (automatic || (all ? processor_at(i).enabled : cores_listed(o->cpus, i))))
			add(out, i, virtual, automatic, &known);
	}
	out->several = out->count > 1 || out->core[0].number != 0;
	if (!injections_have_cores(inject, out, why))
		return false;
	for (unsigned i = 0; i < out->count; i++) {
		struct core *c = &out->core[i];

		if (out->several)
			report_processor(
				&(struct report_processor){c->number, c->id, label_of(out, i), !c->why[0]});
		if (c->why[0] && (!told || c > told))
			report_absent(c, told = absent_alike(out, c));
		if (!c->why[0] && (out->several || !is_virtual(o)))
			note_siblings(c);
		judged += !c->why[0];
	}
	note_kinds(o, out);
	why->line = out->core[0].why;
	return judged;
}

void core_give_up(struct core *core, const char *why)
{
	snprintf(core->why, sizeof core->why, "%s", why);
	report_absent(core, core);
}

void core_announce(const struct cores *cores, const struct core *core)
{
	if (cores->several)
		report_judging(core->number);
}
