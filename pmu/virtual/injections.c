#include "pmu/virtual/injections.h"

#include "pmu/events/text.h"
#include "pmu/virtual/hypervisor_exits.h"
#include "pmu/virtual/premises.h"
#include "pmu/virtual/step_faults.h"
#include "pmu/virtual/uarch.h"

#include <stdio.h>
#include <string.h>

static const struct harness_injection no_rows[1], *own = no_rows;

void injections_join(const struct harness_injection *rows)
{
	own = rows ? rows : no_rows;
}

static const struct injection common[] = {
#define UARCH_FAULT(id, name, summary) {name, summary, INJECTION_MACHINE, UARCH_##id},
#include "pmu/virtual/uarch_faults.def"
#undef UARCH_FAULT
#define STEP_FAULT(id, name, summary) {name, summary, INJECTION_STEP, STEP_##id},
#include "pmu/virtual/step_faults.def"
#undef STEP_FAULT
#define PREMISE(id, name, summary) {name, summary, INJECTION_PREMISE, PREMISE_##id},
#include "pmu/virtual/premises.def"
#undef PREMISE
#define EXIT_FAULT(id, name, summary) {name, summary, INJECTION_EXIT, EXITS_##id},
#include "pmu/virtual/hypervisor_exit_faults.def"
#undef EXIT_FAULT
};
#define COMMON (sizeof common / sizeof common[0])

_Static_assert(UARCH_FAULTS <= 32 && STEP_FAULTS <= 32 && PREMISES <= 32 && EXIT_FAULTS <= 32,
	       "each owner's injections have a bit of 32");

const char *const injection_owner_names[INJECTION_OWNERS] = {
	[INJECTION_MACHINE] = "machine", [INJECTION_STEP] = "records", [INJECTION_PREMISE] = "premises",
	[INJECTION_EXIT] = "hypervisor", [INJECTION_MODEL] = "PMU",    [INJECTION_HARNESS] = "harness",
};

bool injection_at(const struct pmu_model *model, unsigned i, struct injection *out)
{
	for (const struct harness_injection *h = own; h->name; h++)
		if (!i--) {
			*out = (struct injection){
				.name = h->form, .summary = h->summary, .owner = INJECTION_HARNESS};
			return true;
		}
	if (!model)
		return false;
	if (i < COMMON) {
		*out = common[i];
		return true;
	}
	/* Only behind the last one is there no name. */
	i -= COMMON;
	*out = (struct injection){
		.name = model->injections[i].name, .owner = INJECTION_MODEL, .bit = (uint8_t)i};
	if (!out->name)
		return false;
	out->summary = model->injections[i].summary;
	return true;
}

static bool find_name(const struct pmu_model *model, const char *name, struct injection *out)
{
	for (unsigned i = 0; injection_at(model, i, out); i++)
		if (!strcmp(out->name, name))
			return true;
	return false;
}

/* An erratum's injection is known by each of its numbers. */
static bool find_erratum(const struct pmu_model *model, const char *name, struct injection *out)
{
	int row = model->errata ? errata_find(model->errata, name) : -1;
	char number[ERRATUM_NUMBER];

	if (row < 0)
		return false;
	for (unsigned i = 0; model->injections[i].name; i++)
		for (unsigned n = 0; errata_number(model->errata, (unsigned)row, n, number, sizeof number);
		     n++)
			if (errata_same(model->errata, number, model->injections[i].name))
				return find_name(model, model->injections[i].name, out);
	return false;
}

static bool find(const struct pmu_model *model, const char *name, struct injection *out)
{
	return find_name(model, name, out) || find_erratum(model, name, out);
}

static const char *nearest(const struct pmu_model *model, const char *name)
{
	unsigned least = ~0u;
	const char *best = "";
	struct injection known;

	for (unsigned i = 0; injection_at(model, i, &known); i++) {
		unsigned distance = edit_distance(name, known.name);

		if (distance < least) {
			least = distance;
			best = known.name;
		}
	}
	return best;
}

static bool switch_on(const struct pmu_model *model, const char *name, struct injections *out,
		      char why[INJECTION_REASON])
{
	struct injection known;

	if (identity_answer_is_one(name)) {
		if (identity_answer_add(name, &out->answers))
			return true;
		snprintf(why, INJECTION_REASON, "inject=%.48s: must read %s, %u times at most", name,
			 identity_answer_form, IDENTITY_ANSWERS_MAX);
		return false;
	}
	if (!find(model, name, &known)) {
		snprintf(why, INJECTION_REASON,
			 "there is no injection '%.48s' on virtual CPUs of model '%s'; nearest: '%s'", name,
			 model->name, nearest(model, name));
		return false;
	}
	if (known.owner == INJECTION_HARNESS) {
		snprintf(why, INJECTION_REASON, "inject=%.48s: it is the harness's own, and no virtual CPU's",
			 name);
		return false;
	}
	if (known.owner == INJECTION_MODEL)
		out->model.word[known.bit / 64] |= UINT64_C(1) << known.bit % 64;
	else
		out->faults[known.owner] |= UINT32_C(1) << known.bit;
	return true;
}

/* The next one of a list, as far as it goes into size - 1 characters. @return its length, 0 at the end */
static size_t next(const char **list, char *text, size_t size)
{
	size_t length;

	*list += strspn(*list, "+");
	length = strcspn(*list, "+");
	snprintf(text, size, "%.*s", (int)(length < size ? length : size - 1), *list);
	*list += length;
	return length;
}

/* Of the harness's own: the row that has it, NULL if none has. */
static const struct harness_injection *row_of(const char *text)
{
	for (const struct harness_injection *h = own; h->name; h++) {
		size_t length = strlen(h->name);

		if (h->name[length - 1] == ':' ? !strncmp(text, h->name, length) : !strcmp(text, h->name))
			return h;
	}
	return NULL;
}

static bool refuse(char why[INJECTION_REASON], const char *text, const char *what)
{
	snprintf(why, INJECTION_REASON, "inject=%s: %s", text, what);
	return false;
}

bool injections_apply(const char *list, char *rest, size_t size, char why[INJECTION_REASON])
{
	char text[INJECTION_TEXT + 1];
	size_t used = 0, length;

	rest[0] = '\0';
	for (const char *p = list ? list : ""; (length = next(&p, text, sizeof text));) {
		const struct harness_injection *h = row_of(text);

		if (length > INJECTION_TEXT)
			return refuse(why, "...", "an injection is too long");
		if (h) {
			if (!h->apply(text, why))
				return false;
			continue;
		}
		if (used + (used != 0) + length >= size)
			return refuse(why, text, "too many injections");
		used += (size_t)snprintf(rest + used, size - used, "%s%s", used ? "+" : "", text);
	}
	return true;
}

bool injections_parse(const struct pmu_model *model, const char *list, struct injections *out,
		      char why[INJECTION_REASON])
{
	char name[INJECTION_TEXT + 1];

	*out = (struct injections){.faults = {0}};
	for (const char *p = list ? list : ""; next(&p, name, sizeof name);)
		if (!switch_on(model, name, out, why))
			return false;
	return true;
}
